from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np
import pytest

from nsx_core.counterfactuals.wachter import Answer, Schedule, Tried, climb, driven, ranked
from nsx_core.errors import SettingsError

Points = Sequence[Tried[float]]


def test_lambda_starts_rises_and_is_as_many_values_as_steps() -> None:
    assert list(Schedule(0.5, 4.0, 4).weights()) == [0.5, 2.0, 8.0, 32.0]
    assert list(Schedule(7.0, 2.0, 1).weights()) == [7.0]


def test_the_loss_is_lambda_times_the_squared_gap_and_the_distance() -> None:
    assert Tried("x", 3.0, 0.5, False).loss(8.0) == 5.0
    assert Tried("x", 3.0, 1e200, False).loss(1.0) == np.inf, "and no error of too large numbers"


def test_a_start_goes_on_from_where_it_stood_but_not_from_the_original() -> None:
    """It has ended at its original at the first lambda, and at 5 at the second."""
    asked: list[float] = []

    def minimise(weight: float, points: Points) -> Generator[None, None, Points]:
        asked.append(points[0].point)
        yield from ()
        ended = 0.0 if weight == 1 else 5.0
        return [Tried(ended, ended, 0.4, False)]

    (answer,) = driven(climb(minimise, [Tried(3.0, 3.0, 0.4, False)], Schedule(1.0, 2.0, 3)))
    assert asked == [3.0, 3.0, 5.0]
    assert answer == Answer(Tried(5.0, 5.0, 0.4, False), 4.0), "the last lambda's, not reached"


def test_a_search_that_asks_must_be_answered() -> None:
    def asking() -> Generator[str, None, int]:
        yield "how much?"
        return 1

    with pytest.raises(TypeError, match="nobody to answer"):
        driven(asking())


def test_lambda_rises_for_each_start_until_it_has_reached() -> None:
    starts = [Tried(p, p, 1.0, False) for p in (1.0, 2.0, 3.0)]
    asked = []

    def minimise(weight, points):  # type: ignore[no-untyped-def]
        asked.append((weight, [p.point for p in points]))
        yield from ()
        return [Tried(p.point, 0.0, 0.1, weight >= 10 * p.point) for p in points]

    found = driven(climb(minimise, starts, Schedule(10.0, 2.0, 3)))
    assert asked == [(10.0, [1.0, 2.0, 3.0]), (20.0, [2.0, 3.0]), (40.0, [3.0])]
    assert [answer.weight for answer in found] == [10.0, 20.0, 40.0]
    asked.clear()
    driven(climb(minimise, starts, Schedule(10.0, 2.0, 3), enough=1))
    assert len(asked) == 1


def test_those_that_reach_come_first_then_the_smallest_gaps() -> None:
    far, near = Tried("far", 9.0, 0.0, True), Tried("near", 2.0, 0.4, True)
    out, wide = Tried("out", 1.0, 0.6, False), Tried("wide", 0.1, 0.9, False)
    assert ranked([wide, far, out, near]) == [near, far, out, wide]
    assert Answer(near, 3.0).tried.loss(100.0) == pytest.approx(18.0)


@pytest.mark.parametrize("start", [0.0, -1.0, np.nan, np.inf])
def test_lambda_is_above_zero(start: float) -> None:
    with pytest.raises(SettingsError, match="is above 0 and finite"):
        Schedule(start, 2.0, 5)


@pytest.mark.parametrize(
    ("factor", "steps", "message"),
    [
        (1.0, 5, "factor above 1"),
        (2.0, 0, "1 or more values"),
        (2.0, 500, "above 1e30"),
        (2.0, 90_000, "above 1e30"),
    ],
)
def test_lambda_rises_and_ends(factor: float, steps: int, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Schedule(1.0, factor, steps)
