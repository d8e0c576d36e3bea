"""The criteria of a good counterfactual that need no model."""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein

from nsx_core.counterfactual_records import Candidate, Counterfactual, Goal, Method
from nsx_core.infilling import splice
from nsx_core.records import SplitText

__all__ = ["described", "edit_distance"]


def edit_distance(one: str, other: str) -> int:
    """Fewest words to insert, delete or exchange to make one text of the other (levenshtein-1966).

    Words are the pieces between white space, whatever the units of the explanation are.
    """
    return Levenshtein.distance(one.split(), other.split())


def described(
    methods: tuple[Method, ...],
    candidate: Candidate,
    split: SplitText,
    goal: Goal,
    cosine: float,
    fluency: float | None,
) -> Counterfactual:
    """The candidate with all its criteria; methods, cosine and fluency as in ``Counterfactual``."""
    return Counterfactual(
        methods=methods,
        candidate=candidate,
        pieces=splice(split, candidate.replaced, candidate.answers),
        before=goal.original,
        after=candidate.probability,
        words_changed=candidate.words_changed,
        edit_distance=edit_distance(split.text, candidate.text),
        cosine=cosine,
        fluency=fluency,
        valid=not candidate.unchanged and goal.reached(candidate.probability),
    )
