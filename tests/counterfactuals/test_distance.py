from __future__ import annotations

import numpy as np
import pytest
from text_world import TextWorld

from nsx_core.counterfactual_records import Candidate
from nsx_core.counterfactuals.criteria import edit_distance
from nsx_core.counterfactuals.distance import (
    Basis,
    Metric,
    distances,
    scales,
    text_features,
    text_scales,
    words_apart,
)
from nsx_core.errors import DataError


def _candidate(words: int, unchanged: bool = False) -> Candidate:
    return Candidate((True,) * words + (False,), ("x",), f"text {words}", 0.5, unchanged)


def test_a_scale_is_the_median_absolute_deviation() -> None:
    found = scales([[1, 10], [2, 20], [3, 40], [4, 80], [100, 160]], ["a", "b"])
    assert found.values == (1.0, 30.0), "median 3: away 2 1 0 1 97; median 40: away 30 20 0 40 120"
    assert found.bases == (Basis.MEDIAN, Basis.MEDIAN)
    assert not found.notes and not found.constant


def test_where_it_is_zero_the_mean_takes_its_place_and_that_is_said() -> None:
    found = scales([[0, 7], [0, 7], [0, 7], [8, 7]], ["calls", "year"])
    assert found.values == (2.0, 1.0)
    assert found.bases == (Basis.MEAN, Basis.NONE)
    assert found.constant == (1,)
    mean, none = found.notes
    assert "'calls' is 0" in mean and "mean absolute deviation, 2," in mean
    assert "'year' has the same value throughout" in none


def test_rounding_is_no_variation() -> None:
    found = scales([[0.1 + 0.2, 1e-9], [0.3, 2e-9], [0.3, 4e-9]])
    assert found.bases == (Basis.NONE, Basis.MEDIAN)
    assert found.names == ("feature 0", "feature 1")


def test_distances_by_hand() -> None:
    found = scales([[0, 0], [1, 10], [2, 20]])
    points = [[3, 40], [0, 0], [0, -10]]
    assert distances(points, [0, 0], found).tolist() == [7.0, 0.0, 1.0]
    assert distances(points, [0, 0], found, Metric.EUCLIDEAN).tolist() == [5.0, 0.0, 1.0]


def test_features_of_texts() -> None:
    found = text_features([_candidate(2), _candidate(3, unchanged=True)], [0.25, 1.0])
    assert found.tolist() == [[2.0, 0.75], [0.0, 0.0]]


def test_texts_are_scaled_over_the_changed_ones() -> None:
    pool = [_candidate(w) for w in (1, 2, 4)] + [_candidate(5, unchanged=True)]
    found, notes = text_scales(pool, [0.9, 0.8, 0.5, 1.0])
    assert found.values == pytest.approx((1.0, 0.1)) and not notes


def test_without_draws_texts_are_not_scaled_and_that_is_said() -> None:
    found, notes = text_scales([_candidate(5, unchanged=True)], [1.0])
    assert found.values == (1.0, 1.0)
    assert "no draws" in notes[0]


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ([], "rows of one or more features"),
        (np.empty((0, 2)), "no rows"),
        ([[1.0, np.nan]], "finite"),
        ([[1e200], [-1e200]], "finite numbers of at most"),
        ([["a"]], "numbers only"),
        ([1.0, 2.0], "shape (2,) came"),
    ],
)
def test_a_reference_set_that_is_none(reference: object, message: str) -> None:
    with pytest.raises(DataError) as caught:
        scales(reference)  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_what_does_not_fit_is_said() -> None:
    found = scales([[0, 0], [1, 1]])
    with pytest.raises(DataError, match="2 features and 1 names"):
        scales([[0, 0]], ["a"])
    with pytest.raises(DataError, match="equally many features"):
        distances([[1, 2]], [0], found)
    with pytest.raises(DataError, match="one cosine"):
        text_features([_candidate(1)], [np.nan])


def test_words_apart_bound_the_edit_distance() -> None:
    world = TextWorld("one two three four five six", lambda text: 0.9, pool_budget=30)
    for candidate in world.situation.pool:
        assert words_apart(candidate) >= edit_distance(world.split.text, candidate.text)
        assert words_apart(candidate) >= candidate.words_changed
    six = Candidate((False, True, False), ("a b c d e f",), "one a b c d e f three", 0.1)
    assert (six.words_changed, words_apart(six)) == (1, 6)
    gone = Candidate((True, True, False), ("",), "three", 0.1)
    assert words_apart(gone) == 2
    assert words_apart(Candidate((True,), ("one",), "one", 0.9, unchanged=True)) == 0
