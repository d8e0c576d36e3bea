"""Write what an infiller's folder holds: adapter, manifest, and nothing of this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from nsx_core.adapters.base_models import base_model_folder
from nsx_core.adapters.causal_infiller import REACH_FILE, TOKENS_FILE
from nsx_core.adapters.manifest import file_sha256, write_json
from nsx_core.infilling.ilm_format import FORMAT

KIND = "causal-infiller"
#: Raise it when the same weights begin to write other answers (sampling, cutting).
ENGINE = 2


def save_infiller(
    model: Any,
    name: str,
    base: str,
    out: Path,
    training: dict[str, Any],
    written: set[int],
    end_bias: float = 0.0,
) -> None:
    """Save the adapter in bf16 with its manifest, training record and vocabulary beside it.

    ``written`` holds the token ids of the neutral corpus: the infiller writes no others, so
    that a word's pieces that no neutral text holds never reach a counterfactual text.
    ``end_bias`` as in ``adapters.decoding.Vocabulary``.
    """
    out.mkdir(parents=True, exist_ok=True)
    (out / REACH_FILE).unlink(missing_ok=True)
    ids = torch.tensor(sorted(written), dtype=torch.int32)
    save_file({"ids": ids}, out / TOKENS_FILE)
    # The marks' rows are in the adapter; a whole resized embedding would be saved beside it.
    model.to(torch.bfloat16).save_pretrained(out, save_embedding_layers=False)
    (out / "README.md").unlink(missing_ok=True)
    config = json.loads((out / "adapter_config.json").read_text(encoding="utf-8"))
    config["base_model_name_or_path"] = Path(base).name if Path(base).is_absolute() else base
    write_json(out / "adapter_config.json", config)
    write_json(out / "training.json", training)
    write_manifest(out, name, base, end_bias)


def write_manifest(
    out: Path, name: str, base: str, end_bias: float, figures: dict[str, Any] | None = None
) -> None:
    """``model.json``: the fingerprint covers all files that shape an answer, end bias and format."""
    base_files = sorted(Path(base_model_folder(base)).glob("*.safetensors"))
    own = [out / "adapter_model.safetensors", out / TOKENS_FILE]
    if (out / REACH_FILE).is_file():
        own.append(out / REACH_FILE)
    weights = file_sha256(*own, *base_files)
    write_json(
        out / "model.json",
        {
            "format": FORMAT,
            "kind": KIND,
            "name": name,
            "base": base,
            "description": f"{base} with our adapter, fine-tuned to infill neutral text.",
            "end_bias": end_bias,
            "fingerprint": f"{FORMAT}.{ENGINE}-{end_bias:g}-{weights}",
            "figures": figures or {},
        },
    )
