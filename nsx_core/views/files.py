"""Tables for other programs: CSV that a spreadsheet will not run, and Parquet."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from nsx_core.records import Explanation, Side
from nsx_core.spreadsheet import csv_bytes
from nsx_core.views import phrase_list
from nsx_core.views.drilldown import Row
from nsx_core.views.markup import printable
from nsx_core.views.struck import Struck

__all__ = ["about", "csv_bytes", "file_stem", "parquet_bytes", "rows_frame", "with_settings"]

_DTYPES: dict[type, str] = {str: "str", float: "float64", int: "int64", bool: "bool"}
_LETTERS = str.maketrans("01", "kr")


def rows_frame(
    explanation: Explanation,
    index: int,
    side: Side,
    rows: Sequence[Row],
    struck: Struck | None = None,
) -> pd.DataFrame:
    """The rows as a table for files, with what a reader needs to count the score again.

    ``draw`` counts from 1, as on the page; ``mask`` has one letter a word, k = kept and
    r = replaced: a spreadsheet would read digits as a number and drop leading zeros. ``weight``
    is a draw's share in the score; the weights of all of a word's draws sum to 1.
    ``weight_without_struck`` is its share in the score without the draws that are struck out.
    """
    word = printable(explanation.words[index].word.text)
    frame = pd.DataFrame(
        {
            "score": pd.Series([str(side)] * len(rows), dtype="str"),
            "word": pd.Series([word] * len(rows), dtype="str"),
            "word_position": pd.Series([index + 1] * len(rows), dtype="int64"),
            "draw": pd.Series([r.number + 1 for r in rows], dtype="int64"),
            "mask": pd.Series([r.bits.translate(_LETTERS) for r in rows], dtype="str"),
            "words_replaced": pd.Series([r.replaced for r in rows], dtype="int64"),
            "counterfactual_text": pd.Series([printable(r.text) for r in rows], dtype="str"),
            "probability": pd.Series([r.probability for r in rows], dtype="float64"),
            "outcome": pd.Series([r.outcome for r in rows], dtype="str"),
            "unchanged": pd.Series([r.unchanged for r in rows], dtype="bool"),
            "weight": pd.Series([r.weight for r in rows], dtype="float64"),
            "struck": pd.Series([r.struck is not None for r in rows], dtype="bool"),
            "strike_reason": pd.Series([printable(r.struck or "") for r in rows], dtype="str"),
            "weight_without_struck": pd.Series([r.weight_without for r in rows], dtype="float64"),
        }
    )
    return with_settings(frame, explanation, struck)


def with_settings(
    frame: pd.DataFrame, explanation: Explanation, struck: Struck | None = None
) -> pd.DataFrame:
    """The frame with a column for each thing of ``about``, the same in every row."""
    same = {
        name: pd.Series([value] * len(frame), index=frame.index, dtype=_DTYPES[type(value)])
        for name, value in about(explanation, struck).items()
    }
    return pd.concat([frame, pd.DataFrame(same, index=frame.index)], axis=1)


def about(
    explanation: Explanation, struck: Struck | None = None
) -> dict[str, str | float | int | bool]:
    """What a file must say to be understood without the app."""
    settings = explanation.settings
    return {
        "original_text": printable(explanation.text),
        "classifier": explanation.classifier,
        "label": explanation.label,
        "original_probability": explanation.probability,
        "counted": "probabilities" if settings.use_scores else "predictions",
        "threshold": settings.threshold,
        "neutral_baseline": explanation.baseline,
        "infiller": explanation.infiller,
        "temperature": settings.generation.temperature,
        "top_p": settings.generation.top_p,
        "unchanged_redrawn": settings.generation.redraw_unchanged,
        "sampler": settings.sampler,
        "budget": settings.budget,
        "seed": settings.seed,
        "phrases_as_units": phrase_list.written([printable(p) for p in settings.phrases]),
        "draws": len(explanation.draws),
        "struck_draws": len(struck.reasons) if struck else 0,
        "explanation": explanation.key,
    }


def file_stem(name: str, explanation: Explanation) -> str:
    """'scores-Vidgen2021-hate-t0.50-1a2b3c4d': other settings, another name."""
    threshold = f"t{explanation.settings.threshold:.2f}"
    return f"{name}-{explanation.classifier}-{threshold}-{explanation.key[:8]}"


def parquet_bytes(frame: pd.DataFrame, about: Mapping[str, object] | None = None) -> bytes:
    """The frame as Parquet; ``about`` goes into the file's metadata as JSON."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    if about:
        kept = table.schema.metadata or {}
        table = table.replace_schema_metadata({**kept, b"nsx": json.dumps(about).encode()})
    out = io.BytesIO()
    pq.write_table(table, out, compression="zstd")
    return out.getvalue()
