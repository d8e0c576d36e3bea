"""The criteria of a good counterfactual that need no model."""

from __future__ import annotations

from collections.abc import Sequence

from nsx_core.counterfactual_records import Candidate, Counterfactual, Goal, Method
from nsx_core.infilling import splice
from nsx_core.records import SplitText

__all__ = ["described", "edit_distance"]


def edit_distance(one: Sequence[str], other: Sequence[str]) -> int:
    """Fewest words to insert, delete or exchange to make one of the other (levenshtein-1966)."""
    above = list(range(len(other) + 1))
    for i, word in enumerate(one, 1):
        row = [i]
        for j, facing in enumerate(other, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (word != facing)))
        above = row
    return above[-1]


def described(
    method: Method | None,
    candidate: Candidate,
    split: SplitText,
    goal: Goal,
    cosine: float,
    fluency: float | None,
) -> Counterfactual:
    """The candidate with all its criteria; cosine and fluency as in ``Counterfactual``."""
    return Counterfactual(
        method=method,
        candidate=candidate,
        pieces=splice(split, candidate.replaced, candidate.answers),
        before=goal.original,
        after=candidate.probability,
        words_changed=candidate.words_changed,
        edit_distance=edit_distance(split.text.split(), candidate.text.split()),
        cosine=cosine,
        fluency=fluency,
        valid=not candidate.unchanged and goal.reached(candidate.probability),
    )
