"""Our own forward passes, as the engine runs them, and the one in whole numbers in plain torch."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from nsx_core.adapters.int8_forward import Int8Forward
from nsx_core.adapters.llama_cache import Cache
from nsx_core.adapters.llama_weights import Shape
from nsx_core.adapters.runtimes.model import Model
from nsx_core.adapters.runtimes.protocol import CAPACITY, Session

__all__ = ["build", "empty_cache"]


class _Forward(Protocol):
    shape: Shape

    def step(self, tokens: torch.Tensor, cache: Cache) -> torch.Tensor: ...


def build(model: Model, variant: str) -> Eager:
    """``variant``: 'int8', 'float32', or 'torch' for whole numbers in torch's operations."""
    if variant == "int8":
        return Eager(model.quick())
    return Eager(model.exact() if variant == "float32" else model.whole_in_torch())


class Eager:
    """Satisfies ``Runtime``."""

    def __init__(self, forward: _Forward) -> None:
        self.forward = forward

    def session(self, rows: int) -> Session:
        return _Session(self.forward, rows)


class _Session:
    def __init__(self, forward: _Forward, rows: int) -> None:
        kept = torch.int16 if isinstance(forward, Int8Forward) else torch.float32
        self.forward, self.cache = forward, empty_cache(forward.shape, rows, kept)

    def step(self, tokens: NDArray[np.int64], positions: NDArray[np.int64]) -> NDArray[np.float32]:
        self.cache.length = torch.from_numpy(positions)
        found: NDArray[np.float32] = self.forward.step(torch.from_numpy(tokens), self.cache).numpy()
        return found


def empty_cache(shape: Shape, rows: int, dtype: torch.dtype = torch.float32) -> Cache:
    """Zeros, with room for ``CAPACITY`` positions a row."""
    return Cache.empty(shape, torch.full((rows,), CAPACITY), dtype)
