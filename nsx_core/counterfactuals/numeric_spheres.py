"""Growing Spheres for models of numeric features, as published (laugel-etal-2017).

1. Draw points uniformly in a ball around the original. While any of them is an enemy (predicted
   to be on the other side of the threshold), halve the ball.
2. Then draw in shells around it, each beginning where the last ended, until one holds enemies; the
   one nearest by Euclidean distance is taken.
3. Put its features back to the original's, the least moved first, while it stays an enemy.

All lengths are in units of the features' scales (``distance``). Where we differ from the paper:

- A point outside the ranges is moved to the nearest point within them.
- Before step 3, draw anew between the shell's inner radius and the enemy while a nearer one comes.
- Step 3 does not end at the first feature that must stay: it goes on until none of those left can
  be put back alone.
- The search ends at a greatest radius and at a greatest number of predictions, and then says so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsx_core import stopping
from nsx_core.counterfactuals.distance import Metric, distances
from nsx_core.counterfactuals.numeric_features import (
    CountedPredict,
    FeatureSpace,
    NumericCounterfactual,
    NumericFindings,
    Predict,
    feature_space,
)
from nsx_core.errors import SettingsError
from nsx_core.seeding import generator

__all__ = ["growing_spheres", "in_shell"]

Floats = NDArray[np.float64]
_HALVINGS = 60


def growing_spheres(
    predict: Predict,
    x: ArrayLike,
    reference: ArrayLike,
    *,
    threshold: float = 0.5,
    radius: float = 1.0,
    radius_max: float | None = None,
    draws: int = 1_000,
    calls_max: int = 200_000,
    ranges: Mapping[int, tuple[float, float]] | None = None,
    frozen: Collection[int] = (),
    names: Sequence[str] | None = None,
    seed: int = 0,
) -> NumericFindings:
    """The nearest enemy after step 3, and before it where that differs: ``listed``, in this order.

    predict, x, reference, ranges, frozen, names: as for ``numeric_counterfactuals``. radius > 0: of
    the first ball (eta), and radius_max >= radius: of the last shell, None = as far as the ranges
    go, in units of the scales. draws >= 1: in each ball and shell. calls_max >= 1: rows to predict
    at most, before step 3. Distances are Euclidean; a gap is how far a prediction lies from the
    threshold where it is on the original's side, and 0 on the other. Raises ``SettingsError``,
    ``DataError`` and ``ModelError`` as ``numeric_counterfactuals`` does.
    """
    space = feature_space(x, reference, ranges, frozen, names)
    farthest = float(np.linalg.norm(np.maximum(*np.abs(space.bounds))))
    _check(threshold, radius, draws, calls_max)
    if radius_max is None and not np.isfinite(farthest):
        raise SettingsError(
            "Spheres would grow for ever where a range has no end. Give the greatest radius, or "
            "finite ranges."
        )
    limit = farthest if radius_max is None else radius_max
    if np.isnan(limit) or limit <= 0 or (radius_max is not None and radius_max < radius):
        raise SettingsError(
            f"The greatest radius is at least the first, {radius}, and {limit} came."
        )
    counted = CountedPredict(predict)
    before = float(counted(space.origin[None])[0])
    search = _Search(space, counted, threshold, before >= threshold, draws, calls_max, seed)
    enemy, notes = search.grown(min(radius, limit), limit)
    listed: list[NumericCounterfactual] = []
    nearest = search.told(space.origin, before)
    if enemy is None:
        if search.best is not None and search.best.gap < nearest.gap:
            nearest = search.best
        notes.append(f"No counterfactual found; the nearest reached {nearest.prediction:.3g}.")
    else:
        sparse = search.sparser(enemy)
        listed = [search.told(point, float(counted(point[None])[0])) for point in (sparse, enemy)]
        listed = listed[: 1 if listed[0] == listed[1] else 2]
        nearest = listed[0]
    return NumericFindings(
        tuple(listed), nearest, before, space.scales,
        restarts=1, calls=counted.calls, notes=(*space.notes, *notes),
    )  # fmt: skip


def in_shell(rng: np.random.Generator, n: int, d: int, inner: float, outer: float) -> Floats:
    """float64[n, d]: points uniform by volume in the shell inner <= |z| <= outer around 0.

    The share of a shell's volume within r is (r^d - inner^d) / (outer^d - inner^d), and a radius is
    that share turned round; in units of ``outer``, so that no power overflows.
    """
    normal = rng.normal(size=(n, d))
    directions = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    within = (inner / outer) ** d
    radii = outer * (within + rng.random(n) * (1 - within)) ** (1 / d)
    return np.asarray(directions * radii[:, None], np.float64)


@dataclass(slots=True, eq=False)
class _Search:
    space: FeatureSpace
    predict: CountedPredict
    threshold: float
    above: bool
    draws: int
    calls_max: int
    seed: int
    best: NumericCounterfactual | None = None

    def grown(self, radius: float, limit: float) -> tuple[Floats | None, list[str]]:
        """The nearest enemy of the first shell that holds one, None without any; and notes."""
        rng = generator("numeric-spheres", self.seed)
        near: Floats | None = None
        for _ in range(_HALVINGS):
            if self._spent:
                return near, [self._stopped(near)]
            enemy = self._nearest_enemy(rng, 0.0, radius)
            if enemy is None:
                break
            near, radius = self._nearer(near, enemy), radius / 2
        else:
            return near, ["The original lies on the boundary itself."]
        begun, inner = 0.0, radius
        # An enemy of a larger ball is an answer, unless the shells meet a nearer one before it.
        while near is None or self._far(near) > inner:
            if inner >= limit:
                note = f"Spheres grew to a radius of {limit:.3g}."
                return near, [note] if near is None else []
            if self._spent:
                return near, [self._stopped(near)]
            begun, inner = inner, min(inner + radius, limit)
            enemy = self._nearest_enemy(rng, begun, inner)
            near = near if enemy is None else self._nearer(near, enemy)
        return self._contracted(rng, begun, near)

    def _contracted(
        self, rng: np.random.Generator, inner: float, enemy: Floats
    ) -> tuple[Floats, list[str]]:
        """A nearer enemy of the same shell, drawn anew below the last one while any comes."""
        while not self._spent:
            outer = self._far(enemy)
            # A point moved back into the ranges may lie within the shell's inner radius.
            nearer = self._nearest_enemy(rng, inner if inner < outer else 0.0, outer)
            if nearer is None or self._far(nearer) >= outer:
                return enemy, []
            enemy = nearer
        return enemy, [self._stopped(enemy)]

    @property
    def _spent(self) -> bool:
        return self.predict.calls >= self.calls_max

    def _stopped(self, near: Floats | None) -> str:
        stopped = f"Stopped after {self.predict.calls} predictions"
        return f"{stopped}." if near is None else f"{stopped}; a nearer one may exist."

    def _nearer(self, near: Floats | None, enemy: Floats) -> Floats:
        return enemy if near is None else min(near, enemy, key=self._far)

    def _nearest_enemy(self, rng: np.random.Generator, inner: float, outer: float) -> Floats | None:
        stopping.check()
        count = min(self.draws, self.calls_max - self.predict.calls)
        points = self.space.points(in_shell(rng, count, int(self.space.free.sum()), inner, outer))
        predictions = self.predict(points)
        closest = int(np.argmin(predictions) if self.above else np.argmax(predictions))
        told = self.told(points[closest], float(predictions[closest]))
        if self.best is None or told.gap < self.best.gap:
            self.best = told
        enemies = points[(predictions >= self.threshold) != self.above]
        if not len(enemies):
            return None
        return np.asarray(enemies[np.argmin(self._away(enemies))], np.float64)

    def sparser(self, enemy: Floats) -> Floats:
        """Features put back, the least moved first, until none can be without losing the enemy."""
        origin, again = self.space.origin, True
        while again:
            again = False
            moves = np.abs(enemy - origin) / self.space.unit
            for j in sorted(np.flatnonzero(enemy != origin), key=moves.__getitem__):
                fewer = enemy.copy()
                fewer[j] = origin[j]
                if self._is_enemy(float(self.predict(fewer[None])[0])):
                    enemy, again = fewer, True
        return enemy

    def _is_enemy(self, prediction: float) -> bool:
        return (prediction >= self.threshold) != self.above

    def _away(self, points: Floats) -> Floats:
        return distances(points, self.space.origin, self.space.scales, Metric.EUCLIDEAN)

    def _far(self, point: Floats) -> float:
        return float(self._away(point[None])[0])

    def told(self, point: Floats, prediction: float) -> NumericCounterfactual:
        enemy = self._is_enemy(prediction)
        return NumericCounterfactual(
            tuple(point.tolist()), self.space.changed(point), prediction,
            self._far(point),
            0.0 if enemy else abs(prediction - self.threshold), enemy,
        )  # fmt: skip


def _check(threshold: float, radius: float, draws: int, calls_max: int) -> None:
    if not np.isfinite(threshold):
        raise SettingsError(f"The threshold is a finite number, and {threshold} came.")
    if not 0 < radius < np.inf:
        raise SettingsError(
            f"The radius of the first ball is above 0 and finite, and {radius} came. Choose, for "
            "example, 1."
        )
    if not all(isinstance(n, int) and n >= 1 for n in (draws, calls_max)):
        raise SettingsError(
            f"There is at least one draw and one prediction, and {draws!r} and {calls_max!r} came: "
            "give whole numbers from 1 on."
        )
