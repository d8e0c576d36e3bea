"""Our own step through torch.compile: inductor writes C++ and calls the same matrix kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray

from nsx_core.adapters.llama_forward import LlamaForward
from nsx_core.adapters.runtimes.eager import empty_cache
from nsx_core.adapters.runtimes.model import Model
from nsx_core.adapters.runtimes.protocol import CAPACITY, Session

__all__ = ["build"]


def build(model: Model, variant: str) -> Compiled:
    """``variant``: 'int8' or 'float32'."""
    return Compiled(model.whole_in_torch() if variant == "int8" else model.exact())


class Compiled:
    """Satisfies ``Runtime``. Every number of rows is compiled by itself, on first use."""

    def __init__(self, forward: LlamaForward) -> None:
        self.forward = forward

    def session(self, rows: int) -> Session:
        return _Session(self.forward, rows)


class _Session:
    def __init__(self, forward: LlamaForward, rows: int) -> None:
        # A session compiles for its number of rows; others with as many take what is there.
        torch._dynamo.config.recompile_limit = 64
        torch._inductor.config.compile_threads = 1
        torch._inductor.config.force_disable_caches = True  # or the second run would look quick
        cache = empty_cache(forward.shape, rows)
        self.keys, self.values = cache.keys.unbind(0), cache.values.unbind(0)
        self.cos, self.sin = forward._angles(CAPACITY)
        self.run = torch.compile(_step_of(forward, rows), dynamic=False, fullgraph=True)
        zeros = np.zeros(rows, dtype=np.int64)
        self.step(zeros, zeros)

    def step(self, tokens: NDArray[np.int64], positions: NDArray[np.int64]) -> NDArray[np.float32]:
        with torch.no_grad():
            found: torch.Tensor = self.run(
                torch.from_numpy(tokens), torch.from_numpy(positions),
                self.cos, self.sin, self.keys, self.values,
            )  # fmt: skip
        made: NDArray[np.float32] = found.numpy()
        return made


def _step_of(forward: LlamaForward, rows: int) -> Callable[..., torch.Tensor]:
    """``LlamaForward.step`` without what depends on numbers: all ``CAPACITY`` positions are read."""
    s = forward.shape
    places = (torch.arange(rows * s.kv_heads) * CAPACITY).view(rows, s.kv_heads)

    def run(
        tokens: torch.Tensor,
        position: torch.Tensor,
        cos: torch.Tensor,
        sin: torch.Tensor,
        keys: Sequence[torch.Tensor],
        values: Sequence[torch.Tensor],
    ) -> torch.Tensor:
        turn = cos[position][:, None], sin[position][:, None]
        hidden = (torch.arange(CAPACITY) > position[:, None])[:, None, None]
        place = (places + position[:, None]).flatten()
        x = F.embedding(tokens, forward.embedding)
        for layer, own_keys, own_values in zip(forward.layers, keys, values, strict=True):
            q, k, v = forward._qkv(x, layer, *turn)
            own_keys.view(-1, s.head_dim).index_copy_(0, place, k.reshape(-1, s.head_dim))
            own_values.view(-1, s.head_dim).index_copy_(0, place, v.reshape(-1, s.head_dim))
            grouped = q.reshape(rows, s.kv_heads, s.heads // s.kv_heads, s.head_dim)
            score = grouped @ own_keys.transpose(2, 3)
            weight = score.masked_fill(hidden, float("-inf")).softmax(-1)
            x = forward._rest(x, (weight @ own_values).view(rows, -1), layer)
        return forward._logits(x)

    return run
