"""A world that answers a search method: the word-list infiller and any function of a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from nsx_core import words
from nsx_core.counterfactual_records import Candidate, Goal
from nsx_core.counterfactuals.asking import (
    Ask,
    Infills,
    Outcome,
    Search,
    Situation,
    SpentError,
    Written,
)
from nsx_core.infilling import Infiller, is_unchanged, splice
from nsx_core.infilling.wordlist import WordListInfiller
from nsx_core.masking import sampler_named
from nsx_core.records import GenerationSettings, InfillRequest
from nsx_core.seeding import child_seed

Probability = Callable[[str], float]


class TextWorld:
    """Writes and judges as the real driver does, and counts.

    budget: distinct texts beyond the pool's. ``calls``: those asked about so far; ``rounds``:
    lists of asks. The pool holds the balanced sampler's masks of ``pool_budget`` draws a word, 0 =
    no pool.
    """

    def __init__(
        self,
        text: str,
        probability: Probability,
        budget: int = 1_000,
        *,
        threshold: float = 0.5,
        goal: tuple[float, float] | None = None,
        infiller: Infiller | None = None,
        pool_budget: int = 0,
        seed: int = 0,
    ) -> None:
        self.split = words.split(text)
        self.probability, self.budget = probability, budget
        self._infiller = infiller or WordListInfiller()
        self.known: dict[str, float] = {text: probability(text)}
        original = self.known[text]
        aim = Goal.flip(original, threshold)
        if goal is not None:
            aim = Goal(original, threshold, *goal)
        self.calls = self.rounds = self.written = 0
        masks = []
        if pool_budget:
            masks = sampler_named("balanced")(len(self.split.words), pool_budget, seed, "world")
        pool = tuple(self._infill(m.replaced, 10_000 + m.number) for m in masks)
        self.known |= {c.text: c.probability for c in pool}
        self.situation = Situation(self.split, aim, pool, self.cosines, seed)

    def cosines(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Cosine of word counts: a stand-in for sentence embeddings."""
        return np.array([_cosine(self.split.text.split(), text.split()) for text in texts])

    def run(self, search: Search) -> Outcome:
        """Drive the method to its end."""
        try:
            asks = next(search)
            while True:
                self.rounds += 1
                assert self.rounds < 10_000, "the method never ends"
                if self.calls >= self.budget:
                    asks = search.throw(SpentError())
                    continue
                asks = search.send(self._answered(asks))
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome

    def _answered(self, asks: list[Ask]) -> list[tuple[Candidate, ...]]:
        return [tuple(self._paid(self._of(ask))) for ask in asks]

    def _of(self, ask: Ask) -> list[Candidate]:
        if isinstance(ask, Written):
            return [self._candidate(ask.replaced, ask.answers)]
        assert isinstance(ask, Infills)
        assert any(ask.replaced)
        return [self._infill(ask.replaced, ask.first + i) for i in range(ask.count)]

    def _paid(self, candidates: list[Candidate]) -> list[Candidate]:
        paid = []
        for candidate in candidates:
            if candidate.text not in self.known:
                if self.calls == self.budget:
                    break
                self.calls += 1
                self.known[candidate.text] = candidate.probability
            paid.append(candidate)
        self.written += len(paid)
        return paid

    def _infill(self, replaced: tuple[bool, ...], number: int) -> Candidate:
        bits = "".join("1" if r else "0" for r in replaced)
        request = InfillRequest(
            tuple(w.text for w in self.split.words), self.split.spaces, replaced,
            child_seed("world", self.split.text, bits, number),
        )  # fmt: skip
        return self._candidate(replaced, self._infiller.infill([request], GenerationSettings())[0])

    def _candidate(self, replaced: tuple[bool, ...], answers: tuple[str, ...]) -> Candidate:
        text = "".join(piece for piece, _ in splice(self.split, replaced, answers))
        same = is_unchanged(self.split.text, text)
        return Candidate(replaced, answers, text, self.probability(text), same)


def _cosine(one: list[str], other: list[str]) -> float:
    names = sorted({*one, *other})
    a, b = (np.array([side.count(n) for n in names], dtype=float) for side in (one, other))
    length = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / length if length else 0.0
