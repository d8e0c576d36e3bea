"""The paper's masks (balkir-etal-2022): each side has draws of its own.

On both sides a draw takes a subset of k of the n words, k in 1..n-1 with probability
proportional to 1/k, then every subset of k words with equal chance. The necessity side
replaces the subset; the sufficiency side keeps it and replaces the rest. Given that a word is
in the subset, k is then uniform on 1..n-1, which is what the paper's 1/k and 1/(n-k) weights
come to, and plain means over draws estimate its scores.

One word: the only necessity draw replaces it, E times; there is nothing else to replace, so
the sufficiency side has no draws and the score is undefined.

Where we differ: draws are numbered, and draw j depends on nothing but the text's key, the
side, the seed and j, so that a larger budget only adds draws.
"""

from __future__ import annotations

import numpy as np

from nsx_core.errors import SettingsError
from nsx_core.masking.draws import checked_count, draws_per_side
from nsx_core.records import DrawSide, Mask, Side
from nsx_core.seeding import generator

__all__ = ["paper_masks", "paper_plan"]

# Draws made by one generator. A part of what a seed means: changing it changes every mask.
_BLOCK = 64


def paper_masks(
    n_words: int, side: Side, seed: int, text_key: str, start: int, stop: int
) -> list[Mask]:
    """The paper's masks number start..stop-1: bool[n_words] each, True = replaced.

    n_words >= 1; 0 <= start <= stop. Raises ``SettingsError`` for anything else, and for
    sufficiency draws of a one-word text.
    """
    checked_count("number of words", n_words)
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
        return [Mask(DrawSide(side.value), number, (True,)) for number in range(start, stop)]
    masks: list[Mask] = []
    for block in range(start // _BLOCK, (stop - 1) // _BLOCK + 1):
        first = max(start - block * _BLOCK, 0)
        last = min(stop - block * _BLOCK, _BLOCK)
        subsets = _paper_subsets(n_words, side, seed, text_key, block)[first:last]
        replaced = subsets if side is Side.NECESSITY else ~subsets
        numbers = range(block * _BLOCK + first, block * _BLOCK + last)
        masks += [
            Mask(DrawSide(side.value), number, tuple(row))
            for number, row in zip(numbers, replaced.tolist(), strict=True)
        ]
    return masks


def paper_plan(n_words: int, budget: int, seed: int, text_key: str) -> list[Mask]:
    """All masks of a budget, both sides in step, so that every prefix says something of each."""
    masks = [
        mask
        for side in Side
        for mask in paper_masks(
            n_words, side, seed, text_key, 0, draws_per_side(n_words, budget, side)
        )
    ]
    return sorted(masks, key=lambda m: (m.number, m.side is DrawSide.SUFFICIENCY))


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
