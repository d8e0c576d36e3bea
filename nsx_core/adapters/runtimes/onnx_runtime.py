"""The step on ONNX Runtime's processor backend: the graphs of ``onnx_graph``, caches in place."""

from __future__ import annotations

import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsx_core.adapters.runtimes.model import Model
from nsx_core.adapters.runtimes.onnx_graph import step_graph
from nsx_core.adapters.runtimes.protocol import CAPACITY, Session

__all__ = ["build"]


def build(model: Model, variant: str) -> Onnx:
    """``variant``: a kind of product that ``onnx_graph`` names."""
    return Onnx(model, variant)


class Onnx:
    """Satisfies ``Runtime``. One graph serves any number of rows."""

    def __init__(self, model: Model, kind: str) -> None:
        self.shape = model.weights.shape
        self.runtime: Any = import_module("onnxruntime")
        options = self.runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "step.onnx"
            import_module("onnx").save(step_graph(model, kind), str(file))
            self.run = self.runtime.InferenceSession(
                str(file), options, providers=["CPUExecutionProvider"]
            )

    def session(self, rows: int) -> Session:
        return _Session(self, rows)


class _Session:
    def __init__(self, made: Onnx, rows: int) -> None:
        s = made.shape
        self.value = made.runtime.OrtValue.ortvalue_from_numpy
        self.made, self.binding = made, made.run.io_binding()
        self.binding.bind_output("logits", "cpu")
        self.kept = []
        for i in range(s.layers):
            for part in ("keys", "values"):
                empty = np.zeros((rows, s.kv_heads, CAPACITY, s.head_dim), dtype=np.float32)
                cache = self.value(empty)
                self.kept.append(cache)
                self.binding.bind_ortvalue_input(f"{part}_{i}", cache)
                self.binding.bind_ortvalue_output(f"new_{part}_{i}", cache)

    def step(self, tokens: NDArray[np.int64], positions: NDArray[np.int64]) -> NDArray[np.float32]:
        given = {
            "tokens": tokens[:, None],
            "last": positions.astype(np.int32),
            "total": np.array([positions.max() + 1], dtype=np.int32),
        }
        for name, array in given.items():
            self.binding.bind_ortvalue_input(name, self.value(np.ascontiguousarray(array)))
        self.made.run.run_with_iobinding(self.binding)
        found: NDArray[np.float32] = self.binding.get_outputs()[0].numpy()[:, 0]
        return found
