"""The shipped infiller: a causal language model with an infilling adapter of our own.

A model folder holds ``model.json`` (name, base, fingerprint) and a peft adapter. Where the
base is a plain Llama model with marks to spare it runs on ``llama_forward``; any other runs
on ``transformers_forward``, slower and by the same loop.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file

from nsx_core.adapters import int8
from nsx_core.adapters.base_models import base_model_folder
from nsx_core.adapters.decoding import Forward, Row, Vocabulary, decode_parts
from nsx_core.adapters.fluency import TokenModel, mean_log_probabilities
from nsx_core.adapters.int8_forward import Int8Forward
from nsx_core.adapters.llama_forward import LlamaForward
from nsx_core.adapters.processor import matrix_dtype
from nsx_core.adapters.sampling import sample
from nsx_core.adapters.special_tokens import make_room, special_tokens
from nsx_core.errors import MissingModelError, ModelError
from nsx_core.infilling import Again
from nsx_core.infilling.ilm_format import (
    FORMAT,
    SMOLLM2_SPECIAL_TOKENS,
    SpecialTokens,
    context_ids,
    runs,
)
from nsx_core.records import GenerationSettings, InfillRequest
from nsx_core.settings import check_sampling

TOKENS_FILE = "written_tokens.safetensors"
#: How far the activations reach on neutral text; without it, products stay in floating point.
REACH_FILE = "activation_reach.safetensors"
# The generation engine runs on the processor; see docs/decisions.md.
_CPU = torch.device("cpu")


class ScoringForward(Forward, TokenModel, Protocol):
    """A model that writes, and tells how likely it finds a text."""


class CausalInfiller:
    """Writes answers by sampling; satisfies ``nsx_core.infilling.Infiller``."""

    def __init__(
        self,
        name: str,
        fingerprint: str,
        forward: ScoringForward,
        tokenizer: Any,
        vocabulary: Vocabulary,
        precision: str,
    ) -> None:
        """``precision``: what products are made in, 'int8', 'bfloat16' or 'float32'."""
        self.name, self.fingerprint, self.precision = name, fingerprint, precision
        self.forward, self._tokenizer, self._vocabulary = forward, tokenizer, vocabulary
        # Compile it now, where a person waits for the model anyway.
        sample(torch.zeros(1, 2), torch.zeros(1, dtype=torch.float64), 1.0, 1.0)
        # A word that reads like one of the format's marks is a word.
        self._tokenizer.encode_special_tokens = True

    @classmethod
    def load(cls, folder: str | Path, whole_numbers: bool | None = None) -> CausalInfiller:
        """Read a model folder, or raise ``MissingModelError`` / ``ModelError``.

        ``whole_numbers``: multiply in 8-bit whole numbers where the folder is calibrated for
        it; None = where this processor is faster at it.
        """
        if whole_numbers is None:
            whole_numbers = int8.faster_here()
        folder = Path(folder)
        if not (folder / "model.json").is_file():
            raise MissingModelError(
                f"An infiller folder holds model.json, and {folder} does not. "
                "Train one with `make train-infiller`, or check the path."
            )
        try:
            manifest = json.loads((folder / "model.json").read_text(encoding="utf-8"))
            base, name, fingerprint = (str(manifest[k]) for k in ("base", "name", "fingerprint"))
            end_bias = float(manifest.get("end_bias", 0.0))
            format_ = manifest["format"]
        except (ValueError, KeyError, TypeError) as reason:
            raise ModelError(
                f"{folder / 'model.json'} is damaged: {reason!r}. Restore the folder."
            ) from reason
        if format_ != FORMAT:
            raise ModelError(
                f"This version reads infillers of format {FORMAT}, and {folder} holds one of format "
                f"{format_}, trained with other marks. Train it again with `make train-infiller`."
            )
        for file in ("adapter_config.json", "adapter_model.safetensors"):
            if not (folder / file).is_file():
                raise MissingModelError(
                    f"An infiller folder holds {file}, and {folder} does not. Restore the folder."
                )
        base_folder = base_model_folder(base)
        if _is_plain_llama(Path(base_folder)):
            return cls._lean(name, fingerprint, Path(base_folder), folder, end_bias, whole_numbers)
        return cls._general(name, fingerprint, base_folder, folder, end_bias)

    @classmethod
    def _lean(
        cls,
        name: str,
        fingerprint: str,
        base: Path,
        adapter: Path,
        end_bias: float,
        whole_numbers: bool,
    ) -> CausalInfiller:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
        known = tokenizer.get_vocab(with_added_tokens=True)
        ids = {k: known[t] for k, t in SMOLLM2_SPECIAL_TOKENS.items()}
        vocabulary = _vocabulary(tokenizer, SpecialTokens(**ids), adapter, end_bias)
        forward: ScoringForward
        if whole_numbers and (adapter / REACH_FILE).is_file():
            reach = load_file(adapter / REACH_FILE)
            forward = Int8Forward(base, adapter, reach, vocabulary.ids)
            return cls(name, fingerprint, forward, tokenizer, vocabulary, "int8")
        dtype = matrix_dtype(_CPU)
        forward = LlamaForward(base, adapter, dtype, vocabulary.ids)
        return cls(name, fingerprint, forward, tokenizer, vocabulary, _named(dtype))

    @classmethod
    def _general(
        cls, name: str, fingerprint: str, base: str, adapter: Path, end_bias: float
    ) -> CausalInfiller:
        from peft import PeftModel
        from transformers import AutoModelForCausalLM, AutoTokenizer

        from nsx_core.adapters.transformers_forward import TransformersForward

        try:
            tokenizer = AutoTokenizer.from_pretrained(base, local_files_only=True)
            model = AutoModelForCausalLM.from_pretrained(
                base, dtype=matrix_dtype(_CPU), local_files_only=True
            )
        except (OSError, ValueError) as reason:
            raise MissingModelError(
                f"The base model of infiller {name!r} is {base!r}, which is neither a known name, "
                "nor a folder with a causal language model, nor in the hub's local cache."
            ) from reason
        special, added = special_tokens(tokenizer)
        if added:
            make_room(model, tokenizer)
        merged = PeftModel.from_pretrained(model, str(adapter)).merge_and_unload()
        fast = tokenizer.backend_tokenizer
        vocabulary = _vocabulary(fast, special, adapter, end_bias)
        forward = TransformersForward(merged, vocabulary.ids)
        return cls(name, fingerprint, forward, fast, vocabulary, _named(matrix_dtype(_CPU)))

    def infill(
        self, requests: list[InfillRequest], settings: GenerationSettings
    ) -> list[tuple[str, ...]]:
        """One answer a run of replaced words; a function of each request and the settings."""
        told: list[tuple[str, ...]] = [()] * len(requests)

        def came(index: int, answers: tuple[str, ...]) -> None:
            told[index] = answers

        for _ in self.infill_parts([requests], settings, came):
            pass
        return told

    def infill_parts(
        self,
        parts: Iterable[Sequence[InfillRequest]],
        settings: GenerationSettings,
        again: Again,
        ahead: Callable[[], bool] = lambda: True,
    ) -> Iterator[None]:
        """The same, part by part, each answer told to ``again`` as it comes, and answers to what
        that asks in its place; see ``nsx_core.infilling.Infiller``.
        """
        check_sampling(settings.temperature, settings.top_p)

        def came(index: int, answers: list[list[int]]) -> Row | None:
            following = again(index, tuple(self._tokenizer.decode(ids) for ids in answers))
            return None if following is None else self._row(following)

        rows = ([self._row(request) for request in part] for part in parts)
        told = decode_parts(
            self.forward, self._vocabulary, rows, settings.temperature, settings.top_p, came, ahead
        )
        for _ in told:
            yield

    def mean_log_probabilities(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """float64[n_texts], nats a token under this model; NaN for a text without a token."""
        return mean_log_probabilities(self.forward, self._tokenizer, self.special.bos, texts)

    def _row(self, request: InfillRequest) -> Row:
        context = context_ids(
            [_encodable(w) for w in request.words],
            request.replaced,
            self.encode,
            self._vocabulary.special,
            request.spaces,
        )
        return Row(tuple(context), len(runs(request.replaced)), request.seed)

    @property
    def special(self) -> SpecialTokens:
        """The format's marks."""
        return self._vocabulary.special

    def encode(self, text: str) -> list[int]:
        """Token ids of a text, without marks."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)


def _named(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _encodable(text: str) -> str:
    """Lone surrogates cannot be tokenized; the model sees the replacement character."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _is_plain_llama(folder: Path) -> bool:
    """Whether ``llama_forward`` can run it: one safetensors file, and the marks to spare."""
    if not (folder / "config.json").is_file() or not (folder / "model.safetensors").is_file():
        return False
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    rope = (config.get("rope_parameters") or {}).get("rope_type", "default")
    if config.get("model_type") != "llama" or rope != "default" or config.get("rope_scaling"):
        return False
    if config.get("attention_bias") or config.get("mlp_bias"):
        return False
    if config.get("hidden_act", "silu") != "silu":
        return False
    tokenizer = (folder / "tokenizer.json").read_text(encoding="utf-8")
    return all(json.dumps(mark) in tokenizer for mark in SMOLLM2_SPECIAL_TOKENS.values())


def _vocabulary(
    tokenizer: Any, special: SpecialTokens, folder: Path, end_bias: float
) -> Vocabulary:
    """Tokens that may be written: those of the neutral corpus, where the folder lists them.

    Never written: other marks, white space alone, line breaks, parts of a character.
    """
    listed = folder / TOKENS_FILE
    size = tokenizer.get_vocab_size()
    ids = load_file(listed)["ids"].tolist() if listed.is_file() else list(range(size))
    marks = {i for i, t in tokenizer.get_added_tokens_decoder().items() if t.special}
    texts = tokenizer.decode_batch([[i] for i in ids])
    may = {i: t for i, t in zip(ids, texts, strict=True) if i not in marks and _writable(t)}
    may[special.end] = ""
    kept = sorted(may)
    if len(kept) < 2:
        raise ModelError(f"{folder} lists no token that may be written. Restore the folder.")
    starts = torch.tensor([may[i][:1] == " " for i in kept])
    return Vocabulary(special, torch.tensor(kept), starts, end_bias)


def _writable(text: str) -> bool:
    visible = text.replace("\u200d", "")
    return "\ufffd" not in text and bool(visible.strip()) and visible.isprintable()
