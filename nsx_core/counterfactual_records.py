"""Records of counterfactual explanations: the goal, what was tried, what was found.

The frame is the chapter on counterfactual explanations of molnar-2022: a good one reaches the
goal (validity), changes little (proximity) in few places (sparsity), and reads like a text that
might be met (plausibility). There are many for one text (the Rashomon effect), so they are
ranked and none is hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from nsx_core.errors import SettingsError
from nsx_core.records import ExplainRequest, Word
from nsx_core.settings import CALLS_DEFAULT, DELTA_DEFAULT, PRECISION_DEFAULT

__all__ = [
    "Candidate",
    "Counterfactual",
    "CounterfactualRequest",
    "Ended",
    "Findings",
    "Goal",
    "Method",
    "MethodFound",
    "Removal",
    "SetKind",
    "Share",
    "WordSet",
]


class Method(StrEnum):
    """The four published methods, in the order in which they are shown."""

    WACHTER = "wachter"
    SEDC = "sedc"
    SPHERES = "growing-spheres"
    ANCHORS = "anchors"


@dataclass(frozen=True, slots=True)
class Goal:
    """Which probability of the explained class is wanted, and how near is near enough.

    original: P(class) of the text itself, in 0..1; threshold strictly between 0 and 1: from it
    on the class is predicted; target: the wanted P(class), in 0..1; tolerance (epsilon) >= 0:
    how far from the target still counts. Raises ``SettingsError`` for anything else.
    """

    original: float
    threshold: float
    target: float
    tolerance: float

    def __post_init__(self) -> None:
        if not 0 < self.threshold < 1:
            raise SettingsError(
                f"The decision threshold lies strictly between 0 and 1, and {self.threshold} came. "
                "Choose, for example, 0.5."
            )
        if not 0 <= self.target <= 1:
            raise SettingsError(
                f"The wanted probability lies in 0 to 1, and {self.target} came. "
                "Choose, for example, 0 to lose the class."
            )
        if not 0 <= self.tolerance <= 1:
            raise SettingsError(
                f"The tolerance (epsilon) lies in 0 to 1, and {self.tolerance} came. "
                "Choose, for example, 0.5, or 0 for the exact probability."
            )

    @classmethod
    def flip(cls, original: float, threshold: float) -> Goal:
        """Any text on the other side of the threshold: the far end, as wide as that side."""
        if original >= threshold:
            return cls(original, threshold, 0.0, threshold)
        return cls(original, threshold, 1.0, 1 - threshold)

    @property
    def predicted(self) -> bool:
        """Whether the text itself is predicted to be of the class."""
        return self.original >= self.threshold

    @property
    def crosses(self) -> bool:
        """Whether the wanted probability lies on the other side of the threshold."""
        return (self.target >= self.threshold) != self.predicted

    def held(self, probability: float) -> bool:
        """Whether the prediction is the text's own."""
        return (probability >= self.threshold) == self.predicted

    def gap(self, probability: float) -> float:
        """|P - target|, in 0..1."""
        return abs(probability - self.target)

    def reached(self, probability: float) -> bool:
        """Whether it lies within the tolerance and, where the goal crosses, on the other side."""
        near = self.gap(probability) <= self.tolerance
        return near and not (self.crosses and self.held(probability))


@dataclass(frozen=True, slots=True)
class Candidate:
    """One text that was judged.

    replaced: bool[n_words]; answers: one a run of replaced words, '' = left out; probability:
    P(explained class) in 0..1; unchanged: equal to the original, case and space ignored.
    """

    replaced: tuple[bool, ...]
    answers: tuple[str, ...]
    text: str
    probability: float
    unchanged: bool = False

    @property
    def words_changed(self) -> int:
        """How many words of the original are replaced; 0 for a text that is the original."""
        return 0 if self.unchanged else sum(self.replaced)


@dataclass(frozen=True, slots=True)
class Share:
    """``count`` of ``n``, with its interval in 0..1; n = 0: undefined, 0 to 1."""

    count: int
    n: int
    low: float
    high: float

    @property
    def value(self) -> float | None:
        """count / n, None where n is 0."""
        return self.count / self.n if self.n else None


class SetKind(StrEnum):
    """What is done with the words of a set."""

    REMOVED = "removed"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class WordSet:
    """Words that, removed, reach the goal (SEDC), or that, kept, hold the prediction (Anchors).

    words: positions, ascending; may be empty for an anchor. share: of its texts that reach the
    goal (removed) or hold the prediction (kept), with the method's own interval. coverage: of an
    anchor, the share of perturbed texts in which all its words stand, in 0..1. breakers: of an
    anchor, texts that lost the prediction though its words stood; examples: of a removed set,
    texts that reached the goal, the best first. proven: whether the method's own test is passed;
    a set that is not is the best one within the budget.
    """

    kind: SetKind
    words: tuple[int, ...]
    share: Share
    coverage: float | None = None
    proven: bool = True
    examples: tuple[Candidate, ...] = ()
    breakers: tuple[Candidate, ...] = ()


class Removal(StrEnum):
    """How SEDC removes words."""

    INFILL = "infill"
    MASK = "mask"
    DELETION = "deletion"


@dataclass(frozen=True, slots=True)
class CounterfactualRequest:
    """What is asked: an explanation's request, the goal, the methods and what they may cost.

    target, tolerance: see ``Goal``; both None = any text on the other side of the threshold.
    budget 1..CALLS_MAX: classifier calls a method, beyond the explanation's own. precision: tau of
    an anchor, delta: how often its bounds may fail, both strictly between 0 and 1.
    """

    explain: ExplainRequest
    target: float | None = None
    tolerance: float | None = None
    budget: int = CALLS_DEFAULT
    methods: tuple[Method, ...] = tuple(Method)
    removal: Removal = Removal.INFILL
    precision: float = PRECISION_DEFAULT
    delta: float = DELTA_DEFAULT


class Ended(StrEnum):
    """Why a method stopped."""

    COMPLETE = "complete"
    BUDGET = "budget"
    TIME = "time"
    SIZE = "size"


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """One counterfactual text with the criteria of a good one; equal for all methods.

    methods: who lists it among its answers, or asked the classifier about it, in the order of
    ``Method``; empty = only among the draws behind necessity and sufficiency. pieces: (text,
    whether it was written anew), together ``candidate.text``. before, after: P(explained class).
    words_changed: words of the original that were replaced; edit_distance: words to insert,
    delete or exchange (Levenshtein); cosine: of the two texts' sentence embeddings, in -1..1;
    fluency: the infiller's mean log-probability a token, less the original's, in nats, None where
    it has no such model; valid: whether the goal is reached.
    """

    methods: tuple[Method, ...]
    candidate: Candidate
    pieces: tuple[tuple[str, bool], ...]
    before: float
    after: float
    words_changed: int
    edit_distance: int
    cosine: float
    fluency: float | None
    valid: bool

    @property
    def text(self) -> str:
        return self.candidate.text

    @property
    def method(self) -> Method | None:
        """The first of its methods, None where it has none."""
        return self.methods[0] if self.methods else None


@dataclass(frozen=True, slots=True)
class MethodFound:
    """One method's answer.

    listed: its counterfactuals, best first, no two of the same word set; all valid, or, where
    none is, empty, and ``nearest`` is the text whose probability came nearest to the goal. Their
    ``methods`` tell of this method alone; ``Findings.table`` tells who else found them. sets:
    minimal sets (SEDC; what ``listed`` replaces is then one of them), or the anchor. calls: distinct texts it asked the classifier about beyond
    the draws that necessity and sufficiency paid for, at most the budget; written: infills it
    took, those found in the store included. seconds: of this run, all stages. notes: what to know,
    in sentences.
    """

    method: Method
    listed: tuple[Counterfactual, ...]
    nearest: Counterfactual | None
    sets: tuple[WordSet, ...]
    calls: int
    written: int
    seconds: float
    ended: Ended
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Findings:
    """All that was asked of one text for one classifier.

    explanation: the key of its explanation, whose draws all methods start from for free; free: how
    many distinct texts those are. table: every distinct changed text that was judged, each once,
    with its criteria; ``fluency`` is None where it was not measured, and ``fluency_note`` says why.
    budget: classifier calls a method. found: in the order of ``Method``.
    """

    key: str
    explanation: str
    text: str
    classifier: str
    infiller: str
    label: str
    words: tuple[Word, ...]
    goal: Goal
    budget: int
    free: int
    found: tuple[MethodFound, ...]
    table: tuple[Counterfactual, ...]
    fluency_note: str
