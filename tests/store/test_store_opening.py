"""Everything that can be in the way of a file, and what the message says."""

from __future__ import annotations

import re
import shutil
import sqlite3
from pathlib import Path

import duckdb
import pytest
from store_cases import a_draw_set, draws, job, judged, python

from nsx_core.errors import StoreBusyError, StoreCorruptError, StoreError
from nsx_core.records import DrawSide
from nsx_core.store import Store, opening, set_aside

CRASH = """
import os, sys
from nsx_core.store import Store
from store_cases import *
store = Store.open(sys.argv[1])
for number in range(int(sys.argv[2])):
    rows = draws("crash", 4 * number)
    store.commit_batch(a_draw_set(), rows, "clf", judged(rows), job(done=number))
os._exit(0)
"""
HOLD = """
import sys
from nsx_core.store import Store
store = Store.open(sys.argv[1])
print("open", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "folders" / "nsx.duckdb"


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store whose process died after five batches of four draws."""
    folder = tmp_path_factory.mktemp("crashed")
    process = python(CRASH, folder / "nsx.duckdb", 5)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return folder


@pytest.fixture
def dead(crashed: Path, path: Path) -> Path:
    """A copy of its file, the log beside it."""
    shutil.copytree(crashed, path.parent)
    return path


def count(path: Path) -> tuple[int, tuple[str, ...]]:
    with Store.open(path) as store:
        return store.draw_counts(a_draw_set().key)[DrawSide.NECESSITY], store.warnings


def test_a_store_is_created_with_its_folders_and_kept(path: Path) -> None:
    with Store.open(path) as store:
        store.commit_batch(a_draw_set(), draws("x"), "clf", judged(draws("x")), None)
        assert store.path == path
        assert store.warnings == ()
    with pytest.raises(StoreError, match="The store is closed"):
        store.draw_counts(a_draw_set().key)
    with pytest.raises(
        StoreError, match="The state of a job could not be saved: the store is closed"
    ):
        store.save_job(job())
    store.close()
    assert count(path) == (4, ())
    assert sorted(item.name for item in path.parent.iterdir()) == ["nsx.duckdb"]


def test_settings_are_locked_and_no_other_file_is_in_reach(path: Path) -> None:
    with Store.open(path) as store:
        outside = path.parent / "outside.csv"
        outside.write_text("a\n1\n")
        for query in (
            "SET memory_limit = '20GB'",
            f"SELECT * FROM read_csv('{outside}')",
            f"COPY draws TO '{path.parent / 'draws.csv'}'",
            f"ATTACH '{path.parent / 'other.duckdb'}' AS other",
            "INSTALL httpfs",
            "SELECT * FROM query",
        ):
            with pytest.raises(StoreError):
                store._database.read(lambda cursor, query=query: cursor.execute(query).fetchall())
        named = store._database.read(
            lambda cursor: cursor.execute(
                "SELECT current_setting('memory_limit'), current_setting('threads'), "
                "current_setting('temp_directory'), current_setting('enable_external_access')"
            ).fetchall()
        )
        assert named == [("953.6 MiB", 2, f"{path}.tmp", False)]
        store.checkpoint()


def test_a_file_is_written_in_the_pinned_format(path: Path) -> None:
    with Store.open(path) as store:
        tags = store._database.read(
            lambda cursor: cursor.execute(
                "SELECT tags FROM duckdb_databases() WHERE path IS NOT NULL"
            ).fetchall()
        )
    assert tags[0][0]["storage_version"].startswith(opening.STORAGE_VERSION)


def test_a_file_of_an_older_format_opens(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(opening, "STORAGE_VERSION", "v1.0.0")
        with Store.open(path) as store:
            store.commit_batch(a_draw_set(), draws("x"), None, {}, None)
    assert count(path) == (4, ())


def test_a_second_process_is_told_who_has_the_file(path: Path) -> None:
    process = python(HOLD, path)
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    with pytest.raises(StoreBusyError) as caught:
        Store.open(path)
    process.communicate("", timeout=30)
    message = str(caught.value)
    assert str(path) in message
    assert f"in use by the running app (process {process.pid})" in message
    assert "Use the app that is open, close it first, or set NSX_HOME" in message
    assert count(path) == (0, ())


def test_a_second_store_in_one_process_is_refused(path: Path) -> None:
    with Store.open(path):
        with pytest.raises(StoreBusyError, match="already open in this process"):
            Store.open(path.parent / "." / path.name)
        with pytest.raises(StoreBusyError, match="close it before moving it aside"):
            set_aside(path)


@pytest.mark.parametrize("content", [b"", b"x", b"not a database " * 1000])
def test_a_file_that_is_no_database_is_left_and_can_be_set_aside(
    path: Path, content: bytes
) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(StoreCorruptError) as caught:
        Store.open(path)
    message = str(caught.value)
    assert str(path) in message
    assert "Nothing was deleted. Move it aside and start again" in message
    assert path.read_bytes() == content
    path.with_name("nsx.duckdb.wal").write_bytes(b"log")
    moved = set_aside(path)
    assert re.fullmatch(r"nsx\.duckdb\.set-aside-\d{8}-\d{6}", moved.name)
    assert moved.read_bytes() == content
    assert moved.with_name(moved.name + ".wal").read_bytes() == b"log"
    assert count(path) == (0, ())


def test_a_sqlite_file_is_called_damaged_without_going_to_the_network(path: Path) -> None:
    path.parent.mkdir(parents=True)
    lite = sqlite3.connect(path)
    lite.execute("CREATE TABLE t (a)")
    lite.commit()
    lite.close()
    with pytest.raises(StoreCorruptError, match="damaged or not a DuckDB file"):
        Store.open(path)


def test_a_damaged_header_is_called_damaged(path: Path) -> None:
    count(path)
    content = bytearray(path.read_bytes())
    for place in range(4096, 12288):
        content[place] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(StoreCorruptError, match="is damaged"):
        Store.open(path)


def test_another_programs_duckdb_file_is_left_alone(path: Path) -> None:
    path.parent.mkdir(parents=True)
    with duckdb.connect(str(path)) as other:
        other.execute("CREATE TABLE theirs (a INT)")
    with pytest.raises(StoreError, match="has the tables theirs and no schema_version"):
        Store.open(path)


def test_setting_aside_what_is_not_there_is_refused(path: Path) -> None:
    with pytest.raises(StoreError, match="There is no file"):
        set_aside(path)


def test_a_folder_or_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="a folder lies where the file should be"):
        Store.open(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match=r"Set NSX_HOME to a folder"):
        Store.open(tmp_path / "file" / "nsx.duckdb")


@pytest.mark.parametrize(
    "cause", [PermissionError(13, "Permission denied"), OSError(30, "Read-only file system")]
)
def test_a_folder_without_rights_is_named(
    path: Path, monkeypatch: pytest.MonkeyPatch, cause: OSError
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise cause

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(StoreError, match=r"cannot be written. Give this user the right") as caught:
        Store.open(path)
    assert str(path) in str(caught.value)
    assert "NSX_HOME" in str(caught.value)


def test_a_torn_log_loses_the_last_batch_only(dead: Path) -> None:
    log = dead.with_name(dead.name + ".wal")
    log.write_bytes(log.read_bytes()[:-20])
    assert count(dead) == (16, ())


def test_a_damaged_log_is_set_aside_and_read_up_to_the_damage(dead: Path) -> None:
    log = dead.with_name(dead.name + ".wal")
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 0xFF
    log.write_bytes(content)
    saved, warnings = count(dead)
    assert saved in (4, 8, 12)
    assert len(warnings) == 1
    assert "was damaged and has been set aside as nsx.duckdb.wal.set-aside-" in warnings[0]
    kept = list(dead.parent.glob("*.wal.set-aside-*"))
    assert [item.read_bytes() for item in kept] == [bytes(content)]
    assert count(dead) == (saved, ())


@pytest.mark.parametrize("content", [bytes(5000), b"garbage" * 900])
def test_a_log_that_is_none_is_set_aside(path: Path, content: bytes) -> None:
    with Store.open(path) as store:
        store.commit_batch(a_draw_set(), draws("x"), None, {}, None)
    log = path.with_name(path.name + ".wal")
    log.write_bytes(content)
    saved, warnings = count(path)
    assert saved == 4
    assert "What was saved last is missing" in warnings[0]
    assert [item.read_bytes() for item in path.parent.glob("*.set-aside-*")] == [content]


def test_jobs_of_a_dead_process_are_interrupted(dead: Path) -> None:
    with Store.open(dead) as store:
        row = store.job("j1")
        assert row is not None
        assert row.state == "interrupted"
        assert row.error == "The app ended before this was finished; what was saved is kept."
        store.save_job(job("j2", "done"))
    with Store.open(dead) as store:
        assert [row.state for row in store.jobs()] == ["interrupted", "done"]
