"""What both numeric methods share: where features may go, who predicts, what is found."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsx_core.counterfactuals.distance import Scales, checked_table, scales
from nsx_core.errors import DataError, ModelError, SettingsError

__all__ = [
    "CountedPredict",
    "FeatureSpace",
    "NumericCounterfactual",
    "NumericFindings",
    "Predict",
    "feature_space",
]

Floats = NDArray[np.float64]
#: float64[n, n_features] in, float[n] out: one number a row, such as a probability.
Predict = Callable[[Floats], ArrayLike]


@dataclass(frozen=True, slots=True)
class NumericCounterfactual:
    """A point, what is predicted there, and how far it is.

    features: in their own units; changed: positions that differ from the original, ascending;
    distance: see ``distance.distances``; gap: of the prediction from the wanted one; valid:
    whether the goal is reached. weight: the lambda it was found at, None where there is none.
    """

    features: tuple[float, ...]
    changed: tuple[int, ...]
    prediction: float
    distance: float
    gap: float
    valid: bool
    weight: float | None = None


@dataclass(frozen=True, slots=True)
class NumericFindings:
    """What a search among numeric features found.

    listed: valid counterfactuals, best first, empty where there are none; nearest: the point whose
    prediction came nearest to the goal, the original itself where no other was nearer. prediction:
    of the original. restarts: starts that were tried; calls: rows predicted; gradients: rows a
    gradient was computed for. notes: what to know, in sentences.
    """

    listed: tuple[NumericCounterfactual, ...]
    nearest: NumericCounterfactual
    prediction: float
    scales: Scales
    restarts: int
    calls: int
    gradients: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class FeatureSpace:
    """The original and where its features may go; a move is a change in units of the scales.

    origin, low, high, unit: float64[n_features]; free: bool[n_features], those that may move.
    reference: float64[n, n_features].
    """

    origin: Floats
    low: Floats
    high: Floats
    unit: Floats
    free: NDArray[np.bool_]
    scales: Scales
    reference: Floats
    notes: tuple[str, ...]

    def points(self, moves: Floats) -> Floats:
        """float64[n, n_features]: the points at these moves of the free features, in the ranges.

        moves: float64[n, n_free]. A move of 0 leaves a feature exactly as it is.
        """
        all_moves = np.zeros((len(moves), len(self.origin)))
        all_moves[:, self.free] = moves
        moved = np.clip(self.origin + all_moves * self.unit, self.low, self.high)
        return np.where(all_moves == 0, self.origin, moved)

    def moves(self, points: Floats) -> Floats:
        """float64[n, n_free]: the moves of the free features that lead to these points."""
        found: Floats = ((points - self.origin) / self.unit)[:, self.free]
        return found

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """float64[n_free] each: the least and the greatest move of the free features."""
        low, high = self.moves(np.stack([self.low, self.high]))
        return low, high

    def changed(self, point: Floats) -> tuple[int, ...]:
        """Positions of the features that differ from the original's."""
        return tuple(np.flatnonzero(point != self.origin).tolist())


class CountedPredict:
    """A model that is held to its contract: one finite number a row. ``calls`` counts rows."""

    def __init__(self, predict: Predict) -> None:
        self._predict = predict
        self.calls = 0

    def __call__(self, points: Floats) -> Floats:
        """float64[n], of float64[n, n_features]; ``ModelError`` for anything else."""
        # A copy: a model that standardises its rows in place must not move ours.
        try:
            given = np.asarray(self._predict(points.copy()), np.float64)
        except (TypeError, ValueError) as error:
            raise ModelError(f"A model could not predict these rows: {error}.") from error
        if given.shape != (len(points),) or not np.isfinite(given).all():
            raise ModelError(
                f"A model must predict one finite number a row: {len(points)} rows were asked "
                f"about, and shape {given.shape} came, {int(np.isfinite(given).sum())} finite. "
                "Pick one column of a table of probabilities."
            )
        self.calls += len(points)
        return given


def feature_space(
    x: ArrayLike,
    reference: ArrayLike,
    ranges: Mapping[int, tuple[float, float]] | None,
    frozen: Collection[int],
    names: Sequence[str] | None,
) -> FeatureSpace:
    """Where the features of ``x`` may go.

    x: float[n_features]; reference: float[n, n_features], which the scales come from. ranges: the
    least and greatest value of a feature, by position; a feature without one stays within what the
    reference set and x show. frozen: positions that never move; nor do features that never vary.
    Raises ``DataError`` and ``SettingsError`` for what does not fit.
    """
    table = checked_table("The reference set", reference)
    scale = scales(table, names)
    origin = _checked_row(x, table.shape[1])
    low = np.minimum(table.min(axis=0), origin)
    high = np.maximum(table.max(axis=0), origin)
    for j, ends in (ranges or {}).items():
        _check_position(j, table.shape[1])
        if len(ends) != 2:
            raise SettingsError(
                f"The range of '{scale.names[j]}' is its least and its greatest value, and {ends} "
                "came."
            )
        least, greatest = ends
        if not least <= origin[j] <= greatest:
            raise SettingsError(
                f"The range of '{scale.names[j]}' must hold the original's own value "
                f"{origin[j]:g}, and {least} to {greatest} came."
            )
        low[j], high[j] = least, greatest
    free = low < high
    for j in frozen:
        _check_position(j, table.shape[1])
        free[j] = False
    still = [j for j in scale.constant if j not in frozen]
    free[still] = False
    notes = list(scale.notes)
    if still:
        notes.append(f"Not moved for that reason: {', '.join(scale.names[j] for j in still)}.")
    if not free.any():
        raise SettingsError(
            "At least one feature must be free to move: all are frozen, never vary, or have a range "
            "of one value."
        )
    return FeatureSpace(origin, low, high, np.array(scale.values), free, scale, table, tuple(notes))


def _checked_row(x: ArrayLike, n_features: int) -> Floats:
    try:
        row = np.asarray(x, np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"The original must hold numbers only: {error}.") from error
    if row.shape != (n_features,):
        raise DataError(
            f"The original is one row of {n_features} features, and shape {row.shape} came."
        )
    checked: Floats = checked_table("The original", row[None])[0]
    return checked


def _check_position(j: int, n_features: int) -> None:
    if not isinstance(j, int | np.integer) or not 0 <= j < n_features:
        raise SettingsError(
            f"Features are counted from 0 to {n_features - 1}, and position {j!r} came."
        )
