"""Masks of which every draw counts on both sides, balanced over sizes and words.

A draw replaces r of the n words, r in 1..n-1; it counts for the necessity of the words it
replaces and for the sufficiency of those it keeps. Both scores give every r the same weight, as
the paper's sampler does in expectation (``nsx_core.counting``), so the sizes may come
in whichever shares serve best. They come in shares proportional to 1 / (r (n - r)): then
each draw of size r weighs about as much for a word it replaces as for one it keeps, and a
budget of E needs half the draws of the paper's sampler.

Chance is left out where it can be: sizes come in a fixed order that keeps every prefix near
its shares, and the draws of one size are neighbouring stretches of shuffled words, so that
within a size each word is replaced equally often (at most one draw apart).

Draw j depends on nothing but the text's key, the seed and j; a larger budget only adds draws.
"""

from __future__ import annotations

from functools import lru_cache
from math import gcd

import numpy as np
from numpy.typing import NDArray

from nsx_core.masking.draws import draws_per_side
from nsx_core.records import DrawSide, Mask
from nsx_core.seeding import generator

__all__ = ["balanced_masks"]


def balanced_masks(n_words: int, budget: int, seed: int, text_key: str) -> list[Mask]:
    """The masks for ``budget`` draws a word, in the order in which they are drawn.

    n_words >= 1, budget >= 1, or ``SettingsError``. One word: each draw replaces it, and nothing
    can be said of keeping it alone.
    """
    total = draws_per_side(n_words, budget)
    if n_words == 1:
        return [Mask(DrawSide.BOTH, number, (True,)) for number in range(total)]
    masks, drawn = [], np.zeros(n_words, dtype=np.int64)
    shuffled: dict[int, NDArray[np.int64]] = {}
    for number, size in enumerate(_sizes(n_words, total)):
        cycle = n_words // gcd(n_words, size)
        turn, place = divmod(int(drawn[size]), cycle)
        if place == 0:
            rng = generator("masks", "balanced", text_key, seed, size, turn)
            shuffled[size] = rng.permutation(n_words)
        drawn[size] += 1
        replaced = np.zeros(n_words, dtype=np.bool_)
        stretch = np.arange(place * size, (place + 1) * size) % n_words
        replaced[shuffled[size][stretch]] = True
        masks.append(Mask(DrawSide.BOTH, number, tuple(replaced.tolist())))
    return masks


@lru_cache(maxsize=64)
def _sizes(n_words: int, total: int) -> tuple[int, ...]:
    """How many words each draw replaces: always the size furthest behind its share.

    Of equals the one whose share is larger, then the smaller size.
    """
    sizes = np.arange(1, n_words)
    shares = 1 / (sizes * (n_words - sizes))
    shares /= shares.sum()
    owed, found = np.zeros(n_words - 1), []
    for _ in range(total):
        owed += shares
        # Rounded, so that equals are equal on every machine.
        at = int(np.lexsort((sizes, -np.round(shares, 12), -np.round(owed, 9)))[0])
        owed[at] -= 1
        found.append(int(sizes[at]))
    return tuple(found)
