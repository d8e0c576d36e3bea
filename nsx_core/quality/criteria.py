"""What a shipped infiller must reach, each limit in one place; a miss is said, never hidden."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from nsx_core.quality.metrics import InfillerQuality

__all__ = ["Criterion", "own_criteria", "paired_criteria"]

UNCHANGED_MAX, DUPLICATES_MAX, EMPTY_MAX = 0.05, 0.15, 0.01
POSITIVE_RATIO_MAX = 1.5
FLUENCY_GAIN_MIN = 0.2


@dataclass(frozen=True, slots=True)
class Criterion:
    """A figure and its limit; ``at_most`` False means 'at least'.

    ``value`` None means that it could not be measured, which is a miss.
    """

    name: str
    value: float | None
    limit: float
    at_most: bool = True

    @property
    def met(self) -> bool:
        if self.value is None or math.isnan(self.value):
            return False
        return self.value <= self.limit if self.at_most else self.value >= self.limit

    def as_json(self) -> dict[str, Any]:
        """Plain values, with the verdict."""
        return {
            "name": self.name,
            "met": self.met,
            "value": self.value,
            "rule": "at most" if self.at_most else "at least",
            "limit": self.limit,
        }


def own_criteria(
    quality: InfillerQuality, positive: float, sentences: float, fragments: float
) -> list[Criterion]:
    """Limits on an infiller's own draws.

    Shares 0..1 called positive: of the infilled words alone, of neutral sentences, and of
    neutral fragments as long as the infilled words.
    """
    return [
        Criterion("unchanged", quality.unchanged, UNCHANGED_MAX),
        Criterion("duplicates within a text and mask", quality.duplicates, DUPLICATES_MAX),
        Criterion(
            "duplicates among draws with an earlier one of their text and mask",
            quality.repeat_duplicates if quality.groups < quality.draws else 0.0,
            DUPLICATES_MAX,
        ),
        Criterion("empty", quality.empty, EMPTY_MAX),
        Criterion("kept words intact", quality.kept_intact, 1.0, at_most=False),
        Criterion(
            "infilled words called positive, times neutral sentences",
            _times(positive, sentences),
            POSITIVE_RATIO_MAX,
        ),
        Criterion(
            "infilled words called positive, times neutral fragments as long",
            _times(positive, fragments),
            POSITIVE_RATIO_MAX,
        ),
    ]


def paired_criteria(
    title: str,
    ours: InfillerQuality,
    theirs: InfillerQuality,
    log_probability: tuple[float | None, float | None],
    positive: tuple[float, float],
    at_equal_words: tuple[tuple[float, float], tuple[float, float]],
) -> list[Criterion]:
    """Ours against theirs on the same texts and masks, pairs as (ours, theirs).

    log_probability: medians in nats a token; positive: shares 0..1 of infilled words called
    positive; at_equal_words: expected distinct (words, bigrams) at an equal number of them.
    """
    gain = None
    if log_probability[0] is not None and log_probability[1] is not None:
        gain = log_probability[0] - log_probability[1]
    words, pairs = at_equal_words

    def more(name: str, pair: tuple[float, float]) -> Criterion:
        return Criterion(f"{title}: {name}", pair[0], pair[1], at_most=False)

    return [
        Criterion(f"{title}: log-probability gained", gain, FLUENCY_GAIN_MIN, at_most=False),
        Criterion(f"{title}: unchanged", ours.unchanged, theirs.unchanged),
        more("distinct words", (ours.distinct_words, theirs.distinct_words)),
        more("distinct bigrams", (ours.distinct_bigrams, theirs.distinct_bigrams)),
        more("distinct words at an equal number of words", words),
        more("distinct bigrams at an equal number of bigrams", pairs),
        Criterion(
            f"{title}: length, absolute log ratio to the original",
            abs(math.log(ours.length_ratio)) if ours.length_ratio > 0 else None,
            abs(math.log(theirs.length_ratio)) if theirs.length_ratio > 0 else 0.0,
        ),
        Criterion(f"{title}: infilled words called positive", positive[0], positive[1]),
    ]


def _times(rate: float, reference: float) -> float | None:
    if reference > 0:
        return rate / reference
    return 0.0 if rate == 0 else None
