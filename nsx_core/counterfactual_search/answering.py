"""Answers what a search method asks: writes and judges texts, and counts what they cost.

A call is a distinct text that this method asks about beyond those that necessity and sufficiency
paid for. Texts that lie in the store because another method, or an earlier search, asked about
them take no time, but they count: so a search costs and finds the same whatever the store holds,
and the budget is the same for all methods.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nsx_core.counterfactual_records import Candidate
from nsx_core.counterfactuals.asking import Ask, Infills
from nsx_core.infilling import is_unchanged, splice
from nsx_core.pipeline import WordSets
from nsx_core.records import Explanation, SplitText

__all__ = ["Answering", "pool_of"]

#: No method needs so many infills a call; one that asks for the same text for ever stops here.
WRITTEN_A_CALL = 20


def pool_of(explanation: Explanation) -> tuple[Candidate, ...]:
    """The draws behind an explanation, as candidates in the order of their numbers."""
    return tuple(
        Candidate(j.draw.replaced, j.draw.answers, j.draw.text, j.probability, j.draw.unchanged)
        for j in explanation.draws
    )


class Answering:
    """What one method may ask within its budget; free: the texts that cost nothing."""

    def __init__(
        self, split: SplitText, word_sets: WordSets, free: Iterable[str], budget: int
    ) -> None:
        self._split, self._sets, self._budget = split, word_sets, budget
        self._free = frozenset(free)
        self._paid: set[str] = set()
        self.written = 0

    @property
    def calls(self) -> int:
        return len(self._paid)

    @property
    def spent(self) -> bool:
        """Whether the budget pays for no further text."""
        return self.calls >= self._budget or self.written >= WRITTEN_A_CALL * self._budget

    def wanted(self, asks: Sequence[Ask]) -> list[tuple[tuple[bool, ...], int]]:
        """The infills that these asks ask for, (word set, number), as far as the budget may go."""
        left = 0 if self.spent else self._budget - self.calls
        return [(replaced, number) for _, replaced, number in _infills(asks)[:left]]

    def answers(self, asks: Sequence[Ask]) -> list[tuple[Candidate, ...]]:
        """One tuple of candidates an ask, shorter where the budget ends; new rows uncommitted."""
        found: list[list[Candidate]] = [[] for _ in asks]
        wanted = _infills(asks)
        given = [
            (p, a.replaced, a.answers) for p, a in enumerate(asks) if not isinstance(a, Infills)
        ]
        self._judge(
            [(p, r, a, "".join(t for t, _ in splice(self._split, r, a))) for p, r, a in given],
            found,
        )
        at = 0
        for part in self._sets.batches([(replaced, number) for _, replaced, number in wanted]):
            if self.spent:
                break
            places = [place for place, *_ in wanted[at : at + len(part)]]
            at += len(part)
            drawn = self._sets.infills(part)
            self._judge(
                [(p, d.replaced, d.answers, d.text) for p, d in zip(places, drawn, strict=True)],
                found,
            )
        return [tuple(candidates) for candidates in found]

    def _judge(
        self,
        texts: list[tuple[int, tuple[bool, ...], tuple[str, ...], str]],
        found: list[list[Candidate]],
    ) -> None:
        """Add the texts that the budget pays for, up to the first that it does not."""
        affordable = []
        for item in texts:
            if item[3] not in self._free and item[3] not in self._paid:
                if self.spent:
                    break
                self._paid.add(item[3])
            self.written += 1
            affordable.append(item)
        probabilities = self._sets.probabilities([text for *_, text in affordable])
        for (place, replaced, answers, text), p in zip(affordable, probabilities, strict=True):
            same = is_unchanged(self._split.text, text)
            found[place].append(Candidate(replaced, answers, text, p, same))


def _infills(asks: Sequence[Ask]) -> list[tuple[int, tuple[bool, ...], int]]:
    """(place among the asks, word set, number) of every infill that is asked for, in order."""
    return [
        (place, ask.replaced, ask.first + i)
        for place, ask in enumerate(asks)
        if isinstance(ask, Infills)
        for i in range(ask.count)
    ]
