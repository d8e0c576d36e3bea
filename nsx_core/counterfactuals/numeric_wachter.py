"""Counterfactuals of Wachter et al. (wachter-etal-2017) for models of numeric features.

``wachter.climb`` raises lambda; this module minimises at one lambda, in units of the scales
(moves), by Nelder-Mead, which needs predictions only, or by Adam, which needs a gradient of f.

The Manhattan distance has a kink at every unmoved feature, and there its answers are sparse. Adam
takes gradient steps on lambda * (f - y')^2 alone and then a proximal step on the distance: every
move shrinks by the feature's own step size and stops at 0. The Euclidean distance has one kink
only, at the original, and is followed by its gradient. Nelder-Mead seldom lands on a kink, so
after either, features are put back one by one, the least moved first, wherever that lowers the
loss; for both distances alike.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize

from nsx_core import stopping
from nsx_core.counterfactuals.distance import Metric, lengths
from nsx_core.counterfactuals.numeric_features import (
    CountedPredict,
    FeatureSpace,
    NumericCounterfactual,
    NumericFindings,
    Predict,
    feature_space,
)
from nsx_core.counterfactuals.wachter import Answer, Schedule, Tried, climb, driven, ranked
from nsx_core.errors import ModelError, SettingsError, UnknownNameError
from nsx_core.seeding import generator

__all__ = ["Gradient", "Optimiser", "numeric_counterfactuals"]

Floats = NDArray[np.float64]
#: float64[n, n_features] in and out: the gradient of f at each row.
Gradient = Callable[[Floats], ArrayLike]
SCHEDULE = Schedule(start=0.1, factor=2.0, steps=24)
_EVALUATIONS = 100  # of one simplex, a free feature
_SIMPLEXES = 3
_STEPS, _FIRST_RATE, _LAST_RATE = 300, 0.2, 0.001
_MOMENTUM, _SQUARES = 0.9, 0.99
#: Answers nearer to each other than this, in every feature and in units of its scale, are one.
_SAME = 1e-2


class Optimiser(StrEnum):
    """How the loss is minimised at one lambda."""

    NELDER_MEAD = "nelder-mead"
    ADAM = "adam"


def numeric_counterfactuals(
    predict: Predict,
    x: ArrayLike,
    target: float,
    tolerance: float,
    reference: ArrayLike,
    *,
    distance: str = Metric.MANHATTAN,
    optimiser: str = Optimiser.NELDER_MEAD,
    gradient: Gradient | None = None,
    ranges: Mapping[int, tuple[float, float]] | None = None,
    frozen: Collection[int] = (),
    names: Sequence[str] | None = None,
    restarts: int = 5,
    schedule: Schedule = SCHEDULE,
    seed: int = 0,
) -> NumericFindings:
    """The nearest points whose prediction lies within ``tolerance`` of ``target``.

    Each start's answer minimises the loss at the first lambda of ``schedule`` that reaches; the
    default doubles lambda, so an answer may lie a few percent beyond the nearest point there is.
    predict: float64[n, n_features] -> float[n]. x: float[n_features]. reference: float[n,
    n_features]: the scales, and the ranges of features that have none in ``ranges``, come from it.
    tolerance >= 0; with 0, most models are never reached, and the nearest point is the answer.
    gradient: of ``predict``, float64[n, n_features] in and out; Adam needs it. frozen: positions
    that never move. restarts >= 1: the first starts at x, the others at random reference rows.
    Raises ``SettingsError``, ``UnknownNameError`` and ``DataError`` for what does not fit, and
    ``ModelError`` where the model gives anything but one finite number a row.
    """
    metric, way = _named(Metric, "distance", distance), _named(Optimiser, "optimiser", optimiser)
    _check(target, tolerance, restarts)
    space = feature_space(x, reference, ranges, frozen, names)
    problem = _Problem(space, CountedPredict(predict), target, tolerance, metric)
    origin = np.zeros((1, int(space.free.sum())))
    (original,) = problem.tried(origin)
    prediction = float(problem.predict(space.origin[None])[0])
    minimise = _minimiser(problem, way, gradient)
    answers: list[Answer[Floats]] = []
    notes = list(space.notes)
    if original.reached:
        notes.append("The original itself already lies within the tolerance of the target.")
    else:
        rows = _rows(space, restarts - 1, seed)
        starts = problem.tried(np.concatenate([origin, rows]))
        answers += driven(climb(minimise.at, starts, schedule))
    found = _distinct(answers)
    listed = [problem.told(a) for a in found if a.tried.reached and a.tried.distance > 0]
    nearest = listed[0] if listed else problem.told(Answer(problem.best or original, 0.0))
    if not listed and nearest.valid and not original.reached:
        listed = [nearest]
        notes.append(
            "No start ended within the tolerance of the target: lambda does not rise high enough "
            "for that. The nearest point that the search came by and that does lie within it is "
            "given."
        )
    elif not listed and not original.reached:
        notes.append(
            f"No counterfactual found in {restarts} restarts; the nearest reached "
            f"{nearest.prediction:.3g}."
        )
    return NumericFindings(
        tuple(listed), nearest, prediction, space.scales,
        restarts=len(answers), calls=problem.predict.calls,
        gradients=minimise.gradients, notes=tuple(notes),
    )  # fmt: skip


@dataclass(slots=True, eq=False)
class _Problem:
    """Moves in, distances and gaps out. ``best``: of all points so far, as ``ranked`` has it."""

    space: FeatureSpace
    predict: CountedPredict
    target: float
    tolerance: float
    metric: Metric
    best: Tried[Floats] | None = None

    def tried(self, moves: Floats) -> list[Tried[Floats]]:
        return self.judged(moves)[0]

    def judged(self, moves: Floats) -> tuple[list[Tried[Floats]], Floats]:
        """Each point, and float64[n]: by how much its prediction is above the target."""
        points = self.space.points(moves)
        off = self.predict(points) - self.target
        inside = self.space.moves(points)
        away = lengths(inside, self.metric)
        tried = [
            Tried(z, float(d), float(g), bool(g <= self.tolerance))
            for z, d, g in zip(inside, away, np.abs(off), strict=True)
        ]
        self.best = ranked([self.best, *tried] if self.best else tried)[0]
        return tried, off

    def told(self, answer: Answer[Floats]) -> NumericCounterfactual:
        tried = answer.tried
        point = self.space.points(tried.point[None])[0]
        prediction = float(self.predict(point[None])[0])
        return NumericCounterfactual(
            tuple(point.tolist()), self.space.changed(point), prediction,
            tried.distance, tried.gap, tried.reached, answer.weight or None,
        )  # fmt: skip

    def put_back(self, best: Tried[Floats], weight: float) -> Tried[Floats]:
        """Undo moves, the smallest first, wherever that lowers the loss."""
        for j in np.argsort(np.abs(best.point)):
            if best.point[j] != 0:
                fewer = best.point.copy()
                fewer[j] = 0.0
                (tried,) = self.tried(fewer[None])
                if tried.loss(weight) <= best.loss(weight):
                    best = tried
        return best


@dataclass(slots=True, eq=False)
class _NelderMead:
    """Simplexes of one scale a side, begun anew while that still lowers the loss."""

    problem: _Problem
    gradients: int = 0

    def at(
        self, weight: float, starts: Sequence[Tried[Floats]]
    ) -> Generator[Any, Any, list[Tried[Floats]]]:
        return [self._lowest(start, weight) for start in starts]
        yield  # a generator, as ``climb`` wants it, that asks nobody

    def _lowest(self, best: Tried[Floats], weight: float) -> Tried[Floats]:
        low, high = self.problem.space.bounds
        for _ in range(_SIMPLEXES):
            stopping.check()
            # Rounding may leave a point a hair outside.
            corner = np.clip(best.point, low, high)
            up = corner + 1 <= high
            side = np.where(up, 1.0, -np.minimum(1.0, corner - low))
            side = np.where(side == 0, high - corner, side)
            ended = optimize.minimize(
                lambda z: self.problem.tried(z[None])[0].loss(weight),
                corner,
                method="Nelder-Mead",
                bounds=optimize.Bounds(low, high),
                options={
                    "initial_simplex": np.concatenate([corner[None], corner + np.diag(side)]),
                    "maxfev": _EVALUATIONS * len(corner),
                    "xatol": 1e-3,
                    "fatol": 1e-5,
                    "adaptive": len(corner) > 2,
                },
            )
            (found,) = self.problem.tried(np.asarray(ended.x)[None])
            found = self.problem.put_back(found, weight)
            before = best.loss(weight)
            best = min(best, found, key=lambda t: t.loss(weight))
            if before - best.loss(weight) <= 1e-3 * before:
                break
        return best


@dataclass(slots=True, eq=False)
class _Adam:
    """All starts at once; the best point on the way counts, not the last."""

    problem: _Problem
    gradient: Gradient
    gradients: int = 0

    def at(
        self, weight: float, starts: Sequence[Tried[Floats]]
    ) -> Generator[Any, Any, list[Tried[Floats]]]:
        return self._lowest(weight, list(starts))
        yield  # as above

    def _lowest(self, weight: float, best: list[Tried[Floats]]) -> list[Tried[Floats]]:
        low, high = self.problem.space.bounds
        manhattan = self.problem.metric is Metric.MANHATTAN
        z = np.stack([t.point for t in best])
        _, off = self.problem.judged(z)
        mean, square = np.zeros_like(z), np.zeros_like(z)
        rates = np.geomspace(_FIRST_RATE, _LAST_RATE, _STEPS)
        for step, rate in enumerate(rates, 1):
            stopping.check()
            slope = self._slope(z, off, weight)
            if not manhattan:
                away = np.linalg.norm(z, axis=1, keepdims=True)
                slope = slope + np.divide(z, away, out=np.zeros_like(z), where=away > 0)
            mean = _MOMENTUM * mean + (1 - _MOMENTUM) * slope
            square = _SQUARES * square + (1 - _SQUARES) * slope**2
            sizes = rate / (np.sqrt(square / (1 - _SQUARES**step)) + 1e-8)
            z = z - sizes * mean / (1 - _MOMENTUM**step)
            if manhattan:
                z = np.sign(z) * np.maximum(np.abs(z) - sizes, 0)
            z = np.clip(z, low, high)
            tried, off = self.problem.judged(z)
            best = [
                min(b, t, key=lambda t: t.loss(weight)) for b, t in zip(best, tried, strict=True)
            ]
        return [self.problem.put_back(b, weight) for b in best]

    def _slope(self, z: Floats, off: Floats, weight: float) -> Floats:
        """float64[n, n_free]: gradient of weight * off^2 by the moves; off: f - target at z."""
        space = self.problem.space
        points = space.points(z)
        try:
            given = np.asarray(self.gradient(points), np.float64)
        except (TypeError, ValueError) as error:
            raise ModelError(f"A gradient could not be computed: {error}.") from error
        if given.shape != points.shape or not np.isfinite(given).all():
            raise ModelError(
                f"A gradient has the shape of the rows it is asked for, {points.shape}, all finite; "
                f"shape {given.shape} came, {int(np.isfinite(given).sum())} finite."
            )
        self.gradients += len(points)
        slope: Floats = (2 * weight * off[:, None] * given * space.unit)[:, space.free]
        return slope


def _rows(space: FeatureSpace, count: int, seed: int) -> Floats:
    rng = generator("numeric-wachter", seed)
    picked = rng.choice(len(space.reference), count, replace=count > len(space.reference))
    low, high = space.bounds
    return np.clip(space.moves(space.reference[picked]), low, high)


def _distinct(answers: Sequence[Answer[Floats]]) -> list[Answer[Floats]]:
    """Ranked, each once."""
    by_point = {id(a.tried): a for a in answers}
    kept: list[Answer[Floats]] = []
    for tried in ranked(a.tried for a in answers):
        if all(np.abs(tried.point - k.tried.point).max() > _SAME for k in kept):
            kept.append(by_point[id(tried)])
    return kept


def _minimiser(problem: _Problem, way: Optimiser, gradient: Gradient | None) -> _NelderMead | _Adam:
    if way is Optimiser.NELDER_MEAD:
        return _NelderMead(problem)
    if gradient is None:
        raise SettingsError(
            "Adam follows the gradient of the model. Give one, or choose 'nelder-mead'."
        )
    return _Adam(problem, gradient)


def _named(kind: Any, what: str, name: str) -> Any:
    known = [str(one) for one in kind]
    if name not in known:
        raise UnknownNameError(what, name, known)
    return kind(name)


def _check(target: float, tolerance: float, restarts: int) -> None:
    if not np.isfinite(target):
        raise SettingsError(f"The wanted prediction is a finite number, and {target} came.")
    if not 0 <= tolerance < np.inf:
        raise SettingsError(
            f"The tolerance (epsilon) is 0 or more and finite, and {tolerance} came. Choose, for "
            "example, 0.1."
        )
    if not isinstance(restarts, int) or restarts < 1:
        raise SettingsError(f"There is 1 restart or more, and {restarts!r} came.")
