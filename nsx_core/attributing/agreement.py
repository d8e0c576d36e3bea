"""How far two methods order words alike, and how far one method's score moves over seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nsx_core.errors import DataError

__all__ = ["TIE_DECIMALS", "RankAgreement", "interval_over_seeds", "rank_correlation"]

CONFIDENCE = 0.95
WORDS_MIN = 3
"""Two words can only agree or disagree: rho would be 1 or -1 by nature."""
TIE_DECIMALS = 9
"""Scores equal to so many decimals are ties: beyond lies rounding of the last digits."""


@dataclass(frozen=True, slots=True)
class RankAgreement:
    """Spearman's rho in -1..1 over ``n`` words; None where undefined, and why in ``note``."""

    rho: float | None
    n: int
    note: str


def rank_correlation(
    first: Sequence[float | None], second: Sequence[float | None]
) -> RankAgreement:
    """Spearman's rho (ties share their mean rank) over the words that both methods score.

    first, second: one score a word, None = no score. Raises ``DataError`` where they differ in
    length or hold a number that is not finite.
    """
    if len(first) != len(second):
        raise DataError(
            f"Both methods score the same words, and {len(first)} and {len(second)} scores came."
        )
    both = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    if not all(math.isfinite(value) for pair in both for value in pair):
        raise DataError("A score is a finite number or None, and another number came.")
    n = len(both)
    if n < WORDS_MIN:
        return RankAgreement(
            None, n, f"Undefined: {n} words have both scores, and {WORDS_MIN} are needed."
        )
    ranked = np.round(np.array(both, dtype=np.float64), TIE_DECIMALS)
    if (ranked == ranked[0]).all(axis=0).any():
        return RankAgreement(None, n, "Undefined: one of the two gives all words the same score.")
    from scipy.stats import spearmanr

    return RankAgreement(float(spearmanr(ranked[:, 0], ranked[:, 1]).statistic), n, "")


def interval_over_seeds(values: Sequence[float]) -> tuple[float, float]:
    """Student's t interval at 95 % of a score's mean over seeds, as (low, high).

    values: one method's score of one word, one value a seed, at least two. Equal values give
    an interval without width: the method does not depend on its seed, which says nothing of
    how near its score is to the truth. Raises ``DataError`` for fewer than two values or one
    that is not finite.
    """
    if len(values) < 2:
        raise DataError(f"An interval over seeds needs at least two, and {len(values)} came.")
    if not all(math.isfinite(value) for value in values):
        raise DataError("A score is a finite number, and another came. Leave out undefined ones.")
    if len(set(values)) == 1:  # the mean of equal numbers may miss them by the last digit
        return float(values[0]), float(values[0])
    from scipy.stats import t

    given = np.array(values, dtype=np.float64)
    n = len(given)
    half = float(t.ppf((1 + CONFIDENCE) / 2, n - 1)) * float(given.std(ddof=1)) / math.sqrt(n)
    middle = float(given.mean())
    return middle - half, middle + half
