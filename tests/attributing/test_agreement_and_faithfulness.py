"""Rank correlation, intervals over seeds and faithfulness against hand-worked values."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from additive import additive
from scipy import stats

from nsx_core.attributing import (
    faithfulness,
    interval_over_seeds,
    lime_scores,
    random_faithfulness,
    rank_correlation,
    shap_scores,
)
from nsx_core.errors import DataError, SettingsError
from nsx_core.words import split

UNITS = split("a bb ccc")
SEES = {"a": 0.1, "bb": 0.4, "ccc": 0.2}
PREDICT = additive(SEES, base=0.2)
ORIGINAL = 0.9


# --- agreement ----------------------------------------------------------------------------


def test_rho_of_hand_worked_ranks() -> None:
    # Ranks 1 2 3 4 5 against 2 1 4 3 5: 1 - 6 * 4 / (5 * 24).
    found = rank_correlation([0.1, 0.2, 0.3, 0.4, 0.5], [0.02, 0.01, 0.4, 0.3, 0.9])
    assert found.rho == pytest.approx(0.8)
    assert (found.n, found.note) == (5, "")


def test_words_without_both_scores_are_left_out() -> None:
    found = rank_correlation([0.1, None, 0.3, 0.4, 9.0], [0.3, 0.9, 0.2, 0.1, None])
    assert (found.rho, found.n) == (pytest.approx(-1), 3)


def test_rounding_of_the_last_digits_orders_nothing() -> None:
    noisy = [0.0, -1.4e-17, 0.3, 0.5]
    assert rank_correlation(noisy, noisy[:0] + [0.0, 0.0, 0.3, 0.5]).rho == pytest.approx(1)


@pytest.mark.parametrize(
    ("first", "second", "n", "why"),
    [
        ([0.1, 0.2], [0.1, 0.2], 2, "2 words have both scores, and 3 are needed"),
        ([0.1, 0.2, None], [None, 0.2, 0.1], 1, "1 words have both"),
        ([0.1, 0.1, 0.1], [0.1, 0.2, 0.3], 3, "the same score"),
        ([0.1, 0.2, 0.3], [0.0, 1e-17, 0.0], 3, "the same score"),
    ],
)
def test_rho_is_undefined_with_a_reason(
    first: list[float | None], second: list[float | None], n: int, why: str
) -> None:
    found = rank_correlation(first, second)
    assert found.rho is None
    assert found.n == n
    assert why in found.note


def test_scores_that_do_not_fit_are_refused() -> None:
    with pytest.raises(DataError, match="2 and 3 scores came"):
        rank_correlation([0.1, 0.2], [0.1, 0.2, 0.3])
    with pytest.raises(DataError, match="finite"):
        rank_correlation([0.1, math.nan, 0.3], [0.1, 0.2, 0.3])


def test_the_interval_is_students() -> None:
    values = [0.31, 0.28, 0.35, 0.30]
    low, high = interval_over_seeds(values)
    half = 3.182446 * np.std(values, ddof=1) / 2  # t at 0.975 with 3 degrees of freedom
    assert (low, high) == pytest.approx((0.31 - half, 0.31 + half))


def test_the_interval_covers_as_often_as_it_says() -> None:
    draws = np.random.default_rng(3).normal(0.4, 0.1, (2000, 5))
    inside = [low <= 0.4 <= high for low, high in map(interval_over_seeds, draws.tolist())]
    assert stats.binomtest(sum(inside), len(inside), 0.95).pvalue > 0.001


def test_equal_values_have_an_interval_without_width() -> None:
    assert interval_over_seeds([0.1] * 7) == (0.1, 0.1)
    scores = [shap_scores(UNITS, PREDICT, seed).scores[1] for seed in range(3)]
    low, high = interval_over_seeds([score for score in scores if score is not None])
    assert low == high == pytest.approx(0.4)


@pytest.mark.parametrize("values", [[], [0.2], [0.2, math.nan]])
def test_no_interval_of_too_little(values: list[float]) -> None:
    with pytest.raises(DataError):
        interval_over_seeds(values)


# --- faithfulness -------------------------------------------------------------------------


def test_the_curves_of_a_hand_worked_order() -> None:
    found = faithfulness(UNITS, [0.1, 0.4, 0.2], PREDICT, ORIGINAL)  # bb, ccc, a
    assert found.comprehensiveness == pytest.approx((0.4, 0.6))
    assert found.sufficiency == pytest.approx((0.3, 0.1))
    assert found.aopc_comprehensiveness == pytest.approx(0.5)
    assert found.aopc_sufficiency == pytest.approx(0.2)
    assert (found.calls, found.note) == (4, "")


def test_the_right_order_is_the_best_of_all_and_its_reverse_the_worst() -> None:
    found = {
        order: faithfulness(UNITS, [float(-order.index(i)) for i in range(3)], PREDICT, ORIGINAL)
        for order in permutations(range(3))
    }
    comprehensive = {o: f.aopc_comprehensiveness or 0 for o, f in found.items()}
    sufficient = {o: f.aopc_sufficiency or 0 for o, f in found.items()}
    assert max(comprehensive, key=lambda o: comprehensive[o]) == (1, 2, 0)
    assert min(sufficient, key=lambda o: sufficient[o]) == (1, 2, 0)
    assert min(comprehensive, key=lambda o: comprehensive[o]) == (0, 2, 1)
    assert max(sufficient, key=lambda o: sufficient[o]) == (0, 2, 1)


def test_ties_go_by_position_and_a_word_without_a_score_ranks_as_zero() -> None:
    by_position = faithfulness(UNITS, [3.0, 2.0, 1.0], PREDICT, ORIGINAL)
    tied = faithfulness(UNITS, [0.2, 0.2 + 1e-15, 0.2], PREDICT, ORIGINAL)
    assert tied.comprehensiveness == by_position.comprehensiveness
    given = faithfulness(UNITS, [0.5, None, -0.5], PREDICT, ORIGINAL)
    assert given.comprehensiveness == by_position.comprehensiveness
    assert given.note == "1 of 3 words without a score rank as 0."


def test_deleted_words_leave_clean_texts() -> None:
    asked: list[str] = []

    def predict(texts: list[str]) -> np.ndarray:
        asked.extend(texts)
        return PREDICT(texts)

    units = split("Some  black people, (and) me!", phrases=["black people"])
    assert len(units.words) == 4
    faithfulness(units, [0.1, 0.9, 0.2, 0.3], predict, 0.5)
    assert asked == [
        "Some  (and) me!".replace("  ", " "), "Some (and)", "Some",
        "black people,", "black people, me!", "black people, (and) me!",
    ]  # fmt: skip


def test_every_method_is_judged_with_the_same_number_of_calls() -> None:
    units = split("These black people disgust me so much.")
    predict = additive({"black": 0.3, "people": 0.1})
    scores = [shap_scores(units, predict).scores, lime_scores(units, predict).scores, [None] * 7]
    assert {faithfulness(units, s, predict, 0.6).calls for s in scores} == {2 * (7 - 1)}


def test_one_word_has_no_order() -> None:
    found = faithfulness(split("bad"), [0.4], additive({}), 0.2)
    assert (found.aopc_comprehensiveness, found.aopc_sufficiency, found.calls) == (None, None, 0)
    assert found.comprehensiveness == found.sufficiency == ()
    assert "one word" in found.note
    reference = random_faithfulness(split("bad"), additive({}), 0.2)
    assert reference.mean.aopc_comprehensiveness is None
    assert reference.aopc_sufficiency == ()


def test_random_orders_lie_around_the_mean_of_all_orders() -> None:
    everything = [
        faithfulness(UNITS, order, PREDICT, ORIGINAL) for order in permutations([0.1, 0.2, 0.3])
    ]
    right = np.mean([f.aopc_comprehensiveness or 0 for f in everything])
    found = random_faithfulness(UNITS, PREDICT, ORIGINAL, seed=1, orders=600)
    assert found.mean.aopc_comprehensiveness == pytest.approx(right, abs=0.02)
    assert len(found.aopc_comprehensiveness) == len(found.aopc_sufficiency) == 600
    assert np.mean(found.aopc_sufficiency) == pytest.approx(found.mean.aopc_sufficiency)
    assert np.mean(found.mean.comprehensiveness) == pytest.approx(right, abs=0.02)
    assert found.mean.calls == 600 * 4


def test_equal_seeds_draw_equal_orders() -> None:
    first, again, other = (
        random_faithfulness(UNITS, PREDICT, ORIGINAL, seed) for seed in (1, 1, 2)
    )
    assert first.aopc_comprehensiveness == again.aopc_comprehensiveness
    assert first.aopc_comprehensiveness != other.aopc_comprehensiveness


def test_what_cannot_be_judged_is_refused() -> None:
    with pytest.raises(DataError, match="3 wanted, 2 came"):
        faithfulness(UNITS, [0.1, 0.2], PREDICT, ORIGINAL)
    with pytest.raises(DataError, match="finite"):
        faithfulness(UNITS, [0.1, math.inf, 0.2], PREDICT, ORIGINAL)
    with pytest.raises(SettingsError, match="0..1"):
        faithfulness(UNITS, [0.1, 0.2, 0.3], PREDICT, 1.5)
    with pytest.raises(SettingsError, match="at least 1"):
        random_faithfulness(UNITS, PREDICT, ORIGINAL, orders=0)
