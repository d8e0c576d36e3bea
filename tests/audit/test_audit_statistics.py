"""The audit's statistics against enumeration, simulation and hand-worked examples."""

from __future__ import annotations

import time
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nsx_core.audit.clusters import CLUSTERS_MAX, cluster_codes, mean_interval
from nsx_core.audit.permutation import (
    CHOICES,
    holm,
    rank_correlation,
    sign_flip_p,
    spearman,
)
from nsx_core.errors import DataError

# --- the bootstrap over templates ---------------------------------------------------------


def clustered(rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Skewed scores of size templates, two cases each, alike within a template."""
    names = np.repeat(np.arange(size), 2)
    return rng.beta(2, 5, size)[names] + rng.normal(0, 0.02, len(names)), names


def test_the_interval_covers_the_mean_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    runs, hits, naive = 400, 0, 0
    for run in range(runs):
        values, names = clustered(rng, 40)
        low, high = mean_interval(values, names, seed=run % 2) or (1.0, 0.0)
        hits += low <= 2 / 7 <= high
        low, high = mean_interval(values, np.arange(len(values)), seed=run % 2) or (1.0, 0.0)
        naive += low <= 2 / 7 <= high
    assert 0.91 <= hits / runs <= 0.98
    # Cases as their own clusters would claim too much: the reason for templates.
    assert naive < hits - 0.03 * runs


def test_many_templates_are_dealt_into_sets_and_give_the_same_interval() -> None:
    values = np.random.default_rng(1).beta(2, 5, 20_000)
    names = np.arange(20_000)
    codes, size = cluster_codes(names, seed=0)
    assert size == CLUSTERS_MAX == len(np.unique(codes))
    low, high = mean_interval(values, names, seed=0) or (0.0, 0.0)
    half = 1.96 * values.std() / len(values) ** 0.5
    assert low == pytest.approx(values.mean() - half, abs=0.15 * half)
    assert high == pytest.approx(values.mean() + half, abs=0.15 * half)


def test_equal_seeds_agree_and_others_differ() -> None:
    values, names = clustered(np.random.default_rng(2), 30)
    assert mean_interval(values, names, 1) == mean_interval(values, names, 1)
    assert mean_interval(values, names, 1) != mean_interval(values, names, 2)


@pytest.mark.parametrize(
    ("values", "names"),
    [([], []), ([0.5], ["a"]), ([0.1, 0.9], ["a", "a"]), ([0.5, 0.5, 0.5], ["a", "b", "c"])],
)
def test_no_interval_where_nothing_can_be_said(values: list[float], names: list[str]) -> None:
    assert mean_interval(values, names, 0) is None


@given(
    st.lists(
        st.tuples(st.floats(-1, 1), st.integers(0, 6)), min_size=2, max_size=20
    )
)  # fmt: skip
def test_an_interval_holds_the_mean_and_stays_within_the_scores(
    drawn: list[tuple[float, int]],
) -> None:
    values, names = [v for v, _ in drawn], [n for _, n in drawn]
    if (found := mean_interval(values, names, 0)) is not None:
        low, high = found
        mean = float(np.mean(values))
        assert min(values) - 1e-9 <= low <= mean + 1e-12
        assert mean - 1e-12 <= high <= max(values) + 1e-9


# --- flipped signs ------------------------------------------------------------------------


def test_sign_flips_of_few_clusters_are_enumerated() -> None:
    values = np.array([0.3, 0.1, -0.2, 0.5, 0.4, 0.1])
    names = ["a", "a", "b", "c", "d", "e"]
    sums = [0.4, -0.2, 0.5, 0.4, 0.1]
    reached = [
        abs(sum(s * v for s, v in zip(signs, sums, strict=True))) >= abs(sum(sums)) - 1e-9
        for signs in product((1, -1), repeat=5)
    ]
    assert sign_flip_p(values, names, 0) == pytest.approx(sum(reached) / 32)


def test_random_sign_flips_agree_with_the_t_test() -> None:
    values = np.random.default_rng(4).normal(0.2, 1, 100)
    found = sign_flip_p(values, np.arange(100), 0)
    assert found == pytest.approx(stats.ttest_1samp(values, 0).pvalue, abs=0.01)


def test_no_difference_at_all_is_no_evidence() -> None:
    assert sign_flip_p([0.0] * 5, list("abcde"), 0) == 1.0
    assert sign_flip_p([0.0] * 30, range(30), 0) == 1.0


@pytest.mark.parametrize("size", [10, 25])
def test_under_the_null_p_is_uniform(size: int) -> None:
    rng = np.random.default_rng(5)
    names = np.repeat(np.arange(size), 2)
    ps = [
        # Cases of one template move together: flips by case would reject far too often.
        sign_flip_p(rng.normal(0, 1, size)[names] + rng.normal(0, 0.1, 2 * size), names, run % 3)
        for run in range(300)
    ]
    assert stats.kstest(ps, "uniform").pvalue > 0.01
    assert np.mean(np.array(ps) <= 0.05) < 0.09


def test_a_sign_flip_test_needs_a_difference() -> None:
    with pytest.raises(DataError, match="at least one paired difference"):
        sign_flip_p([], [], 0)


# --- rank correlation ---------------------------------------------------------------------


def test_rho_is_scipys_with_ties() -> None:
    rng = np.random.default_rng(6)
    x, y = rng.integers(0, 4, (20, 9)).astype(float), rng.normal(size=(20, 9))
    wanted = [stats.spearmanr(a, b).statistic for a, b in zip(x, y, strict=True)]
    np.testing.assert_allclose(spearman(x, y), wanted, atol=1e-12)


def test_few_values_are_enumerated() -> None:
    x, y = np.array([1.0, 2, 3, 4, 5]), np.array([2.0, 1, 3, 5, 4])
    found = rank_correlation(x, y, 0)
    assert found is not None
    rhos = [stats.spearmanr(x, order).statistic for order in permutations(y)]
    assert found.rho == pytest.approx(0.8)
    assert found.p == pytest.approx(np.mean(np.abs(rhos) >= 0.8 - 1e-9))
    assert (found.orders, found.exact) == (120, True)
    assert found.p_smallest == pytest.approx(2 / 120)


def test_random_orders_agree_with_scipys_p() -> None:
    rng = np.random.default_rng(7)
    x = rng.normal(size=40)
    y = 0.35 * x + rng.normal(size=40)
    found = rank_correlation(x, y, 0)
    assert found is not None
    assert (found.orders, found.exact) == (CHOICES, False)
    assert found.p == pytest.approx(stats.spearmanr(x, y).pvalue, abs=0.01)


def test_blocks_exchange_their_values_as_wholes() -> None:
    # Three classifiers, two groups each: six points, but three rates and six orders.
    found = rank_correlation(
        [0.9, 0.8, 0.6, 0.5, 0.2, 0.1], [0.1, 0.1, 0.2, 0.2, 0.3, 0.3], 0, list("aabbcc")
    )
    assert found is not None
    assert (found.orders, found.p, found.p_smallest) == (6, pytest.approx(1 / 3), found.p)
    with pytest.raises(DataError, match="one block share one value"):
        rank_correlation([1, 2, 3], [1, 2, 3], 0, list("aab"))


def test_under_the_null_the_correlations_p_is_valid() -> None:
    rng = np.random.default_rng(8)
    ps = []
    for _ in range(400):
        found = rank_correlation(rng.normal(size=6), rng.normal(size=6), 0)
        assert found is not None
        ps.append(found.p)
    for level in (0.05, 0.2, 0.5, 0.8):
        assert np.mean(np.array(ps) <= level) <= level + 0.06
    assert np.mean(np.array(ps) <= 0.5) > 0.38


def test_no_spread_no_correlation() -> None:
    assert rank_correlation([1, 1, 1, 1], [1, 2, 3, 4], 0) is None
    assert rank_correlation([], [], 0) is None


# --- Holm ---------------------------------------------------------------------------------


def test_holm_by_hand() -> None:
    # Sorted: .005 * 4 = .02, .01 * 3 = .03, .03 * 2 = .06, .04 * 1 = .04 but not below .06.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.6]) == [1.0, 1.0]
    assert holm([0.02]) == [0.02]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_raises_every_p_and_keeps_their_order(ps: list[float]) -> None:
    found = holm(ps)
    assert all(p <= q <= 1 for p, q in zip(ps, found, strict=True))
    order = sorted(range(len(ps)), key=lambda i: ps[i])
    assert [found[i] for i in order] == sorted(found)


def test_many_clusters_stay_fast() -> None:
    values = np.random.default_rng(9).normal(size=100_000)
    start = time.perf_counter()
    mean_interval(values, np.arange(100_000), 0)
    sign_flip_p(values, np.arange(100_000), 0)
    assert time.perf_counter() - start < 10
