"""From words to masks: which words each draw replaces.

Method of Balkir et al. (balkir-etal-2022). On both sides a draw takes a subset of k of the n
words, k in 1..n-1 with probability proportional to 1/k, then every subset of k words with
equal chance. The necessity side replaces the subset; the sufficiency side keeps it and
replaces the rest. Given that a word is in the subset, k is then uniform on 1..n-1, which is
what the paper's 1/k and 1/(n-k) weights come to, and plain means over draws estimate its
scores.

A word is in a draw's subset with probability (n-1) / (n H(n-1)), H the harmonic number, so a
budget of E expected draws a word takes ``draws_per_side`` = ceil(E n H(n-1) / (n-1)) draws.

One word: the only necessity draw replaces it, E times; there is nothing else to replace, so
the sufficiency side has no draws and the score is undefined.

Where we differ: draws are numbered, and draw j depends on nothing but the text's key, the
side, the seed and j, so that a larger budget only adds draws.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Protocol

import numpy as np

from nsx_core.errors import SettingsError, UnknownNameError
from nsx_core.records import Mask, Side
from nsx_core.seeding import generator

__all__ = ["SAMPLERS", "Sampler", "draws_per_side", "paper_masks", "sampler_named"]

# Draws made by one generator. A part of what a seed means: changing it changes every mask.
_BLOCK = 64


class Sampler(Protocol):
    """Masks number start..stop-1 of one side of a text."""

    def __call__(
        self, n_words: int, side: Side, seed: int, text_key: str, start: int, stop: int
    ) -> list[Mask]: ...


def draws_per_side(n_words: int, budget: int, side: Side = Side.NECESSITY) -> int:
    """How many draws a side takes for ``budget`` expected draws a word: exact, no rounding.

    n_words >= 1, budget >= 1. The same on both sides, but for one word:
    ``draws_per_side(1, E)`` is E and ``draws_per_side(1, E, Side.SUFFICIENCY)`` is 0.
    """
    _at_least_one("number of words", n_words)
    _at_least_one("budget", budget)
    if n_words == 1:
        return budget if Side(side) is Side.NECESSITY else 0
    exact = budget * n_words * _harmonic(n_words - 1) / (n_words - 1)
    return -(-exact.numerator // exact.denominator)


def paper_masks(
    n_words: int, side: Side, seed: int, text_key: str, start: int, stop: int
) -> list[Mask]:
    """The paper's masks number start..stop-1: bool[n_words] each, True = replaced.

    n_words >= 1; 0 <= start <= stop. Raises ``SettingsError`` for anything else, and for
    sufficiency draws of a one-word text.
    """
    _at_least_one("number of words", n_words)
    side = Side(side)
    if not 0 <= start <= stop:
        raise SettingsError(f"Draws run from 0 <= start to stop >= start; {start}..{stop} came.")
    if start == stop:
        return []
    if n_words == 1:
        if side is Side.SUFFICIENCY:
            raise SettingsError(
                "A one-word text has no sufficiency draws: nothing is left to replace. "
                "Ask for draws_per_side(1, budget, side), which is 0."
            )
        return [Mask(side, number, (True,)) for number in range(start, stop)]
    masks: list[Mask] = []
    for block in range(start // _BLOCK, (stop - 1) // _BLOCK + 1):
        first = max(start - block * _BLOCK, 0)
        last = min(stop - block * _BLOCK, _BLOCK)
        subsets = _paper_subsets(n_words, side, seed, text_key, block)[first:last]
        replaced = subsets if side is Side.NECESSITY else ~subsets
        numbers = range(block * _BLOCK + first, block * _BLOCK + last)
        masks += [
            Mask(side, number, tuple(row))
            for number, row in zip(numbers, replaced.tolist(), strict=True)
        ]
    return masks


SAMPLERS: dict[str, Sampler] = {"paper": paper_masks}


def sampler_named(name: str) -> Sampler:
    """The sampler of that name, or an ``UnknownNameError`` with the nearest one."""
    if name not in SAMPLERS:
        raise UnknownNameError("sampler", name, SAMPLERS)
    return SAMPLERS[name]


def _paper_subsets(
    n_words: int, side: Side, seed: int, text_key: str, block: int
) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """bool[64, n_words]: the subsets of one block of draws, True = in the subset."""
    rng = generator("masks", "paper", text_key, side.value, seed, block)
    cumulative = np.cumsum(1 / np.arange(1, n_words))
    chances = rng.random(_BLOCK) * cumulative[-1]
    sizes = 1 + np.minimum(np.searchsorted(cumulative, chances, side="right"), n_words - 2)
    order = np.argsort(rng.random((_BLOCK, n_words)), axis=1, kind="stable")
    subsets = np.zeros((_BLOCK, n_words), dtype=np.bool_)
    np.put_along_axis(subsets, order, np.arange(n_words) < sizes[:, None], axis=1)
    return subsets


@lru_cache(maxsize=256)
def _harmonic(n: int) -> Fraction:
    return sum((Fraction(1, k) for k in range(1, n + 1)), Fraction(0))


def _at_least_one(what: str, value: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise SettingsError(f"The {what} is a whole number of at least 1, and {value!r} came.")
