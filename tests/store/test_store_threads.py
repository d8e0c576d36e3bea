"""Many readers beside the writer: everyone gets its own rows, at once and complete."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from store_cases import a_draw_set, draws, job, judged

from nsx_core.errors import StoreError
from nsx_core.records import DrawSide
from nsx_core.store import Store

READERS, BATCH = 8, 16


def test_readers_never_get_foreign_rows(tmp_path: Path) -> None:
    with Store.open(tmp_path / "nsx.duckdb") as store:
        for seed in range(READERS):
            rows = draws(f"own{seed}", 0, BATCH)
            store.commit_batch(a_draw_set(seed), rows, f"clf{seed}", judged(rows), None)
        ended = threading.Event()

        def read(seed: int) -> int:
            reads = 0
            while not ended.is_set() or reads < 5:
                rows = store.draws(a_draw_set(seed).key, DrawSide.NECESSITY, 10**6)
                assert rows == draws(f"own{seed}", 0, len(rows))
                assert len(rows) % BATCH == 0
                found = store.predictions(f"clf{seed}", [draw.text for draw in rows])
                assert found == judged(rows)
                reads += 1
            return reads

        with ThreadPoolExecutor(READERS) as pool:
            readers = [pool.submit(read, seed) for seed in range(READERS)]
            try:
                for number in range(1, 3):
                    for seed in range(READERS):
                        rows = draws(f"own{seed}", number * BATCH, BATCH)
                        store.commit_batch(
                            a_draw_set(seed), rows, f"clf{seed}", judged(rows), job(done=number)
                        )
                    store.checkpoint()
            finally:
                ended.set()
            assert all(reader.result() >= 5 for reader in readers)


def test_many_callers_write_through_one_thread() -> None:
    with Store.open(":memory:") as store:
        rows = draws("same", 0, 40)

        def save(first: int) -> None:
            part = rows[first : first + 20]
            store.commit_batch(a_draw_set(), part, "clf", judged(part), None)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(save, [0, 10, 20, 0, 10, 20, 5, 15]))
        assert store.draws(a_draw_set().key, DrawSide.NECESSITY, 100) == rows
        assert store.predictions("clf", [draw.text for draw in rows]) == judged(rows)


def test_closing_waits_for_what_is_queued(tmp_path: Path) -> None:
    path, started = tmp_path / "nsx.duckdb", threading.Event()
    store = Store.open(path)

    def save() -> None:
        for number in range(50):
            rows = draws("queued", 4 * number)
            try:
                store.commit_batch(a_draw_set(), rows, None, {}, None)
            except StoreError:
                saved.append(number)
                return
            started.set()

    saved: list[int] = []
    thread = threading.Thread(target=save)
    thread.start()
    assert started.wait(10)
    store.close()
    thread.join(10)
    with Store.open(path) as again:
        count = again.draw_counts(a_draw_set().key)[DrawSide.NECESSITY]
    assert count == 4 * (saved[0] if saved else 50)
