"""Use a trained encoder classifier: a folder in, probabilities of named labels out.

Texts are cleaned, each distinct one is asked once, sorted by length and sent in batches
of a bounded number of tokens; a softmax of the model's own two logits makes the answer.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file

from nsx_core.adapters import encoder as enc
from nsx_core.adapters.manifest import (
    ADAPTER_KIND,
    WEIGHT_FILES,
    Manifest,
    file_sha256,
    fingerprint,
    read_manifest,
)
from nsx_core.adapters.processor import device, matrix_dtype
from nsx_core.errors import MissingModelError, ModelError

__all__ = ["EncoderClassifier"]

ENCODER_FOLDER = "encoder"
#: On how many texts bfloat16 must give float32's label to be used where it is faster.
AGREEMENT_MIN = 0.995


class EncoderClassifier:
    """A ``Classifier`` (see ``nsx_core.classifying``) over an encoder with a head."""

    def __init__(
        self,
        manifest: Manifest,
        model: enc.EncoderWithHead,
        tokenizer: Any,
        tokens_per_batch: int = enc.TOKENS_PER_BATCH,
    ) -> None:
        self.manifest = manifest
        self.tokens_per_batch = tokens_per_batch
        self._model, self._tokenizer = model, tokenizer
        self._fingerprint = fingerprint(manifest)
        # Cutting texts changes the tokenizer's own state, and a second thread that asks at
        # that moment gets 'Already borrowed'.
        self._tokenizing = threading.Lock()

    @classmethod
    def load(cls, folder: str | Path, dtype: torch.dtype | None = None) -> EncoderClassifier:
        """The classifier in a folder that training wrote; on CUDA where there is one.

        ``dtype``: what the encoder computes in; None = float32, or bfloat16 where that is
        faster and was measured to give the same labels (``AGREEMENT_MIN``).

        Raises ``MissingModelError`` where the folder, one of its files or its base model is
        not there, and ``ModelError`` where a file is damaged or belongs elsewhere.
        """
        folder = Path(folder)
        manifest = read_manifest(folder)
        tensors = _tensors(folder, manifest)
        if manifest.kind == ADAPTER_KIND:
            source = enc.base_folder(manifest.base)
            found = enc.base_sha256(source)
            if found != manifest.base_sha256:
                raise ModelError(
                    f"{manifest.name!r} was learned on the base model {manifest.base!r} with "
                    f"sha256 {manifest.base_sha256[:12]}, and the one here has {found[:12]}. "
                    "Install the pinned version with `make setup`, or train the classifier again."
                )
            encoder = enc.load_encoder(source)
            scale = manifest.recipe.lora_alpha / max(1, manifest.recipe.lora_rank)
            matrices = {
                name.removeprefix("encoder."): tensor
                for name, tensor in tensors.items()
                if ".lora_" in name
            }
            enc.merge_lora(encoder, matrices, scale)
        else:
            source = folder / ENCODER_FOLDER
            encoder = enc.empty_encoder(source)
        model = enc.EncoderWithHead(
            encoder, enc.encoder_width(encoder), len(manifest.labels), manifest.recipe.pooling, 0.0
        )
        stored = {name: tensor for name, tensor in tensors.items() if ".lora_" not in name}
        _fill(model, stored, manifest)
        model.eval().requires_grad_(False)
        model.to(device())
        model.encoder.to(dtype or _dtype(manifest))
        return cls(manifest, model, enc.load_tokenizer(source))

    @property
    def name(self) -> str:
        return self.manifest.name

    @property
    def fingerprint(self) -> str:
        """sha256 hex over weights, base model, labels, cleaning and truncation."""
        return self._fingerprint

    @property
    def labels(self) -> tuple[str, ...]:
        return self.manifest.labels

    @property
    def explained_class(self) -> str:
        """The label whose probability is explained unless the auditor names another."""
        return self.manifest.explained_class

    @property
    def mask_token(self) -> str | None:
        """What stands for a word that is hidden, as the encoder learned it; None = it has none."""
        token = self._tokenizer.mask_token
        return None if token is None else str(token)

    def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
        """float64[n_texts, n_labels] in 0..1, rows in the order of ``texts``, each sums to 1.

        Equal texts (once cleaned) get equal rows. ``ModelError`` where one text alone does
        not fit into memory.
        """
        cleaned = [enc.cleaned(text) for text in texts]
        place = {text: row for row, text in enumerate(dict.fromkeys(cleaned))}
        if not place:
            return np.zeros((0, len(self.labels)), dtype=np.float64)
        with self._tokenizing:
            ids = enc.token_ids(self._tokenizer, list(place), self.manifest.max_tokens)
        pad = int(self._tokenizer.pad_token_id)
        logits = enc.logits_of(self._model, ids, pad, self.tokens_per_batch)
        raised = np.exp(logits - logits.max(axis=1, keepdims=True))
        distinct = raised / raised.sum(axis=1, keepdims=True)
        answer: NDArray[np.float64] = distinct[[place[text] for text in cleaned]]
        return answer

    def unseen_words(self, text: str) -> int:
        """How many words (of the cleaned text, split at spaces) begin after the cut."""
        cleaned = enc.cleaned(text)
        with self._tokenizing:
            found = self._tokenizer(
                cleaned,
                truncation=True,
                max_length=self.manifest.max_tokens,
                return_offsets_mapping=True,
            )
            whole = self._tokenizer(cleaned, truncation=False, verbose=False)
        if len(whole["input_ids"]) <= len(found["input_ids"]):
            return 0
        end = max((stop for _, stop in found["offset_mapping"]), default=0)
        tail = cleaned[end:]
        # A word cut in two was seen in part, and does not count.
        begun = bool(tail) and end > 0 and not tail[0].isspace() and not cleaned[end - 1].isspace()
        return max(0, len(tail.split()) - int(begun))


def _dtype(manifest: Manifest) -> torch.dtype:
    measured = manifest.bfloat16
    agrees = measured is not None and measured.share >= AGREEMENT_MIN
    return matrix_dtype(device()) if agrees else torch.float32


def _tensors(folder: Path, manifest: Manifest) -> dict[str, torch.Tensor]:
    path = folder / WEIGHT_FILES[manifest.kind]
    if not path.is_file():
        raise MissingModelError(
            f"A classifier of kind {manifest.kind!r} needs {path.name!r} in {str(folder)!r}, and "
            "it is not there. Restore the file, or train the classifier again."
        )
    found = file_sha256(path)
    if found != manifest.weights_sha256:
        raise ModelError(
            f"{path.name!r} in {str(folder)!r} must have the sha256 "
            f"{manifest.weights_sha256[:12]} that its manifest names, and has {found[:12]}: it is "
            "damaged or another model's. Restore the folder, or train the classifier again."
        )
    try:
        return load_file(path)
    except (SafetensorError, OSError) as error:
        raise ModelError(
            f"{str(path)!r} must be a safetensors file, and cannot be read as one: {error}. "
            "Restore the file, or train the classifier again."
        ) from error


def _fill(model: enc.EncoderWithHead, stored: dict[str, torch.Tensor], manifest: Manifest) -> None:
    """Put the stored tensors into the model; an adapter holds the head alone."""
    parts = dict(model.named_parameters())
    prefix = "head." if manifest.kind == ADAPTER_KIND else ""
    wanted = {name for name in parts if name.startswith(prefix)}
    wrong = wanted ^ set(stored)
    wrong |= {name for name in wanted & set(stored) if parts[name].shape != stored[name].shape}
    if wrong:
        raise ModelError(
            f"The weights of {manifest.name!r} must fit its encoder, and {len(wrong)} tensors do "
            f"not, the first {min(wrong)!r}. Train the classifier again."
        )
    with torch.no_grad():
        for name in wanted:
            parts[name].copy_(stored[name])
