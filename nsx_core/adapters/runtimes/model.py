"""The infiller's weights as every runtime is given them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import torch
from safetensors.torch import load_file

from nsx_core.adapters.base_models import base_model_folder
from nsx_core.adapters.causal_infiller import REACH_FILE, CausalInfiller
from nsx_core.adapters.int8 import Whole, whole
from nsx_core.adapters.int8_forward import Int8Forward
from nsx_core.adapters.llama_forward import LlamaForward, Product
from nsx_core.adapters.llama_weights import HEAD, Weights, angles, weights_of
from nsx_core.errors import ModelError

__all__ = ["Model", "model_of"]

_LARGEST, _TINY = 127, 1e-5


@dataclass(frozen=True)
class Model:
    """A base folder and an adapter; ``columns`` int64[n], the tokens whose logits are wanted.

    ``reach``: the inputs' largest values by product, for products in whole numbers.
    """

    base: Path
    adapter: Path | None
    columns: torch.Tensor
    reach: Mapping[str, torch.Tensor]

    @cached_property
    def weights(self) -> Weights:
        """float32, the adapter merged; queries need no scaling."""
        return weights_of(self.base, self.adapter, self.columns)

    def exact(self) -> LlamaForward:
        """Our own pass in float32: what every other one is compared with."""
        return LlamaForward(self.base, self.adapter, torch.float32, self.columns)

    def quick(self) -> Int8Forward:
        """Our own pass in whole numbers, as the engine runs it."""
        return Int8Forward(self.base, self.adapter, self.reach, self.columns)

    def whole_in_torch(self) -> LlamaForward:
        """The pass in float32 with its products in whole numbers, all in torch's operations."""
        forward = self.exact()
        forward.head = _product(self.whole(HEAD))
        forward.layers = [
            replace(layer, products={p: _product(self.whole(f"{i}.{p}")) for p in layer.products})
            for i, layer in enumerate(forward.layers)
        ]
        return forward

    def whole(self, name: str) -> Whole:
        """A product in whole numbers, by the name that ``Weights`` gives it; norms stay apart."""
        return whole(self.weights.products[name], self.reach[name])

    def turns(self, positions: int) -> tuple[torch.Tensor, torch.Tensor]:
        """(cosines, sines) float32[positions, head_dim / 2] of the rotary embedding."""
        cos, sin = angles(self.weights.shape, positions)
        return cos.float(), sin.float()


def model_of(folder: Path) -> tuple[Model, CausalInfiller]:
    """(the weights of an infiller's folder, the infiller itself, for its tokens and format).

    Raises ``ModelError`` where its base does not run on our own pass, in whole numbers too.
    """
    infiller = CausalInfiller.load(folder, whole_numbers=True)
    if not isinstance(infiller.forward, Int8Forward):
        raise ModelError(f"{folder} is no calibrated Llama model, and no other is measured.")
    base = json.loads((folder / "model.json").read_text(encoding="utf-8"))["base"]
    reach = load_file(folder / REACH_FILE)
    model = Model(Path(base_model_folder(base)), folder, infiller._vocabulary.ids, reach)
    return model, infiller


def _product(made: Whole) -> Product:
    """x -> about x W^T, as ``int8_kernels`` have it, one operation of torch after another."""
    shrink, scale = torch.from_numpy(made.shrink), torch.from_numpy(made.scale)
    weight, columns = made.weight, torch.from_numpy(made.columns)
    aside = list(zip(made.channels.tolist(), columns, strict=True))

    def multiplied(x: torch.Tensor) -> torch.Tensor:
        rows = x * shrink
        step = (rows.abs().amax(-1, keepdim=True) / _LARGEST).clamp_min(_TINY / _LARGEST)
        sums = torch._int_mm((rows / step).round().to(torch.int8), weight)
        found = sums.float() * step * scale
        for channel, column in aside:
            found = found + x[..., channel, None] * column
        return found

    return multiplied
