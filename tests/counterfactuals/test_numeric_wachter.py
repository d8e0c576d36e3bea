from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tabular import Floats, Network, linear, network, table

from nsx_core.counterfactuals.distance import Metric, distances, scales
from nsx_core.counterfactuals.numeric_features import NumericFindings
from nsx_core.counterfactuals.numeric_wachter import numeric_counterfactuals
from nsx_core.counterfactuals.wachter import Schedule
from nsx_core.errors import DataError, InputError, ModelError, SettingsError, UnknownNameError

X, _ = table()
QUICK = Schedule(2.0, 6.0, 5)
SHORT = Schedule(10.0, 5.0, 2)
#: Points that are tried, and starts each: Nelder-Mead takes its time.
ROWS = {"adam": 3, "nelder-mead": 2}
STARTS = {"adam": 2, "nelder-mead": 1}


def _positives(model: Network, count: int) -> Floats:
    return X[model.predict(X) > 0.8][:count]


@cache
def _found(which: str, row: int, optimiser: str, distance: str = "manhattan") -> NumericFindings:
    model = {"linear": linear, "network": network}[which]()
    return numeric_counterfactuals(
        model.predict, _positives(model, row + 1)[row], 0.0, 0.1, X, gradient=model.gradient,
        optimiser=optimiser, distance=distance, restarts=STARTS[optimiser], schedule=QUICK,
    )  # fmt: skip


def test_the_gradient_of_the_trained_network_is_right() -> None:
    model, step = network(), 1e-5 * X.std(axis=0)
    ups = np.array([model.predict(X[:4] + np.eye(6)[j] * step) for j in range(6)])
    downs = np.array([model.predict(X[:4] - np.eye(6)[j] * step) for j in range(6)])
    assert model.gradient(X[:4]) * step == pytest.approx(((ups - downs) / 2).T, abs=1e-8)


@pytest.mark.parametrize("which", ["linear", "network"])
@pytest.mark.parametrize("optimiser", ["adam", "nelder-mead"])
def test_scores_reach_zero_within_the_tolerance(which: str, optimiser: str) -> None:
    model = {"linear": linear, "network": network}[which]()
    for row in range(ROWS[optimiser]):
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
        assert found.restarts == STARTS[optimiser] and found.calls > 0
        assert (found.gradients > 0) == (optimiser == "adam")


@pytest.mark.parametrize("optimiser", ["adam", "nelder-mead"])
def test_manhattan_answers_are_sparser_than_euclidean_ones(optimiser: str) -> None:
    changed = {
        distance: [
            len(_found("network", row, optimiser, distance).nearest.changed)
            for row in range(ROWS[optimiser])
        ]
        for distance in ("manhattan", "euclidean")
    }
    assert all(m < e for m, e in zip(*changed.values(), strict=True)), changed
    assert np.mean(changed["manhattan"]) <= 2 and np.mean(changed["euclidean"]) >= 4


@pytest.mark.parametrize("which", ["linear", "network"])
def test_both_optimisers_agree(which: str) -> None:
    for row in range(min(ROWS.values())):
        one, other = (_found(which, row, way).nearest for way in ("adam", "nelder-mead"))
        assert one.distance == pytest.approx(other.distance, rel=0.1)
        assert one.changed == other.changed


@pytest.mark.parametrize("optimiser", ["adam", "nelder-mead"])
@pytest.mark.parametrize("distance", ["manhattan", "euclidean"])
def test_answers_are_near_the_nearest_there_is(optimiser: str, distance: str) -> None:
    """Known of a logistic regression: along the steepest feature, or straight to the plane."""
    model = linear()
    (x,) = _positives(model, 1)
    slopes = np.abs(model.weights[0][:, 0] * scales(X).values)
    p = model.predict(x[None])[0]
    rise = np.log(p / (1 - p)) - np.log(0.1 / 0.9)
    nearest = rise / (slopes.max() if distance == "manhattan" else np.linalg.norm(slopes))
    found = numeric_counterfactuals(
        model.predict, x, 0.0, 0.1, X, gradient=model.gradient, optimiser=optimiser,
        distance=distance, ranges=dict.fromkeys(range(6), (-1e5, 1e5)), restarts=1,
        schedule=Schedule(15.0, 1.5, 4),
    )  # fmt: skip
    assert nearest * (1 - 1e-9) <= found.nearest.distance <= 1.08 * nearest


def _bumpy(rows: Floats) -> Floats:
    """Many valleys, of which the deepest is not the nearest."""
    a, b = ((rows - X.mean(axis=0)) / X.std(axis=0))[:, :2].T
    bumps: Floats = 0.5 + 0.3 * np.sin(3 * a) * np.cos(2 * b) + 0.05 * a
    return bumps


@pytest.mark.parametrize("which", ["network", "bumpy"])
@pytest.mark.parametrize("distance", ["manhattan", "euclidean"])
def test_no_point_of_a_fine_grid_has_a_lower_loss(which: str, distance: str) -> None:
    predict = network().predict if which == "network" else _bumpy
    x, weight = X[np.argmax(predict(X))], 40.0
    found = numeric_counterfactuals(
        predict, x, 0.0, 0.6, X, distance=distance, frozen=[2, 3, 4, 5], restarts=8,
        schedule=Schedule(weight, 2.0, 1),
    )  # fmt: skip
    least = min(weight * one.gap**2 + one.distance for one in found.listed)
    assert {one.weight for one in found.listed} == {weight}

    sides = [np.append(np.linspace(X[:, j].min(), X[:, j].max(), 200), x[j]) for j in (0, 1)]
    grid = np.tile(x, (201 * 201, 1))
    grid[:, :2] = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
    losses = weight * predict(grid) ** 2 + distances(grid, x, scales(X), Metric(distance))
    assert 0.98 * losses.min() <= least <= 1.001 * losses.min()


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
            lambda rows: np.full(len(rows), 0.61), X[0], 0.0, 0.5, X, restarts=2, schedule=SHORT,
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
    assert found.listed == () and 0 < found.nearest.gap < 0.05 < found.prediction


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


def test_a_smaller_tolerance_takes_a_larger_lambda_and_a_longer_way() -> None:
    model = linear()
    found = [
        numeric_counterfactuals(
            model.predict, _positives(model, 1)[0], 0.0, tolerance, X, optimiser="adam",
            gradient=model.gradient, restarts=1, schedule=Schedule(8.0, 4.0, 4),
        ).nearest
        for tolerance in (0.4, 0.1, 0.02)
    ]  # fmt: skip
    weights = [one.weight or 0 for one in found]
    assert 0 < weights[0] < weights[1] < weights[2]
    assert found[0].distance < found[1].distance < found[2].distance
    assert found[0].gap > found[1].gap > found[2].gap


def test_where_lambda_stays_too_small_a_point_on_the_way_is_given_and_that_is_said() -> None:
    model = linear()
    found = numeric_counterfactuals(
        model.predict, _positives(model, 1)[0], 0.0, 0.1, X, restarts=5,
        schedule=Schedule(0.001, 2.0, 1),
    )  # fmt: skip
    assert found.listed == (found.nearest,) and found.nearest.valid
    assert found.nearest.gap <= 0.1 and found.nearest.weight is None
    assert "lambda does not rise high enough" in found.notes[-1]


@pytest.mark.parametrize("optimiser", ["adam", "nelder-mead"])
def test_every_row_that_the_model_saw_is_counted_and_its_copy_is_its_own(optimiser: str) -> None:
    model, rows, slopes = linear(), [], []

    def predict(x: Floats) -> Floats:
        rows.append(len(x))
        predictions = model.predict(x)
        x[:] = np.nan
        return predictions

    def gradient(x: Floats) -> Floats:
        slopes.append(len(x))
        return model.gradient(x)

    (x,) = _positives(model, 1)
    found, clean = (
        numeric_counterfactuals(
            f, x, 0.0, 0.2, X, optimiser=optimiser, gradient=g, restarts=1, schedule=SHORT
        )
        for f, g in ((predict, gradient), (model.predict, model.gradient))
    )
    assert found.listed and found == clean
    assert (found.calls, found.gradients) == (sum(rows), sum(slopes))


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
        ({"ranges": {0: (1.0,)}}, SettingsError, "its least and its greatest value, and (1.0,)"),
        ({"frozen": ["age"]}, SettingsError, "position 'age' came"),
        ({"x": [1.0]}, DataError, "one row of 6 features"),
        ({"x": [[1.0], [1.0, 2.0]]}, DataError, "The original must hold numbers only"),
        ({"reference": X[:, :5]}, DataError, "one row of 5 features, and shape (6,) came"),
        ({"x": [np.nan] * 6}, DataError, "finite"),
        ({"predict": lambda rows: np.ones((len(rows), 2))}, ModelError, "one finite number a row"),
        ({"predict": lambda rows: rows[:, 0] * np.nan}, ModelError, "0 finite"),
        ({"predict": lambda rows: ["yes"] * len(rows)}, ModelError, "could not predict"),
        (
            {"optimiser": "adam", "gradient": lambda rows: ["up"]},
            ModelError,
            "A gradient could not be computed",
        ),
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
