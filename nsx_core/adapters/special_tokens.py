"""Which tokens of a vocabulary serve as the infilling format's marks."""

from __future__ import annotations

from typing import Any

import torch

from nsx_core.infilling.ilm_format import SMOLLM2_SPECIAL_TOKENS, SpecialTokens

ADDED_TOKENS = {"blank": "<|blank|>", "start": "<|startofanswers|>", "end": "<|endofanswer|>"}


def special_tokens(tokenizer: Any) -> tuple[SpecialTokens, frozenset[int]]:
    """(the marks' ids, ids that were added to the vocabulary and need training).

    SmolLM2 has unused special tokens; GPT-2 and others get three new ones, and their own
    end-of-text token opens a sequence.
    """
    vocabulary = tokenizer.get_vocab()
    if all(t in vocabulary for t in SMOLLM2_SPECIAL_TOKENS.values()):
        ids = {k: vocabulary[t] for k, t in SMOLLM2_SPECIAL_TOKENS.items()}
        return SpecialTokens(**ids), frozenset()
    tokenizer.add_special_tokens({"additional_special_tokens": list(ADDED_TOKENS.values())})
    ids = {k: tokenizer.convert_tokens_to_ids(t) for k, t in ADDED_TOKENS.items()}
    bos = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
    return SpecialTokens(bos=bos, **ids), frozenset(ids.values())


def make_room(model: Any, tokenizer: Any) -> None:
    """Give the model's embeddings a row for each token, the new ones always the same.

    Where a model's output layer is not its input layer, only the input rows of the marks
    are trained: the output rows must be those that training saw.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
