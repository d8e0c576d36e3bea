"""What every runtime offers: rows with caches, and one more token a row."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["CAPACITY", "Runtime", "Session"]

#: Positions that each row of a session's cache has.
CAPACITY = 32


class Session(Protocol):
    """A fixed number of rows, each with an empty cache of ``CAPACITY`` positions."""

    def step(self, tokens: NDArray[np.int64], positions: NDArray[np.int64]) -> NDArray[np.float32]:
        """float32[rows, columns]: logits after one more token a row.

        tokens: int64[rows]. positions: int64[rows], where each row's token stands; a row
        attends to what stands before it, and forgets what it read there or later.
        """
        ...


class Runtime(Protocol):
    """A model made ready; ``session`` may compile for that number of rows."""

    def session(self, rows: int) -> Session: ...
