"""Our two scores beside SHAP and LIME on one text: agreement, faithfulness, cost.

A comparison belongs to one explanation at one decision threshold. Necessity and sufficiency move
with the threshold; SHAP, LIME and random orders ask for probabilities and do not, so they are
kept apart (``OtherMethods``) and used again when only the threshold moves.

``CompareTask`` is the work as a task of the queue, one step a method, so that others have their
turn in between.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsx_core import batches
from nsx_core.attributing import (
    Faithfulness,
    Predict,
    faithfulness,
    interval_over_seeds,
    lime_scores,
    random_faithfulness,
    rank_correlation,
    remembered,
    shap_scores,
)
from nsx_core.auditing.attribution import LIME, SHAP, SHAP_SAMPLED, SHAP_SEEDS, explained_class
from nsx_core.catalogue import Catalogue
from nsx_core.comparison_records import METHODS, Comparison, Method, OtherMethods, SeedScore
from nsx_core.latest import Latest
from nsx_core.pipeline import Plan, Progress
from nsx_core.records import Explanation, Side
from nsx_core.store import Store, canonical_key
from nsx_core.tasks import Hooks

__all__ = ["CompareTask", "Kept", "comparison_key"]

#: About how many texts SHAP, its five seeds and LIME ask about together.
TEXTS_ABOUT = 8_000
COMPARISONS_KEPT = 32
_RANDOM = "random orders"


def others_key(plan: Plan) -> str:
    """Key of all that SHAP, LIME and random orders depend on."""
    spans = [[word.start, word.end] for word in plan.split.words]
    return canonical_key(
        ["others", plan.draws.text_id, spans, plan.classifier.fingerprint, plan.label]
    )


def comparison_key(plan: Plan, threshold: float) -> str:
    """Key of all that a comparison depends on."""
    return canonical_key(["comparison", plan.key, float(threshold)])


@dataclass
class CompareTask:
    """See ``nsx_core.tasks.Task``.

    plan: the request; explanation: its explanation, whole, judged at the threshold of interest;
    others: what is known already. A step that gives way to another job begins again, those before
    it do not.
    """

    plan: Plan
    explanation: Explanation
    others: OtherMethods | None = None
    _found: dict[str, Any] = field(default_factory=dict)

    kind = "compare"
    job_id = None

    @property
    def threshold(self) -> float:
        return self.explanation.settings.threshold

    @property
    def key(self) -> str:
        return comparison_key(self.plan, self.threshold)

    @property
    def total(self) -> int:
        return len(self._work(_never_asked))

    @property
    def work(self) -> int:
        words = len(self.plan.split.words)
        return batches.work(4 * words if self.others else TEXTS_ABOUT, words)

    def request(self) -> dict[str, Any]:
        """The text's id, the classifier and the threshold."""
        return {
            "text_id": self.plan.draws.text_id,
            "classifier": self.plan.classifier.name,
            "threshold": self.threshold,
        }

    def settled(self, partial: Explanation, threshold: float) -> bool:
        """Never: there is no partial explanation."""
        return False

    def steps(
        self, catalogue: Catalogue, store: Store, hooks: Hooks
    ) -> Generator[Progress, None, Comparison]:
        """One method a step. Raises what the classifier raises, and ``CancelledError``."""
        entry = replace(self.plan.classifier, explained_label=self.plan.label)
        total = self.total
        yield Progress(0, total, 0, 0, "loading models")
        catalogue.classifier(entry.name)  # its seconds are no cost of a method
        work = self._work(explained_class(entry, catalogue))
        yield Progress(0, total, 0, 0, next(iter(work)))
        for done, ((name, act), following) in enumerate(
            zip(work.items(), [*list(work)[1:], ""], strict=True), start=1
        ):
            if name not in self._found:
                self._found[name] = act()
            yield Progress(done, total, 0, 0, following or name)
        return self._compared()

    def _work(self, predict: Predict) -> dict[str, Callable[[], Any]]:
        split, original = self.plan.split, self.explanation.probability
        work: dict[str, Callable[[], Any]] = {}
        if self.others is None:
            # Other seeds ask about many texts again.
            again = remembered(predict)
            work[SHAP] = partial(shap_scores, split, predict, 0, SHAP)
            work[LIME] = partial(lime_scores, split, predict, 0)
            for seed in range(SHAP_SEEDS):
                work[f"{SHAP_SAMPLED}, seed {seed + 1} of {SHAP_SEEDS}"] = partial(
                    shap_scores, split, again, seed, SHAP_SAMPLED
                )
            work[_RANDOM] = partial(random_faithfulness, split, predict, original)
        judged = METHODS if self.others is None else tuple(map(str, Side))
        for name in judged:
            work[_faithfulness_of(name)] = partial(self._judged, name, predict)
        return work

    def _judged(self, name: str, predict: Predict) -> Faithfulness:
        return faithfulness(
            self.plan.split, self._scores(name), predict, self.explanation.probability
        )

    def _scores(self, name: str) -> tuple[float | None, ...]:
        if name in self._found:
            scores: tuple[float | None, ...] = self._found[name].scores
            return scores
        return tuple(getattr(word, name).value for word in self.explanation.words)

    def _compared(self) -> Comparison:
        found = self._found
        others = self.others or OtherMethods(
            others_key(self.plan), found[SHAP], found[LIME],
            tuple(value for name, value in found.items() if name.startswith(SHAP_SAMPLED)),
            found[_faithfulness_of(SHAP)], found[_faithfulness_of(LIME)], found[_RANDOM],
        )  # fmt: skip
        seconds, note = _spent(self.explanation)
        draws = self.explanation.draws
        distinct = len({j.draw.text for j in draws})
        methods = [
            Method(name, self._scores(name), judged, len(draws), distinct, seconds, note)
            for name, judged in ((str(s), found[_faithfulness_of(str(s))]) for s in Side)
        ]
        methods += [
            Method(a.method, a.scores, judged, a.calls, a.texts, a.seconds, a.note)
            for a, judged in (
                (others.shap, others.shap_faithful),
                (others.lime, others.lime_faithful),
            )
        ]
        return Comparison(
            key=self.key,
            text=self.plan.split.text,
            classifier=self.plan.classifier.name,
            label=self.plan.label,
            threshold=self.threshold,
            probability=self.explanation.probability,
            predicted=self.explanation.predicted,
            words=self.plan.split.words,
            methods=tuple(methods),
            over_seeds=tuple(
                _over_seeds([a.scores[i] for a in others.over_seeds])
                for i in range(len(self.plan.split.words))
            ),
            random=others.random,
            agreement=tuple(
                tuple(rank_correlation(one.scores, other.scores) for other in methods)
                for one in methods
            ),
            others=others,
        )


class Kept:
    """The latest comparisons of a process, from any thread."""

    def __init__(self) -> None:
        self._whole: Latest[Comparison] = Latest(COMPARISONS_KEPT)
        self._others: Latest[OtherMethods] = Latest(COMPARISONS_KEPT)

    def keep(self, found: Comparison) -> None:
        """Keep it, and forget the oldest where there are too many."""
        self._whole.keep(found.key, found)
        self._others.keep(found.others.key, found.others)

    def comparison(self, plan: Plan, threshold: float) -> Comparison | None:
        """The comparison at this threshold, where it is kept."""
        return self._whole.get(comparison_key(plan, threshold))

    def others(self, plan: Plan) -> OtherMethods | None:
        """What no threshold moves, where it is kept."""
        return self._others.get(others_key(plan))


def _faithfulness_of(name: str) -> str:
    return f"faithfulness of {name}"


def _never_asked(texts: list[str]) -> NDArray[np.float64]:
    raise AssertionError("Counting the steps asks no classifier.")


def _over_seeds(values: list[float | None]) -> SeedScore | None:
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    low, high = interval_over_seeds(known)
    return SeedScore(sum(known) / len(known), low, high)


def _spent(explanation: Explanation) -> tuple[float | None, str]:
    """Seconds that both of our scores took in this run, and what is missing from them."""
    spent, draws = explanation.seconds, len(explanation.draws)
    both = "Necessity and sufficiency come from the same draws, so calls and seconds are of both."
    if "classifying" not in spent:
        return None, f"{both} All came from the store: no seconds were measured."
    seconds = sum(spent.get(stage, 0.0) for stage in ("infilling", "classifying", "scoring"))
    reused = draws - explanation.infilled
    if reused:
        both += (
            f" {reused:,} of {draws:,} draws were written before; their seconds are not counted."
        )
    return seconds, both
