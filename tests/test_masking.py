"""Masks follow the paper's distribution, and draw j is always draw j."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nsx_core.errors import SettingsError, UnknownNameError
from nsx_core.masking import (
    SAMPLERS,
    draw_count,
    draws_per_side,
    paper_masks,
    paper_plan,
    sampler_named,
)
from nsx_core.records import Side

SIDES = list(Side)
UNLIKELY = 1e-4  # seeds are fixed, so a right sampler passes always


def subsets(n_words: int, side: Side, draws: int, seed: int = 5) -> np.ndarray:
    """bool[draws, n_words]: replaced words on the necessity side, kept ones on the other."""
    masks = paper_masks(n_words, side, seed, "a text", 0, draws)
    replaced = np.array([mask.replaced for mask in masks])
    return replaced if side is Side.NECESSITY else ~replaced


@pytest.mark.parametrize(
    ("n_words", "draws"),
    [(1, 100), (2, 200), (3, 225), (4, 245), (5, 261), (10, 315), (20, 374)],
)
def test_draws_a_side_are_the_papers(n_words: int, draws: int) -> None:
    assert draws_per_side(n_words, 100) == draws
    expected = 0 if n_words == 1 else draws
    assert draws_per_side(n_words, 100, Side.SUFFICIENCY) == expected


@given(n_words=st.integers(2, 300), budget=st.integers(1, 400))
def test_draws_are_the_fewest_that_reach_the_budget(n_words: int, budget: int) -> None:
    harmonic = sum(1 / k for k in range(1, n_words))
    draws = draws_per_side(n_words, budget)
    a_word = (n_words - 1) / (n_words * harmonic)  # expected share of draws with a given word
    assert (draws - 1) * a_word < budget * (1 + 1e-12)
    assert draws * a_word > budget * (1 - 1e-12)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("n_words", [2, 3, 6, 20])
def test_sizes_are_drawn_with_one_over_k(n_words: int, side: Side) -> None:
    sizes = subsets(n_words, side, 20_000).sum(axis=1)
    seen = np.bincount(sizes, minlength=n_words + 1)
    assert seen[0] == seen[n_words] == 0
    chances = 1 / np.arange(1, n_words)
    expected = 20_000 * chances / chances.sum()
    if n_words > 2:
        assert stats.chisquare(seen[1:n_words], expected).pvalue > UNLIKELY


@pytest.mark.parametrize("side", SIDES)
def test_every_subset_of_a_size_is_equally_likely(side: Side) -> None:
    drawn = subsets(5, side, 30_000)
    for size in range(1, 5):
        rows = drawn[drawn.sum(axis=1) == size]
        seen = Counter(tuple(np.flatnonzero(row)) for row in rows)
        every = list(combinations(range(5), size))
        assert stats.chisquare([seen[subset] for subset in every]).pvalue > UNLIKELY


@pytest.mark.parametrize("side", SIDES)
def test_given_a_word_is_in_the_subset_its_size_is_uniform(side: Side) -> None:
    drawn = subsets(7, side, 30_000)
    for word in (0, 3, 6):
        sizes = drawn[drawn[:, word]].sum(axis=1)
        assert stats.chisquare(np.bincount(sizes, minlength=7)[1:]).pvalue > UNLIKELY


def test_the_budget_is_the_mean_number_of_draws_a_word() -> None:
    drawn = subsets(8, Side.NECESSITY, 50 * draws_per_side(8, 100))
    assert drawn.sum(axis=0).mean() / 50 == pytest.approx(100, rel=0.01)


@given(
    n_words=st.integers(2, 12), start=st.integers(0, 150), more=st.integers(0, 150),
    side=st.sampled_from(SIDES),
)  # fmt: skip
def test_a_draw_depends_on_its_number_alone(
    n_words: int, start: int, more: int, side: Side
) -> None:
    every = paper_masks(n_words, side, 3, "key", 0, 300)
    assert [mask.number for mask in every] == list(range(300))
    assert paper_masks(n_words, side, 3, "key", start, start + more) == every[start : start + more]


def test_seeds_keys_and_sides_each_change_the_draws() -> None:
    def bits(seed: int, key: str, side: Side) -> str:
        return "".join(mask.bits for mask in paper_masks(9, side, seed, key, 0, 40))

    every = list(product((0, 1), ("a text", "\ud800 other"), SIDES))
    assert len({bits(*each) for each in every}) == 8
    assert [bits(*each) for each in every] == [bits(*each) for each in every]
    opposite = bits(0, "a text", Side.SUFFICIENCY).translate({48: 49, 49: 48})
    assert bits(0, "a text", Side.NECESSITY) != opposite


def test_one_word_has_necessity_draws_only() -> None:
    masks = paper_masks(1, Side.NECESSITY, 0, "k", 2, 4)
    assert [(mask.number, mask.bits) for mask in masks] == [(2, "1"), (3, "1")]
    assert paper_masks(1, Side.SUFFICIENCY, 0, "k", 0, 0) == []
    with pytest.raises(SettingsError, match="one-word text has no sufficiency draws"):
        paper_masks(1, Side.SUFFICIENCY, 0, "k", 0, 1)


@pytest.mark.parametrize("bad", [0, -1, 2.5, True])
def test_counts_below_one_are_refused(bad: int) -> None:
    with pytest.raises(SettingsError, match=rf"number of words .* at least 1, and {bad} came"):
        draws_per_side(bad, 100)
    with pytest.raises(SettingsError, match=rf"budget .* at least 1, and {bad} came"):
        draws_per_side(3, bad)


def test_a_range_that_runs_backwards_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"5\.\.4 came"):
        paper_masks(3, Side.NECESSITY, 0, "k", 5, 4)


def test_samplers_are_found_by_name() -> None:
    assert sampler_named("paper") is SAMPLERS["paper"] is paper_plan
    with pytest.raises(UnknownNameError, match="No sampler is called 'papers'. Did you mean"):
        sampler_named("papers")


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize("n_words", [1, 2, 3, 9])
def test_draws_are_counted_without_being_laid_out(name: str, n_words: int) -> None:
    assert draw_count(name, n_words, 30) == len(sampler_named(name)(n_words, 30, 0, "text"))
