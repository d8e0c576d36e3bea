"""Which words an anchor's perturbed texts keep, and how often its words stand.

D(z|A), the law of the texts behind an anchor's precision, for a set A of a words out of n: how
many of the other words are kept is uniform on 0..n-a-1, then every choice of that many others
has equal chance; all the rest is replaced by the infiller. At least one word is always replaced.

For one word this is the law behind its sufficiency score (balkir-etal-2022): that side keeps a
subset of k words, k in 1..n-1 with probability proportional to 1/k, and given that a word is in
it, k is uniform on 1..n-1. So **the precision of a one-word anchor is the word's sufficiency
plus the neutral baseline**. The formula also stands for the empty set: 0..n-1 words are kept.

Of a larger set the sufficiency law would keep more words, the more the larger the set; we stay
with the uniform number, so that a set is tested with much and with little around it alike.

Coverage is counted under the sufficiency law itself. It depends on a set's size alone, as all
subsets of one size have equal chance.

Where we differ from ribeiro-etal-2018: there each other word is kept or not by a coin of its
own, and exchanged for a word of like meaning or part of speech.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nsx_core.errors import SettingsError

__all__ = ["coverage", "draw_masks"]


def draw_masks(
    n_words: int, anchor: Sequence[int], count: int, rng: np.random.Generator
) -> list[tuple[bool, ...]]:
    """``count`` masks of D(z|anchor): bool[n_words] each, True = replaced, at least one True.

    n_words >= 1; anchor: distinct positions in 0..n_words-1, fewer than n_words, since nothing is
    left to draw where all words are kept; count >= 0. Raises ``SettingsError`` for anything else.
    """
    _check_words(n_words)
    own = set(anchor)
    if len(own) != len(anchor) or not own <= set(range(n_words)) or len(own) == n_words:
        raise SettingsError(
            "An anchor's words are distinct positions of the text's words, fewer than all of "
            f"them, and {tuple(anchor)} of {n_words} words came."
        )
    if count < 0:
        raise SettingsError(f"A number of draws is 0 or more, and {count} came.")
    others = np.array([i for i in range(n_words) if i not in own])
    kept = rng.integers(0, len(others), count)
    ranks = np.argsort(rng.random((count, len(others))), axis=1, kind="stable")
    replaced = np.zeros((count, n_words), dtype=np.bool_)
    replaced[:, others] = ranks >= kept[:, None]
    return [tuple(row) for row in replaced.tolist()]


def coverage(n_words: int, size: int) -> float:
    """Share of the sufficiency side's perturbed texts that keep all words of a set, in 0..1.

    size: of the set, 0..n_words. The empty set: 1; all words: 0, as a perturbed text never keeps
    them all. Raises ``SettingsError`` for a size outside 0..n_words or no word at all.
    """
    _check_words(n_words)
    if not 0 <= size <= n_words:
        raise SettingsError(f"A set has 0 to {n_words} words, and {size} came.")
    if size == 0:
        return 1.0
    if size == n_words:
        return 0.0
    kept = np.arange(1, n_words)
    places = np.arange(size)
    standing = ((kept[:, None] - places).clip(0) / (n_words - places)).prod(axis=1)
    return float((standing / kept).sum() / (1 / kept).sum())


def _check_words(n_words: int) -> None:
    if n_words < 1:
        raise SettingsError(f"A text has at least one word, and {n_words} came.")
