"""The law of an anchor's texts written out mask by mask, and a world small enough for it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from math import comb

from nsx_core import words
from nsx_core.counterfactual_records import Candidate, Goal
from nsx_core.counterfactuals.asking import Infills, Outcome, Search, Situation
from nsx_core.seeding import generator

Mask = tuple[bool, ...]


def kept_law(n: int, anchor: tuple[int, ...]) -> dict[Mask, float]:
    """Each mask (True = replaced) with its chance under D(z|anchor)."""
    others = [at for at in range(n) if at not in anchor]
    law = {}
    for size in range(len(others)):
        for more in combinations(others, size):
            mask = tuple(at not in anchor and at not in more for at in range(n))
            law[mask] = 1 / len(others) / comb(len(others), size)
    return law


def sufficiency_law(n: int) -> dict[Mask, float]:
    """Each mask with its chance on the paper's sufficiency side: k kept, by 1/k, then equal."""
    total = sum(1 / k for k in range(1, n))
    masks = [mask for mask in product((True, False), repeat=n) if 0 < sum(mask) < n]
    return {m: 1 / (n - sum(m)) / total / comb(n, sum(m)) for m in masks}


def all_sets(n: int) -> list[tuple[int, ...]]:
    return [words for size in range(n) for words in combinations(range(n), size)]


class CoinWorld:
    """Each mask holds the prediction with a chance of its own, and each infill is one throw.

    So the precision of every set is known. ``calls`` counts infills.
    """

    def __init__(self, n: int, chance: Callable[[Mask], float], seed: int) -> None:
        self.n, self.chance, self.calls, self.rounds = n, chance, 0, 0
        self._rng = generator("coins", seed)
        goal = Goal.flip(0.9, 0.5)
        self.situation = Situation(words.split(" ".join("abcdefgh"[:n])), goal, (), _no, seed)

    def precision(self, anchor: tuple[int, ...]) -> float:
        if len(anchor) == self.n:
            return 1.0
        return sum(p * self.chance(mask) for mask, p in kept_law(self.n, anchor).items())

    def run(self, search: Search) -> Outcome:
        asks = next(search)
        while True:
            self.rounds += 1
            assert self.rounds < 1_000, "the method never ends"
            answers = []
            for ask in asks:
                assert isinstance(ask, Infills) and ask.count == 1
                self.calls += 1
                held = self._rng.random() < self.chance(ask.replaced)
                text = f"{self.calls}"
                answers.append((Candidate(ask.replaced, (text,), text, 0.9 if held else 0.1),))
            try:
                asks = search.send(answers)
            except StopIteration as end:
                outcome: Outcome = end.value
                return outcome


def _no(texts: object) -> None:
    raise AssertionError("an anchor needs no embedding")
