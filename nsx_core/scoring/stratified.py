"""Intervals at 95 % for scores whose draws carry weights by the number of replaced words.

Draws of like size form strata: within one, draws are alike; between strata the kept share may
differ as it will, since each has a fixed weight. So only the spread within strata counts
(cochran-1977, chapter 5), and a word's draws are worth as many equal ones as would give the
same variance: n_eff = p (1 - p) / v. The interval is Wilson's (wilson-1927) at n_eff.

- Hard predictions: each stratum's share is taken half a draw to either side off 0 and 1, so that
  one which happens to be all alike is not taken for certain. Where all draws are alike, n_eff is
  1 / sum of squared weights (kish-1965).
- Scores: the spread is the strata's own, and Student's t stands in for the normal. Scores that
  hardly differ (range below 0.01) have n_eff 1 / sum of squared weights, for the reason given in
  ``nsx_core.scoring.uncertainty``.

Simulated coverage: ``tests/test_balanced.py``.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from nsx_core.scoring.wilson import CONFIDENCE, student_quantile, wilson

__all__ = ["NO_SPREAD", "effective_draws", "strata", "weighted_intervals"]

Floats = NDArray[np.float64]
#: Sizes with fewer draws of a word share a stratum with their neighbours.
STRATUM_MIN = 5
#: Scores within less than this hardly differ.
NO_SPREAD = 0.01
OFF_EDGE = 0.5
_NORMAL = NormalDist()


def weighted_intervals(
    values: Floats, weights: Floats, sizes: NDArray[np.int64], use_scores: bool
) -> tuple[Floats, Floats]:
    """95 % intervals (low, high), float64[n_words], of each word's weighted mean; NaN without one.

    values: float[n_draws] in 0..1; weights: float[n_draws, n_words], each column's sum 1, or 0
    for a word without a draw; sizes: int[n_draws], how many words each draw replaces.
    """
    low, high = np.full(weights.shape[1], np.nan), np.full(weights.shape[1], np.nan)
    for word, own in enumerate(weights.T):
        rows = np.flatnonzero(own)
        if len(rows):
            low[word], high[word] = _interval(values[rows], own[rows], sizes[rows], use_scores)
    return low, high


def _interval(
    values: Floats, weights: Floats, sizes: NDArray[np.int64], use_scores: bool
) -> tuple[float, float]:
    worth = effective_draws(values, weights, sizes, use_scores)
    confidence = CONFIDENCE
    if use_scores:
        freedom = max(1, len(values) - 1 - int(strata(sizes).max()))
        reach = student_quantile((1 + CONFIDENCE) / 2, freedom)
        confidence = 2 * _NORMAL.cdf(reach) - 1
    share = float(np.clip(weights @ values, 0, 1))
    low, high = wilson(min(share * worth, worth), worth, confidence)
    return float(low), float(high)


def effective_draws(
    values: Floats, weights: Floats, sizes: NDArray[np.int64], use_scores: bool
) -> float:
    """How many equal draws one word's weighted draws are worth; above 0.

    values: float[n] in 0..1; weights: float[n], positive, sum 1; sizes: int[n], words replaced.
    """
    squares = weights**2
    if use_scores and np.ptp(values) < NO_SPREAD:
        return float(1 / squares.sum())
    stratum = strata(sizes)
    count = np.bincount(stratum).astype(np.float64)
    weight = np.bincount(stratum, weights)
    mean = np.bincount(stratum, weights * values) / weight
    if use_scores:
        spread = (values - mean[stratum]) ** 2 * (count / np.maximum(count - 1, 1))[stratum]
        centre = float(weights @ values)
    else:
        mean = (mean * count + OFF_EDGE) / (count + 2 * OFF_EDGE)
        # As a sample's variance divides by one less than its number.
        spread = (mean * (1 - mean) * (count + 1) / count)[stratum]
        centre = float(weight @ mean)
    variance = float(squares @ spread)
    return centre * (1 - centre) / variance if variance > 0 else float(1 / squares.sum())


def strata(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[n]: each draw's stratum: neighbouring sizes until STRATUM_MIN draws are together."""
    there, counts = np.unique(sizes, return_counts=True)
    left = counts.sum() - counts.cumsum()
    number, held = 0, 0
    of = np.zeros(len(there), dtype=np.int64)
    for at, count in enumerate(counts.tolist()):
        of[at] = number
        held += count
        if held >= STRATUM_MIN and left[at] >= STRATUM_MIN:
            number, held = number + 1, 0
    return of[np.searchsorted(there, sizes)]
