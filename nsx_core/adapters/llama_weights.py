"""A Llama model's weights out of its files, a LoRA adapter of peft's merged into them."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from nsx_core.errors import MissingModelError, ModelError

__all__ = ["merged_weights"]


def merged_weights(folder: Path, adapter: Path | None) -> dict[str, torch.Tensor]:
    """float32 tensors by name. Raises ``MissingModelError`` / ``ModelError``."""
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
