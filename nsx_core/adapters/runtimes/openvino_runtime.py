"""The step on OpenVINO's processor plugin: the graph of ``openvino_graph``."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsx_core.adapters.runtimes.model import Model
from nsx_core.adapters.runtimes.openvino_graph import step_graph
from nsx_core.adapters.runtimes.protocol import Session

__all__ = ["build"]


def build(model: Model, variant: str) -> OpenVino:
    """``variant``: 'float32', or how many of a row's inputs share a scale on their way to int8."""
    return OpenVino(model, 0 if variant == "float32" else int(variant))


class OpenVino:
    """Satisfies ``Runtime``. One graph serves any number of rows."""

    def __init__(self, model: Model, group: int) -> None:
        settings = {
            "INFERENCE_NUM_THREADS": 1,
            "NUM_STREAMS": 1,
            "INFERENCE_PRECISION_HINT": "f32",
            "KV_CACHE_PRECISION": "f32",
            "DYNAMIC_QUANTIZATION_GROUP_SIZE": group,
        }
        library: Any = import_module("openvino")
        self.compiled = library.Core().compile_model(step_graph(model, group > 0), "CPU", settings)

    def session(self, rows: int) -> Session:
        return _Session(self.compiled.create_infer_request(), rows)


class _Session:
    def __init__(self, request: Any, rows: int) -> None:
        self.request, self.order = request, np.arange(rows, dtype=np.int32)
        self.stands = np.empty((rows, 0), dtype=np.int64)

    def step(self, tokens: NDArray[np.int64], positions: NDArray[np.int64]) -> NDArray[np.float32]:
        if not positions.any():
            self.request.reset_state()
            self.stands = self.stands[:, :0]
        # Slots whose tokens are forgotten stand nowhere any more.
        forgotten = self.stands >= positions[:, None]
        before = np.where(forgotten, -1, self.stands)
        self.stands = np.concatenate([before, positions[:, None]], 1)
        mask = np.where(self.stands < 0, -np.inf, 0).astype(np.float32)[:, None, None]
        found = self.request.infer(
            {
                "tokens": tokens[:, None],
                "positions": positions[:, None],
                "mask": mask,
                "order": self.order,
            }
        )
        made: NDArray[np.float32] = found["logits"][:, 0].copy()
        return made
