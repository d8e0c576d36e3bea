"""How far a counterfactual lies from the original: features scaled by how much they vary.

Wachter et al. (wachter-etal-2017) divide each feature's change by its median absolute deviation
(MAD) over a reference set and sum: d(x, x') = sum_j |x_j - x'_j| / MAD_j. Sums of absolute values
favour few large changes over many small ones, and the MAD is robust to outliers. The Euclidean
distance over the same scales stands beside it for comparison.

A MAD is 0 where more than half of the values are equal. Then the mean absolute deviation from
the median takes its place; a feature that never varies has no scale at all and is given 1.
``Scales`` says which was done. Texts have two features: words changed, and meaning moved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsx_core.counterfactual_records import Candidate
from nsx_core.errors import DataError
from nsx_core.infilling import runs

__all__ = [
    "TEXT_FEATURES",
    "Basis",
    "Metric",
    "Scales",
    "checked_table",
    "distances",
    "lengths",
    "scales",
    "text_features",
    "text_scales",
    "words_apart",
]

Floats = NDArray[np.float64]
TEXT_FEATURES = ("words changed", "meaning moved")
#: Differences this small beside the values themselves are rounding, not variation.
_ROUNDING = 1e-12
#: Above it, squares and differences of values overflow.
_LARGEST = 1e150


class Metric(StrEnum):
    """How scaled changes are put together."""

    MANHATTAN = "manhattan"
    EUCLIDEAN = "euclidean"


class Basis(StrEnum):
    """What a feature's scale is."""

    MEDIAN = "median absolute deviation"
    MEAN = "mean absolute deviation"
    NONE = "none: it never varies"


@dataclass(frozen=True, slots=True)
class Scales:
    """One scale a feature: ``values`` > 0 in the feature's own units; equal lengths."""

    names: tuple[str, ...]
    values: tuple[float, ...]
    bases: tuple[Basis, ...]

    @property
    def constant(self) -> tuple[int, ...]:
        """Positions of the features that never vary."""
        return tuple(j for j, basis in enumerate(self.bases) if basis is Basis.NONE)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done where the median absolute deviation is 0, in sentences."""
        notes = []
        for name, value, basis in zip(self.names, self.values, self.bases, strict=True):
            if basis is Basis.MEAN:
                notes.append(
                    f"The median absolute deviation of '{name}' is 0: more than half of its "
                    f"values are equal. Its mean absolute deviation, {value:.3g}, is used instead."
                )
            elif basis is Basis.NONE:
                notes.append(
                    f"'{name}' has the same value throughout, and there is nothing to scale its "
                    "changes by: its scale is set to 1."
                )
        return tuple(notes)


def scales(reference: ArrayLike, names: Sequence[str] | None = None) -> Scales:
    """Each feature's median absolute deviation over the reference set.

    reference: float[n >= 1, n_features >= 1], finite. names: one a feature, None = 'feature 0',
    'feature 1', ... Raises ``DataError`` where they do not fit.
    """
    table = checked_table("The reference set", reference)
    if not len(table):
        raise DataError("The reference set has no rows. Give at least one, better a hundred.")
    named = (
        tuple(names) if names is not None else tuple(f"feature {j}" for j in range(table.shape[1]))
    )
    if len(named) != table.shape[1]:
        raise DataError(
            f"Every feature has one name: {table.shape[1]} features and {len(named)} names came."
        )
    away = np.abs(table - np.median(table, axis=0))
    rounding = _ROUNDING * np.abs(table).max(axis=0)
    values, bases = [], []
    for median, mean, spread, least in zip(
        np.median(away, axis=0), away.mean(axis=0), np.ptp(table, axis=0), rounding, strict=True
    ):
        if spread <= least:
            value, basis = 1.0, Basis.NONE
        elif median <= least:
            value, basis = float(mean), Basis.MEAN
        else:
            value, basis = float(median), Basis.MEDIAN
        values.append(value)
        bases.append(basis)
    return Scales(named, tuple(values), tuple(bases))


def distances(
    points: ArrayLike, origin: ArrayLike, scale: Scales, metric: Metric = Metric.MANHATTAN
) -> Floats:
    """float64[n] >= 0: each point's distance from the origin, in units of the scales.

    points: float[n, n_features]; origin: float[n_features]. Manhattan: sum_j |p_j - o_j| / s_j;
    Euclidean: the square root of the sum of squares of the same. Raises ``DataError`` where the
    shapes do not fit.
    """
    table, start = checked_table("Points", points), np.asarray(origin, np.float64)
    if start.shape != (table.shape[1],) or len(scale.values) != table.shape[1]:
        raise DataError(
            f"Points, origin and scales have equally many features: {table.shape[1]}, "
            f"{start.shape} and {len(scale.values)} came."
        )
    return lengths((table - start) / np.array(scale.values), metric)


def lengths(moves: Floats, metric: Metric = Metric.MANHATTAN) -> Floats:
    """float64[n] >= 0: of float64[n, n_features] moves that are in units of the scales already."""
    if metric is Metric.MANHATTAN:
        return np.asarray(np.abs(moves).sum(axis=1), np.float64)
    return np.asarray(np.sqrt((moves**2).sum(axis=1)), np.float64)


def text_features(candidates: Sequence[Candidate], cosines: ArrayLike) -> Floats:
    """float64[n, 2]: of each text ``words_apart``, and 1 - cosine in 0..2; the original is 0, 0.

    cosines: float[n] in -1..1, of each text's sentence embedding with the original's.
    """
    moved = 1 - np.clip(np.asarray(cosines, np.float64), -1, 1)
    if moved.shape != (len(candidates),) or not np.isfinite(moved).all():
        raise DataError(
            f"Every text has one cosine, a number: {len(candidates)} texts and an array of shape "
            f"{moved.shape} came."
        )
    words = np.array([words_apart(c) for c in candidates], np.float64)
    return np.stack([words, moved], axis=1)


def words_apart(candidate: Candidate) -> int:
    """Words that an edit touches: of each run those replaced or those written, whichever are more.

    So six words in the place of one count six, as they do for the edit distance, which it bounds.
    """
    if candidate.unchanged:
        return 0
    spans = zip(runs(candidate.replaced), candidate.answers, strict=True)
    return sum(max(last - first, len(answer.split())) for (first, last), answer in spans)


def text_scales(pool: Sequence[Candidate], cosines: ArrayLike) -> tuple[Scales, tuple[str, ...]]:
    """The scales of the two features of texts over the changed ones of the pool, and notes.

    cosines: as for ``text_features``, one a text of the pool. Both scales are 1 where the pool
    holds no changed text.
    """
    table = text_features(pool, cosines)[[not c.unchanged for c in pool]]
    if not len(table):
        note = "There are no draws to scale distances by: one word counts as much as a cosine of 0."
        return Scales(TEXT_FEATURES, (1.0, 1.0), (Basis.NONE, Basis.NONE)), (note,)
    found = scales(table, TEXT_FEATURES)
    notes = [
        f"In most draws the {name} is the same, so distances are scaled by the mean and not by the "
        "median deviation."
        if basis is Basis.MEAN
        else f"In all draws the {name} is the same, so it is not scaled."
        for name, basis in zip(("number of words changed", "meaning"), found.bases, strict=True)
        if basis is not Basis.MEDIAN
    ]
    return found, tuple(notes)


def checked_table(what: str, given: ArrayLike) -> Floats:
    """float64[n, n_features >= 1] of finite numbers, or a ``DataError``."""
    try:
        table = np.asarray(given, np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{what} must hold numbers only: {error}.") from error
    if table.ndim != 2 or not table.shape[1]:
        raise DataError(f"{what} must be rows of one or more features; shape {table.shape} came.")
    if not (np.abs(table) <= _LARGEST).all():
        raise DataError(
            f"{what} must hold finite numbers of at most {_LARGEST:g} in size; fill or leave out "
            "the rows that do not."
        )
    return table
