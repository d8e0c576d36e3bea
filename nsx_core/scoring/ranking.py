"""Whether more draws would still change which words come first.

The draws are resampled 400 times within strata of like size (the bootstrap of a stratified
sample), the words ranked anew each time. The share of resamples with the same first words in the
same order is near 1 once the order is clear. Words that are equal in a resample do not break it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsx_core.scoring.stratified import strata
from nsx_core.seeding import generator

__all__ = ["TOP", "same_order_share"]

Floats = NDArray[np.float64]
TOP = 3
RESAMPLES = 400
#: With fewer draws of a word a resample shows too little of what might have come.
DRAWS_MIN = 10
_EQUAL = 1e-9


def same_order_share(values: Floats, weights: Floats, sizes: NDArray[np.int64], seed: int) -> float:
    """Share 0..1 of resamples in which the words with the smallest means keep their order.

    values: float[n_draws]; weights: float[n_draws, n_words] at least 0, 0 where a draw does not
    count for a word; sizes: int[n_draws], words replaced. The first ``TOP`` words, or all where
    there are fewer. 0 while a word has fewer than ``DRAWS_MIN`` draws.
    """
    if not len(values) or (np.count_nonzero(weights, axis=0) < DRAWS_MIN).any():
        return 0.0
    rng, stratum = generator("ranking", seed), strata(sizes)
    times = np.zeros((RESAMPLES, len(values)))
    for number in range(int(stratum.max()) + 1):
        rows = np.flatnonzero(stratum == number)
        times[:, rows] = rng.multinomial(len(rows), np.full(len(rows), 1 / len(rows)), RESAMPLES)
    totals = times @ weights
    means = np.divide((times * values) @ weights, totals, where=totals > 0, out=totals * 0 + np.inf)
    order = np.argsort(values @ weights / weights.sum(axis=0), kind="stable")
    top = min(TOP, weights.shape[1])
    ranked = means[:, order]
    kept = np.ones(RESAMPLES, dtype=bool)
    for place in range(min(top, weights.shape[1] - 1)):
        later = ranked[:, place + 1 :].min(axis=1)
        kept &= ranked[:, place] <= later + _EQUAL
    return float(kept.mean())
