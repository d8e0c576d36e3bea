from __future__ import annotations

import math

import numpy as np
import pytest

from nsx_core.counterfactuals.kl_bounds import bernoulli_kl, exploration_rate, kl_bounds
from nsx_core.errors import DataError, SettingsError
from nsx_core.seeding import generator


def test_the_divergence_of_two_coins():
    assert bernoulli_kl(0.3, 0.3) == 0
    by_hand = 0.5 * math.log(0.5 / 0.25) + 0.5 * math.log(0.5 / 0.75)
    assert bernoulli_kl(0.5, 0.25) == pytest.approx(by_hand)
    assert bernoulli_kl(0, 0.2) == pytest.approx(-math.log(0.8))
    assert bernoulli_kl(1, 0.2) == pytest.approx(-math.log(0.2))
    assert bernoulli_kl(0, 0) == bernoulli_kl(1, 1) == 0
    assert bernoulli_kl(0.5, 0) == bernoulli_kl(0.5, 1) == bernoulli_kl(0, 1) == math.inf
    with pytest.raises(DataError, match=r"Shares lie in 0\.\.1, and 1\.2"):
        bernoulli_kl(1.2, 0.5)


@pytest.mark.parametrize(("held", "n"), [(1, 4), (9, 10), (50, 100), (141, 150)])
@pytest.mark.parametrize("level", [0.1, 3.0, 12.0])
def test_a_bound_lies_where_the_divergence_is_the_level(held: int, n: int, level: float):
    low, high = kl_bounds(held, n, level)
    assert 0 < low < held / n < high < 1
    for bound in (low, high):
        assert n * bernoulli_kl(held / n, bound) == pytest.approx(level, rel=1e-6)


def test_bounds_at_the_ends():
    assert kl_bounds(0, 0, 3.0) == (0, 1)
    low, high = kl_bounds(0, 20, 3.0)
    assert low == 0 and high == pytest.approx(1 - math.exp(-3 / 20))
    low, high = kl_bounds(20, 20, 3.0)
    assert low == pytest.approx(math.exp(-3 / 20)) and high == 1
    assert kl_bounds(3, 12, 0.0) == pytest.approx((0.25, 0.25))


def test_bounds_narrow_with_draws_widen_with_the_level_and_rise_with_the_share():
    by_n = [kl_bounds(n * 3 // 4, n, 5.0) for n in (4, 16, 64, 256)]
    by_level = [kl_bounds(30, 40, level) for level in (8.0, 4.0, 2.0, 1.0)]
    for bounds in (by_n, by_level):
        lows, highs = np.array(bounds).T
        assert (np.diff(lows) > 0).all() and (np.diff(highs) < 0).all()
    lows, highs = np.array([kl_bounds(held, 40, 5.0) for held in range(41)]).T
    assert (np.diff(lows) > 0).all() and (np.diff(highs) > 0).all()


@pytest.mark.parametrize("share", [0.02, 0.5, 0.9])
def test_each_bound_fails_at_most_as_often_as_its_level_says(share: float):
    n, level, rng = 60, math.log(1 / 0.1), generator("kl", str(share))
    counts = rng.binomial(n, share, 4_000)
    bounds = {held: kl_bounds(held, n, level) for held in set(counts.tolist())}
    lows, highs = np.array([bounds[held] for held in counts.tolist()]).T
    assert (lows > share).mean() <= 0.1
    assert (highs < share).mean() <= 0.1
    # Not so wide that they say nothing either.
    assert highs.mean() - lows.mean() < 0.35


def test_bounds_at_the_exploration_rate_hold_at_every_look_of_every_candidate():
    looks, delta, shares, runs = 30, 0.2, (0.3, 0.8, 0.95), 200
    rng, failed = generator("looks"), 0
    levels = [exploration_rate(look, looks, len(shares), delta) for look in range(1, looks + 1)]
    for _ in range(runs):
        held = np.cumsum(rng.binomial(8, np.array(shares), (looks, len(shares))), axis=0)
        # A share lies outside its bounds where it is further away than the level.
        outside = [
            (8 * (t + 1)) * bernoulli_kl(held[t, k] / (8 * (t + 1)), share) > levels[t]
            for t in range(looks)
            for k, share in enumerate(shares)
        ]
        failed += any(outside)
    assert failed / runs <= delta


def test_the_exploration_rate_has_the_published_form_and_grows():
    k1 = 2 * sum(look**-1.1 for look in range(1, 9))
    assert exploration_rate(7, 8, 10, 0.05) == pytest.approx(math.log(k1 * 10 * 7**1.1 / 0.05))
    assert k1 == pytest.approx(5.0, abs=0.05)
    rates = [exploration_rate(look, 5, 10, 0.05) for look in range(1, 6)]
    assert rates == sorted(rates) and len(set(rates)) == 5
    assert exploration_rate(1, 5, 20, 0.05) > exploration_rate(1, 5, 10, 0.05)
    assert exploration_rate(1, 5, 10, 0.01) > exploration_rate(1, 5, 10, 0.05)


def test_what_no_bound_is_made_of_is_refused():
    with pytest.raises(DataError, match=r"in 0\.\.n, and 5 of 4 came"):
        kl_bounds(5, 4, 1.0)
    with pytest.raises(SettingsError, match="0 or more, and -1"):
        kl_bounds(1, 4, -1.0)
    with pytest.raises(SettingsError, match="look 0 of 5 and 3 candidates"):
        exploration_rate(0, 5, 3, 0.1)
    for delta in (0.0, 1.0, math.nan):
        with pytest.raises(SettingsError, match="strictly between 0 and 1"):
            exploration_rate(1, 5, 3, delta)
