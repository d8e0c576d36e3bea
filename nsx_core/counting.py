"""Which draws count for a word, and how much: one definition for scores and for what is shown.

The scores are means over r = 1..n-1, the number of replaced words, each r with the same weight.
The paper's sampler draws in the shares that make a plain mean just that, in expectation. Draws
of the balanced sampler come in other shares and are weighted to it (post-stratification,
holt-smith-1979): the draws of one r share its weight equally. An r of which a word has no draw
gives its weight to the nearest r that has some, half to each of two equally near.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsx_core.errors import DataError
from nsx_core.records import Draw, Side

__all__ = ["counted", "draw_weights", "side_masks", "size_weights", "word_weights"]


def counted(masks: ArrayLike, side: Side) -> NDArray[np.bool_]:
    """bool[n_draws, n_words]: the draws that replace each word (necessity), or keep it.

    masks: bool[n_draws, n_words], True = replaced, or ``DataError``.
    """
    replaced = np.asarray(masks)
    if replaced.ndim != 2:
        raise DataError(
            "Masks have shape (n_draws, n_words), and an array of shape "
            f"{replaced.shape} came. Give one row a draw."
        )
    if replaced.dtype != np.bool_:
        raise DataError(f"Masks are bool, True = replaced, and {replaced.dtype} came.")
    return replaced if Side(side) is Side.NECESSITY else ~replaced


def side_masks(
    draws: Sequence[Draw], side: Side, n_words: int
) -> tuple[list[int], NDArray[np.bool_]]:
    """(places of the draws that count on this side, bool[n_rows, n_words] their masks)."""
    rows = [i for i, draw in enumerate(draws) if draw.side.counts_on(side)]
    masks = np.array([draws[i].replaced for i in rows], dtype=bool)
    return rows, masks.reshape(-1, n_words)


def draw_weights(
    draws: Sequence[Draw], masks: ArrayLike, side: Side, words: Sequence[int] | None = None
) -> NDArray[np.float64] | None:
    """``size_weights`` of masks whose draws need them; None where a plain mean is the score."""
    if any(draw.side.weighted for draw in draws):
        return size_weights(masks, side, words)
    return None


def size_weights(
    masks: ArrayLike, side: Side, words: Sequence[int] | None = None
) -> NDArray[np.float64]:
    """float64[n_draws, n_words]: each word's weights sum to 1; all 0 for one without a draw.

    masks: as for ``counted``. words: only these words' columns, in this order; None = all.
    """
    chosen = counted(masks, side)
    n_words = chosen.shape[1]
    columns = range(n_words) if words is None else words
    sizes = np.asarray(masks).sum(axis=1)
    weights = np.zeros((len(chosen), len(columns)))
    for column, word in enumerate(columns):
        rows = np.flatnonzero(chosen[:, word])
        weights[rows, column] = word_weights(sizes[rows], n_words)
    return weights


def word_weights(sizes: ArrayLike, n_words: int) -> NDArray[np.float64]:
    """float64[n]: weights, sum 1, of a word's draws that replace so many of ``n_words`` words."""
    given = np.asarray(sizes, dtype=np.int64)
    if not len(given):
        return np.zeros(0)
    there, which, counts = np.unique(given, return_inverse=True, return_counts=True)
    wanted = np.arange(1, max(2, n_words))
    above = np.searchsorted(there, wanted).clip(max=len(there) - 1)
    below = (np.searchsorted(there, wanted, side="right") - 1).clip(min=0)
    up, down = np.abs(there[above] - wanted), np.abs(wanted - there[below])
    shares = np.zeros(len(there))
    # Half the weight each way: the nearer one gets both halves.
    np.add.at(shares, np.where(up <= down, above, below), 0.5)
    np.add.at(shares, np.where(down <= up, below, above), 0.5)
    weights: NDArray[np.float64] = (shares / counts / len(wanted))[which]
    return weights
