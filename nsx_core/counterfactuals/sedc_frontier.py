"""Which word sets SEDC tries next, best first, in long lists, and when it has tried enough.

``sedc`` says by which rules.
"""

from __future__ import annotations

import heapq
from collections import deque

from nsx_core import stopping
from nsx_core.counterfactuals.asking import Ask, Situation
from nsx_core.counterfactuals.judged_texts import Asking, JudgedTexts, check_answered
from nsx_core.counterfactuals.removing import Remover, Words
from nsx_core.counterfactuals.tried_sets import TriedSets

__all__ = ["Frontier"]

#: A list is filled until it asks for so many texts; one parent's sets may take it to the other.
_LIST, _LIST_MAX = 64, 512


class Frontier:
    """Tried sets wait here, ordered, to be tried with one more word."""

    def __init__(
        self, situation: Situation, remover: Remover, size_max: int, further: int | None
    ) -> None:
        self.tried = TriedSets(remover)
        self._remover, self._size_max, self._further = remover, size_max, further
        self._since_found = 0
        self._heap: list[tuple[tuple[float, int, list[int]], Words]] = []
        self._waiting = deque(
            w for w in _singles(situation, remover.n_words) if remover.possible(w)
        )

    def next_sets(self) -> list[Words]:
        """The next list, to be tried together; empty = the search is at its end."""
        wanted = dict.fromkeys(self.tried.untried_subsets())
        if self._further is not None and self._since_found > self._further:
            return list(wanted)
        cost = sum(map(self._remover.cost, wanted))
        limit = self._limit()
        while cost < _LIST and self._waiting_filled(limit):
            while self._waiting and cost < _LIST_MAX:
                words = self._waiting.popleft()
                if words not in wanted and len(words) <= limit and self.tried.wanted(words):
                    wanted[words] = None
                    cost += self._remover.cost(words)
        return list(wanted)

    def tried_now(self, wanted: list[Words], texts: JudgedTexts) -> Asking:
        """Ask for these sets' texts and take the trials in."""
        stopping.check()
        asks: list[list[Ask]] = [self._remover.asks(words) for words in wanted]
        together = [ask for few in asks for ask in few]
        found_before = self.tried.fewest() is not None
        # Where the pool holds enough draws of every set there is nothing to ask.
        answers = (yield together) if together else []
        coming = iter(answers)
        for words, few in zip(wanted, asks, strict=True):
            answered = [candidate for _ in few for candidate in next(coming)]
            trial = self._remover.trial(words, answered)
            self.tried.add(trial)
            if not trial.counts and len(words) < self._size_max:
                heapq.heappush(self._heap, (trial.order, words))
            self._since_found += len(answered) * found_before
            texts.add(answered)
        check_answered(together, answers)
        return answers

    def size_stopped_it(self) -> bool:
        """Whether larger sets than allowed were left that might have counted."""
        if self._limit() < self._size_max or self._by_rule():
            return False
        return any(
            len(words) == self._size_max and not t.counts and any(self.tried.one_more(words))
            for words, t in self.tried.trials.items()
        )

    def _by_rule(self) -> bool:
        return self._further is not None and self.tried.fewest() is not None

    def _limit(self) -> int:
        fewest = self.tried.fewest()
        return self._size_max if self._further is None or fewest is None else fewest

    def _waiting_filled(self, limit: int) -> bool:
        while not self._waiting and self._heap:
            _, parent = heapq.heappop(self._heap)
            if len(parent) < limit and not self.tried.pruned(parent):
                larger = [w for w in self.tried.one_more(parent) if self.tried.wanted(w)]
                # Where the budget ends within a list, the most promising words have had a turn.
                self._waiting.extend(sorted(larger, key=lambda w: self._alone(w - parent)))
        return bool(self._waiting)

    def _alone(self, word: Words) -> tuple[float, int, list[int]]:
        trial = self.tried.trials.get(word)
        return trial.order if trial is not None else (1.0, 1, sorted(word))


def _singles(situation: Situation, n_words: int) -> list[Words]:
    """Single words, those whose replacing lowered the gap most in the pool first."""
    gaps: list[list[float]] = [[] for _ in range(n_words)]
    for candidate in situation.pool:
        for place, replaced in enumerate(candidate.replaced):
            if replaced:
                gaps[place].append(situation.goal.gap(candidate.probability))
    mean = [sum(g) / len(g) if g else 1.0 for g in gaps]
    return [frozenset((place,)) for place in sorted(range(n_words), key=lambda i: (mean[i], i))]
