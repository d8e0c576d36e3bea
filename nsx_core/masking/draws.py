"""How many draws a budget asks for.

A budget of E means E expected draws a word and score. With the paper's sizes a word is in a
draw's subset with probability (n-1) / (n H(n-1)), H the harmonic number.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from nsx_core.errors import SettingsError
from nsx_core.records import Side

__all__ = ["checked_count", "draws_per_side"]


def draws_per_side(n_words: int, budget: int, side: Side = Side.NECESSITY) -> int:
    """How many draws a side takes for ``budget`` expected draws a word: exact, no rounding.

    n_words >= 1, budget >= 1. The same on both sides, but for one word:
    ``draws_per_side(1, E)`` is E and ``draws_per_side(1, E, Side.SUFFICIENCY)`` is 0.
    """
    checked_count("number of words", n_words)
    checked_count("budget", budget)
    if n_words == 1:
        return budget if Side(side) is Side.NECESSITY else 0
    exact = budget * n_words * _harmonic(n_words - 1) / (n_words - 1)
    return -(-exact.numerator // exact.denominator)


@lru_cache(maxsize=256)
def _harmonic(n: int) -> Fraction:
    return sum((Fraction(1, k) for k in range(1, n + 1)), Fraction(0))


def checked_count(what: str, value: int) -> None:
    """Raises ``SettingsError`` for anything but a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise SettingsError(f"The {what} is a whole number of at least 1, and {value!r} came.")
