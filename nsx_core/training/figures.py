"""F1 and its parts for a two-class classifier, each defined once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsx_core.adapters.manifest import Figures

__all__ = ["best_shift", "figures", "macro_f1"]

# Searched in log-odds; beyond +-4 a shift would overrule nearly every answer.
_SHIFTS = np.round(np.linspace(-4, 4, 161), 2)
# A shift must beat its neighbours too, so that one lucky dev text does not choose it.
_WINDOW = 5


def figures(labels: NDArray[np.int64], predicted: NDArray[np.bool_]) -> Figures:
    """Measures of bool[n] predictions against int64[n] labels of 0 and 1.

    Precision and recall are of label 1; where nothing is predicted positive, precision
    counts as 0. Micro F1 over both classes is the share of right answers.
    """
    truth = labels == 1
    hits = int((truth & predicted).sum())
    false_alarms = int((~truth & predicted).sum())
    misses = int((truth & ~predicted).sum())
    return Figures(
        n=len(labels),
        positives=int(truth.sum()),
        macro_f1=macro_f1(labels, predicted),
        micro_f1=float((truth == predicted).mean()),
        precision=hits / (hits + false_alarms) if hits + false_alarms else 0.0,
        recall=hits / (hits + misses) if hits + misses else 0.0,
    )


def macro_f1(labels: NDArray[np.int64], predicted: NDArray[np.bool_]) -> float:
    """The mean of both classes' F1, 0..1; a class never given nor present counts as 0."""
    truth = labels == 1
    wrong = int((truth != predicted).sum())
    rights = (int((truth & predicted).sum()), int((~truth & ~predicted).sum()))
    return sum(2 * right / (2 * right + wrong) if right else 0.0 for right in rights) / 2


def best_shift(labels: NDArray[np.int64], log_odds: NDArray[np.float64]) -> float:
    """The shift in -4..4 to add to float64[n] log-odds of label 1 for the best macro F1.

    Scores are averaged over neighbouring shifts (0.25 wide); of equals the one nearest 0.
    """
    scores = np.array([macro_f1(labels, log_odds + shift >= 0) for shift in _SHIFTS])
    edge = _WINDOW // 2
    smooth = np.convolve(np.pad(scores, edge, mode="edge"), np.ones(_WINDOW) / _WINDOW, "valid")
    best = np.flatnonzero(smooth >= smooth.max() - 1e-12)
    return float(_SHIFTS[best[np.abs(_SHIFTS[best]).argmin()]])
