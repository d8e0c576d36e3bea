"""Which tokens of a vocabulary serve as the infilling format's marks."""

from __future__ import annotations

from typing import Any

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
    tokenizer.add_special_tokens(
        {"additional_special_tokens": list(ADDED_TOKENS.values())}
    )
    ids = {k: tokenizer.convert_tokens_to_ids(t) for k, t in ADDED_TOKENS.items()}
    bos = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
    return SpecialTokens(bos=bos, **ids), frozenset(ids.values())
