"""The generation engine: contexts in, answers out.

Draws that share a mask share one prefill, whose cache is then expanded to their rows. Each
processor core decodes rows of its own with one thread: faster than sharing every product, and
the same numbers on any count of cores. A row that has closed all its answers leaves its slot,
and once a quarter of a core's slots are free, waiting rows take them, so that products stay
large until the last rows; rows of many answers go first, so that those are short ones.
Randomness comes from each row's own seed, never from its company.

Rows come in parts, and a part's answers are told as soon as it is whole. Slots that it leaves
free go to rows of the next part, which stay in hand until that one's turn: otherwise the last
rows of every part would be decoded in products too small to be fast.

A row that nears the model's last position gets its answers closed early, so that each still
has a token; a row too long even for that is refused before anything is decoded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from nsx_core.adapters.decoding.hands import Hands
from nsx_core.adapters.decoding.slots import ANSWER_TOKENS_MAX, Forward, Vocabulary
from nsx_core.adapters.decoding.waiting import ROWS_MAX, ROWS_MIN
from nsx_core.adapters.decoding.work import Again, Row, Work
from nsx_core.adapters.processor import out_of_memory, usable_cores
from nsx_core.errors import ModelError

__all__ = ["ANSWER_TOKENS_MAX", "Forward", "Row", "Vocabulary", "decode", "decode_parts"]


def decode(
    forward: Forward,
    vocabulary: Vocabulary,
    rows: Sequence[Row],
    temperature: float,
    top_p: float,
    again: Again | None = None,
) -> list[list[list[int]]]:
    """``decode_parts`` of one part: for each row, the token ids of each of its answers."""
    (found,) = decode_parts(forward, vocabulary, [rows], temperature, top_p, again)
    return found


def decode_parts(
    forward: Forward,
    vocabulary: Vocabulary,
    parts: Iterable[Sequence[Row]],
    temperature: float,
    top_p: float,
    again: Again | None = None,
    ahead: Callable[[], bool] = lambda: True,
) -> Iterator[list[list[list[int]]]]:
    """For each part in turn and each of its rows, the token ids of each of its answers.

    ``parts``: taken as their turn comes. ``ahead``: whether rows of the next part may begin before
    a part has ended; asked from any thread. Work is done only while a part is waited for.

    Raises ``CancelledError`` within a step of the person's cancelling (``nsx_core.stopping``).
    Where memory runs out, fewer rows go together; ``ModelError`` where a core has no room for
    ``ROWS_MIN``.
    """
    work = Work(parts, forward.positions_max, again)
    most, hands = ROWS_MAX, None
    while (part := work.first_part()) is not None:
        while not work.whole(part):
            try:
                if hands is None:
                    hands = Hands(work, usable_cores(), most, ahead)
                hands.finish(part, forward, vocabulary, temperature, top_p)
            except (MemoryError, RuntimeError) as error:
                if not out_of_memory(error):
                    raise
                if most <= ROWS_MIN:
                    raise ModelError(
                        f"{ROWS_MIN} draws of this text do not fit into memory together. Close "
                        "other programs, or shorten the text."
                    ) from error
                most, hands = max(ROWS_MIN, most // 2), None
        yield work.hand_over()
