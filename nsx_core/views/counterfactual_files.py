"""Counterfactual texts for other programs: a table as CSV and Parquet, everything as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pandas as pd

from nsx_core.counterfactual_records import Counterfactual, Findings
from nsx_core.spreadsheet import csv_bytes
from nsx_core.views.counterfactual_json import findings_as_json, found_by
from nsx_core.views.files import parquet_bytes
from nsx_core.views.markup import printable

__all__ = ["as_csv", "as_json", "as_parquet", "file_stem"]

_LETTERS = {True: "r", False: "k"}
_DTYPES: dict[type, str] = {str: "str", float: "float64", int: "int64"}


def as_csv(rows: Sequence[Counterfactual], found: Findings) -> bytes:
    """The rows in the order given, UTF-8, nothing in it that a spreadsheet would run.

    found: with the goal by which the rows' ``valid`` was judged, here and in ``as_parquet``.
    """
    return csv_bytes(_frame(rows, found))


def as_parquet(rows: Sequence[Counterfactual], found: Findings) -> bytes:
    """The rows in the order given; what the search was also stands in the file's metadata."""
    return parquet_bytes(_frame(rows, found), _about(found))


def as_json(found: Findings) -> bytes:
    """Every method's answer and every text that was judged, UTF-8; not measured = null."""
    written = json.dumps(findings_as_json(found), ensure_ascii=False, indent=1)
    # Half of a surrogate pair is no character: JSON's own escape keeps it.
    return written.encode("utf-8", "backslashreplace")


def file_stem(found: Findings) -> str:
    """'counterfactuals-Vidgen2021-hate-1a2b3c4d'."""
    return f"counterfactuals-{found.classifier}-{found.key[:8]}"


def _frame(rows: Sequence[Counterfactual], found: Findings) -> pd.DataFrame:
    """``mask`` has one letter a word, k = kept, r = replaced; not measured = missing, never 0.

    ``found_by`` is 'wachter; sedc', or 'draws'.
    """
    frame = pd.DataFrame(
        {
            "found_by": pd.Series(["; ".join(found_by(r.methods)) for r in rows], dtype="str"),
            "counterfactual_text": pd.Series([printable(r.text) for r in rows], dtype="str"),
            "mask": pd.Series([_mask(r) for r in rows], dtype="str"),
            "probability": pd.Series([r.after for r in rows], dtype="float64"),
            "valid": pd.Series([r.valid for r in rows], dtype="bool"),
            "words_changed": pd.Series([r.words_changed for r in rows], dtype="int64"),
            "edit_distance": pd.Series([r.edit_distance for r in rows], dtype="int64"),
            "cosine": pd.Series([r.cosine for r in rows], dtype="float64"),
            "fluency": pd.Series([r.fluency for r in rows], dtype="float64"),
        }
    )
    same = {
        name: pd.Series([value] * len(frame), dtype=_DTYPES[type(value)])
        for name, value in _about(found).items()
    }
    return pd.concat([frame, pd.DataFrame(same, index=frame.index)], axis=1)


def _about(found: Findings) -> dict[str, str | float | int]:
    """What a file must say to be understood without the app."""
    goal = found.goal
    return {
        "original_text": printable(found.text),
        "classifier": found.classifier,
        "label": found.label,
        "original_probability": float(goal.original),
        "threshold": float(goal.threshold),
        "target": float(goal.target),
        "tolerance": float(goal.tolerance),
        "calls_a_method": found.budget,
        "texts_there_before": found.free,
        "infiller": found.infiller,
        "explanation": found.explanation,
        "findings": found.key,
    }


def _mask(row: Counterfactual) -> str:
    return "".join(_LETTERS[replaced] for replaced in row.candidate.replaced)
