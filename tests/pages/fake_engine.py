"""A stand-in for nsx_core.jobs with the same interface: no model, no store, known answers.

The keyword classifier gives 0.97 where a word of its list occurs, else 0.06; the infiller
picks words from a list by seed. Jobs run in a thread at ``NSX_FAKE_RATE`` draws a second.
"""

from __future__ import annotations

import hashlib
import math
import os
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from nsx_core.errors import (
    SettingsError,
    StoreBusyError,
    StoreCorruptError,
    TextError,
    UnknownNameError,
)
from nsx_core.infilling import is_unchanged, runs, splice
from nsx_core.records import (
    Draw,
    Estimate,
    ExplainSettings,
    Explanation,
    JudgedDraw,
    Side,
    SplitText,
    Word,
    WordScore,
    text_hash,
)
from nsx_core.settings import MAX_WORDS, checked_budget, checked_seed

_HATED = {"women", "immigrants", "idiot", "gay", "<script>alert(1)</script>", "נשים", "women<b>"}
_ANGRY = {"hate", "go", "idiot", "שונא"}
_WRITES = (
    "the",
    "a",
    "good",
    "old",
    "house",
    "river",
    "they",
    "saw",
    "green",
    "days",
    "music",
    "went",
    "home",
    "with",
    "friends",
    "at",
    "night",
    "and",
    "bread",
    "is",
    "very",
    "late",
)


@dataclass(frozen=True)
class ClassifierCard:
    name: str
    labels: tuple[str, ...]
    explained_label: str
    description: str
    figures: dict
    baseline: float | None
    problem: str | None
    card: str


@dataclass(frozen=True)
class InfillerCard:
    name: str
    description: str
    figures: dict
    problem: str | None
    card: str


@dataclass(frozen=True)
class Classified:
    probabilities: dict[str, float]
    unseen_words: int


@dataclass(frozen=True)
class ExplainRequest:
    text: str
    classifier: str
    infiller: str
    settings: ExplainSettings = field(default_factory=ExplainSettings)


@dataclass(frozen=True)
class JobView:
    id: str
    state: str
    done: int
    total: int
    infilled: int
    reused: int
    rate: float
    seconds_left: float | None
    stage: str
    error: str | None


def _classifier(
    name: str, macro: float, paper: float, problem: str | None = None
) -> ClassifierCard:
    return ClassifierCard(
        name,
        ("hate", "other"),
        "hate",
        f"{name}: a stand-in that looks for words of a list.",
        {
            "macro_f1": macro,
            "micro_f1": min(macro + 0.2, 0.95),
            "paper_macro_f1": paper,
            "baseline_rate": 0.012,
        },
        0.012,
        problem,
        f"# {name}\n\nA stand-in for tests.\n",
    )


CLASSIFIERS = (
    _classifier("Vidgen2021-hate", 0.671, 0.69),
    _classifier("Davidson2017-hate", 0.684, 0.71),
    _classifier(
        "Davidson2017-abuse", 0.921, 0.93, "its folder is missing: run make train-classifiers"
    ),
)
INFILLERS = (
    InfillerCard(
        "SmolLM2-neutral",
        "A stand-in that writes words of a list.",
        {"unchanged_share": 0.021, "duplicate_share": 0.052, "held_out_loss": 3.41},
        None,
        "# SmolLM2-neutral\n\nA stand-in for tests.\n",
    ),
)


def _words(text: str) -> tuple[Word, ...]:
    found, at = [], 0
    for part in text.split():
        start = text.index(part, at)
        at = start + len(part)
        found.append(Word(part, start, at))
    return tuple(found)


def _probability(text: str, seed: int = 0) -> float:
    parts = [w.strip(".,!?").casefold() for w in text.split()]
    share = Random(f"{text}{seed}").uniform(-0.03, 0.03)
    if any(p in _HATED for p in parts):
        return (0.93 if any(p in _ANGRY for p in parts) else 0.71) + share
    return (0.46 if any(p in _ANGRY for p in parts) else 0.05) + share


def _wilson(hits: int, n: int, negate: bool, shift: float) -> Estimate:
    if n == 0:
        return Estimate(None, None, None, 0)
    z, p = 1.96, hits / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    value, low, high = p - shift, middle - half - shift, middle + half - shift
    return Estimate(-value, -high, -low, n) if negate else Estimate(value, low, high, n)


class Engine:
    """See the module."""

    def __init__(self) -> None:
        self.warnings: tuple[str, ...] = ()
        self._texts: dict[str, str] = {}
        self._done: dict[str, Explanation] = {}
        self._jobs: dict[str, JobView] = {}
        self._ids: dict[ExplainRequest, str] = {}
        self._stop: set[str] = set()
        self._rate = float(os.environ.get("NSX_FAKE_RATE", "4000"))
        if os.environ.get("NSX_FAKE_SHIPPED", "1") == "1":
            request = ExplainRequest("I hate women.", "Vidgen2021-hate", "SmolLM2-neutral")
            self._done[self._key(request)] = self._computed(request)

    @classmethod
    def start(cls, home: Path | None = None) -> Engine:
        failing = os.environ.get("NSX_FAKE_START")
        if failing == "busy":
            raise StoreBusyError("The file is in use by the running app (process 4242). Close it.")
        if failing == "corrupt":
            raise StoreCorruptError("The file nsx.duckdb is damaged. Move it away and restart.")
        return cls()

    def classifiers(self) -> list[ClassifierCard]:
        return list(CLASSIFIERS)

    def infillers(self) -> list[InfillerCard]:
        return list(INFILLERS)

    def classify(self, text: str, classifier: str) -> Classified:
        self._checked_text(text)
        if classifier not in [c.name for c in CLASSIFIERS]:
            raise UnknownNameError("classifier", classifier, [c.name for c in CLASSIFIERS])
        p = _probability(text)
        return Classified({"hate": p, "other": 1 - p}, self._unseen(text))

    def submit(self, request: ExplainRequest) -> str:
        self._checked(request)
        job_id = hashlib.sha256(self._key(request).encode()).hexdigest()[:12]
        known = self._jobs.get(job_id)
        if known and known.state in ("queued", "running", "done"):
            return job_id
        self._stop.discard(job_id)
        self._jobs[job_id] = JobView(job_id, "queued", 0, 100, 0, 0, 0.0, None, "waiting", None)
        threading.Thread(target=self._run, args=(job_id, request), daemon=True).start()
        return job_id

    def job(self, job_id: str) -> JobView:
        return self._jobs[job_id]

    def result(self, job_id: str) -> Explanation | None:
        request = next((r for r, i in self._ids.items() if i == job_id), None)
        return self.cached(request) if request else None

    def cached(self, request: ExplainRequest) -> Explanation | None:
        self._checked(request)
        return self._done.get(self._key(request))

    def cancel(self, job_id: str) -> None:
        self._stop.add(job_id)

    def remember_text(self, text: str) -> str:
        self._checked_text(text)
        key = text_hash(text)[:16]
        self._texts[key] = text
        return key

    def text(self, text_id: str) -> str | None:
        return self._texts.get(text_id)

    def rejudged(self, explanation: Explanation, threshold: float) -> Explanation:
        settings = replace(explanation.settings, threshold=threshold)
        return self._scored(explanation, settings, tuple(j.draw for j in explanation.draws))

    def _run(self, job_id: str, request: ExplainRequest) -> None:
        self._ids[request] = job_id
        n = max(1, len(_words(request.text)))
        total = self._draws_a_side(n, request.settings.budget) * 2
        started = time.monotonic()
        step = 32
        for done in range(0, total, step):
            if job_id in self._stop:
                self._jobs[job_id] = replace(self._jobs[job_id], state="cancelled")
                return
            time.sleep(step / self._rate)
            rate = (done + step) / max(time.monotonic() - started, 1e-6)
            self._jobs[job_id] = JobView(
                job_id,
                "running",
                done,
                total,
                done * 2 // 3,
                done // 3,
                rate,
                (total - done) / rate,
                "infilling",
                None,
            )
        if "boom" in request.text:
            self._jobs[job_id] = replace(
                self._jobs[job_id], state="failed", error="The model ran out of memory."
            )
            return
        self._done[self._key(request)] = self._computed(request)
        self._jobs[job_id] = replace(self._jobs[job_id], state="done", done=total)

    def _key(self, request: ExplainRequest) -> str:
        settings = request.settings
        settings = replace(settings, label=settings.label or "hate", threshold=0.5)
        return repr(replace(request, settings=settings))

    def _checked(self, request: ExplainRequest) -> None:
        self._checked_text(request.text)
        checked_budget(request.settings.budget)
        checked_seed(request.settings.seed)
        if request.classifier not in [c.name for c in CLASSIFIERS]:
            raise UnknownNameError("classifier", request.classifier, [c.name for c in CLASSIFIERS])
        if not 0 < request.settings.threshold < 1:
            raise SettingsError("The threshold lies strictly between 0 and 1.")

    def _checked_text(self, text: str) -> None:
        count = len(text.split())
        if not count:
            raise TextError("The text has no words: write at least one.")
        if count > MAX_WORDS:
            raise TextError(
                f"A text has at most {MAX_WORDS:,} words, and {count:,} came. Explain a part of it."
            )

    def _unseen(self, text: str) -> int:
        return max(0, len(text.split()) - 200)

    def _draws_a_side(self, n: int, budget: int) -> int:
        if n < 3:
            return budget
        return math.ceil(budget * n * sum(1 / k for k in range(1, n)) / (n - 1))

    def _computed(self, request: ExplainRequest) -> Explanation:
        words = _words(request.text)
        n = len(words)
        split = SplitText(request.text, words)
        draws = []
        for side in Side:
            if n == 1 and side is Side.SUFFICIENCY:
                continue
            for number in range(self._draws_a_side(n, request.settings.budget)):
                random = Random(f"{side}{number}{request.settings.seed}{request.text}")
                sizes = range(1, max(n, 2))
                size = random.choices(sizes, [1 / k for k in sizes])[0]
                subset = set(random.sample(range(n), size))
                replaced = tuple((i in subset) is (side is Side.NECESSITY) for i in range(n))
                answers = tuple(
                    " ".join(random.choices(_WRITES, k=random.randint(1, 3)))
                    for _ in runs(replaced)
                )
                text = "".join(p for p, _ in splice(split, replaced, answers))
                draws.append(
                    Draw(side, number, replaced, answers, text, is_unchanged(request.text, text))
                )
        settings = replace(request.settings, label=request.settings.label or "hate", threshold=0.5)
        probability = self._p(request.text, settings.label)
        blank = Explanation(
            hashlib.sha256(self._key(request).encode()).hexdigest(),
            request.text,
            request.classifier,
            request.infiller,
            settings.label,
            settings,
            {"hate": _probability(request.text), "other": 1 - _probability(request.text)},
            probability,
            False,
            0.012,
            tuple(
                WordScore(w, Estimate(None, None, None, 0), Estimate(None, None, None, 0))
                for w in words
            ),
            (),
            len(draws),
            {"infilling": 1.0},
            {"fake": "1"},
            self._unseen(request.text),
        )
        return self._scored(blank, settings, tuple(draws))

    def _p(self, text: str, label: str | None) -> float:
        return _probability(text) if label == "hate" else 1 - _probability(text)

    def _scored(
        self, explanation: Explanation, settings: ExplainSettings, draws: tuple[Draw, ...]
    ) -> Explanation:
        judged = tuple(
            JudgedDraw(d, p, p >= settings.threshold)
            for d in draws
            for p in (self._p(d.text, explanation.label),)
        )
        predicted = explanation.probability >= settings.threshold
        scores = []
        for i, word in enumerate(explanation.words):
            lost = [
                j.kept is not predicted
                for j in judged
                if j.draw.side is Side.NECESSITY and j.draw.replaced[i]
            ]
            kept = [
                j.kept for j in judged if j.draw.side is Side.SUFFICIENCY and not j.draw.replaced[i]
            ]
            scores.append(
                WordScore(
                    word.word,
                    _wilson(sum(lost), len(lost), not predicted, 0.0),
                    _wilson(sum(kept), len(kept), False, explanation.baseline),
                )
            )
        return replace(
            explanation, settings=settings, predicted=predicted, words=tuple(scores), draws=judged
        )
