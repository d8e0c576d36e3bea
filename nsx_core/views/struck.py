"""What an auditor has struck out of an explanation, as the figures and files show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nsx_core.records import DrawSide, Explanation

__all__ = ["Struck"]


@dataclass(frozen=True, slots=True)
class Struck:
    """The struck draws of one explanation, at least one, and the scores of the others.

    ``reasons``: (side, number) of each struck draw -> why; ``without``: the same explanation
    scored on its other draws.
    """

    reasons: Mapping[tuple[DrawSide, int], str]
    without: Explanation
