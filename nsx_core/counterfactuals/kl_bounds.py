"""Bounds on a share from the Kullback-Leibler divergence, as KL-LUCB has them.

From ``held`` of ``n`` draws, the bounds are the outermost q with n * KL(held / n, q) <= level
(kaufmann-kalyanakrishnan-2013). By Chernoff's inequality each of the two fails with chance at
most exp(-level), whatever the true share.

``exploration_rate`` is the level for which the bounds of all candidates hold at once, at every
look at the draws: log(k1 * candidates * look ** alpha / delta), of the paper's form and with its
alpha = 1.1. Its k1 = 405.5 is for looks without end after every single draw. Here a candidate's
draws at its look number 1, 2, ... are fixed beforehand, and there are at most ``looks`` of them: by
adding up over looks, candidates and both bounds, the chance that any of them ever fails is at most
delta with k1 = 2 * sum of look ** -alpha, 5.0 for eight looks.
"""

from __future__ import annotations

import math

from nsx_core.errors import DataError, SettingsError

__all__ = ["bernoulli_kl", "exploration_rate", "kl_bounds"]

ALPHA = 1.1
#: Halvings of an interval of width 1: finer than 1e-12.
_HALVINGS = 40


def bernoulli_kl(p: float, q: float) -> float:
    """KL(p, q) of two coins in nats, 0 to infinity; p and q in 0..1.

    Infinite where q is 0 or 1 and p is not the same. Raises ``DataError`` outside 0..1.
    """
    if not (0 <= p <= 1 and 0 <= q <= 1):
        raise DataError(f"Shares lie in 0..1, and {p} and {q} came.")
    return _term(p, q) + _term(1 - p, 1 - q)


def exploration_rate(look: int, looks: int, candidates: int, delta: float) -> float:
    """beta: the level at a candidate's look number ``look`` of 1..``looks``, in nats.

    candidates >= 1: how many are compared; delta strictly between 0 and 1: how often any bound
    may fail. Raises ``SettingsError`` for anything else.
    """
    if not 1 <= look <= looks or candidates < 1:
        raise SettingsError(
            f"A look is one of 1 to the number of looks, and there is at least one candidate; look "
            f"{look} of {looks} and {candidates} candidates came."
        )
    if not 0 < delta < 1:
        raise SettingsError(
            "Delta, how often the bounds may fail, lies strictly between 0 and 1, and "
            f"{delta} came. Choose, for example, 0.05."
        )
    k1 = 2 * sum(t**-ALPHA for t in range(1, looks + 1))
    return math.log(k1 * candidates / delta) + ALPHA * math.log(look)


def kl_bounds(held: int, n: int, level: float) -> tuple[float, float]:
    """(low, high) in 0..1, with low <= held / n <= high; n = 0: (0, 1), nothing is known.

    held: in 0..n; level: in nats, >= 0, and 0 gives the share itself. Raises ``DataError`` for
    counts and ``SettingsError`` for a level outside that.
    """
    if not 0 <= held <= n:
        raise DataError(f"A count lies in 0..n, and {held} of {n} came.")
    if not 0 <= level < math.inf:
        raise SettingsError(f"The level of a bound is 0 or more, and {level} came.")
    if n == 0:
        return 0.0, 1.0
    share, reach = held / n, level / n
    # At the ends the divergence is a logarithm, which needs no search.
    low = math.exp(-reach) if held == n else _outermost(share, 0.0, reach)
    high = -math.expm1(-reach) if held == 0 else _outermost(share, 1.0, reach)
    return low, high


def _outermost(share: float, end: float, reach: float) -> float:
    """The q between the share and the end of the scale that is just ``reach`` away."""
    outside, inside = end, share
    for _ in range(_HALVINGS):
        middle = (outside + inside) / 2
        if _term(share, middle) + _term(1 - share, 1 - middle) > reach:
            outside = middle
        else:
            inside = middle
    # The outer end: a bound that is a little wide never claims too much.
    return outside


def _term(p: float, q: float) -> float:
    if p == 0:
        return 0.0
    return math.inf if q == 0 else p * math.log(p / q)
