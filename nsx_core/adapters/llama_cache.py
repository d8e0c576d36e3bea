"""Keys and values of the positions that each row of a batch has read."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from nsx_core.adapters.llama_weights import Shape

__all__ = ["BLOCK", "Cache", "rounded"]

BLOCK = 16


def rounded(n: int) -> int:
    """``n`` positions, up to whole blocks."""
    return -(-n // BLOCK) * BLOCK


class Cache:
    """Keys and values: [layers, rows, kv_heads, capacity, head_dim]; length int[rows].

    ``logits``: memory for a step's, which costs more to get anew than to fill.
    """

    logits: torch.Tensor | None = None

    def __init__(self, keys: torch.Tensor, values: torch.Tensor, length: torch.Tensor) -> None:
        self.keys, self.values, self.length = keys, values, length

    @classmethod
    def empty(cls, shape: Shape, length: torch.Tensor, dtype: torch.dtype = torch.float32) -> Cache:
        """Zeros, with room for rows of the given lengths."""
        longest = rounded(int(length.max()))
        sizes = (shape.layers, len(length), shape.kv_heads, longest, shape.head_dim)
        keys, values = torch.zeros(2, *sizes, dtype=dtype)
        return cls(keys, values, length)

    def take(self, rows: torch.Tensor) -> Cache:
        """The given rows, in the given order; a row may be taken many times."""
        upto = rounded(int(self.length[rows].max()))
        return Cache(
            self.keys[:, :, :, :upto].index_select(1, rows),
            self.values[:, :, :, :upto].index_select(1, rows),
            self.length[rows],
        )

    def put(self, rows: torch.Tensor, other: Cache) -> None:
        """Set the given rows to those of another cache, which has as many."""
        upto = rounded(int(other.length.max()))
        self.room_for(upto)
        self.keys[:, rows, :, :upto] = other.keys[:, :, :, :upto]
        self.values[:, rows, :, :upto] = other.values[:, :, :, :upto]
        self.length[rows] = other.length

    def free(self, rows: torch.Tensor) -> None:
        """The given rows are over, and ask for no more room."""
        self.length[rows] = 0

    def by_layer(self, positions: int) -> tuple[tuple[torch.Tensor, ...], ...]:
        """Views by layer: keys and values as rows of one position and head each, to write to;
        and their first ``positions``, to read.
        """
        layers, head_dim = self.keys.shape[0], self.keys.shape[-1]
        to_write = (t.view(layers, -1, head_dim).unbind(0) for t in (self.keys, self.values))
        to_read = (t[:, :, :, :positions].unbind(0) for t in (self.keys, self.values))
        return *to_write, *to_read

    def room_for(self, positions: int) -> None:
        """Grow the capacity so that ``positions`` fit."""
        capacity = self.keys.shape[3]
        if positions > capacity:
            grow = rounded(max(positions - capacity, 2 * BLOCK))
            self.keys = F.pad(self.keys, (0, 0, 0, grow))
            self.values = F.pad(self.values, (0, 0, 0, grow))
