"""How likely a language model finds a text: the mean log-probability of its tokens.

The yardstick of quality reports is the untuned base model SmolLM2, which never saw an infilling
format, so our texts and other people's are measured by the same outsider. Counterfactual texts
are measured by the infiller's own model. The end-of-text token stands before each text, so that
the first token counts too.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer

from nsx_core import stopping
from nsx_core.adapters.base_models import SMOLLM2, base_model_folder
from nsx_core.adapters.llama_forward import LlamaForward
from nsx_core.errors import ModelError
from nsx_core.infilling.ilm_format import SMOLLM2_SPECIAL_TOKENS

__all__ = ["BaseModelFluency", "mean_log_probabilities"]

POSITIONS_MAX = 2_048


class TokenModel(Protocol):
    """A forward pass that tells each token's log-probability."""

    def token_log_probabilities(self, sequences: list[list[int]]) -> list[NDArray[np.float64]]: ...


def mean_log_probabilities(
    forward: TokenModel, tokenizer: Tokenizer, bos: int, texts: Sequence[str]
) -> NDArray[np.float64]:
    """float64[n_texts], nats a token; NaN for a text without a token.

    bos: the token that stands before each text.
    """
    encoded = tokenizer.encode_batch(
        [text.encode("utf-8", "replace").decode("utf-8") for text in texts],
        add_special_tokens=False,
    )
    sequences = [[bos, *found.ids] for found in encoded]
    means = np.full(len(texts), np.nan)
    order = [i for i in np.argsort([len(s) for s in sequences]) if len(sequences[i]) > 1]
    while order:
        stopping.check()
        # The longest texts first, so that the last of a batch never overfills it.
        rows = max(1, POSITIONS_MAX // len(sequences[order[-1]]))
        batch, order = order[-rows:], order[:-rows]
        found = forward.token_log_probabilities([sequences[i] for i in batch])
        means[batch] = [values.mean() for values in found]
    return means


class BaseModelFluency:
    """The fluency of texts under a plain Llama model in a folder, without any adapter."""

    def __init__(self, folder: str | Path, dtype: torch.dtype = torch.float32) -> None:
        folder = Path(folder)
        self._forward = LlamaForward(folder, None, dtype)
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        mark = SMOLLM2_SPECIAL_TOKENS["bos"]
        bos = self._tokenizer.token_to_id(mark)
        if bos is None:
            raise ModelError(f"The yardstick's vocabulary needs {mark!r}; {folder} has none.")
        self._bos: int = bos

    @classmethod
    def load(cls, base: str = SMOLLM2) -> BaseModelFluency:
        """The untuned base model of that name, in fp32."""
        return cls(base_model_folder(base))

    def mean_log_probabilities(self, texts: list[str]) -> NDArray[np.float64]:
        """float64[n_texts], nats a token; NaN for a text without a token."""
        return mean_log_probabilities(self._forward, self._tokenizer, self._bos, texts)
