"""What is to be decoded: rows in parts, what has been written of each, and which are left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nsx_core.errors import ModelError

__all__ = ["Again", "Row", "Work"]

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


#: Told a row's number and answers as they come, a row to decode in its stead or None; from any
#: thread.
Again = Callable[[int, list[list[int]]], Row | None]


class Work:
    """Rows by their numbers, a part being a range of them.

    ``rows``: what is decoded of each, a later try where one was asked for; ``written``: token
    ids of each answer. Different rows may be told from different threads.
    """

    def __init__(
        self, rows: Sequence[Row], parts: Sequence[range], positions: int, again: Again | None
    ) -> None:
        """Raises ``ModelError`` for a row that does not fit into so many positions."""
        for row in rows:
            _check(row, positions)
        self.rows, self.parts = list(rows), parts
        self.written: list[list[list[int]]] = [[[]] for _ in rows]
        self._positions, self._again = positions, again
        self._left = set(range(len(rows)))

    def left(self, part: range) -> list[int]:
        """The numbers of the part's rows that are not finished."""
        return [number for number in part if number in self._left]

    def whole(self, part: range) -> bool:
        """Whether all of the part's rows are finished."""
        return self._left.isdisjoint(part)

    def begin_again(self) -> None:
        """Forget what was written of unfinished rows."""
        for number in self._left:
            self.written[number] = [[]]

    def finished(self, number: int) -> bool:
        """A row has closed its last answer: whether that is its end, or it is decoded again."""
        following = self._again(number, self.written[number]) if self._again else None
        if following is None:
            self._left.discard(number)
            return True
        _check(following, self._positions)
        self.rows[number], self.written[number] = following, [[]]
        return False


def _check(row: Row, positions: int) -> None:
    if len(row.context) + 2 * row.answers > positions:
        raise ModelError(
            f"The infiller reads and writes at most {positions} tokens a text, "
            f"and this one needs {len(row.context)} and {row.answers} answers. Shorten the "
            "text or use sentence units."
        )
