"""Other runtimes that could make the infiller's decoding steps, each behind one protocol.

They are measured by ``python -m nsx_core.bench.runtimes`` and used nowhere else: what they
need beyond the project's requirements is imported when a runtime is built, and a runtime whose
packages are missing says so (``missing``). All get the same weights, with the adapter merged,
and the same columns of logits, and all run on one thread.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from nsx_core.adapters.runtimes.model import Model
from nsx_core.adapters.runtimes.protocol import CAPACITY, Runtime, Session

__all__ = ["CAPACITY", "CHOICES", "Choice", "Runtime", "Session", "missing"]


@dataclass(frozen=True)
class Choice:
    """A runtime that can be measured.

    ``needs``: importable packages by the names that pip knows; ``variant`` goes to ``build``
    of the module ``module`` of this package.
    """

    name: str
    module: str
    variant: str
    needs: tuple[tuple[str, str], ...] = ()

    def build(self, model: Model) -> Runtime:
        """Import what it needs and make the model ready."""
        maker: Callable[[Model, str], Runtime] = import_module(f"{__name__}.{self.module}").build
        return maker(model, self.variant)


_ONNX = (("onnxruntime", "onnxruntime"), ("onnx", "onnx"))
_OPENVINO = (("openvino", "openvino"),)
_LLAMA_CPP = (("llama_cpp", "llama-cpp-python"), ("gguf", "gguf"))

CHOICES: Sequence[Choice] = (
    Choice("our own, int8", "eager", "int8"),
    Choice("our own, float32", "eager", "float32"),
    Choice("our int8 step in plain torch", "eager", "torch"),
    Choice("torch.compile, int8 step in torch", "compiled", "int8"),
    Choice("torch.compile, our float32 step", "compiled", "float32"),
    Choice("ONNX Runtime, float32", "onnx_runtime", "float32", _ONNX),
    Choice("ONNX Runtime, our int8 products", "onnx_runtime", "rows", _ONNX),
    Choice("ONNX Runtime, MatMulNBits 8 bit", "onnx_runtime", "blocks", _ONNX),
    Choice("ONNX Runtime, DynamicQuantizeMatMul", "onnx_runtime", "tensor", _ONNX),
    Choice("OpenVINO, float32", "openvino_runtime", "float32", _OPENVINO),
    Choice("OpenVINO, int8, dynamic groups of 32", "openvino_runtime", "32", _OPENVINO),
    Choice("OpenVINO, int8, dynamic groups of 64", "openvino_runtime", "64", _OPENVINO),
    Choice("OpenVINO, int8, dynamic groups of 192", "openvino_runtime", "192", _OPENVINO),
    Choice("llama.cpp, float32", "llama_cpp", "float32", _LLAMA_CPP),
    Choice("llama.cpp, Q8_0", "llama_cpp", "int8", _LLAMA_CPP),
)


def missing(choice: Choice) -> tuple[str, ...]:
    """What pip would install for it, of what is not there."""
    return tuple(pip for module, pip in choice.needs if importlib.util.find_spec(module) is None)
