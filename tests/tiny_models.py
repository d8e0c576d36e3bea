"""Tiny random language models and a tiny tokenizer, made on the spot.

The sizes keep what real models have: 16 numbers a head and several query heads a key-value
head, so that products take the matrix kernels that real ones take.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
from peft import LoraConfig, get_peft_model
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
)

from nsx_core.adapters.special_tokens import special_tokens
from nsx_core.infilling.ilm_format import FORMAT, SMOLLM2_SPECIAL_TOKENS

END_OF_TEXT = "<|endoftext|>"
TEXTS = (
    "I hate women.", "She likes long walks by the sea.", "They said that 12 people came.",
    "We can't see the house from here, can we?", "My brother sells old books in town.",
    "The weather is fine today and nobody stays at home.", "He gave her the red one.",
    "Some people like tea, and others like coffee.", "It's a long way to the next town.",
    "The children played in the garden until it was dark.", "You are right about that!",
    "Nobody knows where the old man came from.",
)  # fmt: skip


def save_tokenizer(folder: Path, marks: list[str]) -> None:
    """A byte-level BPE tokenizer with the given special tokens."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=420,
        special_tokens=marks,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(TEXTS * 3, trainer)
    PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token=END_OF_TEXT, eos_token=END_OF_TEXT
    ).save_pretrained(folder)


def tiny_llama(folder: Path, seed: int = 0, tied: bool = True, positions: int = 512) -> Path:
    """A random Llama whose tokenizer has SmolLM2's spare special tokens."""
    save_tokenizer(folder, sorted(set(SMOLLM2_SPECIAL_TOKENS.values())))
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=_size(folder),
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=positions,
        rope_theta=10_000.0,
        tie_word_embeddings=tied,
        bos_token_id=0,
        eos_token_id=0,
        initializer_range=0.15,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def tiny_gpt2(folder: Path, seed: int = 0, tied: bool = True, positions: int = 128) -> Path:
    """A random GPT-2, whose vocabulary has no special tokens to spare."""
    save_tokenizer(folder, [END_OF_TEXT])
    torch.manual_seed(seed)
    config = GPT2Config(
        vocab_size=_size(folder),
        n_embd=64,
        n_layer=2,
        n_head=4,
        n_positions=positions,
        tie_word_embeddings=tied,
        bos_token_id=0,
        eos_token_id=0,
        initializer_range=0.15,
    )
    GPT2LMHeadModel(config).save_pretrained(folder)
    return folder


def tiny_adapter(base: Path, folder: Path, seed: int = 0) -> Path:
    """A LoRA adapter on every linear layer of a base folder, with random products."""
    torch.manual_seed(seed)
    model = AutoModelForCausalLM.from_pretrained(base)
    config = LoraConfig(
        r=4,
        lora_alpha=8,
        target_modules="all-linear",
        fan_in_fan_out=model.config.model_type == "gpt2",
        task_type="CAUSAL_LM",
    )
    adapted = get_peft_model(model, config)
    for name, weight in adapted.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(weight, std=0.1)
    adapted.save_pretrained(folder)
    return folder


def tiny_infiller(base: Path, folder: Path, seed: int = 0) -> Path:
    """A model folder of the shipped infiller's form over a base folder, untrained."""
    tiny_adapter(base, folder, seed)
    manifest = {
        "format": FORMAT,
        "kind": "causal-infiller",
        "name": "tiny",
        "base": str(base),
        "fingerprint": f"tiny-{seed}",
    }
    (folder / "model.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def write_corpus(folder: Path, copies: int = 4) -> Path:
    """A neutral corpus of tiny texts in the form that the corpus command writes."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, texts in (("train", TEXTS * copies), ("heldout", TEXTS[:6])):
        lines = [json.dumps({"text": text}) + "\n" for text in texts]
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    (folder / "counts.json").write_text(json.dumps({"train": len(TEXTS) * copies}))
    return folder


def encoder_of(folder: Path):  # type: ignore[no-untyped-def]
    """(encode, the marks' ids) of a base folder's tokenizer."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    special, _ = special_tokens(tokenizer)
    return lambda text: list(tokenizer.encode(text, add_special_tokens=False)), special


def _size(folder: Path) -> int:
    return int(Tokenizer.from_file(str(folder / "tokenizer.json")).get_vocab_size())


def contexts(*lengths: int, seed: int = 0) -> list[list[int]]:
    """Random token ids, one list a length."""
    chance = np.random.default_rng(seed)
    return [chance.integers(4, 300, n).tolist() for n in lengths]


def whole_logits(model: torch.nn.Module, ids: list[int]) -> torch.Tensor:
    """Logits after the last token, the whole sequence read anew."""
    with torch.inference_mode():
        found: torch.Tensor = model(input_ids=torch.tensor([ids])).logits[0, -1]
    return found
