"""Wachter et al. 2017 (wachter-etal-2017): one optimiser for numeric features and for texts.

A counterfactual x' minimises lambda * (f(x') - y')^2 + d(x, x'): near the wanted prediction y',
and near the original. A large lambda wants the prediction more than the nearness. So lambda
starts small and rises until |f(x') - y'| <= epsilon, and the whole is begun anew from several
starts, since f may have many valleys.

``climb`` knows neither numbers nor texts. It is handed a minimiser: a generator that yields
whatever it needs answered, and returns one point a start. A minimiser that asks nobody yields
nothing, and ``driven`` runs it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from nsx_core import stopping
from nsx_core.errors import SettingsError

__all__ = ["Answer", "Minimise", "Schedule", "Tried", "climb", "driven", "ranked"]

P = TypeVar("P")
A = TypeVar("A")
B = TypeVar("B")
#: Of ten: lambda goes no higher, where rounding would drown every distance.
_LARGEST_EXPONENT = 30


@dataclass(frozen=True, slots=True)
class Schedule:
    """The values of lambda: ``start``, times ``factor`` at each of ``steps`` steps.

    start > 0; factor > 1; steps >= 1, 1 = one fixed lambda. Raises ``SettingsError`` otherwise.
    """

    start: float
    factor: float
    steps: int

    def __post_init__(self) -> None:
        if not 0 < self.start < math.inf:
            raise SettingsError(
                "Lambda, the weight of the wanted prediction against nearness, is above 0 and "
                f"finite, and {self.start} came. Choose, for example, 0.1."
            )
        if not 1 < self.factor < math.inf:
            raise SettingsError(
                f"Lambda is raised by a factor above 1, and {self.factor} came. Choose, for "
                "example, 2."
            )
        if not isinstance(self.steps, int) or self.steps < 1:
            raise SettingsError(
                f"Lambda takes 1 or more values, and {self.steps!r} came. Choose, for example, 20."
            )
        # By logarithms, since the power itself may overflow.
        last = math.log10(self.start) + (self.steps - 1) * math.log10(self.factor)
        if last > _LARGEST_EXPONENT:
            raise SettingsError(
                f"Lambda would rise above 1e{_LARGEST_EXPONENT} in {self.steps} steps by {self.factor}. Choose fewer "
                "steps."
            )

    def weights(self) -> Iterator[float]:
        """Every lambda, ascending."""
        weight = self.start
        for _ in range(self.steps):
            yield weight
            weight *= self.factor


@dataclass(frozen=True, slots=True)
class Tried(Generic[P]):
    """A point that was judged: its distance d >= 0 and its gap |f(x') - y'| >= 0.

    reached: whether the gap counts as closed (at most epsilon, and whatever else the goal wants).
    """

    point: P
    distance: float
    gap: float
    reached: bool

    def loss(self, weight: float) -> float:
        """weight * gap^2 + distance."""
        # A product grows to infinity where a power would raise an error.
        return weight * (self.gap * self.gap) + self.distance


@dataclass(frozen=True, slots=True)
class Answer(Generic[P]):
    """Where one start ended, and the lambda at which it did."""

    tried: Tried[P]
    weight: float


#: (lambda, one point a start that is still on its way) -> one point each, no worse at that lambda.
Minimise = Callable[[float, Sequence[Tried[P]]], Generator[A, B, Sequence[Tried[P]]]]


def climb(
    minimise: Minimise[P, A, B],
    starts: Sequence[Tried[P]],
    schedule: Schedule,
    enough: int | None = None,
) -> Generator[A, B, tuple[Answer[P], ...]]:
    """Raise lambda until every start, or ``enough`` of them, has reached the wanted prediction.

    Returns one answer a start, in their order: the point at the first lambda that reached, or at
    the last lambda there was. All starts that have not reached go on together, each from where it
    stood; one that had fallen back onto the original (distance 0) begins again at its start.
    """
    wanted = len(starts) if enough is None else min(enough, len(starts))
    answers: dict[int, Answer[P]] = {}
    left = list(range(len(starts)))
    for weight in schedule.weights():
        stopping.check()
        begun = [answers[k].tried if k in answers else starts[k] for k in left]
        points = [p if p.distance > 0 else starts[k] for k, p in zip(left, begun, strict=True)]
        ended = yield from minimise(weight, points)
        answers |= {k: Answer(p, weight) for k, p in zip(left, ended, strict=True)}
        left = [k for k in left if not answers[k].tried.reached]
        if len(starts) - len(left) >= wanted:
            break
    return tuple(answers[k] for k in range(len(starts)))


def ranked(tried: Iterable[Tried[P]]) -> list[Tried[P]]:
    """Those that reached, nearest to the original first; then the rest, smallest gap first."""
    return sorted(
        tried,
        key=lambda t: (0, t.distance, t.gap) if t.reached else (1, t.gap, t.distance),
    )


def driven(search: Generator[Any, Any, P]) -> P:
    """What a search returns that asks nobody anything."""
    try:
        asked = next(search)
    except StopIteration as end:
        found: P = end.value
        return found
    raise TypeError(f"The search asked for {asked!r}, and there is nobody to answer it.")
