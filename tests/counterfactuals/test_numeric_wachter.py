from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tabular import Floats, Network, linear, network, table

from nsx_core.counterfactuals.distance import distances, scales
from nsx_core.counterfactuals.numeric_features import NumericFindings
from nsx_core.counterfactuals.numeric_wachter import numeric_counterfactuals
from nsx_core.counterfactuals.wachter import (
    Answer,
    Schedule,
    Tried,
    climb,
    driven,
    ranked,
)
from nsx_core.errors import DataError, InputError, ModelError, SettingsError, UnknownNameError

X, _ = table()
QUICK = Schedule(2.0, 6.0, 5)


def _positives(model: Network, count: int) -> Floats:
    return X[model.predict(X) > 0.8][:count]


@cache
def _found(which: str, row: int, optimiser: str, distance: str = "manhattan") -> NumericFindings:
    model = {"linear": linear, "network": network}[which]()
    return numeric_counterfactuals(
        model.predict, _positives(model, row + 1)[row], 0.0, 0.1, X, gradient=model.gradient,
        optimiser=optimiser, distance=distance, restarts=2, schedule=QUICK,
    )  # fmt: skip


def test_the_gradient_of_the_trained_network_is_right() -> None:
    model, step = network(), 1e-5 * X.std(axis=0)
    ups = np.array([model.predict(X[:4] + np.eye(6)[j] * step) for j in range(6)])
    downs = np.array([model.predict(X[:4] - np.eye(6)[j] * step) for j in range(6)])
    assert model.gradient(X[:4]) * step == pytest.approx(((ups - downs) / 2).T, abs=1e-8)


@pytest.mark.parametrize("which", ["linear", "network"])
@pytest.mark.parametrize(("optimiser", "rows"), [("adam", 4), ("nelder-mead", 1)])
def test_scores_reach_zero_within_the_tolerance(which: str, optimiser: str, rows: int) -> None:
    model = {"linear": linear, "network": network}[which]()
    for row in range(rows):
        found = _found(which, row, optimiser)
        assert found.prediction > 0.8
        assert found.listed and found.nearest == found.listed[0]
        x = _positives(model, row + 1)[row]
        for one in found.listed:
            point = np.array(one.features)
            assert one.valid and one.gap <= 0.1
            assert one.prediction == model.predict(point[None])[0] <= 0.1
            assert one.distance == pytest.approx(distances([point], x, scales(X))[0])
            assert one.changed == tuple(np.flatnonzero(point != x))
        assert [c.distance for c in found.listed] == sorted(c.distance for c in found.listed)
        assert found.restarts == 2 and found.calls > 0
        assert (found.gradients > 0) == (optimiser == "adam")


@pytest.mark.parametrize(("optimiser", "rows"), [("adam", 4), ("nelder-mead", 1)])
def test_manhattan_answers_are_sparser_than_euclidean_ones(optimiser: str, rows: int) -> None:
    changed = {
        distance: [
            len(_found("network", row, optimiser, distance).nearest.changed) for row in range(rows)
        ]
        for distance in ("manhattan", "euclidean")
    }
    assert all(m < e for m, e in zip(*changed.values(), strict=True)), changed
    assert np.mean(changed["manhattan"]) <= 2 and np.mean(changed["euclidean"]) >= 4


def test_both_optimisers_agree() -> None:
    for which in ("linear", "network"):
        for row in range(1):
            one, other = (_found(which, row, way).nearest for way in ("adam", "nelder-mead"))
            assert one.distance == pytest.approx(other.distance, rel=0.1)


def test_frozen_features_do_not_move_and_ranges_hold() -> None:
    model = linear()
    (x,) = _positives(model, 1)
    best = _found("linear", 0, "adam").nearest.changed[0]
    for optimiser in ("adam", "nelder-mead"):
        found = numeric_counterfactuals(
            model.predict, x, 0.0, 0.3, X, gradient=model.gradient, optimiser=optimiser,
            restarts=2, frozen=[best], ranges={1: (x[1] - 1, x[1] + 30)}, schedule=QUICK,
        )  # fmt: skip
        assert found.listed
        for one in found.listed:
            assert one.features[best] == x[best]
            assert x[1] - 1 <= one.features[1] <= x[1] + 30
            within = (X.min(axis=0) <= one.features) & (one.features <= X.max(axis=0))
            assert within[[0, 2, 3, 4, 5]].all(), "elsewhere the reference set's own range holds"


def test_a_feature_that_never_varies_is_not_moved_and_that_is_said() -> None:
    table_with = np.column_stack([X, np.full(len(X), 3.0), np.arange(len(X)) % 5 == 0])
    model = linear()
    (x,) = _positives(model, 1)
    found = numeric_counterfactuals(
        lambda rows: model.predict(rows[:, :6]) * (rows[:, 6] < 4), [*x, 3.0, 0.0], 0.0, 0.1,
        table_with, ranges={6: (0, 10)}, names=[*"abcdef", "year", "flag"], restarts=1,
        schedule=QUICK,
    )  # fmt: skip
    assert found.listed and found.nearest.features[6] == 3.0
    assert any("Not moved for that reason: year." in note for note in found.notes)
    assert any("'flag' is 0" in note and "mean absolute" in note for note in found.notes)


def test_a_constant_model_has_no_counterfactual_and_the_nearest_is_given() -> None:
    for optimiser in ("adam", "nelder-mead"):
        found = numeric_counterfactuals(
            lambda rows: np.full(len(rows), 0.61), X[0], 0.0, 0.5, X, restarts=2, schedule=QUICK,
            optimiser=optimiser, gradient=np.zeros_like,
        )  # fmt: skip
        assert found.listed == () and not found.nearest.valid
        assert found.nearest.features == tuple(X[0]) and found.nearest.changed == ()
        assert found.notes[-1] == (
            "No counterfactual found in 2 restarts; the nearest reached 0.61."
        )


def test_epsilon_zero_is_allowed_and_finds_the_nearest() -> None:
    model = linear()
    found = numeric_counterfactuals(
        model.predict, _positives(model, 1)[0], 0.0, 0.0, X, optimiser="adam",
        gradient=model.gradient, restarts=2, schedule=QUICK,
    )  # fmt: skip
    assert found.listed == () and found.nearest.gap < 0.05 < found.prediction


def test_an_original_that_is_near_enough_needs_no_change() -> None:
    found = numeric_counterfactuals(lambda rows: rows[:, 0] * 0, X[0], 0.0, 0.1, X)
    assert found.listed == () and found.nearest.valid and found.nearest.changed == ()
    assert "already lies within" in found.notes[-1]


def test_equal_seeds_give_equal_answers() -> None:
    model = network()
    (x,) = _positives(model, 1)
    one, same, other = (
        numeric_counterfactuals(
            model.predict, x, 0.0, 0.1, X, optimiser="adam", gradient=model.gradient, seed=seed,
            restarts=3, schedule=Schedule(10.0, 2.0, 2),
        )
        for seed in (1, 1, 2)
    )  # fmt: skip
    assert one == same
    assert one != other


def test_a_larger_lambda_comes_nearer_to_the_target() -> None:
    model = linear()
    gaps = [
        numeric_counterfactuals(
            model.predict, _positives(model, 1)[0], 0.0, 0.0, X, optimiser="adam",
            gradient=model.gradient, restarts=1, schedule=Schedule(weight, 2.0, 1),
        ).nearest.gap
        for weight in (0.01, 10.0, 30.0, 100.0)
    ]  # fmt: skip
    assert gaps == sorted(gaps, key=lambda gap: -gap) and gaps[0] > gaps[-1] + 0.5


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
    [(1.0, 5, "factor above 1"), (2.0, 0, "1 or more values"), (2.0, 500, "above 1e30")],
)
def test_lambda_rises_and_ends(factor: float, steps: int, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Schedule(1.0, factor, steps)


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"tolerance": -0.1}, SettingsError, "0 or more and finite, and -0.1 came"),
        ({"tolerance": np.nan}, SettingsError, "nan came"),
        ({"target": np.inf}, SettingsError, "finite number, and inf came"),
        ({"restarts": 0}, SettingsError, "1 restart or more"),
        ({"optimiser": "adam"}, SettingsError, "Give one, or choose 'nelder-mead'"),
        ({"optimiser": "newton"}, UnknownNameError, "No optimiser is called 'newton'"),
        ({"distance": "manhatten"}, UnknownNameError, "Did you mean 'manhattan'?"),
        ({"frozen": range(6)}, SettingsError, "At least one feature must be free"),
        ({"frozen": [6]}, SettingsError, "counted from 0 to 5, and position 6 came"),
        ({"ranges": {0: (900, 901)}}, SettingsError, "must hold the original's own value"),
        ({"ranges": {0: (np.nan, 1)}}, SettingsError, "must hold the original's own value"),
        ({"x": [1.0]}, DataError, "one row of 6 features"),
        ({"x": [np.nan] * 6}, DataError, "finite"),
        ({"predict": lambda rows: np.ones((len(rows), 2))}, ModelError, "one finite number a row"),
        ({"predict": lambda rows: rows[:, 0] * np.nan}, ModelError, "0 finite"),
        (
            {"optimiser": "adam", "gradient": lambda rows: rows[:, :1]},
            ModelError,
            "A gradient has the shape",
        ),
    ],
)
def test_bad_input_is_said(given: dict, kind: type[InputError], message: str) -> None:  # type: ignore[type-arg]
    settings = {
        "predict": linear().predict,
        "x": _positives(linear(), 1)[0],
        "target": 0.0,
        "tolerance": 0.1,
        "reference": X,
    }
    with pytest.raises(kind) as caught:
        numeric_counterfactuals(**(settings | given))
    assert message in str(caught.value)
