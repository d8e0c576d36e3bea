"""The slow way, for the benchmark: one draw a call, fp32, transformers' generate, nothing shared.

Written by us as the yardstick that the generation engine is measured against.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer, StoppingCriteria, pipeline

from nsx_core.adapters.base_models import MINILM, SMOLLM2, base_model_folder
from nsx_core.adapters.decoding import ANSWER_TOKENS_MAX
from nsx_core.adapters.processor import device, usable_cores
from nsx_core.adapters.special_tokens import special_tokens
from nsx_core.infilling.ilm_format import context_ids, runs
from nsx_core.records import GenerationSettings, InfillRequest


class _Closed(StoppingCriteria):
    """True once a sequence has closed all its answers."""

    def __init__(self, start: int, end: int, answers: int) -> None:
        self.start, self.end, self.answers = start, end, answers

    def __call__(self, input_ids: Any, scores: Any, **kwargs: Any) -> Any:
        return (input_ids[:, self.start :] == self.end).sum(-1) >= self.answers


def reference_loop(adapter: Path, settings: GenerationSettings) -> Callable[[InfillRequest], None]:
    """A function that infills one request and throws the answer away."""
    folder = base_model_folder(SMOLLM2)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    special, _ = special_tokens(tokenizer)
    base = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    merged: Any = PeftModel.from_pretrained(base, str(adapter)).merge_and_unload()
    merged.eval()
    manifest = json.loads((adapter / "model.json").read_text(encoding="utf-8"))
    end_bias = float(manifest.get("end_bias", 0.0))

    def encode(text: str) -> list[int]:
        return list(tokenizer.encode(text, add_special_tokens=False))

    def infill_one(request: InfillRequest) -> None:
        ids = torch.tensor([context_ids(request.words, request.replaced, encode, special)])
        answers = len(runs(request.replaced))
        merged.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            do_sample=True,
            temperature=settings.temperature,
            top_p=settings.top_p,
            max_new_tokens=ANSWER_TOKENS_MAX * answers,
            pad_token_id=0,
            # As the engine has it, or answers would end elsewhere and cost something else.
            sequence_bias={(special.end,): end_bias} if end_bias else None,
            stopping_criteria=[_Closed(ids.shape[1], special.end, answers)],
        )

    return infill_one


def reference_pipeline() -> Callable[[list[str]], object]:
    """transformers' own pipeline over the classifiers' base encoder, 32 texts a batch, as they come.

    Without the head, which costs next to nothing.
    """
    folder = base_model_folder(MINILM)
    run = pipeline(
        "feature-extraction", model=folder, tokenizer=folder, device=device(), batch_size=32
    )
    return lambda texts: run(texts)


def path_taken(infiller: object) -> str:
    """Which devices and number formats this machine's run used."""
    precision = getattr(infiller, "precision", "its own format")
    return (
        f"infilling on the processor in {precision}, {usable_cores()} batches at once; "
        f"classifying on {device()}"
    )
