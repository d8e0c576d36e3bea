"""Wilson's score interval for a proportion (wilson-1927), and Student's t quantile."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsx_core.errors import DataError, SettingsError

__all__ = ["CONFIDENCE", "student_quantile", "wilson"]

Floats = NDArray[np.float64]
CONFIDENCE = 0.95
_NORMAL = NormalDist()


def wilson(
    successes: ArrayLike, n: ArrayLike, confidence: float = CONFIDENCE
) -> tuple[Floats, Floats]:
    """Wilson's score interval (low, high), float64 of the broadcast shape, in 0..1.

    successes in 0..n, fractions allowed; n >= 0, and n = 0 gives (0, 1): nothing is known.
    confidence strictly between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise SettingsError(f"Confidence lies strictly between 0 and 1, and {confidence} came.")
    k, total = np.broadcast_arrays(
        np.asarray(successes, dtype=np.float64), np.asarray(n, dtype=np.float64)
    )
    if not ((k >= 0) & (k <= total)).all():
        raise DataError(f"Successes lie in 0..n, and {successes!r} of {n!r} came.")
    z2 = _NORMAL.inv_cdf((1 + confidence) / 2) ** 2
    share = np.divide(k, total, out=np.zeros(k.shape), where=total > 0)
    centre = k + z2 / 2
    half = np.sqrt(z2 * (k * (1 - share) + z2 / 4))
    low = np.where(k == 0, 0.0, (centre - half) / (total + z2))
    high = np.where(k == total, 1.0, (centre + half) / (total + z2))
    return low.clip(0, 1), high.clip(0, 1)


def student_quantile(share: float, freedom: int) -> float:
    """Student's t quantile, Cornish-Fisher series of Hill (1970): enough for resampled ranks."""
    z = _NORMAL.inv_cdf(share)
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )
