"""From predictions to scores: necessity and sufficiency of every word.

Method of Balkir et al. (balkir-etal-2022), for the explained class y, text x and
counterfactual texts c::

    N_i = mean over the draws that replace word i of  [f(x) = y] - [f(c) = y]
    S_i = mean over the draws that keep word i of     [f(c) = y],  minus the baseline

The baseline is the classifier's rate of y on neutral text. With scores in place of hard
predictions, [f = y] is P(y), for the original text and the baseline too. Both scores are raw,
in -1..1; a negative one is a finding, not a fault. The two definitions live here and nowhere
else.

The paper's sampler draws for each side apart: hand over only that side's predictions and masks,
and plain means estimate the scores. Draws of the balanced sampler count on both sides and need
the weights of ``nsx_core.counting``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsx_core.errors import SettingsError
from nsx_core.records import Side
from nsx_core.scoring.shares import draw_counts, kept_share

__all__ = ["draw_counts", "kept_share", "necessity", "sufficiency"]


def necessity(
    original: float, predictions: ArrayLike, masks: ArrayLike, weights: ArrayLike | None = None
) -> NDArray[np.float64]:
    """float64[n_words] in -1..1: how much replacing each word loses; NaN without a draw.

    original: [f(x) = y] as 0 or 1, or P(y), of the original text. predictions: bool or
    float[n_draws] in 0..1. masks: bool[n_draws, n_words], True = replaced. weights:
    float[n_draws, n_words] at least 0, None = all equal. Raises ``DataError`` where the arrays
    do not fit, ``SettingsError`` for the original.
    """
    return _checked_unit("original prediction", original) - kept_share(
        predictions, masks, Side.NECESSITY, weights
    )


def sufficiency(
    baseline: float, predictions: ArrayLike, masks: ArrayLike, weights: ArrayLike | None = None
) -> NDArray[np.float64]:
    """float64[n_words] in -1..1: how much keeping each word keeps; NaN without a draw.

    baseline: rate of y on neutral text (its mean P(y) with scores), in 0..1. predictions:
    bool or float[n_draws] in 0..1. masks: bool[n_draws, n_words], True = replaced. weights:
    as for ``necessity``. Raises ``DataError`` where the arrays do not fit, ``SettingsError``
    for the baseline.
    """
    kept = kept_share(predictions, masks, Side.SUFFICIENCY, weights)
    return kept - _checked_unit("baseline", baseline)


def _checked_unit(what: str, value: float) -> float:
    if not 0 <= value <= 1:
        raise SettingsError(f"The {what} lies in 0..1, and {value} came.")
    return float(value)
