"""The bootstrap over templates: how far a mean may lie from that of other templates.

Cases made from one template ('I hate [IDENTITY_P].') say nearly the same, so they count as one
cluster: whole templates are drawn anew, never single cases. The interval is bias-corrected and
accelerated (efron-1987), the acceleration from leaving out one template at a time, and its
quantiles are widened by Student's t and sqrt(G / (G - 1)) for few templates (hesterberg-2015).

Simulated coverage at G templates of one or two cases each: 93 to 95 % from G = 20 on, 89 to 95 %
at G = 10, 82 to 89 % at G = 5. Tables therefore mark fewer than 10 templates.

More than ``CLUSTERS_MAX`` templates are first dealt at random into that many sets of whole
templates. Sets are independent as templates are, so the interval stays honest, and a table of
100,000 rows takes seconds.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsx_core.scoring.uncertainty import RESAMPLES, bca_share
from nsx_core.scoring.wilson import CONFIDENCE, student_quantile
from nsx_core.seeding import generator

Floats = NDArray[np.float64]
CLUSTERS_MAX = 1_000


def cluster_codes(clusters: ArrayLike, seed: int) -> tuple[NDArray[np.intp], int]:
    """int[n] in 0..G-1, the cluster of each value, and G <= ``CLUSTERS_MAX``.

    clusters: the cluster's name, [n]. Equal names are one cluster, whatever the rows' order.
    """
    names, codes = np.unique(np.asarray(clusters, dtype=np.str_), return_inverse=True)
    if len(names) > CLUSTERS_MAX:
        dealt = generator("sets of templates", seed).permutation(len(names)) % CLUSTERS_MAX
        return dealt[codes].astype(np.intp), CLUSTERS_MAX
    return codes.astype(np.intp), len(names)


def cluster_sums(values: Floats, clusters: ArrayLike, seed: int) -> tuple[Floats, Floats]:
    """Sum and number of values in each cluster, float64[G] each."""
    codes, size = cluster_codes(clusters, seed)
    return (
        np.bincount(codes, weights=values, minlength=size).astype(np.float64),
        np.bincount(codes, minlength=size).astype(np.float64),
    )


@lru_cache(maxsize=16)
def resampled(clusters: int, seed: int, purpose: str = "mean") -> Floats:
    """How often each of G clusters is drawn in each resample: float64[RESAMPLES, G], read-only."""
    drawn = generator("bootstrap over templates", purpose, seed, clusters).multinomial(
        clusters, np.full(clusters, 1 / clusters), size=RESAMPLES
    )
    weights = drawn.astype(np.float64)
    weights.flags.writeable = False
    return weights


def mean_interval(values: ArrayLike, clusters: ArrayLike, seed: int) -> tuple[float, float] | None:
    """95 % interval (low, high) of the mean of the values; it holds the mean.

    values: finite float[n]; clusters: a name a value, [n]; seed: any int, equal seeds give equal
    intervals. None where nothing can be said: fewer than two clusters, or clusters that do not
    differ at all, whose interval of width nothing would claim too much.
    """
    given = np.asarray(values, dtype=np.float64)
    if not given.size:
        return None
    sums, counts = cluster_sums(given, clusters, seed)
    total, n, size = sums.sum(), counts.sum(), len(sums)
    mean = total / n
    if size < 2 or np.allclose(sums, mean * counts, rtol=0, atol=1e-12):
        return None
    weights = resampled(size, seed)
    means = np.sort((weights @ sums) / (weights @ counts))
    left_out = (total - sums) / (n - counts)
    pull = left_out.mean() - left_out
    acceleration = float((pull**3).sum() / (6 * (pull**2).sum() ** 1.5))
    below = float(((means < mean).mean() + (means <= mean).mean()) / 2)
    reach = student_quantile((1 + CONFIDENCE) / 2, size - 1) * (size / (size - 1)) ** 0.5
    low, high = (
        float(means[round(bca_share(side, below, acceleration) * (RESAMPLES - 1))])
        for side in (-reach, reach)
    )
    return min(low, float(mean)), max(high, float(mean))
