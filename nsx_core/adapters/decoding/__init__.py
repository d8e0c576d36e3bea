"""The generation engine: contexts in, answers out.

Draws that share a mask share one prefill, whose cache is then expanded to their rows. Each
processor core decodes rows of its own with one thread: faster than sharing every product, and
the same numbers on any count of cores. A row that has closed all its answers leaves its slot,
and once a quarter of a core's slots are free, waiting rows take them, so that products stay
large until the last rows; rows of many answers go first, so that those are short ones.
Randomness comes from each row's own seed, never from its company.

A row that nears the model's last position gets its answers closed early, so that each still
has a token; a row too long even for that is refused before anything is decoded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import torch

from nsx_core import stopping
from nsx_core.adapters.decoding.slots import ANSWER_TOKENS_MAX, Forward, Slots, Vocabulary
from nsx_core.adapters.decoding.waiting import ROWS_MAX, ROWS_MIN, Row, Waiting
from nsx_core.adapters.processor import out_of_memory, usable_cores
from nsx_core.errors import ModelError

__all__ = ["ANSWER_TOKENS_MAX", "Forward", "Row", "Vocabulary", "decode"]


def decode(
    forward: Forward,
    vocabulary: Vocabulary,
    rows: Sequence[Row],
    temperature: float,
    top_p: float,
    again: Callable[[int, list[list[int]]], Row | None] | None = None,
) -> list[list[list[int]]]:
    """For each row, the token ids of each of its answers.

    ``again``: told a row's number and answers as they come, a row to decode in its stead or
    None; from the threads that decode.

    Raises ``CancelledError`` within a step of the person's cancelling (``nsx_core.stopping``).
    Where memory runs out, fewer rows go together; ``ModelError`` where a core has no room for
    ``ROWS_MIN``.
    """
    for row in rows:
        _check(row, forward.positions_max)
    written: list[list[list[int]]] = [[] for _ in rows]
    left = set(range(len(rows)))
    wanted, most = list(rows), ROWS_MAX
    asked = stopping.question()

    def finished(number: int) -> bool:
        following = again(number, written[number]) if again else None
        if following is None:
            left.discard(number)
            return True
        _check(following, forward.positions_max)
        wanted[number], written[number] = following, [[]]
        return False

    def work(hand: int) -> None:
        slots = Slots(waiting, hand, written, finished)
        try:
            with stopping.asking(asked):
                while slots.filled(forward):
                    stopping.check()
                    slots.step(forward, vocabulary, temperature, top_p)
        except BaseException:
            waiting.abandon()
            raise

    threads, cores = torch.get_num_threads(), usable_cores()
    while left:
        for number in left:
            written[number] = [[]]
        waiting = Waiting(wanted, sorted(left), cores, most)
        try:
            with ThreadPoolExecutor(
                cores, initializer=torch.set_num_threads, initargs=(1,)
            ) as pool:
                list(pool.map(work, range(waiting.hands)))
        except (MemoryError, RuntimeError) as error:
            if not out_of_memory(error):
                raise
            if most <= ROWS_MIN:
                raise ModelError(
                    f"{ROWS_MIN} draws of this text do not fit into memory together. Close other "
                    "programs, or shorten the text."
                ) from error
            most = max(ROWS_MIN, most // 2)
        finally:
            torch.set_num_threads(threads)  # the pool's setting reaches the whole process
    return written


def _check(row: Row, positions: int) -> None:
    if len(row.context) + 2 * row.answers > positions:
        raise ModelError(
            f"The infiller reads and writes at most {positions} tokens a text, "
            f"and this one needs {len(row.context)} and {row.answers} answers. Shorten the "
            "text or use sentence units."
        )
