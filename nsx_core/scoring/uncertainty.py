"""How far a score may lie from what endless draws would give: intervals at 95 %.

The interval is about a word's draws, given the text, the classifier and the infiller: what
another seed might have given. It says nothing of other texts or another infiller.

- Hard predictions: the kept share is a proportion of independent draws, so it gets Wilson's
  score interval (wilson-1927).
- Scores: the bias-corrected and accelerated bootstrap of the mean (efron-1987) over the
  word's draws, 2,000 resamples, its quantiles widened by sqrt(n / (n - 1)) and Student's t
  for small n (hesterberg-2015). Plain percentiles covered less in our simulations.
- Scores that hardly differ (range below 0.01, a single draw included): there is no spread to
  resample, and an interval of width nothing would claim too much. They get Wilson's interval
  around their mean, the widest that scores within 0..1 call for.

Draws that carry weights have intervals of their own: ``nsx_core.scoring.stratified``.

Necessity is original minus the mean, sufficiency the mean minus the baseline, so a mean's
interval is mirrored or shifted. **The baseline's own sampling error is left out** of
sufficiency intervals: it is counted on thousands of neutral texts, a draw's text on about 100.

Coverage, simulated at n = 100 with Beta scores of means in 0.05..0.95: 94 to 97 %. Nearer to
0 or 1 scores are so skewed that the bootstrap covers less: 88 to 93 % at a mean of 0.02.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsx_core import scoring
from nsx_core.counting import counted
from nsx_core.errors import DataError
from nsx_core.records import Estimate, Side
from nsx_core.scoring.stratified import NO_SPREAD, weighted_intervals
from nsx_core.scoring.wilson import CONFIDENCE, student_quantile, wilson
from nsx_core.seeding import generator

__all__ = ["bca_share", "mean_intervals", "necessity_estimates", "sufficiency_estimates", "wilson"]

Floats = NDArray[np.float64]
RESAMPLES = 2_000
_NORMAL = NormalDist()


def necessity_estimates(
    original: float, predictions: ArrayLike, masks: ArrayLike, use_scores: bool, seed: int,
    weights: ArrayLike | None = None,
) -> list[Estimate]:  # fmt: skip
    """Each word's necessity with its 95 % interval and number of draws.

    original, predictions, masks, weights: as for ``scoring.necessity``. use_scores: predictions are
    P(y), not 0 and 1. seed: of the bootstrap. A word without a draw gets
    ``Estimate(None, None, None, 0)``. Raises what ``scoring.necessity`` raises, and
    ``DataError`` for hard predictions other than 0 and 1.
    """
    values = scoring.necessity(original, predictions, masks, weights)
    found = _share_intervals(predictions, masks, Side.NECESSITY, use_scores, seed, weights)
    low, high, counts = found
    return _estimates(values, original - high, original - low, counts)


def sufficiency_estimates(
    baseline: float, predictions: ArrayLike, masks: ArrayLike, use_scores: bool, seed: int,
    weights: ArrayLike | None = None,
) -> list[Estimate]:  # fmt: skip
    """Each word's sufficiency with its 95 % interval and number of draws.

    baseline, predictions, masks, weights: as for ``scoring.sufficiency``; the rest as for
    ``necessity_estimates``. The baseline is taken as exact.
    """
    values = scoring.sufficiency(baseline, predictions, masks, weights)
    found = _share_intervals(predictions, masks, Side.SUFFICIENCY, use_scores, seed, weights)
    low, high, counts = found
    return _estimates(values, low - baseline, high - baseline, counts)


def mean_intervals(scores: Floats, seed: int) -> tuple[Floats, Floats]:
    """95 % intervals (low, high), float64[n_words], for the mean of each column.

    scores: float64[n, n_words] in 0..1, n >= 1: the n draws of words that have equally many.
    The words share their resamples, each an honest bootstrap of its own column.
    """
    n = scores.shape[0]
    low, high = wilson(scores.sum(axis=0).clip(0, n), n)
    spread = np.ptp(scores, axis=0) >= NO_SPREAD
    if spread.any():
        low[spread], high[spread] = _accelerated(scores[:, spread], seed)
    return low, high


def _accelerated(scores: Floats, seed: int) -> tuple[Floats, Floats]:
    n = scores.shape[0]
    rows = generator("bootstrap", seed, n).integers(0, n, (RESAMPLES, n))
    means = scores.mean(axis=0)
    columns = np.ascontiguousarray(scores.T)
    resampled = np.sort(np.stack([column[rows].mean(axis=1) for column in columns], axis=1), axis=0)
    below = ((resampled < means).mean(axis=0) + (resampled <= means).mean(axis=0)) / 2
    deviations = scores - means
    squares = (deviations**2).sum(axis=0)
    acceleration = (deviations**3).sum(axis=0) / (6 * squares**1.5)
    reach = student_quantile((1 + CONFIDENCE) / 2, n - 1) * (n / (n - 1)) ** 0.5
    bounds = []
    for side in (-reach, reach):
        shares = np.array(
            [bca_share(side, float(b), float(a)) for b, a in zip(below, acceleration, strict=True)]
        )
        ranks = np.rint(shares * (RESAMPLES - 1)).astype(np.int64)
        bounds.append(np.take_along_axis(resampled, ranks[None, :], axis=0)[0])
    return bounds[0], bounds[1]


def bca_share(reach: float, below: float, acceleration: float) -> float:
    """Which quantile of the resampled means bounds the interval, 0 to 1 (efron-1987).

    reach: quantile of the normal (or Student's t) that bounds it, below 0 for the lower bound;
    below: the share of resamples below the estimate; acceleration: the jackknife's.
    """
    edge = 1 / RESAMPLES
    bias = _NORMAL.inv_cdf(min(max(below, edge), 1 - edge))
    stretch = 1 - acceleration * (bias + reach)
    if stretch <= 0:
        return 1.0 if reach > 0 else 0.0
    return _NORMAL.cdf(bias + (bias + reach) / stretch)


def _share_intervals(
    predictions: ArrayLike, masks: ArrayLike, side: Side, use_scores: bool, seed: int,
    weights: ArrayLike | None,
) -> tuple[Floats, Floats, NDArray[np.int64]]:  # fmt: skip
    """Interval of each word's kept share and its draws; NaN where it has none."""
    values = np.asarray(predictions, dtype=np.float64)
    chosen = counted(masks, side)
    counts = scoring.draw_counts(masks, side)
    if not use_scores and not np.isin(values, (0, 1)).all():
        raise DataError("Hard predictions are 0 or 1. Set use_scores for probabilities.")
    if weights is not None:
        sizes = np.asarray(masks).sum(axis=1)
        return *weighted_intervals(values, np.asarray(weights), sizes, use_scores), counts
    low, high = np.full(counts.shape, np.nan), np.full(counts.shape, np.nan)
    if not use_scores:
        some = counts > 0
        low[some], high[some] = wilson((values @ chosen)[some], counts[some])
        return low, high, counts
    for n in np.unique(counts[counts > 0]).tolist():
        words = np.flatnonzero(counts == n)
        scores = np.stack([values[chosen[:, word]] for word in words], axis=1)
        low[words], high[words] = mean_intervals(scores, seed)
    return low, high, counts


def _estimates(
    values: Floats, low: Floats, high: Floats, counts: NDArray[np.int64]
) -> list[Estimate]:
    return [
        Estimate(v, min(lo, v), max(hi, v), n) if n else Estimate(None, None, None, 0)
        for v, lo, hi, n in zip(
            values.tolist(), low.tolist(), high.tolist(), counts.tolist(), strict=True
        )
    ]
