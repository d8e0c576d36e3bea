"""How long a decoding step takes."""

from __future__ import annotations

import time

import numpy as np

from nsx_core.adapters.runtimes.protocol import CAPACITY, Session

__all__ = ["step_seconds"]

FILLED = 24
#: Rows go on from as many different lengths, the longest ``FILLED``.
LENGTHS = 8
STEPS = CAPACITY - FILLED - 1


def step_seconds(session: Session, rows: int, tokens_max: int, seed: int = 0) -> list[float]:
    """Seconds of each of ``STEPS`` steps, whose rows hold 18 to ``CAPACITY`` positions.

    ``tokens_max``: token ids are drawn below it.
    """
    chance = np.random.default_rng(seed)

    def tokens() -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return chance.integers(0, tokens_max, rows)

    for position in range(FILLED):
        session.step(tokens(), np.full(rows, position))
    length = FILLED - np.arange(rows) % LENGTHS
    # Taking back what the shorter rows hold beyond their length is none of a step's work.
    session.step(tokens(), length)
    found = []
    for step in range(1, STEPS + 1):
        given, positions = tokens(), length + step
        begin = time.perf_counter()
        session.step(given, positions)
        found.append(time.perf_counter() - begin)
    return found
