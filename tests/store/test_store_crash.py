"""kill -9 at any moment: what was acknowledged is there, and no batch by half."""

from __future__ import annotations

import random
import time
from pathlib import Path

from store_cases import a_draw_set, python

from nsx_core.records import DrawSide
from nsx_core.store import Store

BATCH = 16
COMMIT = """
import sys
from nsx_core.records import DrawSide
from nsx_core.store import Store
from store_cases import *
store, made = Store.open(sys.argv[1]), a_draw_set()
number = store.draw_counts(made.key)[DrawSide.NECESSITY] // int(sys.argv[2])
while True:
    rows = draws("crash", number * int(sys.argv[2]), int(sys.argv[2]))
    store.commit_batch(made, rows, "clf", judged(rows), job(done=number))
    print(number, flush=True)
    number += 1
"""


def test_killed_processes_lose_at_most_the_batch_in_flight(tmp_path: Path) -> None:
    path, chance = tmp_path / "nsx.duckdb", random.Random(7)
    expected = 0
    for _ in range(8):
        process = python(COMMIT, path, BATCH)
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first, process.stderr and process.stderr.read()
        time.sleep(chance.uniform(0.0, 0.25))
        process.kill()
        rest, _ = process.communicate(timeout=30)
        # A line that the kill has cut short was not acknowledged.
        acknowledged = [int(line) for line in (first + rest).split("\n")[:-1]]
        with Store.open(path) as store:
            assert store.warnings == ()
            rows = store.draws(a_draw_set().key, DrawSide.NECESSITY, 10**9)
            batches, cut = divmod(len(rows), BATCH)
            assert cut == 0
            assert acknowledged[0] == expected
            assert batches in (acknowledged[-1] + 1, acknowledged[-1] + 2)
            assert [draw.number for draw in rows] == list(range(len(rows)))
            assert len(store.predictions("clf", [draw.text for draw in rows])) == len(rows)
            row = store.job("j1")
            assert row is not None
            assert (row.state, row.done) == ("interrupted", batches - 1)
            expected = batches
