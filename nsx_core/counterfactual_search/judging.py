"""What was found, with its criteria: which texts are listed, and how likely a model finds them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from nsx_core.counterfactual_records import Candidate, Counterfactual, Method, MethodFound
from nsx_core.counterfactual_search.running import Running
from nsx_core.counterfactuals.asking import Outcome, Situation
from nsx_core.counterfactuals.criteria import described
from nsx_core.counterfactuals.ranking import diverse, reranked
from nsx_core.infilling import Infiller

__all__ = ["Judging"]

#: How many answers of a method are listed, and of how many texts in all fluency is measured.
LISTED, MEASURED = 20, 120
#: Lambda by which the table is ordered when it comes.
STRENGTH = 1.0


class Judging:
    """The criteria of all texts of one search.

    writer: the infiller; where its model tells how likely a text is, that is its fluency.
    """

    def __init__(self, situation: Situation, writer: Infiller) -> None:
        self._situation, self._writer = situation, writer
        self._by_text: dict[str, Candidate] = {}
        for candidate in situation.pool:
            self._by_text.setdefault(candidate.text, candidate)
        self._free = frozenset(self._by_text)
        self._finders: dict[str, set[Method]] = defaultdict(set)
        self._fluency: dict[str, float] = {}
        self._scores = getattr(writer, "mean_log_probabilities", None)

    def of_method(self, method: Method, run: Running) -> MethodFound:
        """The answer of a method that has ended."""
        outcome, answering = run.outcome, run.answering
        assert outcome is not None
        for candidate in outcome.ranked:
            self._by_text.setdefault(candidate.text, candidate)
            if candidate.text not in self._free:
                self._finders[candidate.text].add(method)
        goal = self._situation.goal
        changed = [c for c in outcome.ranked if not c.unchanged]
        listed = self._listed(method, outcome)
        for candidate in listed:
            self._finders[candidate.text].add(method)
        nearest = None
        if not listed:
            every = changed or [c for c in self._situation.pool if not c.unchanged]
            best = min(
                every, key=lambda c: (goal.gap(c.probability), c.words_changed), default=None
            )
            nearest = None if best is None else self._described(method, [best])[0]
        return MethodFound(
            method=method,
            listed=self._described(method, listed),
            nearest=nearest,
            sets=outcome.sets,
            calls=answering.calls,
            written=answering.written,
            seconds=run.seconds,
            ended=outcome.ended,
            notes=outcome.notes,
        )

    def table(self) -> tuple[tuple[Counterfactual, ...], str]:
        """Every changed text once, ranked, and what is to be known of their fluency."""
        changed = [c for c in self._by_text.values() if not c.unchanged]
        cosines = self._situation.cosines([c.text for c in changed]).tolist()
        rows = [
            self._row(self._methods(candidate), candidate, cosine)
            for candidate, cosine in zip(changed, cosines, strict=True)
        ]
        ranked = reranked(rows, self._situation.goal, STRENGTH)
        self._measure([row.text for row in ranked[:MEASURED]])
        return (
            tuple(replace(row, fluency=self._fluency.get(row.text)) for row in ranked),
            self._note(ranked),
        )

    def _listed(self, method: Method, outcome: Outcome) -> tuple[Candidate, ...]:
        """The answers, best first: SEDC's are examples of its sets, where it has any."""
        goal = self._situation.goal
        reached = [c for c in outcome.ranked if not c.unchanged and goal.reached(c.probability)]
        if method is Method.SEDC and outcome.sets:
            sets = {one.words for one in outcome.sets}
            reached = [c for c in reached if _words(c) in sets]
        return diverse(reached, LISTED)

    def _methods(self, candidate: Candidate) -> tuple[Method, ...]:
        """Who found this text, of the methods that were asked for their answers so far."""
        finders = self._finders.get(candidate.text, ())
        return tuple(method for method in Method if method in finders)

    def _note(self, ranked: Sequence[Counterfactual]) -> str:
        if self._scores is None:
            return (
                f"The infiller {self._writer.name} has no language model that tells how likely a "
                "text is, so fluency is not measured."
            )
        count = sum(row.text in self._fluency for row in ranked)
        if count == len(ranked):
            return ""
        return (
            f"Fluency is measured of {count:,} of {len(ranked):,} texts: of those that the methods "
            f"list, and of the first {MEASURED} by the loss at lambda {STRENGTH:g}."
        )

    def _described(
        self, method: Method, candidates: Sequence[Candidate]
    ) -> tuple[Counterfactual, ...]:
        self._measure([c.text for c in candidates])
        cosines = self._situation.cosines([c.text for c in candidates]).tolist()
        return tuple(
            self._row((method,) if method in self._methods(c) else (), c, x)
            for c, x in zip(candidates, cosines, strict=True)
        )

    def _row(
        self, methods: tuple[Method, ...], candidate: Candidate, cosine: float
    ) -> Counterfactual:
        s = self._situation
        fluency = self._fluency.get(candidate.text)
        return described(methods, candidate, s.split, s.goal, cosine, fluency)

    def _measure(self, texts: Sequence[str]) -> None:
        """Learn the fluency of texts that are not known yet: less the original's, in nats."""
        if self._scores is None:
            return
        new = [text for text in dict.fromkeys(texts) if text not in self._fluency]
        original, *means = self._scores([self._situation.split.text, *new])
        gains = {t: float(m - original) for t, m in zip(new, means, strict=True)}
        # A text without a token has none.
        self._fluency |= {text: gain for text, gain in gains.items() if math.isfinite(gain)}


def _words(candidate: Candidate) -> tuple[int, ...]:
    """The positions of the replaced words, ascending, as a ``WordSet`` has them."""
    return tuple(at for at, replaced in enumerate(candidate.replaced) if replaced)
