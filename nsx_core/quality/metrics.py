"""Count what an infiller wrote: see the package's docstring for the method.

Shares are fractions 0..1. 'Word' means a piece between white space with a letter or digit in
it, compared without case and without punctuation at its ends.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, lgamma
from statistics import fmean

from nsx_core.errors import DataError
from nsx_core.infilling import is_unchanged
from nsx_core.quality.alignment import Alignment, aligned

_PLACEHOLDER = re.compile(
    r"\[(?:USER|URL|EMOJI|RT|deleted|removed)\]|\[?linebreak\]|\[linebreak"
    r"|\$(?:MENTION|URL)|(?:MENTION|URL)\$|<\|\w+\|>",
    re.IGNORECASE,
)
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")


@dataclass(frozen=True, slots=True)
class Infilled:
    """One counterfactual text to be measured.

    replaced: bool[n_words] over ``original.split()``; ``redraws``: how often it was drawn
    again because it came out unchanged; ``alignment`` None = kept words could not be found.
    """

    original: str
    replaced: tuple[bool, ...]
    text: str
    redraws: int = 0
    alignment: Alignment | None = None

    @property
    def unchanged(self) -> bool:
        return is_unchanged(self.original, self.text)


@dataclass(frozen=True, slots=True)
class InfillerQuality:
    """What was counted over ``draws`` texts; all but counts and ratios are shares of draws.

    - groups: distinct (text, mask) pairs. duplicates: draws whose text an earlier draw of the
      same text and mask has. repeat_duplicates: the same as a share of the draws that have an
      earlier draw of their text and mask at all, since only they can be duplicates (None
      where there are none).
    - unchanged: equal to the original, case and space ignored; unchanged_at_first: before
      any redraw.
    - kept_intact: every kept word in its place letter for letter. aligned: the same, or with
      punctuation glued to it. What follows is counted over aligned texts.
    - empty: at least one run of replaced words got nothing.
    - infilled_words, distinct_words, distinct_bigrams: counts over infilled words alone;
      word_type_ratio and bigram_type_ratio divide them by the words and bigrams there are.
    - length_ratio: mean of words of a text / words of its original (over all draws).
      answer_ratio: infilled pieces / replaced words.
    - placeholders: share of infilled pieces that hold one ([USER], $URL$, [linebreak] ...);
      placeholder_draws: share of aligned draws with one.
    """

    draws: int
    groups: int
    duplicates: float
    repeat_duplicates: float | None
    unchanged: float
    unchanged_at_first: float
    aligned: float
    kept_intact: float
    empty: float
    infilled_words: int
    distinct_words: int
    distinct_bigrams: int
    word_type_ratio: float
    bigram_type_ratio: float
    length_ratio: float
    answer_ratio: float
    placeholders: float
    placeholder_draws: float


def infilled(original: str, replaced: Sequence[bool], text: str, redraws: int = 0) -> Infilled:
    """The record of one text, with its answers recovered from the text."""
    words = original.split()
    if len(words) != len(replaced):
        raise DataError(
            f"A mask has one character a word, and {len(replaced)} came for the {len(words)} "
            f"words of {original!r}."
        )
    found = aligned(words, replaced, text)
    return Infilled(original, tuple(map(bool, replaced)), text, redraws, found)


def infilled_text(item: Infilled) -> str:
    """The infilled pieces alone, joined by spaces; empty where there are none."""
    return " ".join(item.alignment.pieces) if item.alignment else ""


def holds_placeholder(text: str) -> bool:
    """Whether a corpus placeholder stands in the text, whole or broken."""
    return _PLACEHOLDER.search(text) is not None


def word_tokens(items: Iterable[Infilled]) -> list[str]:
    """All infilled words, as they are compared."""
    return [word for answer in _answers(items) for word in answer]


def bigrams(items: Iterable[Infilled]) -> list[tuple[str, str]]:
    """All pairs of neighbouring infilled words; never across two answers."""
    return [pair for a in _answers(items) for pair in pairwise(a)]


def expected_distinct(tokens: Sequence[Hashable], size: int) -> float:
    """How many distinct tokens ``size`` of them, drawn without replacement, hold on average.

    0 <= size <= len(tokens). Exact (hurlbert-1971), so two samples of unequal sizes compare.
    """
    total = len(tokens)
    if not 0 <= size <= total:
        raise ValueError(f"0 <= size <= {total} tokens, and {size} came.")
    # log C(total - n, size) - log C(total, size): the chance of missing a type of n tokens.
    fixed = lgamma(total - size + 1) - lgamma(total + 1)
    found = 0.0
    for n in Counter(tokens).values():
        left = total - n - size
        missed = 0.0
        if left >= 0:
            missed = exp(lgamma(total - n + 1) - lgamma(left + 1) + fixed)
        found += 1 - missed
    return found


def infiller_quality(items: Sequence[Infilled]) -> InfillerQuality:
    """Every figure over the given texts, at least one."""
    if not items:
        raise DataError("A quality report needs at least one counterfactual text, and none came.")
    groups = Counter((i.original, i.replaced) for i in items)
    distinct = len({(i.original, i.replaced, i.text) for i in items})
    repeats = len(items) - len(groups)
    known = [i for i in items if i.alignment is not None]
    pieces = [p for i in known if i.alignment for p in i.alignment.pieces]
    words, pairs = word_tokens(known), bigrams(known)
    asked = sum(sum(i.replaced) for i in known)
    return InfillerQuality(
        draws=len(items),
        groups=len(groups),
        duplicates=(len(items) - distinct) / len(items),
        repeat_duplicates=(len(items) - distinct) / repeats if repeats else None,
        unchanged=fmean(i.unchanged for i in items),
        unchanged_at_first=fmean(i.redraws > 0 or i.unchanged for i in items),
        aligned=len(known) / len(items),
        kept_intact=fmean(i.alignment is not None and i.alignment.exact for i in items),
        empty=_share([not all(i.alignment.answers) for i in known if i.alignment]),
        infilled_words=len(words),
        distinct_words=len(set(words)),
        distinct_bigrams=len(set(pairs)),
        word_type_ratio=len(set(words)) / len(words) if words else 0.0,
        bigram_type_ratio=len(set(pairs)) / len(pairs) if pairs else 0.0,
        length_ratio=fmean(len(i.text.split()) / len(i.original.split()) for i in items),
        answer_ratio=len(pieces) / asked if asked else 0.0,
        placeholders=_share([holds_placeholder(p) for p in pieces]),
        placeholder_draws=_share([holds_placeholder(infilled_text(i)) for i in known]),
    )


def _answers(items: Iterable[Infilled]) -> Iterable[list[str]]:
    for item in items:
        for answer in item.alignment.answers if item.alignment else ():
            bare = [_EDGES.sub("", piece.casefold()) for piece in answer]
            yield [word for word in bare if word]


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits) if hits else 0.0
