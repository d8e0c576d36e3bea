"""The generation engine's forward pass over any causal LM that transformers reads.

Slower than ``llama_forward`` and for any architecture (GPT-2, for one). Contexts are padded
on the right; the attention mask hides the padding, and each row carries its own positions.
"""

from __future__ import annotations

import copy
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray


@dataclass
class RowsCache:
    """transformers' cache with what the rows need: visible int[rows, length], length int[rows]."""

    past: Any
    visible: torch.Tensor
    length: torch.Tensor

    def take(self, rows: torch.Tensor) -> RowsCache:
        """The given rows, in the given order; a row may be taken many times."""
        past = copy.deepcopy(self.past)
        past.reorder_cache(rows)
        return RowsCache(past, self.visible[rows], self.length[rows])

    def free(self, rows: torch.Tensor) -> None:
        """The given rows are over; they wait for their batch."""


class TransformersForward:
    """``prefill`` contexts, then ``step`` one token a row."""

    refills = restarts = False

    def __init__(self, model: Any, columns: torch.Tensor | None = None) -> None:
        self.model = model.eval()
        self.columns = slice(None) if columns is None else columns
        config = model.config.get_text_config()
        self.positions_max: int = getattr(config, "max_position_embeddings", None) or sys.maxsize

    @torch.inference_mode()
    def prefill(self, contexts: list[list[int]]) -> tuple[torch.Tensor, RowsCache]:
        """(logits float32[n_contexts, n_columns] after each context's last token, cache)."""
        length = torch.tensor([len(c) for c in contexts])
        ids = torch.zeros(len(contexts), int(length.max()), dtype=torch.long)
        for row, context in enumerate(contexts):
            ids[row, : len(context)] = torch.tensor(context)
        # Logits at the contexts' ends only: at every position they would fill gigabytes.
        ends, place = (length - 1).unique(return_inverse=True)
        visible = (torch.arange(ids.shape[1]) < length[:, None]).long()
        answer = self.model(
            input_ids=ids,
            attention_mask=visible,
            position_ids=(visible.cumsum(-1) - 1).clamp(min=0),
            use_cache=True,
            logits_to_keep=ends,
        )
        last = answer.logits[torch.arange(len(contexts)), place]
        return last[:, self.columns].float(), RowsCache(answer.cache, visible, length)

    @torch.inference_mode()
    def token_log_probabilities(self, sequences: list[list[int]]) -> list[NDArray[np.float64]]:
        """float64[n_tokens - 1] a sequence: log P of each token but the first, in nats.

        Each sequence holds at least one token; the whole vocabulary competes, whatever the
        ``columns``.
        """
        found = []
        for sequence in sequences:
            ids = torch.tensor([sequence])
            logits = self.model(input_ids=ids).logits[0, :-1].float().log_softmax(-1)
            found.append(logits.gather(1, ids[0, 1:, None])[:, 0].double().numpy())
        return found

    @torch.inference_mode()
    def step(self, tokens: torch.Tensor, cache: RowsCache) -> torch.Tensor:
        """float32[rows, n_columns] after one more token a row; the cache grows by it."""
        cache.visible = torch.nn.functional.pad(cache.visible, (0, 1), value=1)
        answer = self.model(
            input_ids=tokens[:, None],
            attention_mask=cache.visible,
            # A row that has ended may wait for its batch beyond the last position.
            position_ids=cache.length.clamp(max=self.positions_max - 1)[:, None],
            cache=cache.past,
            use_cache=True,
        )
        cache.past, cache.length = answer.cache, cache.length + 1
        logits: torch.Tensor = answer.logits[:, -1, self.columns].float()
        return logits
