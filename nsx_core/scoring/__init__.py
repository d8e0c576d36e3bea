"""From predictions to scores: necessity and sufficiency of every word.

Method of Balkir et al. (balkir-etal-2022), for the explained class y, text x and
counterfactual texts c::

    N_i = mean over the draws that replace word i of  [f(x) = y] - [f(c) = y]
    S_i = mean over the draws that keep word i of     [f(c) = y],  minus the baseline

The baseline is the classifier's rate of y on neutral text. With scores in place of hard
predictions, [f = y] is P(y), for the original text and the baseline too. Both scores are raw,
in -1..1; a negative one is a finding, not a fault. Each side has its own draws: hand over only
that side's predictions and masks. The two definitions live here and nowhere else.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsx_core.errors import DataError, SettingsError
from nsx_core.records import Side

__all__ = ["counted", "draw_counts", "kept_share", "necessity", "sufficiency"]


def necessity(original: float, predictions: ArrayLike, masks: ArrayLike) -> NDArray[np.float64]:
    """float64[n_words] in -1..1: how much replacing each word loses; NaN without a draw.

    original: [f(x) = y] as 0 or 1, or P(y), of the original text. predictions: bool or
    float[n_draws] in 0..1. masks: bool[n_draws, n_words], True = replaced. Raises
    ``DataError`` where the arrays do not fit, ``SettingsError`` for the original.
    """
    return _checked_unit("original prediction", original) - kept_share(
        predictions, masks, Side.NECESSITY
    )


def sufficiency(baseline: float, predictions: ArrayLike, masks: ArrayLike) -> NDArray[np.float64]:
    """float64[n_words] in -1..1: how much keeping each word keeps; NaN without a draw.

    baseline: rate of y on neutral text (its mean P(y) with scores), in 0..1. predictions:
    bool or float[n_draws] in 0..1. masks: bool[n_draws, n_words], True = replaced. Raises
    ``DataError`` where the arrays do not fit, ``SettingsError`` for the baseline.
    """
    return kept_share(predictions, masks, Side.SUFFICIENCY) - _checked_unit("baseline", baseline)


def draw_counts(masks: ArrayLike, side: Side) -> NDArray[np.int64]:
    """int64[n_words]: draws that replace each word (necessity), or keep it (sufficiency)."""
    counts: NDArray[np.int64] = counted(masks, side).sum(axis=0, dtype=np.int64)
    return counts


def counted(masks: ArrayLike, side: Side) -> NDArray[np.bool_]:
    """bool[n_draws, n_words]: which draws count for which word on this side."""
    replaced = np.asarray(masks)
    if replaced.ndim != 2:
        raise DataError(
            "Masks have shape (n_draws, n_words), and an array of shape "
            f"{replaced.shape} came. Give one row a draw."
        )
    if replaced.dtype != np.bool_:
        raise DataError(f"Masks are bool, True = replaced, and {replaced.dtype} came.")
    return replaced if Side(side) is Side.NECESSITY else ~replaced


def kept_share(predictions: ArrayLike, masks: ArrayLike, side: Side) -> NDArray[np.float64]:
    """float64[n_words] in 0..1: mean prediction over each word's draws; NaN without one.

    Arguments as for ``necessity``; both scores are this mean against a constant.
    """
    chosen = counted(masks, side)
    values = np.asarray(predictions, dtype=np.float64)
    if values.shape != chosen.shape[:1]:
        raise DataError(
            f"There is one prediction a draw: masks have {chosen.shape[0]} draws, and "
            f"predictions of shape {values.shape} came."
        )
    if not ((values >= 0) & (values <= 1)).all():
        raise DataError(
            "Predictions lie in 0..1, and values from "
            f"{values.min():.4g} to {values.max():.4g} came. Give probabilities or 0 and 1."
        )
    counts = chosen.sum(axis=0)
    sums = values @ chosen.astype(np.float64)
    means: NDArray[np.float64] = np.full(counts.shape, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def _checked_unit(what: str, value: float) -> float:
    if not 0 <= value <= 1:
        raise SettingsError(f"The {what} lies in 0..1, and {value} came.")
    return float(value)
