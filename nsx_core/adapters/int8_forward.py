"""A forward pass in 8-bit whole numbers for models of the Llama architecture.

torch multiplies whole numbers, ``int8_kernels`` do all between two products. Contexts that begin
alike are read once up to where they part: the masks of one text leave most of its beginning as
it is. A token's numbers depend on the tokens before it alone: sums of whole numbers are exact,
and all else is done row by row.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from nsx_core import stopping
from nsx_core.adapters import int8_kernels as kernels
from nsx_core.adapters.int8 import Whole, whole
from nsx_core.adapters.llama_cache import BLOCK, Cache, rounded
from nsx_core.adapters.llama_weights import HEAD, PARTS, angles, check_length, weights_of
from nsx_core.errors import ModelError

__all__ = ["Int8Forward"]

#: How many tokens go through a layer together; longer reading goes piece by piece.
ROWS_TOGETHER = 512
#: Of how many tokens the logits of all tokens are held together.
ROWS_LOGITS = 256

Place = NDArray[np.int64]


@dataclass(frozen=True)
class _Input:
    """What a product is made of, by tokens: whole int8[n, d], step float32[n] and aside."""

    whole: torch.Tensor
    step: NDArray[np.float32]
    aside: NDArray[np.float32]

    def __getitem__(self, part: slice | Place) -> _Input:
        at = torch.from_numpy(part) if isinstance(part, np.ndarray) else part
        return _Input(self.whole[at], self.step[part], self.aside[part])


class Int8Forward:
    """``prefill`` contexts, then ``step`` one token a row; as ``LlamaForward``.

    ``reach``: ``LlamaForward.activation_reach`` of the same weights. ``columns`` int64[n]: the
    token ids whose logits are computed (default: all of them).
    """

    refills = restarts = True

    def __init__(
        self,
        folder: str | Path,
        adapter: str | Path | None,
        reach: Mapping[str, torch.Tensor],
        columns: torch.Tensor | None = None,
    ) -> None:
        """Raises ``MissingModelError`` / ``ModelError``."""
        weights = weights_of(folder, adapter, columns)
        self.shape, self.embedding = weights.shape, weights.embedding
        self.positions_max: int = self.shape.max_positions
        self.columns = len(weights.products[HEAD])
        norms = {HEAD: weights.norm}
        for layer in range(self.shape.layers):
            norms[f"{layer}.qkv"] = weights.before[layer]
            norms[f"{layer}.gate_up"] = weights.after[layer]

        def made(name: str) -> Whole:
            weight = weights.products[name]
            if name not in reach or reach[name].shape != weight.shape[1:]:
                raise ModelError(f"The calibration does not fit the model at {name!r}. Restore it.")
            return whole(weight, reach[name], norms.get(name))

        self._layers = [
            {part: made(f"{layer}.{part}") for part in PARTS} for layer in range(self.shape.layers)
        ]
        self._head = made(HEAD)
        # Made where it is asked for: most who use this model only write.
        self._every = cache(partial(whole, weights.every, reach[HEAD], weights.norm))
        every = [self._head, *(product for layer in self._layers for product in layer.values())]
        self._aside = max(len(product.channels) for product in every)
        self._eps = np.float32(self.shape.eps)
        self._cos, self._sin = self._tables(BLOCK * 8)
        self._spaces = threading.local()
        # Compile the kernels now, where a person waits for the model anyway.
        self.step(torch.tensor([0]), self.prefill([[0]])[1])

    @torch.inference_mode()
    def prefill(self, contexts: list[list[int]]) -> tuple[torch.Tensor, Cache]:
        """(logits float32[n_contexts, n_columns] after each context's last token, cache)."""
        length = torch.tensor([len(context) for context in contexts])
        check_length(int(length.max()), self.shape)
        shared = _shared(contexts)
        spans = [range(s, len(c)) for s, c in zip(shared.tolist(), contexts, strict=True)]
        ids = [i for span, c in zip(spans, contexts, strict=True) for i in c[span.start :]]
        row = np.repeat(np.arange(len(contexts)), [len(span) for span in spans])
        position = np.array([at for span in spans for at in span])
        cache = Cache.empty(self.shape, length, torch.int16)
        read = self._read(torch.tensor(ids), row, position, cache, shared)
        last = np.cumsum([len(span) for span in spans]) - 1
        return self._logits(read[last], torch.empty(len(last), self.columns)), cache

    @torch.inference_mode()
    def step(self, tokens: torch.Tensor, cache: Cache) -> torch.Tensor:
        """float32[rows, n_columns]: logits after one more token a row; the cache grows by it.

        tokens: int64[rows]. The caller sees to ``positions_max``. The logits are the cache's own,
        and hold until its next step.
        """
        position = cache.length.numpy()
        cache.room_for(rounded(int(position.max()) + 1))
        read = self._read(tokens, np.arange(len(tokens)), position, cache)
        cache.length = cache.length + 1
        if cache.logits is None:
            cache.logits = torch.empty(len(tokens), self.columns)
        return self._logits(read, cache.logits)

    @torch.inference_mode()
    def token_log_probabilities(self, sequences: list[list[int]]) -> list[NDArray[np.float64]]:
        """float64[n_tokens - 1] a sequence: log P of each token but the first, in nats.

        Each sequence holds at least one token; the whole vocabulary competes, whatever the
        ``columns``.
        """
        counts = [len(sequence) - 1 for sequence in sequences]
        check_length(max(counts), self.shape)
        ids = torch.tensor([token for s in sequences for token in s[:-1]])
        wanted = torch.tensor([token for s in sequences for token in s[1:]])
        row = np.repeat(np.arange(len(sequences)), counts)
        position = np.concatenate([np.arange(count) for count in counts])
        cache = Cache.empty(self.shape, torch.tensor(counts).clamp(min=1), torch.int16)
        head = self._every()
        read = self._read(ids, row, position, cache, head=head)
        found = []
        for at in range(0, len(ids), ROWS_LOGITS):
            part = read[slice(at, at + ROWS_LOGITS)]
            logits = torch.empty(len(part.step), head.weight.shape[1])
            kernels.logits(
                self._sums(part, head), part.step, head.scale, head.columns, part.aside,
                logits.numpy(),
            )  # fmt: skip
            tokens = wanted[at : at + ROWS_LOGITS, None]
            found.append(logits.log_softmax(-1).gather(1, tokens)[:, 0])
        return [values.double().numpy() for values in torch.cat(found).split(counts)]

    def _read(
        self,
        ids: torch.Tensor,
        row: Place,
        position: Place,
        cache: Cache,
        shared: Place | None = None,
        head: Whole | None = None,
    ) -> _Input:
        """Tokens through all layers, as what ``head``, the last product, is made of.

        row, position: int64[n], where in the cache they belong; shared: int64[rows], how many
        positions a row has in common with the one before it.
        """
        shape, n = self.shape, len(ids)
        cos, sin = self._angles(int(position.max()) + 1)
        keys, values = (t.numpy().view(np.uint16) for t in (cache.keys, cache.values))
        x = self._space("x", n, shape.hidden, torch.float32)
        torch.index_select(self.embedding, 0, ids, out=x)
        width = shape.heads * shape.head_dim
        queries = self._space("queries", n, width, torch.float32).numpy()
        queries = queries.reshape(n, shape.heads, shape.head_dim)
        read = _Input(
            self._space("read", n, shape.hidden, torch.int8),
            np.empty(n, np.float32),
            np.empty((n, self._aside), np.float32),
        )
        first = self._layers[0]["qkv"]
        kernels.normalize(x.numpy(), first.shrink, self._eps, *_far(first), *_arrays(read))
        pieces = [slice(at, min(at + ROWS_TOGETHER, n)) for at in range(0, n, ROWS_TOGETHER)]
        for index, layer in enumerate(self._layers):
            if shared is not None:
                stopping.check()  # many long contexts take seconds
            qkv = layer["qkv"]
            for piece in pieces:
                part = read[piece]
                kernels.turn(
                    self._sums(part, qkv), part.step, qkv.scale, qkv.columns, part.aside, cos, sin,
                    row[piece], position[piece], index, keys, values, queries[piece],
                )  # fmt: skip
            if shared is not None:
                kernels.share_prefixes(index, keys, values, shared)
            following = [*self._layers[index + 1 : index + 2], {"qkv": head or self._head}][0][
                "qkv"
            ]
            for piece in pieces:
                self._attended(
                    x[piece].numpy(), queries[piece], row[piece], position[piece], index, keys,
                    values, following, read[piece],
                )  # fmt: skip
        return read

    def _attended(self, x, queries, row, position, index, keys, values, following, read):  # type: ignore[no-untyped-def]
        """The rest of a layer after queries, keys and values, up to the ``following`` product."""
        out, gate_up, down = (self._layers[index][part] for part in ("out", "gate_up", "down"))
        whole, step, aside = _arrays(read)
        width = queries.shape[1] * queries.shape[2]
        mixed = _Input(self._space("mixed", len(x), width, torch.int8), step, aside)
        kernels.attend(
            queries, row, position, index, keys, values, out.shrink, out.channels, *_arrays(mixed)
        )
        kernels.residual(
            self._sums(mixed, out), step, out.scale, out.columns, x, gate_up.shrink, self._eps,
            *_far(gate_up), whole, aside,
        )  # fmt: skip
        inner = _Input(self._space("inner", len(x), self.shape.inner, torch.int8), step, aside)
        kernels.gate(
            self._sums(read, gate_up), step, gate_up.scale, gate_up.columns, down.shrink,
            down.channels, inner.whole.numpy(), aside,
        )  # fmt: skip
        kernels.residual(
            self._sums(inner, down), step, down.scale, down.columns, x, following.shrink, self._eps,
            *_far(following), whole, aside,
        )  # fmt: skip

    def _logits(self, read: _Input, found: torch.Tensor) -> torch.Tensor:
        kernels.logits(
            self._sums(read, self._head), read.step, self._head.scale, self._head.columns,
            read.aside, found.numpy(),
        )  # fmt: skip
        return found

    def _sums(self, read: _Input, product: Whole) -> NDArray[np.int32]:
        """int32[n, m]: the whole numbers' product, until this thread's next one."""
        outputs = product.weight.shape[1]
        sums = self._space("sums", len(read.step), outputs, torch.int32)
        torch._int_mm(read.whole, product.weight, out=sums)
        found: NDArray[np.int32] = sums.numpy()
        return found

    def _space(self, name: str, rows: int, width: int, dtype: torch.dtype) -> torch.Tensor:
        """[rows, width], the same memory again for each thread: fresh memory costs more to enter."""
        held: torch.Tensor | None = getattr(self._spaces, name, None)
        if held is None or len(held) < rows * width:
            held = torch.empty(rows * width, dtype=dtype)
            setattr(self._spaces, name, held)
        return held[: rows * width].view(rows, width)

    def _angles(self, positions: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """(cosines, sines): float32[at least ``positions``, head_dim / 2]."""
        found = self._cos, self._sin
        if positions > len(found[0]):
            found = self._tables(2 * positions)
            self._cos, self._sin = found
        return found

    def _tables(self, positions: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        cos, sin = angles(self.shape, positions)
        return cos.float().numpy(), sin.float().numpy()


def _arrays(read: _Input) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.float32]]:
    return read.whole.numpy(), read.step, read.aside


def _far(product: Whole) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    return product.channels, product.norm


def _shared(contexts: list[list[int]]) -> Place:
    """int64[n]: how many tokens each context has in common with the one before it.

    One token at least is a context's own, since its logits are wanted.
    """
    found = [0]
    for before, context in pairwise(contexts):
        most, n = min(len(before), len(context) - 1), 0
        while n < most and before[n] == context[n]:
            n += 1
        found.append(n)
    return np.array(found)
