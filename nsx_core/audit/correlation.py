"""A mean score against a positive rate, over classifiers and groups.

The permutation p asks whether the two rise together among these points; the interval asks how
far rho would move with other templates, the same classifiers and groups kept. Templates of the
explained cases and of the rated ones are resampled apart, each for all points at once, since
all classifiers read the same cases.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nsx_core.audit.clusters import cluster_codes, resampled
from nsx_core.audit.columns import CLASSIFIER, GROUP, PREDICTION, TEMPLATE
from nsx_core.audit.permutation import rank_correlation, spearman
from nsx_core.audit.results import FEW, Correlation, Point

Floats = NDArray[np.float64]
POINTS_MIN = 4
"""Three points have six orders: no p below 1/3, and an interval would say nothing."""
LOST_MAX = 0.05
"""An interval needs rho in nearly all resamples; in more than this share it had none."""


@dataclass(frozen=True, slots=True)
class Rated:
    """Cases that give the rates. by_group: whether a rate is one group's or all cases'."""

    name: str
    cases: pd.DataFrame
    by_group: bool


def correlated(right: pd.DataFrame, measure: str, rated: Rated, seed: int = 0) -> Correlation:
    """Spearman's rho over classifier and group of a mean score with a rate.

    right: cases that the classifier gets right, a frame of ``nsx_core.audit.cases``; measure: its
    column; rated: rows of a predictions frame. Where a rate is all groups' (by_group False),
    classifiers exchange rates as a whole, since their groups' points share one.
    """
    scores = right[right[measure].notna()]
    columns = pd.MultiIndex.from_frame(scores[[CLASSIFIER, GROUP]].drop_duplicates())
    cells = [(str(classifier), str(group)) for classifier, group in columns.tolist()]
    x_sums, x_counts = _sums(scores, measure, [CLASSIFIER, GROUP], columns, seed)
    keys = [CLASSIFIER, GROUP] if rated.by_group else [CLASSIFIER]
    y_columns = columns if rated.by_group else pd.Index([c for c, _ in cells], name=CLASSIFIER)
    y_sums, y_counts = _sums(rated.cases, PREDICTION, keys, y_columns, seed)
    used = np.flatnonzero(y_counts.sum(axis=0) > 0)
    x_n, y_n = x_counts.sum(axis=0)[used], y_counts.sum(axis=0)[used]
    x, y = x_sums.sum(axis=0)[used] / x_n, y_sums.sum(axis=0)[used] / y_n
    points = tuple(
        Point(cells[at][0], cells[at][1], float(x[i]), float(y[i]), int(x_n[i]), int(y_n[i]))
        for i, at in enumerate(used)
    )
    what = (f"identity {measure}", f"positive rate on {rated.name}")
    notes = []
    if few := sum(point.n_x < FEW for point in points):
        notes.append(f"{few} of {len(points)} points rest on fewer than {FEW} cases")
    blocks = None if rated.by_group else [point.classifier for point in points]
    free = len(points) if blocks is None else len(set(blocks))
    found = rank_correlation(x, y, seed, blocks) if len(points) >= POINTS_MIN else None
    if found is None:
        why = f"not enough: {len(points)} points" if len(points) < POINTS_MIN else (
            "undefined: one side is the same at every point"
        )  # fmt: skip
        return Correlation(
            *what, None, None, None, len(points), None, None, 0, False, points, (why, *notes)
        )
    low, high, why_not = _interval(
        _means(x_sums[:, used], x_counts[:, used], seed, "scores"),
        _means(y_sums[:, used], y_counts[:, used], seed, "rates"), found.rho,
    )  # fmt: skip
    if why_not:
        notes.append(f"no interval: {why_not}")
    if blocks is not None:
        notes.append(f"a rate is a classifier's, so only {free} rates are free to exchange")
    return Correlation(
        *what, found.rho, low, high, len(points), found.p, found.p_smallest, found.orders,
        found.exact, points, tuple(notes),
    )  # fmt: skip


def _sums(
    rows: pd.DataFrame, column: str, keys: list[str], cells: pd.Index, seed: int
) -> tuple[Floats, Floats]:
    """Sums and counts float64[n_clusters, n_cells] of a column by cluster of templates and cell."""
    codes, size = cluster_codes(rows[TEMPLATE], seed)
    unique = cells.unique()
    cell = unique.get_indexer(pd.MultiIndex.from_frame(rows[keys]) if len(keys) > 1 else
                              pd.Index(rows[keys[0]]))  # fmt: skip
    known = cell >= 0
    place = codes[known] * len(unique) + cell[known]
    shape = (size, len(unique))
    values = rows[column].to_numpy(dtype=np.float64)[known]
    each = shape[0] * shape[1]
    sums = np.bincount(place, weights=values, minlength=each).astype(np.float64)
    counts = np.bincount(place, minlength=each).astype(np.float64)
    wanted = unique.get_indexer(cells)
    return sums.reshape(shape)[:, wanted], counts.reshape(shape)[:, wanted]


def _means(sums: Floats, counts: Floats, seed: int, purpose: str) -> Floats:
    """Resampled means float64[RESAMPLES, n_cells], NaN where no template of a cell was drawn."""
    weights = resampled(len(sums), seed, purpose)
    n = weights @ counts
    means: Floats = np.divide(weights @ sums, n, out=np.full(n.shape, np.nan), where=n > 0)
    return means


def _interval(x: Floats, y: Floats, rho: float) -> tuple[float | None, float | None, str]:
    """Low and high, or why there is none."""
    whole = ~(np.isnan(x).any(axis=1) | np.isnan(y).any(axis=1))
    found = spearman(x[whole], y[whole])
    found = found[~np.isnan(found)]
    if len(found) < (1 - LOST_MAX) * len(x):
        return None, None, (
            "some points rest on so few templates that too many draws of templates leave them "
            "without a case"
        )  # fmt: skip
    low, high = np.quantile(found, [0.025, 0.975])
    if high - low < 1e-9:  # a width of nothing would claim too much
        return None, None, "other templates would not change the order"
    return min(float(low), rho), max(float(high), rho), ""
