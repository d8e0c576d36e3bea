"""The processor's cores at work: each decodes rows of its own, with one thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import torch

from nsx_core import stopping
from nsx_core.adapters.decoding.slots import Forward, Slots, Vocabulary
from nsx_core.adapters.decoding.waiting import Waiting
from nsx_core.adapters.decoding.work import Work

__all__ = ["Hands"]


class Hands:
    """Rows in hand stay there between parts, each in its core's slots."""

    def __init__(self, work: Work, cores: int, rows_max: int, ahead: Callable[[], bool]) -> None:
        """``rows_max``: how many rows a core may hold at a time; ``ahead``: see ``decode_parts``."""
        work.begin_again()
        self._work, self._waiting = work, Waiting(work, cores, rows_max, ahead)
        self._slots = [Slots(work, self._waiting, hand) for hand in range(cores)]

    def finish(
        self,
        part: range,
        forward: Forward,
        vocabulary: Vocabulary,
        temperature: float,
        top_p: float,
    ) -> None:
        """Decode until the part is whole; ``part`` is the first that is not."""
        self._waiting.deal(part)
        asked = stopping.question()

        def run(slots: Slots) -> None:
            try:
                with stopping.asking(asked):
                    while not self._work.whole(part) and slots.filled(forward):
                        stopping.check()
                        slots.step(forward, vocabulary, temperature, top_p)
            except BaseException:
                self._waiting.abandon()
                raise

        threads = torch.get_num_threads()
        try:
            with ThreadPoolExecutor(
                len(self._slots), initializer=torch.set_num_threads, initargs=(1,)
            ) as pool:
                list(pool.map(run, self._slots))
        finally:
            torch.set_num_threads(threads)  # the pool's setting reaches the whole process
