"""What is to be decoded: rows in parts, what has been written of each, and which are left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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
    """Rows by their numbers, which run on from part to part; each part is taken when its turn is.

    ``rows``: what is decoded of each, a later try where one was asked for; ``written``: token
    ids of each answer. Different rows may be told from different threads, parts be taken and
    forgotten by one at a time.
    """

    def __init__(self, parts: Iterable[Sequence[Row]], positions: int, again: Again | None) -> None:
        """``positions``: how many a row may need at most."""
        self.rows: dict[int, Row] = {}
        self.written: dict[int, list[list[int]]] = {}
        self.taken: list[range] = []
        self._parts, self._positions, self._again = iter(parts), positions, again
        self._left: set[int] = set()
        self._count = 0

    def take_part(self) -> range | None:
        """The numbers of the next part's rows, None after the last.

        Raises ``ModelError`` for a row that does not fit.
        """
        rows = next(self._parts, None)
        if rows is None:
            return None
        part = range(self._count, self._count + len(rows))
        for number, row in zip(part, rows, strict=True):
            _check(row, self._positions)
            self.rows[number], self.written[number] = row, [[]]
        self._count = part.stop
        self._left.update(part)
        self.taken.append(part)
        return part

    def first_part(self) -> range | None:
        """The first part that has not been handed over, None after the last."""
        return self.taken[0] if self.taken else self.take_part()

    def hand_over(self) -> list[list[list[int]]]:
        """The answers of the first part, which is whole; it is forgotten here."""
        part = self.taken.pop(0)
        for number in part:
            del self.rows[number]
        return [self.written.pop(number) for number in part]

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
