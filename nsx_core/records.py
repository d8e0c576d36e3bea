"""The frozen records that stages hand to one another.

Masks are bool[n_words], True = replaced. Word and run positions count from 0.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum

from nsx_core.settings import (
    BUDGET_DEFAULT,
    SAMPLER_DEFAULT,
    TEMPERATURE_DEFAULT,
    THRESHOLD_DEFAULT,
    TOP_P_DEFAULT,
)


class Side(StrEnum):
    """Which question a score answers."""

    NECESSITY = "necessity"
    SUFFICIENCY = "sufficiency"


class DrawSide(StrEnum):
    """Which scores a draw counts for: its sampler decides."""

    NECESSITY = "necessity"
    SUFFICIENCY = "sufficiency"
    BOTH = "both"

    def counts_on(self, side: Side) -> bool:
        """Whether a draw of this side counts for the scores of ``side``."""
        return self is DrawSide.BOTH or self.value == side.value

    @property
    def weighted(self) -> bool:
        """Whether such draws need the weights of ``nsx_core.counting``."""
        return self is DrawSide.BOTH


@dataclass(frozen=True, slots=True)
class Word:
    """One unit of a text: ``text[start:end]`` of the original."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SplitText:
    """A text and its words; words and the gaps between them give the text back exactly."""

    text: str
    words: tuple[Word, ...]

    @property
    def spaces(self) -> tuple[bool, ...]:
        """Whether each word has a gap before it (True for a first word at position > 0)."""
        ends = (0, *(w.end for w in self.words))
        return tuple(w.start > e for w, e in zip(self.words, ends, strict=False))


@dataclass(frozen=True, slots=True)
class Mask:
    """One draw's mask: ``replaced`` bool[n_words]; ``number`` counts within its side."""

    side: DrawSide
    number: int
    replaced: tuple[bool, ...]

    @property
    def bits(self) -> str:
        """One character a word, 1 = replaced: how the store and exports write a mask."""
        return "".join("1" if r else "0" for r in self.replaced)


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """How an infiller samples; part of every draw's key.

    temperature > 0; top_p in (0, 1]; redraw_unchanged: draw again, at most 5 times, when
    the infill equals the words it replaces (paper mode keeps it).
    """

    temperature: float = TEMPERATURE_DEFAULT
    top_p: float = TOP_P_DEFAULT
    redraw_unchanged: bool = True


@dataclass(frozen=True, slots=True)
class InfillRequest:
    """What an infiller needs for one draw; ``seed`` alone decides its randomness."""

    words: tuple[str, ...]
    spaces: tuple[bool, ...]
    replaced: tuple[bool, ...]
    seed: int


@dataclass(frozen=True, slots=True)
class Draw:
    """One counterfactual text.

    ``answers`` holds one string a run of replaced words; ``unchanged`` marks a draw whose
    text equals the original (case and space ignored) after ``redraws`` redraws.
    """

    side: DrawSide
    number: int
    replaced: tuple[bool, ...]
    answers: tuple[str, ...]
    text: str
    unchanged: bool = False
    redraws: int = 0

    @property
    def bits(self) -> str:
        return "".join("1" if r else "0" for r in self.replaced)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A score with its interval and the number of draws it was counted from.

    value, low, high are None where undefined (n == 0, or sufficiency of a one-word text).
    """

    value: float | None
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, slots=True)
class WordScore:
    """Both scores of one word."""

    word: Word
    necessity: Estimate
    sufficiency: Estimate


@dataclass(frozen=True, slots=True)
class ExplainSettings:
    """Everything a person can set for one explanation.

    budget 10..400 expected draws a word and score; seed 0..2**31-1; threshold strictly
    between 0 and 1; label: the explained class, None = the classifier's own default;
    use_scores: P(y) in place of [f = y]; sampler and splitter by name.
    """

    budget: int = BUDGET_DEFAULT
    seed: int = 0
    threshold: float = THRESHOLD_DEFAULT
    label: str | None = None
    use_scores: bool = False
    sampler: str = SAMPLER_DEFAULT
    splitter: str = "whitespace"
    phrases: tuple[str, ...] = ()
    generation: GenerationSettings = field(default_factory=GenerationSettings)


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """What is asked of one explanation: a text, models by name, settings."""

    text: str
    classifier: str
    infiller: str
    settings: ExplainSettings


@dataclass(frozen=True, slots=True)
class JudgedDraw:
    """A draw with the explained class's probability, and whether the class was kept."""

    draw: Draw
    probability: float
    kept: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """One text explained for one classifier.

    ``draw_set`` is the key under which the store keeps the draws; ``probability`` is the explained class's on the original text; ``predicted`` whether it
    reaches the threshold; ``baseline`` the rate of the explained class on neutral text (the
    mean probability where scores are used); ``draws`` are the judged draws behind every
    score; ``seconds`` by stage; ``unseen_words`` were cut off by the classifier.
    """

    key: str
    draw_set: str
    text: str
    classifier: str
    infiller: str
    label: str
    settings: ExplainSettings
    probabilities: dict[str, float]
    probability: float
    predicted: bool
    baseline: float
    words: tuple[WordScore, ...]
    draws: tuple[JudgedDraw, ...]
    infilled: int
    seconds: dict[str, float]
    versions: dict[str, str]
    unseen_words: int = 0


@dataclass(frozen=True, slots=True)
class Strike:
    """The last word on one draw of a draw set: whether it is struck out, and why.

    ``reason``: 1 to 500 characters, empty where a strike was taken back; ``created``: Unix
    seconds.
    """

    side: DrawSide
    number: int
    struck: bool
    reason: str
    created: float


class NoteKind(StrEnum):
    """What a note is of."""

    EDIT = "edit"


class NoteSubject(StrEnum):
    """What a note is kept with."""

    TEXT = "text"
    AUDIT = "audit"


@dataclass(frozen=True, slots=True)
class Note:
    """A change made by hand to a text, kept with what it did to one class's probability.

    subject_id: the audit's id, or ``text_hash`` of the text; edited: the changed text;
    fingerprint: the classifier's; before, after: P(label) of both texts, in 0..1, ``threshold``
    strictly between 0 and 1; comment: 0 to 500 characters; created: Unix seconds; withdrawn:
    whether the last word on it is that it no longer stands.
    """

    id: str
    kind: NoteKind
    subject: NoteSubject
    subject_id: str
    text: str
    edited: str
    classifier: str
    fingerprint: str
    label: str
    threshold: float
    before: float
    after: float
    comment: str
    created: float
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Growth:
    """One word's score over the first ``draws`` draws, NaN while it has none; equal lengths."""

    word: int
    side: Side
    draws: tuple[int, ...]
    values: tuple[float, ...]


def text_hash(text: str) -> str:
    """sha256 of the text, lone surrogates included: the key of texts and predictions."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
