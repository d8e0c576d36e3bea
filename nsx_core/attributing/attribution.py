"""What a method gives the words of a text, and how its pieces become our words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from nsx_core.records import SplitText

__all__ = ["Attribution", "pieces_within", "without_pieces"]

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Attribution:
    """One method's scores of the words of a text.

    method: 'SHAP', 'SHAP permutation' or 'LIME'. scores: one a word, in units of probability;
    above 0 speaks for the explained class; None = the method gave the word nothing. calls:
    texts that the method asked the classifier about; texts: distinct ones. seconds: method and
    classifier, loading the package left out. note: what to know of these scores, in sentences.
    """

    method: str
    seed: int
    scores: tuple[float | None, ...]
    calls: int
    texts: int
    seconds: float
    note: str


def pieces_within(split: SplitText, pieces: Sequence[Span]) -> tuple[list[list[int]], int]:
    """The numbers of the pieces that lie within each word, and how many lie within none."""
    starts = [word.start for word in split.words]
    within: list[list[int]] = [[] for _ in split.words]
    astray = 0
    for number, (start, end) in enumerate(pieces):
        at = bisect_right(starts, start) - 1
        if at >= 0 and end <= split.words[at].end:
            within[at].append(number)
        else:
            astray += 1
    return within, astray


def without_pieces(method: str, within: Sequence[Sequence[int]], astray: int) -> list[str]:
    """Sentences on words that the method gives nothing, and on pieces that no word gets."""
    said = []
    if none := sum(not numbers for numbers in within):
        said.append(
            f"{none} of {len(within)} words {'has' if none == 1 else 'have'} no letter or digit "
            f"of {'its' if none == 1 else 'their'} own, so {method} gives "
            f"{'it' if none == 1 else 'them'} no score."
        )
    if astray:
        said.append(
            f"{astray} of {method}'s pieces {'does' if astray == 1 else 'do'} not lie within "
            "one word; no word gets what they got."
        )
    return said
