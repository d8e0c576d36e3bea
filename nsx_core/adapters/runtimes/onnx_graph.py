"""One decoding step as an ONNX graph, in ONNX Runtime's own operators.

Attention is GroupQueryAttention, which keeps every row's cache in place and lets every row
stand at a position of its own; norms are (Skip)SimplifiedLayerNormalization. Products are of
one of four kinds:

- 'float32': MatMul.
- 'rows': our own 8-bit products (``int8``), written out: a scale a row, MatMulInteger, and the
  outlying channels added in floating point.
- 'blocks': MatMulNBits with 8 bits, blocks of 32 weights, and inputs quantised a block at a time.
- 'tensor': DynamicQuantizeMatMul, one scale for all rows together.
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

__all__ = ["BLOCK", "step_graph"]

BLOCK = 32
#: Of ONNX's standard operators, and of the form of the file.
OPSET, IR_VERSION = 20, 10
LARGEST, TINY = 127, 1e-5
_EXTRA = "com.microsoft"


def step_graph(model: Model, kind: str) -> Any:
    """A ``ModelProto``.

    Inputs: tokens int64[rows, 1]; last int32[rows], each token's position; total int32[1], the
    largest position and one; keys_i, values_i float32[rows, kv_heads, CAPACITY, head_dim].
    Outputs: logits float32[rows, 1, columns]; new_keys_i, new_values_i, to be bound to the inputs.
    """
    return _Graph(model, kind).made()


class _Graph:
    def __init__(self, model: Model, kind: str) -> None:
        self.model, self.weights, self.kind = model, model.weights, kind
        self.onnx: Any = import_module("onnx")
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []

    def constant(self, name: str, value: torch.Tensor | NDArray[Any]) -> str:
        array = np.ascontiguousarray(value.numpy() if isinstance(value, torch.Tensor) else value)
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def node(
        self, op: str, inputs: list[str], outputs: list[str], extra: bool = False, **attributes: Any
    ) -> str:
        domain = _EXTRA if extra else ""
        made = self.onnx.helper.make_node(op, inputs, outputs, domain=domain, **attributes)
        self.nodes.append(made)
        return outputs[0]

    def made(self) -> Any:
        weights, s, kind = self.weights, self.weights.shape, self.onnx.TensorProto
        self.given("tokens", kind.INT64, ["rows", 1])
        self.given("last", kind.INT32, ["rows"])
        self.given("total", kind.INT32, [1])
        cos, sin = self.model.turns(CAPACITY)
        tiny = TINY / LARGEST
        for name, value in (("cos", cos), ("sin", sin), ("last_axis", torch.tensor([-1]))):
            self.constant(name, value)
        for name, number in (("127th", 1 / LARGEST), ("tiny", tiny), ("one", 1.0)):
            self.constant(name, torch.tensor(number))
        if self.kind == "rows":
            # Where whole numbers from 0 have their zero: the kernels of most processors want those.
            self.constant("zero", np.array(128, dtype=np.uint8))
            self.constant("flat", torch.tensor([-1]))
            self.node("Shape", ["last"], ["count"])
            self.node("Expand", ["zero", "count"], ["zeros"])
        x = self.node("Gather", [self.constant("embedding", weights.embedding), "tokens"], ["x"])
        norm = "SimplifiedLayerNormalization"
        normed = self.node(
            norm, [x, self.constant("0.before", weights.before[0])], ["0.in"],
            axis=-1, epsilon=s.eps,
        )  # fmt: skip
        for i in range(s.layers):
            mixed = self.attention(i, self.product(f"{i}.qkv", normed))
            out = self.product(f"{i}.out", mixed)
            x, normed = self.added(f"{i}.mid", out, x, weights.after[i])
            down = self.product(f"{i}.down", self.gated(i, self.product(f"{i}.gate_up", normed)))
            after = [*weights.before[i + 1 : i + 2], weights.norm][0]
            x, normed = self.added(f"{i}.end", down, x, after)
        logits = self.product(HEAD, normed)
        self.node("Identity", [logits], ["logits"])
        self.outputs.insert(
            0, self.info("logits", kind.FLOAT, ["rows", 1, len(weights.products[HEAD])])
        )
        helper = self.onnx.helper
        graph = helper.make_graph(
            self.nodes, "step", self.inputs, self.outputs, initializer=self.constants
        )
        versions = [helper.make_opsetid("", OPSET), helper.make_opsetid(_EXTRA, 1)]
        return helper.make_model(graph, opset_imports=versions, ir_version=IR_VERSION)

    def info(self, name: str, kind: int, shape: list[Any]) -> Any:
        return self.onnx.helper.make_tensor_value_info(name, kind, shape)

    def given(self, name: str, kind: int, shape: list[Any]) -> None:
        self.inputs.append(self.info(name, kind, shape))

    def added(self, name: str, y: str, x: str, weight: torch.Tensor) -> tuple[str, str]:
        """(y + x, that normed)."""
        scale = self.constant(f"{name}.norm", weight)
        self.node(
            "SkipSimplifiedLayerNormalization", [y, x, scale],
            [f"{name}.normed", "", "", f"{name}.sum"], extra=True, epsilon=self.weights.shape.eps,
        )  # fmt: skip
        return f"{name}.sum", f"{name}.normed"

    def gated(self, i: int, joined: str) -> str:
        gate, up = f"{i}.gate", f"{i}.up"
        self.node("Split", [joined], [gate, up], axis=-1, num_outputs=2)
        self.node("Sigmoid", [gate], [f"{i}.sigmoid"])
        self.node("Mul", [gate, f"{i}.sigmoid"], [f"{i}.silu"])
        return self.node("Mul", [f"{i}.silu", up], [f"{i}.gated"])

    def attention(self, i: int, qkv: str) -> str:
        s, kind = self.weights.shape, self.onnx.TensorProto.FLOAT
        cache = ["rows", s.kv_heads, CAPACITY, s.head_dim]
        for part in ("keys", "values"):
            self.given(f"{part}_{i}", kind, cache)
            self.outputs.append(self.info(f"new_{part}_{i}", kind, cache))
        return self.node(
            "GroupQueryAttention",
            [qkv, "", "", f"keys_{i}", f"values_{i}", "last", "total", "cos", "sin"],
            [f"{i}.mixed", f"new_keys_{i}", f"new_values_{i}"],
            extra=True, num_heads=s.heads, kv_num_heads=s.kv_heads, do_rotary=1,
            scale=1.0,
        )  # fmt: skip

    def product(self, name: str, x: str) -> str:
        """``x`` [rows, 1, inputs] times the weights of that name."""
        weight, out = self.weights.products[name], f"{name}.product"
        if self.kind == "rows":
            return self.by_rows(name, x)
        if self.kind == "blocks":
            return self.by_blocks(name, x, weight, out)
        if self.kind == "float32":
            return self.node("MatMul", [x, self.constant(f"{name}.w", weight.t())], [out])
        scale = weight.abs().amax(1).clamp_min(TINY) / LARGEST
        whole = (weight / scale[:, None]).round().to(torch.int8).t()
        parts = [self.constant(f"{name}.w", whole), self.constant(f"{name}.scale", scale)]
        return self.node("DynamicQuantizeMatMul", [x, *parts], [out], extra=True)

    def by_blocks(self, name: str, x: str, weight: torch.Tensor, out: str) -> str:
        outputs, inputs = weight.shape
        blocks = weight.view(outputs, inputs // BLOCK, BLOCK)
        scale = blocks.abs().amax(-1).clamp_min(TINY) / LARGEST
        whole = (blocks / scale[..., None]).round().add(128).to(torch.uint8)
        parts = [self.constant(f"{name}.w", whole), self.constant(f"{name}.scale", scale.flatten())]
        return self.node(
            "MatMulNBits", [x, *parts], [out], extra=True,
            K=inputs, N=outputs, bits=8, block_size=BLOCK, accuracy_level=4,
        )  # fmt: skip

    def by_rows(self, name: str, x: str) -> str:
        """Products of ``int8.whole``, operator by operator."""
        own = self.model.whole(name)

        def fixed(part: str, value: torch.Tensor | NDArray[Any]) -> str:
            return self.constant(f"{name}.{part}", value)

        def then(op: str, inputs: list[str], part: str, **attributes: Any) -> str:
            return self.node(op, inputs, [f"{name}.{part}"], **attributes)

        shrunk = then("Mul", [x, fixed("shrink", own.shrink)], "shrunk")
        reach = then("ReduceMax", [then("Abs", [shrunk], "abs"), "last_axis"], "most", keepdims=1)
        reach = then("Max", [then("Mul", [reach, "127th"], "reach"), "tiny"], "reached")
        by_row = then("Reshape", [reach, "flat"], "scales")
        level = then("QuantizeLinear", [shrunk, by_row, "zeros"], "levels", axis=0)
        whole, scale = fixed("w", own.weight), fixed("scale", own.scale)
        inputs = [level, whole, "one", scale, "zero"]
        found = then("MatMulIntegerToFloat", inputs, "by_column", extra=True)
        found = then("Mul", [found, reach], "by_row")
        for channel, column in zip(own.channels.tolist(), own.columns, strict=True):
            at = fixed(f"at{channel}", torch.tensor([channel]))
            one = then("Gather", [x, at], f"x{channel}", axis=-1)
            one = then("Mul", [one, fixed(f"column{channel}", column)], f"part{channel}")
            found = then("Add", [found, one], f"with{channel}")
        return found
