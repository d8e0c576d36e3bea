"""The texts that a search has seen, each once, and their order of merit."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence

from nsx_core import stopping
from nsx_core.counterfactual_records import Candidate
from nsx_core.counterfactuals.asking import Ask, Infills, Situation, SpentError

__all__ = ["Asking", "JudgedTexts", "check_answered"]

#: A part of a search: yields asks, is sent their answers, returns those answers.
Asking = Generator[list[Ask], list[tuple[Candidate, ...]], list[tuple[Candidate, ...]]]


class JudgedTexts:
    """Every changed text that was judged, the pool's to begin with.

    Where one text came from several word sets, the one with the fewest words stands.
    """

    def __init__(self, situation: Situation) -> None:
        self._goal, self.original = situation.goal, situation.split.text
        self._by_text: dict[str, Candidate] = {}
        self.add(situation.pool)

    def add(self, candidates: Iterable[Candidate]) -> None:
        """Take note of these; texts equal to the original are left out."""
        for candidate in candidates:
            if candidate.unchanged:
                continue
            known = self._by_text.get(candidate.text)
            if known is None or candidate.words_changed < known.words_changed:
                self._by_text[candidate.text] = candidate

    def asked(self, asks: list[Ask]) -> Asking:
        """Ask, take note of the answers, and return them; nothing is asked for an empty list.

        Raises ``SpentError`` where the budget ended within the list, after taking note.
        """
        stopping.check()
        if not asks:
            return []
        answers = yield asks
        for candidates in answers:
            self.add(candidates)
        check_answered(asks, answers)
        return answers

    def reached(self, candidate: Candidate) -> bool:
        """Whether it is a counterfactual: changed, and the goal is reached."""
        return not candidate.unchanged and self._goal.reached(candidate.probability)

    def reaching(self) -> list[Candidate]:
        """Those that reach the goal: fewest words first, then the smallest gap."""
        found = [c for c in self._by_text.values() if self.reached(c)]
        return sorted(found, key=lambda c: (c.words_changed, self.gap(c), c.text))

    def others(self) -> list[Candidate]:
        """Those that do not: the smallest gap first, then the fewest words."""
        left = [c for c in self._by_text.values() if not self.reached(c)]
        return sorted(left, key=lambda c: (self.gap(c), c.words_changed, c.text))

    def count(self, low: int, high: int) -> int:
        """How many texts have low..high words changed."""
        return sum(low <= c.words_changed <= high for c in self._by_text.values())

    def gap(self, candidate: Candidate) -> float:
        """|P - target|, in 0..1."""
        return self._goal.gap(candidate.probability)


def check_answered(asks: Sequence[Ask], answers: Sequence[Sequence[Candidate]]) -> None:
    """Raise ``SpentError`` where some texts were not judged: the budget ended within the list."""
    wanted = sum(ask.count if isinstance(ask, Infills) else 1 for ask in asks)
    if sum(map(len, answers)) < wanted:
        raise SpentError
