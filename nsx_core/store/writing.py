"""Every statement that writes. Each runs inside a transaction of the writer thread.

Rows are immutable: what is there already is left out (an anti-join), never replaced, so
that the same batch can be committed twice without harm.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nsx_core.store.connection import first_row
from nsx_core.store.keys import DrawSet
from nsx_core.store.opening import Cursor
from nsx_core.store.reading import PLACES, draw_set_number
from nsx_core.store.rows import JobRow, readable, to_blob

if TYPE_CHECKING:
    import pyarrow as pa

INTERRUPTED = "The app ended before this was finished; what was saved is kept."


@dataclass(frozen=True, slots=True)
class Batch:
    """What commits together; a part that is None has nothing to add."""

    draws: tuple[tuple[DrawSet, pa.Table | None], ...]
    classifier: str | None
    predictions: pa.Table | None
    job: JobRow | None

    def __call__(self, cursor: Cursor) -> None:
        """Write all parts."""
        numbers = _number(cursor, [draw_set for draw_set, _ in self.draws])
        filled = [(numbers[of.key], draws) for of, draws in self.draws if draws is not None]
        if filled:
            _insert_draws(cursor, filled)
        if self.classifier is not None and self.predictions is not None:
            _insert_predictions(cursor, self.classifier, self.predictions)
        if self.job is not None:
            write_job(cursor, self.job)


def write_text(cursor: Cursor, text_id: str, text: str) -> None:
    """Add a text that is not there yet."""
    cursor.execute(
        "INSERT INTO texts SELECT $id, $text, $now "
        "WHERE NOT EXISTS (FROM texts WHERE text_id = $id)",
        {"id": text_id, "text": to_blob(text), "now": time.time()},
    )


def write_model(cursor: Cursor, kind: str, name: str, fingerprint: str, manifest: str) -> None:
    """Add a model that is not there yet under this name."""
    cursor.execute(
        "INSERT INTO models SELECT $kind, $name, $fingerprint, $manifest, $now "
        "WHERE NOT EXISTS (FROM models WHERE kind = $kind AND name = $name "
        "AND fingerprint = $fingerprint)",
        {
            "kind": kind,
            "name": readable(name),
            "fingerprint": fingerprint,
            "manifest": manifest,
            "now": time.time(),
        },
    )


def write_job(cursor: Cursor, job: JobRow) -> None:
    """Add a job or bring it up to date: jobs are the only rows that change."""
    error = None if job.error is None else to_blob(job.error)
    changed = first_row(
        cursor,
        "UPDATE jobs SET state = ?, done = ?, total = ?, heartbeat = ?, error = ?, request = ? "
        "WHERE id = ?",
        [
            job.state,
            job.done,
            job.total,
            job.heartbeat,
            error,
            to_blob(job.request),
            job.id,
        ],
    )
    if not changed or not changed[0]:
        cursor.execute(
            "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                job.id,
                job.kind,
                job.state,
                job.done,
                job.total,
                job.heartbeat,
                error,
                to_blob(job.request),
                job.created,
            ],
        )


def interrupt_jobs(cursor: Cursor) -> int:
    """Mark what no living process works on; returns how many jobs that were."""
    changed = first_row(
        cursor,
        "UPDATE jobs SET state = 'interrupted', error = coalesce(error, ?) "
        "WHERE state IN ('queued', 'running')",
        [to_blob(INTERRUPTED)],
    )
    return int(changed[0]) if changed else 0


def _number(cursor: Cursor, sets: Sequence[DrawSet]) -> dict[str, int]:
    """The number of each set by its key; those that have none yet get one."""
    known = {s.key: number for s in sets if (number := draw_set_number(cursor, s.key)) is not None}
    row = first_row(cursor, "SELECT coalesce(max(id), 0) FROM draw_sets")
    following = int(row[0]) if row else 0
    for draw_set in sets:
        if draw_set.key in known:
            continue
        following += 1
        known[draw_set.key] = following
        cursor.execute(
            "INSERT INTO draw_sets VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                following,
                draw_set.key,
                draw_set.text_id,
                readable(draw_set.infiller),
                draw_set.infiller_fingerprint,
                draw_set.settings,
                time.time(),
            ],
        )
    return known


def _insert_draws(cursor: Cursor, numbered: Sequence[tuple[int, pa.Table]]) -> None:
    """Add draws, each table under the number of its set; together, as each insert costs much."""
    import pyarrow as pa

    tables = [t.append_column("set", pa.array([n] * len(t), pa.int32())) for n, t in numbered]
    cursor.register("incoming_draws", pa.concat_tables(tables))
    numbers = [number for number, _ in numbered]
    # The range lets DuckDB skip the draws of all other sets.
    cursor.execute(
        'INSERT INTO draws SELECT i."set", i.* EXCLUDE ("set") FROM incoming_draws i '
        "WHERE NOT EXISTS (FROM draws d WHERE d.draw_set BETWEEN $low AND $high "
        'AND d.draw_set = i."set" AND d.side = i.side AND d.number = i.number)',
        {"low": min(numbers), "high": max(numbers)},
    )


def _insert_predictions(cursor: Cursor, classifier: str, predictions: pa.Table) -> None:
    cursor.register("incoming_predictions", predictions)
    cursor.execute(
        f"INSERT INTO predictions WITH {PLACES.format('incoming_predictions')}, "
        "old AS MATERIALIZED (SELECT p.text_hash FROM predictions p JOIN places "
        "ON p.rowid = place WHERE p.classifier = $classifier) "
        "SELECT $classifier, i.* FROM incoming_predictions i ANTI JOIN old USING (text_hash)",
        {"classifier": classifier},
    )
