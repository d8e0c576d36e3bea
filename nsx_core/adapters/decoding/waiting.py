"""Rows that no core has begun yet, dealt into a pile for each core."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

__all__ = ["POSITIONS_MAX", "ROWS_MAX", "ROWS_MIN", "Row", "Waiting"]

ROWS_MIN, ROWS_MAX = 16, 160
#: How many positions of the cache a core's rows may hold together.
POSITIONS_MAX = 12_288
_ANSWER_TOKENS_EXPECTED = 8


@dataclass(frozen=True)
class Row:
    """One draw: its context, how many answers it needs, and its seed."""

    context: tuple[int, ...]
    answers: int
    seed: int

    @property
    def positions(self) -> int:
        """About how many positions of the cache it will need."""
        return len(self.context) + _ANSWER_TOKENS_EXPECTED * self.answers


class Waiting:
    """Rows by their numbers, those of many answers first; safe from any thread.

    Rows of one context stay together, to be read once, in piles of about equal work.
    """

    def __init__(
        self, rows: Sequence[Row], numbers: Sequence[int], cores: int, rows_max: int
    ) -> None:
        """``rows``: all of them, the caller's own list, in which a finished one may be replaced;
        ``numbers``: those that wait; ``rows_max``: how many a core may hold at a time.
        """
        self.hands = min(cores, max(1, len(numbers) // ROWS_MIN))
        self.rows = rows
        self.positions_max = POSITIONS_MAX * rows_max // ROWS_MAX
        self._rows_max = rows_max
        self._lock = threading.Lock()
        self._piles: list[deque[int]] = [deque() for _ in range(self.hands)]
        work = [0] * self.hands
        piece = max(ROWS_MIN, -(-len(numbers) // (4 * self.hands)))
        order = sorted(numbers, key=lambda i: (-rows[i].answers, rows[i].context))
        for _, alike in groupby(order, key=lambda i: (rows[i].answers, rows[i].context)):
            together = list(alike)
            for at in range(0, len(together), piece):
                part = together[at : at + piece]
                hand = work.index(min(work))
                self._piles[hand].extend(part)
                work[hand] += sum(rows[i].answers for i in part)

    def first(self, hand: int) -> list[int]:
        """Rows to begin with, off one pile: as many as the cache may hold."""
        with self._lock:
            taken: list[int] = []
            pile, longest = self._pile(hand), 0
            while pile and len(taken) < self._rows_max:
                longest = max(longest, self.rows[pile[0]].positions)
                if taken and (len(taken) + 1) * longest > self.positions_max:
                    break
                taken.append(pile.popleft())
            return taken

    def more(self, hand: int, slots: int, positions: int) -> list[int]:
        """At most ``slots`` rows that need at most ``positions`` each, in order."""
        taken: list[int] = []
        with self._lock:
            while len(taken) < slots and (pile := self._pile(hand)):
                if self.rows[pile[0]].positions > positions:
                    break
                taken.append(pile.popleft())
        return taken

    def put_back(self, hand: int, number: int) -> None:
        """A row to decode again; it goes before all that wait."""
        with self._lock:
            self._piles[hand].appendleft(number)

    def abandon(self) -> None:
        """Nothing waits any longer."""
        with self._lock:
            for pile in self._piles:
                pile.clear()

    def _pile(self, hand: int) -> deque[int]:
        """The hand's own pile, or the largest once that is empty."""
        return self._piles[hand] or max(self._piles, key=len)
