"""The balanced sampler and its weights, against full enumeration and beside the paper's sampler.

A stand-in for infiller and classifier says for each mask with what chance a draw keeps the
label, so every score is known exactly by going through all masks.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nsx_core.counting import size_weights, word_weights
from nsx_core.errors import DataError, SettingsError
from nsx_core.masking import balanced_masks, draws_per_side, paper_plan
from nsx_core.records import DrawSide, Side
from nsx_core.scoring import kept_share
from nsx_core.scoring.uncertainty import necessity_estimates, sufficiency_estimates

Chance = Callable[[np.ndarray], np.ndarray]
UNLIKELY = 1e-4

# Chances of keeping the label, of masks bool[m, n].
STRUCTURED: dict[str, Chance] = {
    "one word decides": lambda m: np.where(m[:, 0], 0.15, 0.95),
    "only one word": lambda m: np.where(m[:, 0], 0.0, 1.0),
    "the more replaced the rarer": lambda m: 0.95 - 0.9 * m.mean(axis=1),
    "two words together": lambda m: np.where(m[:, 0] | m[:, 1], 0.05, 0.97),
    "either of two words": lambda m: np.where(m[:, 0] & m[:, -1], 0.1, 0.9),
    "one but not the other": lambda m: np.where(m[:, 0] ^ m[:, 1], 0.3, 0.8),
}
COINS: dict[str, Chance] = {
    "a coin": lambda m: np.full(len(m), 0.5),
    "a loaded coin": lambda m: np.full(len(m), 0.9),
}
FUNCTIONS = STRUCTURED | COINS


def masks_of(n_words: int, budget: int, seed: int) -> np.ndarray:
    return np.array([m.replaced for m in balanced_masks(n_words, budget, seed, "a text")])


def exact(n_words: int, chance: Chance) -> dict[Side, np.ndarray]:
    """float[n_words] a side: mean over sizes of the mean over that size's masks that count."""
    every = np.array(list(product((False, True), repeat=n_words)))
    found = {side: np.zeros(n_words) for side in Side}
    for size in range(1, n_words):
        masks = every[every.sum(axis=1) == size]
        kept = chance(masks)
        for word in range(n_words):
            for side, counts in ((Side.NECESSITY, True), (Side.SUFFICIENCY, False)):
                mean = kept[masks[:, word] == counts].mean()
                found[side][word] += mean / (n_words - 1)
    return found


def drawn(masks: np.ndarray, chance: Chance, rng: np.random.Generator) -> np.ndarray:
    return (rng.random(len(masks)) < chance(masks)).astype(float)


# --- masks ------------------------------------------------------------------------------


def test_half_the_papers_draws_make_a_budget() -> None:
    masks = balanced_masks(5, 100, 0, "k")
    assert len(masks) == draws_per_side(5, 100) == 261 == len(paper_plan(5, 100, 0, "k")) / 2
    assert {m.side for m in masks} == {DrawSide.BOTH}
    assert [m.number for m in masks] == list(range(261))


@given(
    n_words=st.integers(2, 40), budget=st.integers(1, 60), more=st.integers(0, 60),
    seed=st.integers(0, 3),
)  # fmt: skip
def test_a_smaller_budget_is_a_prefix(n_words: int, budget: int, more: int, seed: int) -> None:
    few = balanced_masks(n_words, budget, seed, "k")
    assert balanced_masks(n_words, budget + more, seed, "k")[: len(few)] == few


@given(n_words=st.integers(2, 30), stop=st.integers(1, 400))
def test_every_prefix_is_balanced_over_sizes_and_words(n_words: int, stop: int) -> None:
    masks = masks_of(n_words, 100, 1)[:stop]
    sizes = masks.sum(axis=1)
    wanted = np.arange(1, n_words)
    shares = 1 / (wanted * (n_words - wanted))
    owed = len(masks) * shares / shares.sum()
    seen = np.bincount(sizes, minlength=n_words)[1:n_words]
    assert sizes.min() >= 1 and sizes.max() <= n_words - 1
    assert np.abs(seen - owed).max() < 2
    for size in wanted:
        times = masks[sizes == size].sum(axis=0)
        assert np.ptp(times) <= 1


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_every_subset_of_a_size_is_equally_likely(size: int) -> None:
    # Draws of one seed are tied to one another, so one draw a seed is counted.
    firsts = [next(m for m in masks_of(5, 10, seed) if m.sum() == size) for seed in range(3_000)]
    every = list(combinations(range(5), size))
    seen = [sum(tuple(np.flatnonzero(m)) == subset for m in firsts) for subset in every]
    assert stats.chisquare(seen).pvalue > UNLIKELY


def test_seeds_and_texts_each_change_the_masks() -> None:
    made = {
        tuple(m.bits for m in balanced_masks(9, 20, seed, key))
        for seed in (0, 1)
        for key in ("a", "b")
    }
    assert len(made) == 4


def test_one_word_is_replaced_each_time_and_two_in_turn() -> None:
    assert [m.bits for m in balanced_masks(1, 10, 0, "k")] == ["1"] * 10
    two = [m.bits for m in balanced_masks(2, 10, 0, "k")]
    assert two.count("10") == two.count("01") == 10
    with pytest.raises(SettingsError, match="number of words"):
        balanced_masks(0, 10, 0, "k")


# --- weights ----------------------------------------------------------------------------


def test_weights_by_hand() -> None:
    # Five words, sizes 1 to 4: each a quarter, shared by its draws.
    assert word_weights([1, 1, 2, 3, 4, 4, 4, 4], 5).tolist() == pytest.approx(
        [0.125, 0.125, 0.25, 0.25, *[0.0625] * 4]
    )
    # Size 2 of 1..4 is missing: halves to 1 and 3.
    assert word_weights([1, 3, 4], 5).tolist() == pytest.approx([0.375, 0.375, 0.25])
    # 3 and 4 are missing: 2 is the nearest of both.
    assert word_weights([1, 2], 5).tolist() == pytest.approx([0.25, 0.75])
    assert word_weights([1], 1).tolist() == [1.0]
    assert word_weights([], 4).tolist() == []


@given(n_words=st.integers(1, 30), budget=st.integers(1, 50), side=st.sampled_from(list(Side)))
def test_weights_of_a_word_sum_to_one_or_nothing(n_words: int, budget: int, side: Side) -> None:
    masks = masks_of(n_words, budget, 2)
    weights = size_weights(masks, side)
    counts = masks if side is Side.NECESSITY else ~masks
    assert (weights >= 0).all() and not weights[~counts].any() and (weights[counts] > 0).all()
    np.testing.assert_allclose(weights.sum(axis=0), counts.any(axis=0), atol=1e-12)


def test_weights_that_do_not_fit_are_refused() -> None:
    masks = np.array([[True, False], [False, True]])
    for bad in (np.ones((2, 1)), np.ones((2, 2)), -masks.astype(float)):
        with pytest.raises(DataError, match="Weights are at least 0, of the masks' shape"):
            kept_share([1, 0], masks, Side.NECESSITY, bad)


# --- estimates --------------------------------------------------------------------------


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("n_words", [3, 4, 5, 6, 7])
def test_scores_are_unbiased(n_words: int, name: str) -> None:
    chance, rng = FUNCTIONS[name], np.random.default_rng(n_words)
    truth, seeds = exact(n_words, chance), 150
    found: dict[Side, list[np.ndarray]] = {side: [] for side in Side}
    for seed in range(seeds):
        masks = masks_of(n_words, 30, seed)
        kept = drawn(masks, chance, rng)
        for side in Side:
            found[side].append(kept_share(kept, masks, side, size_weights(masks, side)))
    for side in Side:
        off = np.mean(found[side], axis=0) - truth[side]
        error = np.std(found[side], axis=0, ddof=1) / seeds**0.5
        assert (np.abs(off) <= 4.5 * error + 1e-9).all(), (side, off, error)


def _widths(n_words: int, chance: Chance) -> tuple[float, float]:
    """Mean width of 95 % intervals at equal draws: (balanced, paper)."""
    rng, ours, theirs = np.random.default_rng(7), [], []
    for seed in range(12):
        masks = masks_of(n_words, 100, seed)
        kept = drawn(masks, chance, rng)
        for side, estimates in (
            (Side.NECESSITY, necessity_estimates), (Side.SUFFICIENCY, sufficiency_estimates),
        ):  # fmt: skip
            weights = size_weights(masks, side)
            ours += [e.high - e.low for e in estimates(1, kept, masks, False, 0, weights)]
            plan = paper_plan(n_words, 100, seed, "a text")[: len(masks)]
            own = np.array([m.replaced for m in plan if m.side.counts_on(side)])
            answers = drawn(own, chance, rng)
            theirs += [e.high - e.low for e in estimates(1, answers, own, False, 0) if e.n]
    return float(np.mean(ours)), float(np.mean(theirs))


@pytest.mark.parametrize("n_words", [3, 4, 5, 6, 7])
def test_intervals_are_narrower_than_the_papers_at_equal_draws(n_words: int) -> None:
    ratios = {
        name: ours / theirs
        for name, (ours, theirs) in ((n, _widths(n_words, f)) for n, f in FUNCTIONS.items())
    }
    assert all(ratios[name] <= 0.7 for name in STRUCTURED), ratios
    # Of coins, which no balancing makes less random, twice the draws count: 1 / sqrt(2), and
    # what small strata cost.
    assert all(ratios[name] <= 0.75 for name in COINS), ratios


@pytest.mark.parametrize(("n_words", "budget"), [(3, 100), (5, 100), (5, 30), (12, 100), (30, 50)])
def test_hard_intervals_cover_the_truth(n_words: int, budget: int) -> None:
    """At least 93 of 100, whatever the function; those of coins are not wider than need be."""
    for name, chance in FUNCTIONS.items():
        rng, inside = np.random.default_rng(3), []
        truth = exact(n_words, chance) if n_words <= 12 else _large(n_words, chance)
        for seed in range(60):
            masks = masks_of(n_words, budget, seed)
            kept = drawn(masks, chance, rng)
            for side, estimates in (
                (Side.NECESSITY, necessity_estimates), (Side.SUFFICIENCY, sufficiency_estimates),
            ):  # fmt: skip
                found = estimates(1, kept, masks, False, 0, size_weights(masks, side))
                for estimate, share in zip(found, truth[side], strict=True):
                    score = 1 - share if side is Side.NECESSITY else share - 1
                    inside.append(estimate.low - 1e-9 <= score <= estimate.high + 1e-9)
        covered = np.mean(inside)
        assert covered >= 0.93, (name, covered)
        if name in COINS:
            assert covered <= 0.975, (name, covered)


def _large(n_words: int, chance: Chance) -> dict[Side, np.ndarray]:
    """As ``exact``, from 20,000 masks a size: all of them would be too many."""
    rng = np.random.default_rng(0)
    found = {side: np.zeros(n_words) for side in Side}
    for size in range(1, n_words):
        masks = rng.permuted(np.tile(np.arange(n_words) < size, (20_000, 1)), axis=1)
        kept = chance(masks)
        replaced = (kept @ masks) / masks.sum(axis=0)
        left = (kept @ ~masks) / (~masks).sum(axis=0)
        found[Side.NECESSITY] += replaced / (n_words - 1)
        found[Side.SUFFICIENCY] += left / (n_words - 1)
    return found


@pytest.mark.parametrize("concentration", [1, 10])
def test_score_intervals_cover_the_truth(concentration: float) -> None:
    rng, masks = np.random.default_rng(5), masks_of(5, 100, 0)
    weights = size_weights(masks, Side.NECESSITY)
    inside = []
    for mean in rng.uniform(0.08, 0.92, 400):
        scores = rng.beta(concentration * mean, concentration * (1 - mean), len(masks))
        found = necessity_estimates(1, scores, masks, True, 0, weights)
        inside += [e.low <= 1 - mean <= e.high for e in found]
    assert 0.93 <= np.mean(inside) <= 0.97


def test_draws_all_alike_are_worth_what_they_weigh() -> None:
    masks = masks_of(5, 100, 0)
    weights = size_weights(masks, Side.NECESSITY)
    (first, *_) = necessity_estimates(1, np.ones(len(masks)), masks, False, 0, weights)
    assert first.value == first.low == 0
    assert first.n == masks[:, 0].sum()
    # As wide as Wilson's of about 100 equal draws.
    assert 0.025 <= first.high <= 0.05
