"""Weights that cannot be used are refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from tiny_models import tiny_adapter, tiny_llama

from nsx_core.adapters.llama_forward import LlamaForward
from nsx_core.errors import MissingModelError, ModelError

# peft asks transformers a question that transformers is about to rename.
pytestmark = pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing.:FutureWarning")


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_llama(tmp_path_factory.mktemp("llama"), positions=64)


@pytest.fixture(scope="module")
def adapter(llama: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_adapter(llama, tmp_path_factory.mktemp("adapter"))


def test_weights_that_cannot_be_used_are_named(llama: Path, adapter: Path, tmp_path: Path) -> None:
    def with_adapter(folder: Path) -> LlamaForward:
        return LlamaForward(llama, folder, torch.float32)

    config = (adapter / "adapter_config.json").read_text(encoding="utf-8")
    (tmp_path / "adapter_config.json").write_text(config, encoding="utf-8")
    with pytest.raises(MissingModelError, match=r"adapter_model\.safetensors, and there is no"):
        with_adapter(tmp_path)
    (tmp_path / "adapter_model.safetensors").write_bytes(b"not a model")
    with pytest.raises(ModelError, match=r"adapter_model\.safetensors is damaged"):
        with_adapter(tmp_path)
    for change, message in (
        (('"use_dora": false', '"use_dora": true'), "plain LoRA adapter without bias"),
        (('"rank_pattern": {}', '"rank_pattern": {"q_proj": 2}'), "one rank and one alpha"),
    ):
        assert change[0] in config
        changed = config.replace(*change)
        (tmp_path / "adapter_config.json").write_text(changed, encoding="utf-8")
        with pytest.raises(ModelError, match=message):
            with_adapter(tmp_path)
