"""Intervals cover what they claim to, and degenerate draws give sensible ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nsx_core import scoring
from nsx_core.errors import DataError, SettingsError
from nsx_core.records import Estimate, Side
from nsx_core.scoring.uncertainty import (
    mean_intervals,
    necessity_estimates,
    sufficiency_estimates,
    wilson,
)

SPREAD = (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95)


def column(values: list[float] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Predictions and masks of a one-word text: every draw replaces the word."""
    predictions = np.asarray(values, dtype=float)
    return predictions, np.ones((len(predictions), 1), dtype=bool)


def bounds(estimates: list[Estimate]) -> np.ndarray:
    return np.array([(e.low, e.high) for e in estimates])


@given(n=st.integers(1, 500), data=st.data(), confidence=st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_agrees_with_scipy(n: int, data: st.DataObject, confidence: float) -> None:
    successes = data.draw(st.integers(0, n))
    theirs = stats.binomtest(successes, n).proportion_ci(confidence, method="wilson")
    found = wilson(successes, n, confidence)
    np.testing.assert_allclose(found, (theirs.low, theirs.high), atol=1e-12)


def test_wilson_takes_many_words_at_once_and_knows_nothing_without_draws() -> None:
    low, high = wilson([0, 5, 10, 0], [10, 10, 10, 0])
    assert low.shape == high.shape == (4,)
    assert (low[0], high[2]) == (0, 1)
    assert (low[3], high[3]) == (0, 1)
    assert high[0] == pytest.approx(1 - low[2]) == pytest.approx(0.2775, abs=1e-4)


@pytest.mark.parametrize(("successes", "n"), [(3, 2), (-1, 2), (np.nan, 2)])
def test_wilson_refuses_impossible_counts(successes: float, n: int) -> None:
    with pytest.raises(DataError, match=r"Successes lie in 0\.\.n"):
        wilson(successes, n)


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_wilson_refuses_impossible_confidence(confidence: float) -> None:
    with pytest.raises(SettingsError, match=f"strictly between 0 and 1, and {confidence} came"):
        wilson(1, 2, confidence)


def test_wilson_covers_the_truth_in_95_of_100_words() -> None:
    rng = np.random.default_rng(11)
    truth, n = rng.uniform(0.05, 0.95, 2_000), rng.integers(100, 131, 2_000)
    low, high = wilson(rng.binomial(n, truth), n)
    assert 0.93 <= ((low <= truth) & (truth <= high)).mean() <= 0.97


@pytest.mark.parametrize("concentration", [0.2, 1, 10])
def test_the_bootstrap_covers_the_truth_in_95_of_100_words(concentration: float) -> None:
    # Beta scores: at 0.2 nearly all are close to 0 or 1, at 10 they gather about their mean
    rng = np.random.default_rng(12)
    truth = rng.uniform(0.05, 0.95, 2_000)
    scores = rng.beta(concentration * truth, concentration * (1 - truth), (100, 2_000))
    low, high = mean_intervals(scores, seed=4)
    assert 0.93 <= ((low <= truth) & (truth <= high)).mean() <= 0.97
    width = 2 * 1.96 * np.sqrt(truth * (1 - truth) / (concentration + 1) / 100)
    assert (high - low).mean() == pytest.approx(width.mean(), rel=0.05)  # no wider than needed


def test_the_bootstrap_covers_skewed_scores_that_plain_percentiles_miss() -> None:
    rng = np.random.default_rng(14)
    truth = np.repeat([0.05, 0.95], 1_000)
    scores = rng.beta(0.5 * truth, 0.5 * (1 - truth), (100, 2_000))
    low, high = mean_intervals(scores, seed=4)
    assert 0.93 <= ((low <= truth) & (truth <= high)).mean() <= 0.97


@pytest.mark.parametrize("use_scores", [False, True])
def test_estimates_of_both_sides_cover_the_truth(use_scores: bool) -> None:
    # each of 320 words has 100 draws of its own
    rng = np.random.default_rng(13)
    truth = np.repeat(SPREAD, 40)
    own = np.repeat(np.eye(len(truth), dtype=bool), 100, axis=0)
    rates = np.repeat(truth, 100)
    drawn = rng.beta(rates, 1 - rates) if use_scores else rng.random(len(rates)) < rates
    lost = bounds(necessity_estimates(1, drawn, own, use_scores, 0))
    assert 0.91 <= ((lost[:, 0] <= 1 - truth) & (1 - truth <= lost[:, 1])).mean() <= 0.98
    held = bounds(sufficiency_estimates(0.2, drawn, ~own, use_scores, 0))
    assert 0.91 <= ((held[:, 0] <= truth - 0.2) & (truth - 0.2 <= held[:, 1])).mean() <= 0.98


def test_hard_intervals_are_wilsons_mirrored_and_shifted() -> None:
    masks = np.array([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1]], dtype=bool)
    hard = np.array([1, 0, 0, 1, 1])
    low, high = wilson([1, 2], [3, 3])
    found = necessity_estimates(1, hard, masks, False, 0)
    np.testing.assert_allclose(bounds(found), np.stack([1 - high, 1 - low], axis=1))
    assert [e.value for e in found] == pytest.approx([2 / 3, 1 / 3])
    assert [e.n for e in found] == [3, 3]
    low, high = wilson([2, 1], [2, 2])
    found = sufficiency_estimates(0.1, hard, masks, False, 0)
    np.testing.assert_allclose(bounds(found), np.stack([low - 0.1, high - 0.1], axis=1))
    assert [e.n for e in found] == [2, 2]


@given(
    n_words=st.integers(1, 6), n_draws=st.integers(0, 30), use_scores=st.booleans(),
    constant=st.sampled_from([0.0, 0.3, 1.0]), seed=st.integers(0, 99),
)  # fmt: skip
def test_every_interval_holds_its_value_and_stays_in_range(
    n_words: int, n_draws: int, use_scores: bool, constant: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    masks = rng.random((n_draws, n_words)) < 0.5
    predictions = rng.beta(0.3, 0.3, n_draws) if use_scores else rng.integers(0, 2, n_draws)
    for side, estimates, values in (
        (
            Side.NECESSITY,
            necessity_estimates(constant, predictions, masks, use_scores, seed),
            scoring.necessity(constant, predictions, masks),
        ),
        (
            Side.SUFFICIENCY,
            sufficiency_estimates(constant, predictions, masks, use_scores, seed),
            scoring.sufficiency(constant, predictions, masks),
        ),
    ):
        assert [e.n for e in estimates] == scoring.draw_counts(masks, side).tolist()
        for estimate, value in zip(estimates, values.tolist(), strict=True):
            if estimate.n == 0:
                assert estimate == Estimate(None, None, None, 0)
            else:
                assert estimate.value == value
                assert -1 <= estimate.low <= value <= estimate.high <= 1
                assert estimate.low < estimate.high


@pytest.mark.parametrize("score", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("n", [1, 2, 100])
def test_scores_that_do_not_differ_get_the_widest_interval_their_mean_allows(
    score: float, n: int
) -> None:
    low, high = wilson(n * score, n)
    [found] = necessity_estimates(1, *column([score] * n), True, 0)
    assert (found.low, found.high) == pytest.approx((float(1 - high), float(1 - low)))
    nearly = np.clip(score + np.linspace(-0.004, 0.004, n), 0, 1)
    [close] = necessity_estimates(1, *column(nearly), True, 0)
    assert close.high - close.low == pytest.approx(found.high - found.low, abs=0.02)


def test_two_different_draws_span_the_interval() -> None:
    [found] = necessity_estimates(1, *column([0.2, 0.6]), True, 0)
    assert (found.low, found.high) == pytest.approx((0.4, 0.8))


def test_more_draws_narrow_the_interval() -> None:
    rng = np.random.default_rng(2)
    for use_scores in (False, True):
        drawn = rng.random(400) if use_scores else rng.random(400) < 0.4
        widths = [
            e.high - e.low
            for n in (25, 100, 400)
            for e in necessity_estimates(1, *column(drawn[:n]), use_scores, 0)
        ]
        assert widths[0] > 1.5 * widths[1] > 2 * widths[2]


def test_seeds_move_the_bootstrap_a_little_and_wilson_not_at_all() -> None:
    drawn, masks = column(np.random.default_rng(3).beta(0.5, 0.5, 100))
    first, again, other = (necessity_estimates(1, drawn, masks, True, s)[0] for s in (1, 1, 2))
    assert first == again
    assert first != other
    assert (first.low, first.high) == pytest.approx((other.low, other.high), abs=0.02)
    hard = (drawn > 0.5).astype(float)
    assert necessity_estimates(1, hard, masks, False, 1) == necessity_estimates(
        1, hard, masks, False, 2
    )


def test_probabilities_do_not_pass_for_hard_predictions() -> None:
    with pytest.raises(DataError, match=r"Hard predictions are 0 or 1\. Set use_scores"):
        necessity_estimates(1, *column([0.2, 1]), False, 0)
