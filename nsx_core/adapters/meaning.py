"""How near two texts are in meaning: the cosine of their sentence embeddings (reimers-gurevych-2019).

The encoder is all-MiniLM-L6-v2, mean over its tokens, as its authors use it; texts are cleaned as
the shipped classifiers clean them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from nsx_core.adapters import encoder as enc
from nsx_core.adapters.base_models import MINILM

__all__ = ["SentenceMeaning"]


class SentenceMeaning:
    """Satisfies ``nsx_core.catalogue.Meaning``."""

    name = MINILM

    def __init__(self, base: str = MINILM) -> None:
        """Raises ``MissingModelError`` / ``ModelError``."""
        folder = enc.base_folder(base)
        encoder = enc.load_encoder(folder)
        width = enc.encoder_width(encoder)
        self._tokenizer, self._limit = enc.load_tokenizer(folder), enc.encoder_limit(encoder)
        self._model = enc.EncoderWithHead(encoder, width, width, "mean", 0.0)
        # The pooled states themselves.
        torch.nn.init.eye_(self._model.head.weight)
        torch.nn.init.zeros_(self._model.head.bias)
        self._model.requires_grad_(False)

    def cosines(self, text: str, others: Sequence[str]) -> NDArray[np.float64]:
        """float64[n_others] in -1..1: each one's cosine with ``text``."""
        distinct = list(dict.fromkeys([text, *others]))
        ids = enc.token_ids(self._tokenizer, [enc.cleaned(t) for t in distinct], self._limit)
        states = enc.logits_of(self._model, ids, self._tokenizer.pad_token_id)
        states /= np.maximum(np.linalg.norm(states, axis=1, keepdims=True), 1e-12)
        found = dict(zip(distinct, (states @ states[0]).clip(-1, 1), strict=True))
        return np.array([found[t] for t in others], dtype=np.float64)
