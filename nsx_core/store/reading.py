"""Every query that reads. Each takes a fresh cursor and fetches all it selects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nsx_core.records import Draw, DrawSide
from nsx_core.store.connection import first_row
from nsx_core.store.opening import Cursor
from nsx_core.store.rows import JobRow, draw_from_row, from_blob, wanted_table

if TYPE_CHECKING:
    import pandas as pd

#: Where predictions for the texts of a registered table may lie. Looking at the integer
#: column alone first, then fetching those rows by their place, was five to eight times
#: faster on two million predictions than one join that reads all columns.
PLACES = (
    "places AS MATERIALIZED (SELECT DISTINCT p.rowid AS place FROM predictions p "
    "JOIN {} USING (text_key))"
)
_JOB_COLUMNS = "id, kind, state, done, total, heartbeat, error, request, created"


def text_of(cursor: Cursor, text_id: str) -> str | None:
    """The text with this id, None where it is unknown."""
    row = first_row(cursor, "SELECT text FROM texts WHERE text_id = ? LIMIT 1", [text_id])
    return from_blob(row[0]) if row else None


def draw_set_number(cursor: Cursor, key: str) -> int | None:
    """The small number by which draws name their set, None where it has none yet."""
    row = first_row(cursor, "SELECT id FROM draw_sets WHERE key = ? LIMIT 1", [key])
    return int(row[0]) if row else None


def draws_of(cursor: Cursor, key: str, side: DrawSide, below: int) -> list[Draw]:
    """The draws of one side with numbers < below, ascending."""
    number = draw_set_number(cursor, key)
    if number is None:
        return []
    rows = cursor.execute(
        "SELECT side, number, mask, answers, text, unchanged, redraws FROM draws "
        "WHERE draw_set = ? AND side = ? AND number < ? ORDER BY number",
        [number, str(side), below],
    ).fetchall()
    return [draw_from_row(*row) for row in rows]


def draws_of_sets(cursor: Cursor, keys: Sequence[str], side: DrawSide) -> dict[str, list[Draw]]:
    """The draws of one side of each of the sets that has any, ascending."""
    numbers = cursor.execute(
        "SELECT id, key FROM draw_sets WHERE key IN (SELECT unnest(?))", [list(keys)]
    ).fetchall()
    names = dict(numbers)
    if not names:
        return {}
    # The range lets DuckDB skip the draws of all other sets.
    rows = cursor.execute(
        "SELECT draw_set, side, number, mask, answers, text, unchanged, redraws FROM draws "
        "WHERE draw_set BETWEEN ? AND ? AND draw_set IN (SELECT unnest(?)) AND side = ? "
        "ORDER BY number",
        [min(names), max(names), list(names), str(side)],
    ).fetchall()
    found: dict[str, list[Draw]] = {}
    for number, *row in rows:
        found.setdefault(names[number], []).append(draw_from_row(*row))
    return found


def draw_counts_of(cursor: Cursor, key: str) -> dict[DrawSide, int]:
    """How many draws each side has; every side is named."""
    counts = dict.fromkeys(DrawSide, 0)
    number = draw_set_number(cursor, key)
    if number is not None:
        rows = cursor.execute(
            "SELECT side, count(*) FROM draws WHERE draw_set = ? GROUP BY side", [number]
        ).fetchall()
        counts.update((DrawSide(side), int(count)) for side, count in rows)
    return counts


def predictions_of(
    cursor: Cursor, classifier: str, texts: Sequence[str]
) -> dict[str, tuple[float, ...]]:
    """text -> float64[K] of those of the texts that the classifier has judged."""
    wanted = list(dict.fromkeys(texts))
    if not wanted:
        return {}
    cursor.register("wanted", wanted_table(wanted))
    rows = cursor.execute(
        f"WITH {PLACES.format('wanted')} "
        "SELECT w.position, p.probabilities FROM predictions p JOIN places ON p.rowid = place "
        "JOIN wanted w ON p.text_hash = w.text_hash WHERE p.classifier = ? ORDER BY w.position",
        [classifier],
    ).fetchall()
    return {wanted[position]: tuple(probabilities) for position, probabilities in rows}


def jobs_of(cursor: Cursor, state: str | None, limit: int) -> list[JobRow]:
    """The newest jobs first, of one state or of all."""
    rows = cursor.execute(
        f"SELECT {_JOB_COLUMNS} FROM jobs WHERE ? IS NULL OR state = ? "
        "ORDER BY created DESC, id LIMIT ?",
        [state, state, limit],
    ).fetchall()
    return [_job(row) for row in rows]


def job_of(cursor: Cursor, job_id: str) -> JobRow | None:
    """The job with this id, None where it is unknown."""
    row = first_row(cursor, f"SELECT {_JOB_COLUMNS} FROM jobs WHERE id = ? LIMIT 1", [job_id])
    return _job(row) if row else None


def judged_frame(cursor: Cursor, key: str, classifier: str, side: DrawSide | None) -> pd.DataFrame:
    """The judged draws of a set as a frame, see ``Store.judged``."""
    import pandas as pd  # half a second that only exports need

    columns = "side, number, mask, answers, text, unchanged, redraws"
    number = draw_set_number(cursor, key)
    rows = cursor.execute(
        f"SELECT {columns}, probabilities FROM draws d JOIN predictions p "
        "USING (text_key, text_hash) WHERE d.draw_set = ? AND p.classifier = ? "
        "AND (? IS NULL OR side = ?) ORDER BY side, number",
        [number, classifier, side and str(side), side and str(side)],
    ).fetchall()
    draws = [draw_from_row(*row[:-1]) for row in rows]
    return pd.DataFrame(
        {
            "side": [str(draw.side) for draw in draws],
            "number": pd.Series([draw.number for draw in draws], dtype="int64"),
            "mask": [draw.bits for draw in draws],
            # pandas' own strings are UTF-8 and refuse lone surrogates.
            "answers": pd.Series([draw.answers for draw in draws], dtype=object),
            "text": pd.Series([draw.text for draw in draws], dtype=object),
            "unchanged": pd.Series([draw.unchanged for draw in draws], dtype=bool),
            "redraws": pd.Series([draw.redraws for draw in draws], dtype="int64"),
            "probabilities": pd.Series([tuple(row[-1]) for row in rows], dtype=object),
        }
    )


def _job(row: tuple[Any, ...]) -> JobRow:
    identity, kind, state, done, total, heartbeat, error, request, created = row
    failure = None if error is None else from_blob(error)
    return JobRow(
        identity, kind, state, done, total, heartbeat, failure, from_blob(request), created
    )
