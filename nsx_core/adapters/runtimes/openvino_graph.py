"""One decoding step as an OpenVINO graph, in the patterns that its processor plugin fuses.

Caches are variables that grow by a slot a step, in all rows alike: what a row should not see,
because it is shorter or has taken a token back, is masked. Weights are float32, or uint8 with a
scale an output channel, as OpenVINO's own compression writes them.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from nsx_core.adapters.llama_weights import HEAD
from nsx_core.adapters.runtimes.model import Model
from nsx_core.adapters.runtimes.protocol import CAPACITY

__all__ = ["step_graph"]

_TINY = 1e-5


def step_graph(model: Model, whole_numbers: bool) -> Any:
    """An ``openvino.Model``.

    Inputs: tokens, positions int64[rows, 1]; mask float32[rows, 1, 1, slots], 0 or -inf, over
    the cache's slots with the new one; order int32[rows], which cache each row goes on with.
    Output: logits float32[rows, 1, columns].
    """
    return _Graph(model, whole_numbers).made()


class _Graph:
    def __init__(self, model: Model, whole_numbers: bool) -> None:
        self.model, self.weights, self.whole_numbers = model, model.weights, whole_numbers
        self.op: Any = import_module("openvino.opset13")
        self.library: Any = import_module("openvino")
        self.ends: list[Any] = []

    def fixed(self, value: torch.Tensor | NDArray[Any] | list[int] | float | np.int64) -> Any:
        array = value.numpy() if isinstance(value, torch.Tensor) else np.asarray(value)
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        return self.op.constant(np.ascontiguousarray(array))

    def made(self) -> Any:
        op, weights = self.op, self.weights
        tokens = op.parameter([-1, 1], np.int64, name="tokens")
        positions = op.parameter([-1, 1], np.int64, name="positions")
        mask = op.parameter([-1, 1, 1, -1], np.float32, name="mask")
        order = op.parameter([-1], np.int32, name="order")
        self.mask, self.order = mask, order
        zero = self.fixed(np.int64(0))
        half_cos, half_sin = self.model.turns(CAPACITY)
        tables = (torch.cat([half_cos] * 2, -1), torch.cat([half_sin] * 2, -1))
        self.cos, self.sin = (
            op.unsqueeze(op.gather(self.fixed(t), positions, zero), self.fixed([1])) for t in tables
        )
        rows = op.gather(op.shape_of(tokens), self.fixed([0]), zero)
        s = self.weights.shape
        size = op.concat([rows, self.fixed([s.kv_heads, 0, s.head_dim])], 0)
        self.empty = op.broadcast(self.fixed(0.0), size)
        x = op.gather(self.fixed(weights.embedding), tokens, zero)
        for i in range(s.layers):
            normed = self.normed(x, weights.before[i])
            mixed = self.attention(i, self.product(normed, weights.products[f"{i}.qkv"]))
            x = op.add(x, self.product(mixed, weights.products[f"{i}.out"]))
            normed = self.normed(x, weights.after[i])
            # Apart, or splitting them costs a copy.
            both = weights.products[f"{i}.gate_up"].chunk(2)
            gate, up = (self.product(normed, weight) for weight in both)
            gated = op.multiply(op.swish(gate), up)
            x = op.add(x, self.product(gated, weights.products[f"{i}.down"]))
        logits = self.product(self.normed(x, weights.norm), weights.products[HEAD])
        logits.output(0).set_names({"logits"})
        return self.library.Model(
            [op.result(logits)], self.ends, [tokens, positions, mask, order], "step"
        )

    def normed(self, x: Any, weight: torch.Tensor) -> Any:
        op = self.op
        mean = op.reduce_mean(op.power(x, self.fixed(2.0)), self.fixed([-1]), keep_dims=True)
        root = op.sqrt(op.add(mean, self.fixed(self.weights.shape.eps)))
        return op.multiply(op.multiply(x, op.divide(self.fixed(1.0), root)), self.fixed(weight))

    def product(self, x: Any, weight: torch.Tensor) -> Any:
        """``x`` [rows, 1, inputs] times ``weight`` [outputs, inputs]."""
        return self.op.matmul(x, self.weight(weight), False, True)

    def weight(self, weight: torch.Tensor) -> Any:
        if not self.whole_numbers:
            return self.fixed(weight)
        op = self.op
        scale = weight.abs().amax(1, keepdim=True).clamp_min(_TINY) / 127
        whole = (weight / scale).round().add(128).to(torch.uint8)
        middle = op.convert(self.fixed(torch.full_like(scale, 128).to(torch.uint8)), "f32")
        return op.multiply(
            op.subtract(op.convert(self.fixed(whole), "f32"), middle), self.fixed(scale)
        )

    def attention(self, i: int, qkv: Any) -> Any:
        op, s = self.op, self.weights.shape
        widths = self.fixed([s.heads * s.head_dim] + [s.kv_heads * s.head_dim] * 2)
        q, k, v = (
            op.transpose(
                op.reshape(part, self.fixed([0, 0, heads, s.head_dim]), True),
                self.fixed([0, 2, 1, 3]),
            )
            for part, heads in zip(
                op.variadic_split(qkv, self.fixed(np.int64(-1)), widths).outputs(),
                (s.heads, s.kv_heads, s.kv_heads),
                strict=True,
            )
        )
        k, v = self.kept(f"keys.{i}", self.turned(k)), self.kept(f"values.{i}", v)
        mixed = op.scaled_dot_product_attention(
            self.turned(q), self.shared(k), self.shared(v), self.mask, self.fixed(1.0)
        )
        together = op.transpose(mixed, self.fixed([0, 2, 1, 3]))
        return op.reshape(together, self.fixed([0, 0, s.heads * s.head_dim]), True)

    def turned(self, x: Any) -> Any:
        op, half = self.op, self.weights.shape.head_dim // 2
        first, second = op.variadic_split(
            x, self.fixed(np.int64(-1)), self.fixed([half, half])
        ).outputs()
        other = op.concat([op.multiply(second, self.fixed(-1.0)), first], -1)
        return op.add(op.multiply(x, self.cos), op.multiply(other, self.sin))

    def kept(self, name: str, new: Any) -> Any:
        """The cache with the new slot [rows, kv_heads, slots, head_dim], which it becomes."""
        op, s = self.op, self.weights.shape
        info = self.library.op.util.VariableInfo()
        info.data_shape = self.library.PartialShape([-1, s.kv_heads, -1, s.head_dim])
        info.data_type, info.variable_id = self.library.Type.f32, name
        variable = self.library.op.util.Variable(info)
        past = op.gather(op.read_value(self.empty, variable), self.order, self.fixed(np.int64(0)))
        whole = op.concat([past, new], 2)
        self.ends.append(op.assign(whole, variable))
        return whole

    def shared(self, x: Any) -> Any:
        """A key-value head for each query head."""
        op, s = self.op, self.weights.shape
        apart = op.unsqueeze(x, self.fixed([2]))
        group = self.fixed([1, 1, s.heads // s.kv_heads, 1, 1])
        repeated = op.broadcast(apart, group, broadcast_spec="BIDIRECTIONAL")
        return op.reshape(repeated, self.fixed([0, s.heads, -1, s.head_dim]), True)
