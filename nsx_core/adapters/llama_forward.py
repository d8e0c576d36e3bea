"""A lean forward pass for models of the Llama architecture, in plain torch.

Reads safetensors itself (no transformers import), merges a LoRA adapter into the weights,
fuses q-k-v and gate-up, keeps a preallocated key-value cache a batch of rows, and computes
logits for last positions only. Rows of one batch may have contexts of different lengths:
products are made of their tokens alone, attention pads them on the right, and every row
carries its own position.

Cache lengths are multiples of 16, and with one thread and at least 16 rows a product the
numbers of a row do not depend on its neighbours (tests/adapters check it to the bit): with
fewer rows, over more positions, or split over threads, matrix kernels add in another order.
So products of fewer than ``ROWS_MIN`` rows get rows of zeros added, attention adds up spans
of ``SPAN`` positions, longer contexts are read one by one, and callers give each thread its
own batch. The cache holds the real rows only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray

from nsx_core import stopping
from nsx_core.adapters.llama_cache import BLOCK, Cache, rounded
from nsx_core.adapters.llama_weights import HEAD, PARTS, angles, check_length, weights_of

ROWS_MIN = 16
# Matrix kernels split sums over more positions than this in ways that depend on their number.
SPAN = 256
ROWS_LOGITS = 256

Product = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Layer:
    """One layer's norms and its four products by name."""

    before: torch.Tensor
    after: torch.Tensor
    products: dict[str, Product]


class LlamaForward:
    """``prefill`` contexts, then ``step`` one token a row.

    ``columns`` int64[n]: the token ids whose logits are computed (default: all of them).
    """

    refills, restarts = True, False

    def __init__(
        self,
        folder: str | Path,
        adapter: str | Path | None,
        dtype: torch.dtype,
        columns: torch.Tensor | None = None,
    ) -> None:
        """Raises ``MissingModelError`` / ``ModelError``."""
        weights = weights_of(folder, adapter, columns)
        self.shape, self.dtype = weights.shape, dtype
        self.positions_max: int = self.shape.max_positions
        self.embedding, self.norm = weights.embedding.to(dtype), weights.norm.to(dtype)
        self.head = _product(weights.products[HEAD].to(dtype))
        self.columns = len(weights.products[HEAD])
        tied = weights.every is weights.embedding
        self.every = _product(self.embedding if tied else weights.every.to(dtype))
        self.layers = [
            Layer(
                weights.before[index].to(dtype),
                weights.after[index].to(dtype),
                {part: _product(weights.products[f"{index}.{part}"].to(dtype)) for part in PARTS},
            )
            for index in range(self.shape.layers)
        ]
        self._cos_and_sin = self._tables(BLOCK * 8)

    def _angles(self, positions: int) -> tuple[torch.Tensor, torch.Tensor]:
        """(cosines, sines): float[at least ``positions``, head_dim], sines' first half negative.

        Threads share the tables, so a caller works with those it was handed.
        """
        found = self._cos_and_sin
        if positions > len(found[0]):
            found = self._cos_and_sin = self._tables(2 * positions)
        return found

    def _tables(self, positions: int) -> tuple[torch.Tensor, torch.Tensor]:
        cos, sin = angles(self.shape, positions)
        return torch.cat([cos, cos], -1).to(self.dtype), torch.cat([-sin, sin], -1).to(self.dtype)

    @torch.inference_mode()
    def prefill(self, contexts: list[list[int]]) -> tuple[torch.Tensor, Cache]:
        """(logits float32[n_contexts, n_columns] after each context's last token, cache)."""
        states, cache = self._read(contexts)
        last = torch.stack([state[-1] for state in states])
        return self._logits(_wide(last))[: len(contexts)], cache

    @torch.inference_mode()
    def token_log_probabilities(self, sequences: list[list[int]]) -> list[NDArray[np.float64]]:
        """float64[n_tokens - 1] a sequence: log P of each token but the first, in nats.

        Each sequence holds at least one token; the whole vocabulary competes, whatever the
        ``columns``.
        """
        counts = [len(sequence) - 1 for sequence in sequences]
        states = torch.cat([state[:-1] for state in self._read(sequences)[0]])
        wanted = torch.tensor([token for s in sequences for token in s[1:]], dtype=torch.long)
        found = []
        for part, tokens in zip(states.split(ROWS_LOGITS), wanted.split(ROWS_LOGITS), strict=True):
            logits = self.every(self._normed(part)).float()
            found.append(logits.log_softmax(-1).gather(1, tokens[:, None])[:, 0])
        return [values.double().numpy() for values in torch.cat(found).split(counts)]

    def activation_reach(self, sequences: list[list[int]]) -> dict[str, torch.Tensor]:
        """float32[inputs] a product: the largest absolute value of each of its inputs."""
        seen: dict[str, torch.Tensor] = {}

        def watched(name: str, made: Product) -> Product:
            def run(x: torch.Tensor) -> torch.Tensor:
                top = x.reshape(-1, x.shape[-1]).abs().amax(0).float()
                seen[name] = torch.maximum(seen[name], top) if name in seen else top
                return made(x)

            return run

        layers, head = self.layers, self.head
        self.head = watched(HEAD, head)
        self.layers = [
            replace(y, products={p: watched(f"{i}.{p}", m) for p, m in y.products.items()})
            for i, y in enumerate(layers)
        ]
        try:
            with torch.inference_mode():
                for sequence in sequences:
                    self._logits(self._read([sequence])[0][0])
        finally:
            self.layers, self.head = layers, head
        return seen

    def _read(self, contexts: list[list[int]]) -> tuple[list[torch.Tensor], Cache]:
        """(each context's states float[n_tokens, hidden] after the last layer, cache)."""
        lengths = [len(context) for context in contexts]
        length = torch.tensor(lengths)
        check_length(max(lengths), self.shape)
        parts = [[i] for i, n in enumerate(lengths) if n > SPAN]
        if together := [i for i, n in enumerate(lengths) if n <= SPAN]:
            parts.append(together)
        if len(parts) == 1:
            return self._read_together(contexts, length)
        states = [torch.empty(0)] * len(contexts)
        cache = Cache.empty(self.shape, length, self.dtype)
        for part in parts:
            found, read = self._read_together([contexts[i] for i in part], length[part])
            for index, state in zip(part, found, strict=True):
                states[index] = state
            upto = read.keys.shape[3]
            cache.keys[:, part, :, :upto], cache.values[:, part, :, :upto] = read.keys, read.values
        return states, cache

    def _read_together(
        self, contexts: list[list[int]], length: torch.Tensor
    ) -> tuple[list[torch.Tensor], Cache]:
        """Products over the contexts' tokens one after another, attention over padded rows."""
        s, cache = self.shape, Cache.empty(self.shape, length, self.dtype)
        rows, longest = len(contexts), cache.keys.shape[3]
        tokens = int(length.sum())
        at = torch.cat([torch.arange(int(n)) for n in length])
        place = at + torch.arange(rows).repeat_interleave(length) * longest
        cos, sin = (_wide(table[at])[:, None] for table in self._angles(longest))
        causal = torch.ones(longest, longest, dtype=torch.bool).tril()
        padded = [
            torch.zeros(rows * longest, heads, s.head_dim, dtype=self.dtype)
            for heads in (s.heads, s.kv_heads, s.kv_heads)
        ]
        x = _wide(F.embedding(torch.tensor([i for c in contexts for i in c]), self.embedding))
        for index, layer in enumerate(self.layers):
            stopping.check()  # many long contexts take seconds
            for to, part in zip(padded, self._qkv(x, layer, cos, sin), strict=True):
                to.index_copy_(0, place, part[:tokens])
            q, k, v = (t.view(rows, longest, -1, s.head_dim).transpose(1, 2) for t in padded)
            cache.keys[index], cache.values[index] = k, v
            mixed = self._attend(q, k, v, causal).transpose(1, 2).reshape(rows * longest, -1)
            x = self._rest(x, _wide(mixed[place]), layer)
        return list(x[:tokens].split(length.tolist())), cache

    @torch.inference_mode()
    def step(self, tokens: torch.Tensor, cache: Cache) -> torch.Tensor:
        """float32[rows, n_columns]: logits after one more token a row; the cache grows by it.

        tokens: int64[rows]. The caller sees to ``positions_max``.
        """
        s = self.shape
        rows = len(tokens)
        position = cache.length
        upto = rounded(int(position.max()) + 1)
        cache.room_for(upto)
        cos, sin = (_wide(table[position])[:, None] for table in self._angles(upto))
        hidden = (torch.arange(upto) > position[:, None])[:, None, None]
        place = (torch.arange(rows * s.kv_heads) * cache.keys.shape[3]).view(rows, s.kv_heads)
        place = (place + position[:, None]).flatten()
        new_keys, new_values, keys, values = cache.by_layer(upto)
        x = _wide(F.embedding(tokens, self.embedding))
        for index, layer in enumerate(self.layers):
            q, k, v = (part[:rows] for part in self._qkv(x, layer, cos, sin))
            new_keys[index].index_copy_(0, place, k.reshape(-1, s.head_dim))
            new_values[index].index_copy_(0, place, v.reshape(-1, s.head_dim))
            grouped = q.reshape(rows, s.kv_heads, s.heads // s.kv_heads, s.head_dim)
            score = grouped @ keys[index].transpose(2, 3)
            weight = score.masked_fill_(hidden, float("-inf")).softmax(-1)
            mixed = self._mixed(weight, values[index]).view(rows, -1)
            x = self._rest(x, _wide(mixed), layer)
        cache.length = position + 1
        return self._logits(x)[:rows]

    def _mixed(self, weight, values):  # type: ignore[no-untyped-def]
        mixed = weight[..., :SPAN] @ values[:, :, :SPAN]
        for at in range(SPAN, values.shape[2], SPAN):
            mixed += weight[..., at : at + SPAN] @ values[:, :, at : at + SPAN]
        return mixed

    def _qkv(self, x, layer, cos, sin):  # type: ignore[no-untyped-def]
        """Queries, keys and values [..., heads, head_dim], the first two turned by position."""
        s = self.shape
        joined = layer.products["qkv"](F.rms_norm(x, (self.shape.hidden,), layer.before, s.eps))
        joined = joined.view(*x.shape[:-1], s.heads + 2 * s.kv_heads, s.head_dim)
        turned = _rotated(joined[..., : s.heads + s.kv_heads, :], cos, sin)
        q, k = turned.split((s.heads, s.kv_heads), dim=-2)
        return q, k, joined[..., s.heads + s.kv_heads :, :]

    def _attend(self, q, k, v, causal):  # type: ignore[no-untyped-def]
        return F.scaled_dot_product_attention(q, k, v, attn_mask=causal, enable_gqa=True, scale=1.0)

    def _rest(self, x, mixed, layer):  # type: ignore[no-untyped-def]
        x = layer.products["out"](mixed).add_(x)
        gate, up = layer.products["gate_up"](
            F.rms_norm(x, (self.shape.hidden,), layer.after, self.shape.eps)
        ).chunk(2, -1)
        return layer.products["down"](F.silu(gate).mul_(up)).add_(x)

    def _logits(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self._normed(x)).float()

    def _normed(self, x: torch.Tensor) -> torch.Tensor:
        return F.rms_norm(x, (self.shape.hidden,), self.norm, self.shape.eps)


def _product(weight: torch.Tensor) -> Product:
    """x -> x W^T; weight [outputs, inputs]."""
    return lambda x: F.linear(x, weight)


def _wide(x: torch.Tensor) -> torch.Tensor:
    """``x`` [rows, width] with rows of zeros up to ``ROWS_MIN``."""
    return x if len(x) >= ROWS_MIN else F.pad(x, (0, 0, 0, ROWS_MIN - len(x)))


def _rotated(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """``x`` turned; ``sin`` has its first half negative (``_tables``)."""
    first, second = x.chunk(2, -1)
    return (x * cos).add_(torch.cat([second, first], -1).mul_(sin))
