"""Every statement that writes an audit's rows: once each, left out where they are there already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from nsx_core.store.connection import first_row
from nsx_core.store.opening import Cursor
from nsx_core.store.rows import JobRow, to_blob
from nsx_core.store.writing import write_job

__all__ = ["CaseRows", "insert_attributions", "insert_case", "insert_predictions"]


@dataclass(frozen=True, slots=True)
class CaseRows:
    """What one classifier's explanation of one case leaves behind.

    words: position, word, is_identity, necessity, sufficiency, each; draws: side, number, size
    (words replaced), replaced (the phrase is), weight, probability, each; phrase_at: the phrase's
    place among the words; calls, texts: draws and distinct texts that were judged; seconds of
    infilling and classifying, None where the store had some of them.
    """

    masked: bool
    classifier: str
    case_number: int
    draw_set: str
    phrase_at: int
    words: Sequence[tuple[int, str, bool, float | None, float | None]]
    draws: Sequence[tuple[str, int, int, bool, float, float]]
    calls: int
    texts: int
    seconds: float | None


def insert_predictions(
    cursor: Cursor, audit: str, classifier: str, table: pa.Table, job: JobRow | None
) -> None:
    """One classifier's probabilities of all cases: columns case_number and probability."""
    cursor.register("incoming", table)
    cursor.execute(
        "INSERT INTO audit_predictions SELECT $audit, $classifier, i.* FROM incoming i "
        "WHERE NOT EXISTS (FROM audit_predictions WHERE audit = $audit "
        "AND classifier = $classifier)",
        {"audit": audit, "classifier": classifier},
    )
    if job is not None:
        write_job(cursor, job)


def insert_case(cursor: Cursor, audit: str, rows: CaseRows, job: JobRow | None) -> None:
    """A case's words and draws, and that it is done."""
    where = {
        "audit": audit, "masked": rows.masked, "classifier": rows.classifier,
        "number": rows.case_number,
    }  # fmt: skip
    there = first_row(
        cursor,
        "SELECT 1 FROM audit_cases WHERE audit = $audit AND masked = $masked "
        "AND classifier = $classifier AND case_number = $number LIMIT 1",
        where,
    )
    if there is None:
        cursor.execute(
            "INSERT INTO audit_cases SELECT $audit, $masked, $classifier, $number, $key, $n, $at, $calls, "
            "$texts, $seconds",
            {
                **where,
                "key": rows.draw_set,
                "n": len(rows.words),
                "at": rows.phrase_at,
                "calls": rows.calls,
                "texts": rows.texts,
                "seconds": rows.seconds,
            },
        )
        for name, table in (("words", _words(rows)), ("draws", _draws(rows))):
            cursor.register(f"incoming_{name}", table)
            cursor.execute(
                f"INSERT INTO audit_{name} SELECT $audit, $masked, $classifier, $number, i.* "
                f"FROM incoming_{name} i",
                where,
            )
    if job is not None:
        write_job(cursor, job)


def _words(rows: CaseRows) -> pa.Table:
    position, word, is_identity, necessity, sufficiency = zip(*rows.words, strict=True)
    return pa.table(
        {
            "position": pa.array(position, pa.int32()),
            "word": pa.array([to_blob(w) for w in word], pa.binary()),
            "is_identity": pa.array(is_identity, pa.bool_()),
            "necessity": pa.array(necessity, pa.float64()),
            "sufficiency": pa.array(sufficiency, pa.float64()),
        }
    )


def _draws(rows: CaseRows) -> pa.Table:
    columns = list(zip(*rows.draws, strict=True)) or [()] * 6
    kinds = (pa.string(), pa.int32(), pa.int32(), pa.bool_(), pa.float64(), pa.float64())
    names = ("side", "number", "size", "replaced", "weight", "probability")
    return pa.table(
        {name: pa.array(list(c), kind) for name, c, kind in zip(names, columns, kinds, strict=True)}
    )


def insert_attributions(
    cursor: Cursor,
    audit: str,
    classifier: str,
    case_number: int,
    rows: Sequence[tuple[str, int, float | None, int, int, float]],
    job: JobRow | None,
) -> None:
    """Method, seed, score, calls, texts and seconds of one case, each."""
    for method, seed, score, calls, texts, seconds in rows:
        cursor.execute(
            "INSERT INTO audit_attributions SELECT $audit, $method, $seed, $classifier, $number, "
            "$score, $calls, $texts, $seconds WHERE NOT EXISTS (FROM audit_attributions WHERE "
            "audit = $audit AND method = $method AND seed = $seed AND classifier = $classifier "
            "AND case_number = $number)",
            {
                "audit": audit, "method": method, "seed": seed, "classifier": classifier,
                "number": case_number, "score": score, "calls": calls, "texts": texts,
                "seconds": seconds,
            },
        )  # fmt: skip
    if job is not None:
        write_job(cursor, job)
