"""The share of a word's draws that keeps the explained class."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsx_core.counting import counted
from nsx_core.errors import DataError
from nsx_core.records import Side

__all__ = ["checked_predictions", "draw_counts", "kept_share"]


def draw_counts(masks: ArrayLike, side: Side) -> NDArray[np.int64]:
    """int64[n_words]: draws that replace each word (necessity), or keep it (sufficiency)."""
    counts: NDArray[np.int64] = counted(masks, side).sum(axis=0, dtype=np.int64)
    return counts


def kept_share(
    predictions: ArrayLike, masks: ArrayLike, side: Side, weights: ArrayLike | None = None
) -> NDArray[np.float64]:
    """float64[n_words] in 0..1: mean prediction over each word's draws; NaN without one.

    predictions, masks: as for ``scoring.necessity``; both scores are this mean against a
    constant. weights: float[n_draws, n_words] >= 0, 0 where a draw does not count for a word;
    None = all equal.
    """
    chosen = counted(masks, side)
    values = checked_predictions(predictions, len(chosen))
    given = chosen.astype(np.float64) if weights is None else np.asarray(weights, np.float64)
    if given.shape != chosen.shape or (given < 0).any() or given[~chosen].any():
        raise DataError(
            f"Weights are at least 0, of the masks' shape {chosen.shape}, and 0 where a draw does "
            f"not count; an array of shape {given.shape} came that is not so."
        )
    totals = given.sum(axis=0)
    means: NDArray[np.float64] = np.full(totals.shape, np.nan)
    np.divide(values @ given, totals, out=means, where=totals > 0)
    return means.clip(0, 1)


def checked_predictions(predictions: ArrayLike, n_draws: int) -> NDArray[np.float64]:
    """float64[n_draws] in 0..1, or a ``DataError``."""
    values = np.asarray(predictions, dtype=np.float64)
    if values.shape != (n_draws,):
        raise DataError(
            f"There is one prediction a draw: masks have {n_draws} draws, and "
            f"predictions of shape {values.shape} came."
        )
    if not ((values >= 0) & (values <= 1)).all():
        raise DataError(
            "Predictions lie in 0..1, and values from "
            f"{values.min():.4g} to {values.max():.4g} came. Give probabilities or 0 and 1."
        )
    return values
