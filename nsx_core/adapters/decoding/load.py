"""How much arithmetic a run of the generation engine asks for: products of layers and logits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

__all__ = ["Load", "load_of"]


@dataclass
class Load:
    """Tokens that passed through the layers, rows of logits, and multiply-adds of both."""

    tokens: int = 0
    logit_rows: int = 0
    layer_weights: int = 0
    logit_weights: int = 0

    @property
    def multiply_adds(self) -> float:
        """Of matrix products alone; attention, norms and sampling are left out."""
        return float(self.tokens * self.layer_weights + self.logit_rows * self.logit_weights)


class _Watched:
    """A forward pass that counts what goes through it."""

    def __init__(self, forward: Any, load: Load) -> None:
        self._forward, self._load = forward, load
        self.positions_max = forward.positions_max
        self.refills, self.restarts = forward.refills, forward.restarts

    def prefill(self, contexts: list[list[int]]) -> tuple[torch.Tensor, Any]:
        self._load.tokens += sum(len(context) for context in contexts)
        self._load.logit_rows += len(contexts)
        found: tuple[torch.Tensor, Any] = self._forward.prefill(contexts)
        return found

    def step(self, tokens: torch.Tensor, cache: Any) -> torch.Tensor:
        self._load.tokens += len(tokens)
        self._load.logit_rows += len(tokens)
        found: torch.Tensor = self._forward.step(tokens, cache)
        return found


@contextmanager
def load_of(infiller: Any) -> Iterator[Load]:
    """Count what a ``CausalInfiller`` on ``llama_forward`` multiplies within the block.

    Padding is not counted: it is work that nobody asked for.
    """
    forward = infiller.forward
    shape, hidden = forward.shape, forward.shape.hidden
    attention = hidden * shape.head_dim * (2 * shape.heads + 2 * shape.kv_heads)
    load = Load(
        layer_weights=shape.layers * (attention + 3 * hidden * shape.inner),
        logit_weights=forward.columns * hidden,
    )
    infiller.forward = _Watched(forward, load)
    try:
        yield load
    finally:
        infiller.forward = forward
