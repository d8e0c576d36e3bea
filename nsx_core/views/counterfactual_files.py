"""Counterfactual texts for other programs: a table as CSV and Parquet, everything as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pandas as pd

from nsx_core.counterfactual_records import (
    Candidate,
    Counterfactual,
    CounterfactualRequest,
    Findings,
    WordSet,
)
from nsx_core.views import phrase_list
from nsx_core.views.counterfactual_table import Row
from nsx_core.views.markup import printable

__all__ = ["about", "file_stem", "findings_json", "texts_frame"]

_DRAWS = "draws"
_LETTERS = {True: "r", False: "k"}


def about(
    found: Findings, request: CounterfactualRequest, strength: float, tolerance: float
) -> dict[str, str | float | int | bool]:
    """What a file must say to be understood without the app.

    strength: lambda of the ranking; tolerance: the epsilon that decided what is valid.
    """
    settings = request.explain.settings
    return {
        "original_text": printable(found.text),
        "classifier": found.classifier,
        "label": found.label,
        "original_probability": found.goal.original,
        "threshold": found.goal.threshold,
        "target": found.goal.target,
        "tolerance": tolerance,
        "lambda": strength,
        "calls_a_method": found.budget,
        "texts_paid_before": found.free,
        "removal": str(request.removal),
        "anchor_precision": request.precision,
        "anchor_delta": request.delta,
        "infiller": found.infiller,
        "temperature": settings.generation.temperature,
        "top_p": settings.generation.top_p,
        "sampler": settings.sampler,
        "budget": settings.budget,
        "seed": settings.seed,
        "phrases_as_units": phrase_list.written([printable(p) for p in settings.phrases]),
        "explanation": found.explanation,
        "findings": found.key,
    }


def texts_frame(rows: Sequence[Row], about: dict[str, Any]) -> pd.DataFrame:
    """The rows as a table; ``mask`` has one letter a word, k = kept, r = replaced.

    What was not measured is missing, never 0.
    """
    texts = [row.text for row in rows]
    frame = pd.DataFrame(
        {
            "rank": pd.Series([row.rank for row in rows], dtype="int64"),
            "found_by": pd.Series([_finder(t) for t in texts], dtype="str"),
            "counterfactual_text": pd.Series([printable(t.text) for t in texts], dtype="str"),
            "mask": pd.Series([_mask(t.candidate) for t in texts], dtype="str"),
            "probability": pd.Series([t.after for t in texts], dtype="float64"),
            "valid": pd.Series([t.valid for t in texts], dtype="bool"),
            "words_changed": pd.Series([t.words_changed for t in texts], dtype="int64"),
            "edit_distance": pd.Series([t.edit_distance for t in texts], dtype="int64"),
            "cosine": pd.Series([t.cosine for t in texts], dtype="float64"),
            "fluency": pd.Series([t.fluency for t in texts], dtype="float64"),
        }
    )
    same = {name: [value] * len(frame) for name, value in about.items()}
    return pd.concat([frame, pd.DataFrame(same, index=frame.index)], axis=1)


def findings_json(found: Findings, rows: Sequence[Row], about: dict[str, Any]) -> bytes:
    """Each method's answer and the rows, UTF-8; what was not measured is null."""
    words = [printable(word.text) for word in found.words]
    methods = [
        {
            "method": str(m.method),
            "calls": m.calls,
            "infills": m.written,
            "seconds": m.seconds,
            "ended": str(m.ended),
            "notes": list(m.notes),
            "listed": [_text(t) for t in m.listed],
            "nearest": None if m.nearest is None else _text(m.nearest),
            "sets": [_set(chosen, words) for chosen in m.sets],
        }
        for m in found.found
    ]
    made = {
        "about": about,
        "fluency_note": found.fluency_note,
        "words": words,
        "methods": methods,
        "texts": [{"rank": row.rank, **_text(row.text)} for row in rows],
    }
    return json.dumps(made, ensure_ascii=False, indent=1).encode("utf-8")


def file_stem(found: Findings) -> str:
    """'counterfactuals-Vidgen2021-hate-1a2b3c4d'."""
    return f"counterfactuals-{found.classifier}-{found.key[:8]}"


def _text(text: Counterfactual) -> dict[str, Any]:
    return {
        "found_by": _finder(text),
        "text": printable(text.text),
        "pieces": [{"text": printable(p), "written": written} for p, written in text.pieces],
        "mask": _mask(text.candidate),
        "probability_before": text.before,
        "probability": text.after,
        "valid": text.valid,
        "words_changed": text.words_changed,
        "edit_distance": text.edit_distance,
        "cosine": text.cosine,
        "fluency": text.fluency,
    }


def _set(chosen: WordSet, words: list[str]) -> dict[str, Any]:
    return {
        "kind": str(chosen.kind),
        "positions": [at + 1 for at in chosen.words],
        "words": [words[at] for at in chosen.words],
        "count": chosen.share.count,
        "of": chosen.share.n,
        "low": chosen.share.low,
        "high": chosen.share.high,
        "coverage": chosen.coverage,
        "proven": chosen.proven,
        "examples": [_judged(text) for text in chosen.examples],
        "breakers": [_judged(text) for text in chosen.breakers],
    }


def _judged(text: Candidate) -> dict[str, Any]:
    return {"text": printable(text.text), "probability": text.probability}


def _finder(text: Counterfactual) -> str:
    return _DRAWS if text.method is None else str(text.method)


def _mask(candidate: Candidate) -> str:
    return "".join(_LETTERS[replaced] for replaced in candidate.replaced)
