"""Which counterfactuals come first, and which are different enough to be shown side by side."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from nsx_core.counterfactual_records import Candidate, Counterfactual, Goal
from nsx_core.counterfactuals.distance import distances, text_features, text_scales
from nsx_core.errors import SettingsError

__all__ = ["diverse", "reranked", "word_set"]

T = TypeVar("T", Candidate, Counterfactual)


def reranked(
    table: Sequence[Counterfactual], goal: Goal, strength: float
) -> tuple[Counterfactual, ...]:
    """The texts by Wachter's loss, those that reach the goal before all others.

    strength (lambda) * (P - target)^2 + words changed / MAD + (1 - cosine) / MAD, each median
    absolute deviation over the table (wachter-etal-2017); ``valid`` is judged anew. Ties by text.
    Raises ``SettingsError`` for a strength that is not a finite number of at least 0.
    """
    if not 0 <= strength < math.inf:
        raise SettingsError(
            f"Lambda is a finite number of at least 0, and {strength} came. "
            "Choose, for example, 1; a larger one weighs the probability more than the distance."
        )
    if not table:
        return ()
    candidates, cosines = [row.candidate for row in table], [row.cosine for row in table]
    scale, _ = text_scales(candidates, cosines)
    far = distances(text_features(candidates, cosines), [0.0, 0.0], scale)
    judged = []
    for row, distance in zip(table, far.tolist(), strict=True):
        valid = goal.reached(row.after)
        loss = strength * goal.gap(row.after) ** 2 + distance
        judged.append((not valid, loss, row.text, replace(row, valid=valid)))
    return tuple(row for *_, row in sorted(judged, key=lambda item: item[:3]))


def diverse(ranked: Iterable[T], most: int) -> tuple[T, ...]:
    """The first of each word set, in order, at most ``most``: no two change the same words."""
    found: dict[tuple[bool, ...], T] = {}
    for one in ranked:
        if len(found) == most:
            break
        found.setdefault(word_set(one), one)
    return tuple(found.values())


def word_set(one: Candidate | Counterfactual) -> tuple[bool, ...]:
    """bool[n_words]: the words of the original that are replaced."""
    return one.replaced if isinstance(one, Candidate) else one.candidate.replaced
