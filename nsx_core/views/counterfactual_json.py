"""Findings as plain values, for the command line and for files; needs nothing heavy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from nsx_core.counterfactual_records import (
    Counterfactual,
    Findings,
    Method,
    MethodFound,
    WordSet,
)
from nsx_core.views.counterfactual_sentences import method_sentence

__all__ = ["findings_as_json", "found_by"]

_DRAWS = "draws"


def findings_as_json(found: Findings) -> dict[str, Any]:
    """The findings as plain values: every method's answers, and every text that was judged."""
    goal = found.goal
    # An answer of one method may be another's, too, and only the table knows.
    finders = {row.text: row.methods for row in found.table}
    return {
        "text": found.text,
        "words": [asdict(word) for word in found.words],
        "classifier": found.classifier,
        "infiller": found.infiller,
        "label": found.label,
        "probability": goal.original,
        "predicted": goal.predicted,
        "threshold": goal.threshold,
        "target": goal.target,
        "tolerance": goal.tolerance,
        "budget": found.budget,
        "free_texts": found.free,
        "methods": [_method(one, found, finders) for one in found.found],
        "texts": [_row(row, row.methods) for row in found.table],
        "fluency_note": found.fluency_note,
    }


def found_by(methods: Sequence[Method]) -> list[str]:
    """The names of the methods, or 'draws' alone: only necessity and sufficiency drew it."""
    return [str(method) for method in methods] or [_DRAWS]


def _method(
    one: MethodFound, found: Findings, finders: Mapping[str, tuple[Method, ...]]
) -> dict[str, Any]:
    def row(answer: Counterfactual) -> dict[str, Any]:
        return _row(answer, finders.get(answer.text, answer.methods))

    return {
        "method": str(one.method),
        "says": method_sentence(one, found),
        "counterfactuals": [row(answer) for answer in one.listed],
        "nearest": None if one.nearest is None else row(one.nearest),
        "sets": [_set(word_set, found) for word_set in one.sets],
        "calls": one.calls,
        "infills": one.written,
        "seconds": round(one.seconds, 3),
        "ended": str(one.ended),
        "notes": list(one.notes),
    }


def _row(row: Counterfactual, methods: Sequence[Method]) -> dict[str, Any]:
    return {
        "text": row.text,
        "found_by": found_by(methods),
        "replaced": [i for i, replaced in enumerate(row.candidate.replaced) if replaced],
        "pieces": [{"text": text, "written": written} for text, written in row.pieces],
        "before": row.before,
        "after": row.after,
        "words_changed": row.words_changed,
        "edit_distance": row.edit_distance,
        "cosine": row.cosine,
        "fluency": row.fluency,
        "valid": row.valid,
    }


def _set(found: WordSet, findings: Findings) -> dict[str, Any]:
    return {
        "kind": str(found.kind),
        "words": [findings.words[i].text for i in found.words],
        "positions": list(found.words),
        "count": found.share.count,
        "n": found.share.n,
        "low": found.share.low,
        "high": found.share.high,
        "coverage": found.coverage,
        "proven": found.proven,
        "examples": [candidate.text for candidate in found.examples],
        "breakers": [candidate.text for candidate in found.breakers],
    }
