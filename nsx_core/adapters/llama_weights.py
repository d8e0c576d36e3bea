"""A Llama model's weights out of its files, a LoRA adapter of peft's merged into them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from nsx_core.errors import MissingModelError, ModelError

__all__ = ["HEAD", "PARTS", "Shape", "Weights", "angles", "check_length", "weights_of"]

HEAD = "head"
#: Products of one layer, and the weights that each joins.
PARTS = {
    "qkv": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "out": ("self_attn.o_proj",),
    "gate_up": ("mlp.gate_proj", "mlp.up_proj"),
    "down": ("mlp.down_proj",),
}


@dataclass(frozen=True)
class Shape:
    """The architecture's numbers, as config.json names them."""

    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    hidden: int
    inner: int
    eps: float
    theta: float
    max_positions: int


@dataclass(frozen=True)
class Weights:
    """float32 tensors: embedding [vocabulary, hidden]; norms [hidden]; products [outputs, inputs].

    norms: the last one, and each layer's ``before`` attention and ``after`` it, by layer;
    products: by ``f"{layer}.{part}"`` for each of ``PARTS``, and ``HEAD``; every: the head of all
    tokens, the embedding itself where the two are tied. Attention's scores need no scaling: it is
    in the queries' weights.
    """

    shape: Shape
    embedding: torch.Tensor
    norm: torch.Tensor
    before: list[torch.Tensor]
    after: list[torch.Tensor]
    products: dict[str, torch.Tensor]
    every: torch.Tensor


def weights_of(
    folder: str | Path, adapter: str | Path | None = None, columns: torch.Tensor | None = None
) -> Weights:
    """Read a model folder. Raises ``MissingModelError`` / ``ModelError``.

    ``columns`` int64[n]: the token ids whose logits are wanted (default: all of them).
    """
    folder = Path(folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if config.get("model_type") != "llama" or config.get("attention_bias"):
        raise ModelError(f"{folder} is not a plain Llama model; load it with transformers.")
    shape = _shape(config)
    tensors = _merged(folder, Path(adapter) if adapter else None)

    def at(name: str) -> torch.Tensor:
        return tensors[f"model.{name}.weight"]

    def fused(index: int, part: str) -> torch.Tensor:
        weight = torch.cat([at(f"layers.{index}.{name}") for name in PARTS[part]]).contiguous()
        if part == "qkv":
            weight[: shape.heads * shape.head_dim] *= shape.head_dim**-0.5
        return weight

    embedding, layers = at("embed_tokens"), range(shape.layers)
    head = tensors.get("lm_head.weight", embedding)
    products = {f"{i}.{part}": fused(i, part) for i in layers for part in PARTS}
    products[HEAD] = head if columns is None else head[columns].contiguous()
    return Weights(
        shape=shape,
        embedding=embedding,
        norm=at("norm"),
        before=[at(f"layers.{i}.input_layernorm") for i in layers],
        after=[at(f"layers.{i}.post_attention_layernorm") for i in layers],
        products=products,
        every=head,
    )


def angles(shape: Shape, positions: int) -> tuple[torch.Tensor, torch.Tensor]:
    """(cosines, sines) float64[positions, head_dim / 2]: by how much a position turns a pair."""
    half = torch.arange(0, shape.head_dim, 2, dtype=torch.float64)
    inverse = shape.theta ** (-half / shape.head_dim)
    angle = torch.arange(positions, dtype=torch.float64)[:, None] * inverse
    return angle.cos(), angle.sin()


def check_length(tokens: int, shape: Shape) -> None:
    """Raise ``ModelError`` for a context that the model has no positions for."""
    if tokens > shape.max_positions:
        raise ModelError(
            f"The infiller reads at most {shape.max_positions} tokens, and the text has "
            f"{tokens}. Shorten it or use sentence units."
        )


def _shape(config: dict[str, Any]) -> Shape:
    heads: int = config["num_attention_heads"]
    return Shape(
        layers=config["num_hidden_layers"],
        heads=heads,
        kv_heads=config.get("num_key_value_heads") or heads,
        head_dim=config.get("head_dim") or config["hidden_size"] // heads,
        hidden=config["hidden_size"],
        inner=config["intermediate_size"],
        eps=config["rms_norm_eps"],
        theta=(config.get("rope_parameters") or config).get("rope_theta", 10_000.0),
        max_positions=config["max_position_embeddings"],
    )


def _merged(folder: Path, adapter: Path | None) -> dict[str, torch.Tensor]:
    weights = {k: v.float() for k, v in _tensors(folder / "model.safetensors").items()}
    if adapter is not None:
        _merge_lora(weights, adapter)
    return weights


def _merge_lora(weights: dict[str, torch.Tensor], adapter: Path) -> None:
    """Add a peft LoRA adapter's products to the weights it names, in place."""
    config = json.loads((adapter / "adapter_config.json").read_text(encoding="utf-8"))
    if (
        config.get("peft_type") != "LORA"
        or config.get("use_dora")
        or config.get("bias", "none") != "none"
    ):
        raise ModelError(f"{adapter} must hold a plain LoRA adapter without bias.")
    rank, alpha = config["r"], config["lora_alpha"]
    scale = alpha / (rank**0.5 if config.get("use_rslora") else rank)
    if config.get("rank_pattern") or config.get("alpha_pattern"):
        raise ModelError(f"{adapter} must hold a LoRA adapter of one rank and one alpha.")
    parts = _tensors(adapter / "adapter_model.safetensors")
    for name, down in parts.items():
        if name.endswith(".lora_B.weight"):
            continue
        if not name.endswith(".lora_A.weight"):
            raise ModelError(f"{adapter} must hold LoRA products only, and it holds {name!r}.")
        up = parts[name.replace(".lora_A.", ".lora_B.")]
        target = name.removeprefix("base_model.model.").replace(".lora_A.weight", ".weight")
        if target not in weights:
            raise ModelError(f"{adapter} adapts {target!r}, which the base model does not have.")
        # In double precision, so that no order of adding up can change a bit of the sum.
        weights[target] += (scale * (up.double() @ down.double())).float()


def _tensors(file: Path) -> dict[str, torch.Tensor]:
    """A safetensors file's tensors, or ``MissingModelError`` / ``ModelError``."""
    if not file.is_file():
        raise MissingModelError(f"A model's weights lie in {file}, and there is no such file.")
    try:
        return load_file(file)
    except SafetensorError as reason:
        raise ModelError(f"{file} is damaged: {reason}. Restore the file.") from reason
