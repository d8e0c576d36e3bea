"""Tests that count what chance alone would give: flipped signs, exchanged values, Holm.

- Paired differences: were both sides alike, a template's differences would be as likely with
  the other sign, all of them together. Every choice of signs is tried where templates are few
  (``EXACT_SIGNS``), otherwise random ones.
- Rank correlation (Spearman): were the two unrelated, either could be in any order. Every order
  is tried where there are few (``EXACT_ORDERS``), otherwise random ones.
- Several tests at once: Holm's step-down correction (holm-1979).

Every p is two-sided. From random choices it is (hits + 1) / (choices + 1) (phipson-smyth-2010).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from math import factorial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from nsx_core.audit.clusters import cluster_sums
from nsx_core.errors import DataError
from nsx_core.seeding import generator

Floats = NDArray[np.float64]
CHOICES = 9_999
EXACT_SIGNS = 14
"""Up to this many clusters all 2**14 = 16,384 choices of signs are tried."""
EXACT_ORDERS = 8
"""Up to this many values all 8! = 40,320 orders are tried."""


@dataclass(frozen=True, slots=True)
class RankCorrelation:
    """Spearman's rho in -1..1 with its permutation p.

    ``p_smallest``: the smallest p that so few values, with their ties, could give. ``orders``:
    how many orders were tried; ``exact``: whether that was all of them.
    """

    rho: float
    p: float
    p_smallest: float
    orders: int
    exact: bool


def sign_flip_p(differences: ArrayLike, clusters: ArrayLike, seed: int) -> float:
    """p of the mean difference being zero, in (0, 1]; signs flip by whole clusters.

    differences: finite float[n], n >= 1; clusters: a name a difference, [n]. Raises ``DataError``
    without a difference.
    """
    given = np.asarray(differences, dtype=np.float64)
    if not given.size:
        raise DataError("A sign-flip test needs at least one paired difference, and none came.")
    sums, _ = cluster_sums(given, clusters, seed)
    if exact := len(sums) <= EXACT_SIGNS:
        choices = np.arange(2 ** len(sums))
        bits = (choices[:, None] >> np.arange(len(sums))) & 1
    else:
        random = generator("sign flips", seed, len(sums))
        bits = random.integers(0, 2, (CHOICES, len(sums)), dtype=np.int8)
    flipped = np.abs((1 - 2.0 * bits) @ sums)
    hits = int((flipped >= abs(sums.sum()) - _slack(sums)).sum())
    return hits / len(flipped) if exact else (hits + 1) / (CHOICES + 1)


def rank_correlation(
    x: ArrayLike, y: ArrayLike, seed: int, blocks: Sequence[str] | None = None
) -> RankCorrelation | None:
    """Spearman's rho of x and y, finite float[n] each, with a permutation p.

    blocks: where y is one value for all points of a block (a classifier's rate that several
    groups share), the block's name for each point; then blocks exchange their values, not
    points. None where either side has no two different values. Raises ``DataError`` where a
    block has two values.
    """
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if len(np.unique(xs)) < 2 or len(np.unique(ys)) < 2:
        return None
    names, block = np.unique(
        np.arange(len(ys)) if blocks is None else np.asarray(blocks), return_inverse=True
    )
    first = np.array([np.flatnonzero(block == b)[0] for b in range(len(names))])
    if not np.array_equal(ys, ys[first][block]):
        raise DataError("Points of one block share one value of y, and two values came.")
    if exact := len(names) <= EXACT_ORDERS:
        orders = np.array(list(permutations(range(len(names)))))
    else:
        random = generator("orders", seed, len(names))
        orders = np.stack([random.permutation(len(names)) for _ in range(CHOICES)])
    rho = float(spearman(xs[None, :], ys[None, :])[0])
    found = np.abs(
        spearman(np.broadcast_to(xs, (len(orders), len(xs))), ys[first][orders][:, block])
    )
    hits = int((found >= abs(rho) - 1e-12).sum())
    if exact:
        smallest = float((found >= np.nanmax(found) - 1e-12).mean())
        return RankCorrelation(rho, hits / len(orders), smallest, factorial(len(names)), True)
    return RankCorrelation(rho, (hits + 1) / (CHOICES + 1), 1 / (CHOICES + 1), CHOICES, False)


def spearman(x: Floats, y: Floats) -> Floats:
    """Spearman's rho of each row: float64[m] from float64[m, n] twice; NaN without spread.

    Equal values share their mean rank.
    """
    ranks = [pd.DataFrame(side).rank(axis=1).to_numpy(dtype=np.float64) for side in (x, y)]
    a, b = (r - r.mean(axis=1, keepdims=True) for r in ranks)
    spread = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    none = np.full(len(spread), np.nan)
    found: Floats = np.divide((a * b).sum(axis=1), spread, out=none, where=spread > 0)
    return found.clip(-1, 1)


def holm(ps: Sequence[float]) -> list[float]:
    """Holm's corrected p of each p, in the same order (holm-1979).

    ps: in 0..1. The k-th smallest of m is multiplied by m - k + 1, never below a smaller one's
    and never above 1. An empty sequence gives an empty list.
    """
    corrected = [0.0] * len(ps)
    before = 0.0
    for place, index in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        before = max(before, min(1.0, (len(ps) - place) * ps[index]))
        corrected[index] = before
    return corrected


def _slack(sums: Floats) -> float:
    """Choices that tie with the observed one must count, whatever rounding did."""
    return 1e-12 * float(np.abs(sums).sum())
