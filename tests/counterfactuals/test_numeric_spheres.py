from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tabular import Network, linear, network, table

from nsx_core.counterfactuals.distance import Metric, distances, scales
from nsx_core.counterfactuals.numeric_spheres import growing_spheres, in_shell
from nsx_core.errors import ModelError, SettingsError
from nsx_core.seeding import generator

X, _ = table()
UNIT = np.array(scales(X).values)
WIDE = dict.fromkeys(range(6), (-1e6, 1e6))


def _truth(model: Network, x: np.ndarray) -> float:
    """The distance from x to the plane on which a logistic regression says 0.5."""
    slope = model.weights[0][:, 0] * UNIT
    return abs(float(x @ model.weights[0][:, 0] + model.biases[0][0])) / float(
        np.linalg.norm(slope)
    )


@pytest.mark.parametrize("d", [1, 2, 7, 60])
def test_points_are_uniform_in_a_shell(d: int) -> None:
    for inner, outer in ((1.0, 2.0), (0.0, 3.0)):
        points = in_shell(generator("test", d), 8_000, d, inner, outer)
        radii = np.linalg.norm(points, axis=1)
        assert points.shape == (8_000, d)
        assert radii.min() >= inner * (1 - 1e-9) and radii.max() <= outer * (1 + 1e-9)
        # The share of a shell's volume that lies within a radius is even from 0 to 1.
        shares = (radii**d - inner**d) / (outer**d - inner**d)
        assert stats.kstest(shares, "uniform").pvalue > 0.01
        away = points.mean(axis=0) / (radii.std() + radii.mean())
        assert np.abs(away).max() < 0.05, "no direction is favoured"


def test_a_shell_is_filled_as_a_square_thinned_to_it_would_be() -> None:
    square = generator("test").uniform(-2, 2, (60_000, 2))
    thinned = square[np.abs(np.linalg.norm(square, axis=1) - 1.5) <= 0.5]
    drawn = in_shell(generator("test"), 20_000, 2, 1.0, 2.0)
    assert len(thinned) > 20_000
    for one, other in zip(_seen(thinned), _seen(drawn), strict=True):
        assert stats.ks_2samp(one, other).pvalue > 0.01


def _seen(points: np.ndarray) -> tuple[np.ndarray, ...]:
    """By side, by radius, and by angle."""
    return points[:, 0], np.hypot(*points.T), np.arctan2(*points.T)


def test_the_enemy_is_hardly_farther_than_the_nearest_there_is() -> None:
    model = linear()
    for x in X[:12]:
        found = growing_spheres(model.predict, x, X, draws=3_000, ranges=WIDE)
        enemy = found.listed[-1]
        truth = _truth(model, x)
        assert truth <= enemy.distance <= 1.3 * truth
        assert (enemy.prediction >= 0.5) != (found.prediction >= 0.5)


@pytest.mark.parametrize("radius", [0.001, 0.05, 50.0])
def test_the_first_radius_hardly_matters(radius: float) -> None:
    model = linear()
    found = growing_spheres(model.predict, X[0], X, radius=radius, draws=3_000, ranges=WIDE)
    truth = _truth(model, X[0])
    if radius == 0.001:
        assert found.listed == () and any("Stopped after" in n for n in found.notes)
    else:
        assert truth <= found.listed[-1].distance <= 1.3 * truth


def test_features_are_put_back_least_moved_first_while_it_stays_an_enemy() -> None:
    model, fewer = network(), 0
    for x in X[:15]:
        found = growing_spheres(model.predict, x, X)
        sparse, *rest = found.listed
        dense = rest[0] if rest else sparse
        assert sparse.valid and dense.valid and set(sparse.changed) <= set(dense.changed)
        for j in range(6):
            assert sparse.features[j] == (dense.features[j] if j in sparse.changed else x[j])
        for j in sparse.changed:
            back = np.where(np.arange(6) == j, x, sparse.features)
            same_side = (model.predict(back[None])[0] >= 0.5) == (found.prediction >= 0.5)
            assert same_side, "any one feature less would lose it"
        assert sparse.distance <= dense.distance
        fewer += len(sparse.changed) < len(dense.changed)
    assert fewer >= 10


def test_features_are_put_back_beyond_the_first_that_must_stay() -> None:
    """Two features count, and of one of them a small move is enough."""

    def predict(rows: np.ndarray) -> np.ndarray:
        moves = (rows - X[0]) / UNIT
        return np.where((moves[:, 0] > 0.1) & (moves[:, 1] > 1), 1.0, 0.0)

    beyond = 0
    for seed in range(5):
        found = growing_spheres(predict, X[0], X, seed=seed, ranges=WIDE, draws=200)
        assert found.nearest.changed == (0, 1) and found.nearest.valid
        moves = np.abs(np.array(found.listed[-1].features) - X[0]) / UNIT
        beyond += moves[0] < moves[2:].max()
    assert beyond, "at least once a feature was put back after the first had to stay"


def test_a_feature_that_had_to_stay_is_put_back_once_another_was() -> None:
    """The second can be put back as long as the first moves, and the first once the second is."""

    def predict(rows: np.ndarray) -> np.ndarray:
        first, second, third, *_ = ((rows - X[0]) / UNIT).T
        return np.where((third > 1) & ((first != 0) | (second == 0)), 1.0, 0.0)

    again = 0
    for seed in range(8):
        found = growing_spheres(predict, X[0], X, seed=seed, frozen=[3, 4, 5], ranges=WIDE)
        assert found.nearest.changed == (2,) and found.nearest.valid
        first, second, *_ = np.abs(np.array(found.listed[-1].features) - X[0]) / UNIT
        again += first < second
    assert again, "at least once the first feature was tried before the second"


@pytest.mark.parametrize("draws", [3, 20, 300])
def test_of_all_enemies_that_were_drawn_the_nearest_is_taken(draws: int) -> None:
    model, scale = network(), scales(X)
    for seed, x in enumerate(X[:10]):
        seen: list[np.ndarray] = []

        def predict(rows: np.ndarray, seen: list[np.ndarray] = seen) -> np.ndarray:
            seen.append(rows)
            return model.predict(rows)

        found = growing_spheres(predict, x, X, draws=draws, radius=3.0, seed=seed)
        drawn = np.concatenate([rows for rows in seen[1:] if len(rows) == draws])
        enemies = drawn[(model.predict(drawn) >= 0.5) != (found.prediction >= 0.5)]
        nearest = distances(enemies, x, scale, Metric.EUCLIDEAN).min()
        assert found.listed[-1].distance == pytest.approx(nearest)
        assert found.calls == sum(map(len, seen))


def test_frozen_features_do_not_move_and_ranges_hold() -> None:
    model = linear()
    x = X[model.predict(X) > 0.8][0]
    low = float(x[1]) - 1
    found = growing_spheres(model.predict, x, X, frozen=[0], ranges={1: (low, low + 200)})
    assert found.listed
    for one in found.listed:
        assert one.features[0] == x[0] and low <= one.features[1] <= low + 200
        assert 0 not in one.changed
        assert all(X.min(axis=0)[2:] <= one.features[2:])


def test_the_model_is_asked_about_nothing_out_of_the_ranges() -> None:
    seen: list[np.ndarray] = []

    def predict(rows: np.ndarray) -> np.ndarray:
        seen.append(rows)
        return np.zeros(len(rows))

    low, high = X.min(axis=0), X.max(axis=0)
    low[1], high[1] = X[0, 1] - 2, X[0, 1] + 3
    growing_spheres(predict, X[0], X, ranges={1: (low[1], high[1])}, frozen=[5], draws=200)
    rows = np.concatenate(seen)
    assert (low <= rows).all() and (rows <= high).all() and (rows[:, 5] == X[0, 5]).all()
    assert (rows.min(axis=0)[:5] == low[:5]).all(), "as far as the ranges go"
    assert (rows.max(axis=0)[:5] == high[:5]).all()


def test_where_there_is_none_that_is_the_answer() -> None:
    found = growing_spheres(lambda rows: np.full(len(rows), 0.61), X[0], X)
    assert found.listed == () and not found.nearest.valid and found.nearest.prediction == 0.61
    assert any(note.startswith("Spheres grew to a radius of") for note in found.notes)
    assert "No counterfactual found; the nearest reached 0.61." in found.notes

    near = growing_spheres(lambda rows: 0.9 - 0.1 * (rows[:, 0] > X[0, 0]), X[0], X)
    assert near.nearest.prediction == pytest.approx(0.8) and near.nearest.changed


def test_the_search_ends_at_the_greatest_radius_and_at_the_greatest_number_of_calls() -> None:
    model = linear()
    x = X[np.argmax(model.predict(X))]
    short = growing_spheres(model.predict, x, X, radius=0.1, radius_max=0.2)
    assert short.listed == () and short.nearest.distance <= 0.2 + 1e-9
    few = growing_spheres(model.predict, x, X, radius=0.01, calls_max=2_500)
    assert few.listed == () and "Stopped after 2500 predictions." in few.notes
    assert few.calls <= 2_501, "and one to tell of the nearest"


def test_an_enemy_that_the_last_call_found_is_an_answer() -> None:
    found = growing_spheres(lambda rows: np.any(rows != X[0], axis=1) * 1.0, X[0], X, calls_max=9)
    assert len(found.nearest.changed) == 1 and found.nearest.valid
    assert "Stopped after 9 predictions; a nearer one may exist." in found.notes
    alone = growing_spheres(linear().predict, X[0], X, calls_max=1)
    assert alone.listed == () and alone.nearest.features == tuple(X[0]) and alone.calls == 1


def test_an_original_on_the_boundary_has_an_answer() -> None:
    found = growing_spheres(lambda rows: rows[:, 0] >= 0, np.zeros(6), X, draws=50)
    assert found.listed and found.nearest.distance < 1e-9
    assert any("on the boundary" in note for note in found.notes)


def test_equal_seeds_give_equal_answers() -> None:
    one, same, other = (growing_spheres(linear().predict, X[3], X, seed=s) for s in (1, 1, 2))
    assert one == same and one != other


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"radius": 0.0}, "first ball is above 0"),
        ({"radius": np.nan}, "nan came"),
        ({"radius_max": 0.5}, "at least the first"),
        ({"threshold": np.nan}, "threshold is a finite number"),
        ({"draws": 0}, "at least one draw"),
        ({"draws": 2.5}, "2.5 and 200000 came"),
        ({"calls_max": 0}, "at least one draw and one prediction"),
        ({"ranges": {0: (-np.inf, np.inf)}}, "grow for ever"),
        ({"frozen": range(6)}, "At least one feature must be free"),
    ],
)
def test_bad_input_is_said(given: dict, message: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(SettingsError, match=message):
        growing_spheres(linear().predict, X[0], X, **given)


def test_a_model_that_breaks_its_contract_is_said() -> None:
    with pytest.raises(ModelError, match="Pick one column"):
        growing_spheres(lambda rows: np.ones((len(rows), 2)), X[0], X)
