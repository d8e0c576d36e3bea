"""Rows that no core has begun yet, dealt into a pile for each core, one part after another."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from itertools import groupby

from nsx_core.adapters.decoding.work import Row, Work

__all__ = ["POSITIONS_MAX", "ROWS_MAX", "ROWS_MIN", "Waiting"]

ROWS_MIN, ROWS_MAX = 16, 160
#: How many positions of the cache a core's rows may hold together.
POSITIONS_MAX = 12_288
#: How many parts are in hand at most, the one that is awaited among them.
PARTS_TAKEN_MAX = 3


class Waiting:
    """Of each part, rows of many answers go first; safe from any thread.

    Rows of one context stay together, to be read once, in piles of about equal work.
    """

    def __init__(self, work: Work, cores: int, rows_max: int, ahead: Callable[[], bool]) -> None:
        """``rows_max``: how many rows a core may hold at a time; ``ahead``: whether to begin
        rows of the next part where the present one has none left.
        """
        self._work, self._ahead, self._rows_max = work, ahead, rows_max
        self.positions_max = POSITIONS_MAX * rows_max // ROWS_MAX
        self._lock = threading.Lock()
        self._piles: list[deque[int]] = [deque() for _ in range(cores)]
        self._dealt = 0

    def row(self, number: int) -> Row:
        return self._work.rows[number]

    def deal(self, part: range) -> None:
        """See to it that the part's rows wait, or have been begun."""
        with self._lock:
            if part.stop > self._dealt:
                self._deal(part)

    def first(self, hand: int) -> list[int]:
        """Rows to begin with: as many as the cache may hold."""
        with self._lock:
            taken: list[int] = []
            longest = 0
            while len(taken) < self._rows_max and (pile := self._pile(hand)):
                longest = max(longest, self.row(pile[0]).positions)
                if taken and (len(taken) + 1) * longest > self.positions_max:
                    break
                taken.append(pile.popleft())
            return taken

    def more(self, hand: int, slots: int, positions: int) -> list[int]:
        """At most ``slots`` rows that need at most ``positions`` each, in order."""
        taken: list[int] = []
        with self._lock:
            while len(taken) < slots and (pile := self._pile(hand)):
                if self.row(pile[0]).positions > positions:
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
            self._ahead = lambda: False
            for pile in self._piles:
                pile.clear()

    def _pile(self, hand: int) -> deque[int]:
        """The hand's own pile, or the largest once that is empty, or of the next part."""
        if not any(self._piles) and self._ahead() and (part := self._next_part()) is not None:
            self._deal(part)
        return self._piles[hand] or max(self._piles, key=len)

    def _next_part(self) -> range | None:
        for part in self._work.taken:
            if part.stop > self._dealt:
                return part
        # Two parts ahead at most: more rows would make steps longer for a part that is awaited.
        return self._work.take_part() if len(self._work.taken) < PARTS_TAKEN_MAX else None

    def _deal(self, part: range) -> None:
        self._dealt = part.stop
        numbers = self._work.left(part)
        hands = min(len(self._piles), max(1, len(numbers) // ROWS_MIN))
        work = [0] * hands
        piece = max(ROWS_MIN, -(-len(numbers) // (4 * hands)))
        order = sorted(numbers, key=lambda i: (-self.row(i).answers, self.row(i).context))
        for _, alike in groupby(order, key=lambda i: (self.row(i).answers, self.row(i).context)):
            together = list(alike)
            for at in range(0, len(together), piece):
                some = together[at : at + piece]
                hand = work.index(min(work))
                self._piles[hand].extend(some)
                work[hand] += sum(self.row(i).answers for i in some)
