"""Numbers as they are printed everywhere."""

from __future__ import annotations

import math

from nsx_core.records import Estimate

__all__ = [
    "UNDEFINED",
    "counted",
    "duration",
    "interval",
    "percent",
    "probability",
    "score",
    "threshold",
]

UNDEFINED = "undefined"
_DASH, _MINUS = "\u2013", "\u2212"
_PLACES_MAX = 4


def score(value: float | None, places: int = 2) -> str:
    """'0.72', '−0.10' or 'undefined'; never '-0.00'."""
    if value is None:
        return UNDEFINED
    written = f"{value:.{places}f}"
    if float(written) == 0:
        written = written.lstrip("-")
    return written.replace("-", _MINUS)


def probability(value: float, limit: float) -> str:
    """'0.72', with up to four decimals where fewer would put it on the wrong side of ``limit``."""
    reaches = value >= limit
    for places in range(2, _PLACES_MAX + 1):
        if (round(value, places) >= limit) is reaches:
            return score(value, places)
    # Nearer than four decimals can tell: rounded away from the limit, not onto it.
    step = 10**_PLACES_MAX
    return score((math.ceil if reaches else math.floor)(value * step) / step, _PLACES_MAX)


def threshold(value: float) -> str:
    """'0.50'; more decimals, up to four, where it has them."""
    written = score(value, _PLACES_MAX)
    whole, _, decimals = written.partition(".")
    return f"{whole}.{decimals.rstrip('0').ljust(2, '0')}"


def interval(estimate: Estimate) -> str:
    """'0.63–0.80', or 'undefined'."""
    if estimate.low is None or estimate.high is None:
        return UNDEFINED
    low, high = score(estimate.low), score(estimate.high)
    return f"{low} to {high}" if _MINUS in low + high else f"{low}{_DASH}{high}"


def percent(share: float, places: int | None = None) -> str:
    """'12 %', '0.4 %', '0 %'; with ``places`` decimals in a column of shares."""
    if places is None:
        places = 1 if 0 < abs(share) < 0.0995 else 0
    return f"{score(share * 100, places)} %"


def duration(seconds: float) -> str:
    """'19 s' or '2 min 5 s'."""
    whole = max(0, round(seconds))
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def counted(number: int, one: str, several: str = "") -> str:
    """'1 case', '3,728 cases'; ``several`` where it is not ``one`` with an s."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"
