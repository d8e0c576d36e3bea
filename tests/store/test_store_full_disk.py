"""A disk that fills up, played by a limit on the size of files."""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb
import pytest
from store_cases import a_draw_set, draws, job, judged, python

from nsx_core.errors import StoreError
from nsx_core.records import DrawSide
from nsx_core.store import Store, reading

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs RLIMIT_FSIZE")

FILL = """
import os, random, resource, sys
from dataclasses import replace
from nsx_core.errors import StoreError
from nsx_core.records import DrawSide
from nsx_core.store import Store, opening
from store_cases import *

def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

def batch(number):  # about 200 kB that do not compress
    return [replace(draw, text=random.randbytes(25_000).hex()) for draw in draws("x", 4 * number)]

if sys.argv[2] == "automatic":  # checkpoints come early enough for the file itself to fill up
    lock_down = opening._lock_down

    def early(connection, path):
        connection.execute("SET wal_autocheckpoint = '1MB'")
        lock_down(connection, path)

    opening._lock_down = early

store, key = Store.open(sys.argv[1]), a_draw_set().key
limit(2_000_000)
saved = 0
try:
    while saved < 50:
        rows = batch(saved)
        store.commit_batch(a_draw_set(), rows, "clf", judged(rows), job(done=saved))
        saved += 1
except StoreError as error:
    print(error)
counts = store.draw_counts(key)[DrawSide.NECESSITY], store.job("j1").done
assert counts == (4 * saved, saved - 1), (counts, saved)
assert store.predictions("clf", [draw.text for draw in rows]) == {}
if sys.argv[2] == "fatal":  # a checkpoint that fails makes DuckDB refuse all until reopened
    limit(os.path.getsize(sys.argv[1]) + 10_000)
    try:
        store.checkpoint()
    except StoreError as error:
        print(error)
    assert store.draw_counts(key)[DrawSide.NECESSITY] == 4 * saved
limit(resource.RLIM_INFINITY)
store.commit_batch(a_draw_set(), rows, "clf", judged(rows), job(done=saved))
assert store.draw_counts(key)[DrawSide.NECESSITY] == 4 * saved + 4
store.close()
print("saved", saved + 1)
"""


@pytest.mark.parametrize("how", ["commit", "automatic", "fatal"])
def test_a_full_disk_loses_one_batch_and_says_so(tmp_path: Path, how: str) -> None:
    path = tmp_path / "nsx.duckdb"
    output, errors = python(FILL, path, how).communicate(timeout=60)
    assert errors == ""
    messages = output.splitlines()
    assert "The disk is full: 4 draws and 4 predictions could not be saved to" in messages[0]
    assert str(path) in messages[0]
    assert "nothing was written by half" in messages[0]
    assert f"set NSX_HOME to a folder on another disk and move {tmp_path} there" in messages[0]
    if how == "fatal":
        assert "The disk is full" in messages[1]
    saved = int(messages[-1].split()[1])
    assert 2 <= saved <= 25
    with Store.open(path) as store:
        assert store.draw_counts(a_draw_set().key)[DrawSide.NECESSITY] == 4 * saved


def test_a_statement_that_fails_half_way_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise duckdb.IOException("No space left on device")

    with Store.open(tmp_path / "nsx.duckdb") as store:
        with monkeypatch.context() as patch:
            patch.setattr("nsx_core.store.writing.write_job", fail)
            with pytest.raises(StoreError, match="4 draws could not be saved"):
                store.commit_batch(a_draw_set(), draws("x"), None, {}, job())
        assert store.draw_counts(a_draw_set().key)[DrawSide.NECESSITY] == 0
        store.commit_batch(a_draw_set(), draws("x"), None, {}, job())
        assert store.draw_counts(a_draw_set().key)[DrawSide.NECESSITY] == 4


def test_a_read_goes_on_after_duckdb_gives_up_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = reading.draws_of, []

    def once(cursor: duckdb.DuckDBPyConnection, **given: object) -> object:
        calls.append(given)
        if len(calls) == 1:
            raise duckdb.FatalException("database has been invalidated")
        return real(cursor, **given)  # type: ignore[arg-type]

    with Store.open(tmp_path / "nsx.duckdb") as store:
        rows = draws("x")
        store.commit_batch(a_draw_set(), rows, "clf", judged(rows), None)
        monkeypatch.setattr(reading, "draws_of", once)
        assert store.draws(a_draw_set().key, DrawSide.NECESSITY, 9) == rows
        assert len(calls) == 2
