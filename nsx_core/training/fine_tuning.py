"""Learn a classifier: one loop for both recipes, resumable to the bit.

Steps: clean and tokenise once; each epoch, shuffle, sort pools of like length into
batches, and step AdamW down a linear schedule after a linear warm-up; after each epoch,
score the dev split and write weights, optimizer and dev scores. The epoch with the best
dev macro F1 is kept, its head's bias shifted to the best decision on dev.

Batches and dropout of an epoch depend on (seed, epoch) alone, never on when the process
started, so that a run stopped between epochs goes on exactly.

Where we differ from (balkir-etal-2022): their classifiers are BERT-base with every weight
trained, which the 'paper' recipe repeats (with a linear head on the first token's state);
'adapter' learns LoRA (hu-etal-2022) on a small encoder, for models that can be shipped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from tqdm import tqdm

from nsx_core.adapters import encoder as enc
from nsx_core.adapters.manifest import Recipe
from nsx_core.adapters.processor import device
from nsx_core.cleaning import PLACEHOLDERS
from nsx_core.errors import ModelError, UnknownNameError
from nsx_core.seeding import child_seed, generator
from nsx_core.training.checkpoints import (
    DevScore,
    dev_scores,
    resume,
    stored_weights,
    write_checkpoint,
)
from nsx_core.training.datasets import Dataset
from nsx_core.training.figures import best_shift, macro_f1

__all__ = ["RECIPES", "Learned", "learn", "recipe_named"]

RECIPES = {
    "adapter": Recipe(name="adapter"),
    "paper": Recipe(
        name="paper",
        learning_rate=5e-5,
        weight_decay=0.01,
        warmup_steps=500,
        pooling="first",
        attention_dropout=0.1,
        class_weight_power=0.0,
        tune_bias=False,
        add_placeholders=True,
        lora_rank=0,
        lora_alpha=0,
        lora_dropout=0.0,
    ),
}
_POOL = 50  # batches whose texts are sorted by length together
_CLIP = 1.0  # longest step, as the norm of all gradients


@dataclass(frozen=True)
class Learned:
    """The chosen epoch: stored tensors by name, and how it was chosen.

    ``tokenizer`` and ``config`` are those of the encoder, for a recipe that changes them.
    """

    tensors: dict[str, torch.Tensor]
    targets: tuple[str, ...]
    max_tokens: int
    epoch: int
    dev: tuple[DevScore, ...]
    tokenizer: Any
    config: Any


@dataclass(frozen=True)
class _Run:
    """What one run's epochs share. Ids are cut and not padded; labels int64[n_texts]."""

    model: enc.EncoderWithHead
    optimizer: torch.optim.Optimizer
    schedule: torch.optim.lr_scheduler.LambdaLR
    recipe: Recipe
    seed: int
    class_weights: torch.Tensor
    train_ids: list[list[int]]
    train_labels: NDArray[np.int64]
    dev_ids: list[list[int]]
    dev_labels: NDArray[np.int64]
    pad: int
    quiet: bool


def recipe_named(name: str, **changes: float | bool | str) -> Recipe:
    """The recipe 'adapter' or 'paper', with some hyper-parameters changed."""
    if name not in RECIPES:
        raise UnknownNameError("recipe", name, RECIPES)
    return replace(RECIPES[name], **changes)  # type: ignore[arg-type]


def learn(
    data: Dataset,
    recipe: Recipe,
    base: Path,
    seed: int,
    checkpoints: Path,
    stop_after: int | None = None,
    quiet: bool = False,
) -> Learned:
    """Train on ``data.train``, choose on ``data.dev``; ``data.test`` is never looked at.

    ``base`` is an encoder's folder; ``checkpoints`` holds one folder an epoch and is
    resumed from. ``stop_after`` ends after that many epochs in all, as an interruption
    would. Uses CUDA where there is one.
    """
    place = device()
    tokenizer = enc.load_tokenizer(base)
    torch.manual_seed(child_seed("head", seed) % 2**32)
    model, targets = _model(recipe, base, tokenizer)
    model.to(place)
    limit = enc.encoder_limit(model.encoder)
    optimizer = torch.optim.AdamW(_groups(model, recipe), lr=recipe.learning_rate)
    steps = recipe.epochs * -(-len(data.train.texts) // recipe.batch_size)
    run = _Run(
        model=model,
        optimizer=optimizer,
        schedule=torch.optim.lr_scheduler.LambdaLR(optimizer, _Slope(recipe.warmup_steps, steps)),
        recipe=recipe,
        seed=seed,
        class_weights=_class_weights(data.train.labels, recipe.class_weight_power).to(place),
        train_ids=_ids(tokenizer, data.train.texts, min(recipe.train_max_tokens, limit)),
        train_labels=data.train.labels,
        dev_ids=_ids(tokenizer, data.dev.texts, limit),
        dev_labels=data.dev.labels,
        pad=int(tokenizer.pad_token_id),
        quiet=quiet,
    )
    done = resume(checkpoints, model, optimizer, run.schedule)
    last = recipe.epochs if stop_after is None else min(stop_after, recipe.epochs)
    for epoch in range(done, last):
        _epoch(run, epoch)
        score = _dev_score(run)
        write_checkpoint(checkpoints, epoch, model, optimizer, run.schedule, score)
        if not quiet:
            shown = f"dev macro F1 {score.macro_f1:.4f}, shift {score.shift:+.2f}"
            print(f"epoch {epoch + 1}: {shown}", flush=True)
    scores = dev_scores(checkpoints)
    best = int(np.argmax([score.macro_f1 for score in scores]))
    tensors = stored_weights(checkpoints, best)
    tensors["head.bias"] = tensors["head.bias"] + torch.tensor([0.0, scores[best].shift])
    config: Any = model.encoder.config
    return Learned(tensors, targets, limit, best + 1, tuple(scores), tokenizer, config)


def _model(
    recipe: Recipe, base: Path, tokenizer: Any
) -> tuple[enc.EncoderWithHead, tuple[str, ...]]:
    encoder: Any = enc.load_encoder(base, recipe.attention_dropout)
    width = enc.encoder_width(encoder)
    if recipe.add_placeholders:
        tokenizer.add_tokens(list(PLACEHOLDERS), special_tokens=True)
        encoder.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    targets: tuple[str, ...] = ()
    if recipe.lora_rank:
        from peft import LoraConfig, inject_adapter_in_model

        names = enc.linear_names(encoder)
        targets = tuple(sorted({name.rsplit(".", 1)[-1] for name in names}))
        config = LoraConfig(
            r=recipe.lora_rank,
            lora_alpha=recipe.lora_alpha,
            lora_dropout=recipe.lora_dropout,
            target_modules=list(names),
        )
        encoder = inject_adapter_in_model(config, encoder)
        for name, parameter in encoder.named_parameters():
            parameter.requires_grad = "lora_" in name
    made = enc.EncoderWithHead(encoder, width, 2, recipe.pooling, recipe.head_dropout)
    return made, targets


def _ids(tokenizer: Any, texts: tuple[str, ...], limit: int) -> list[list[int]]:
    return enc.token_ids(tokenizer, [enc.cleaned(text) for text in texts], limit)


def _epoch(run: _Run, epoch: int) -> None:
    recipe, place = run.recipe, run.class_weights.device
    torch.manual_seed(child_seed("dropout", run.seed, epoch) % 2**32)
    batches = _batches([len(row) for row in run.train_ids], recipe.batch_size, run.seed, epoch)
    trained = [part for part in run.model.parameters() if part.requires_grad]
    run.model.train()
    title = f"epoch {epoch + 1} of {recipe.epochs}"
    for rows in tqdm(batches, desc=title, mininterval=5, disable=run.quiet):
        ids, seen = enc.padded([run.train_ids[row] for row in rows], run.pad, place)
        labels = torch.from_numpy(run.train_labels[rows]).to(place)
        logits = run.model(ids, seen)
        loss = nn.functional.cross_entropy(logits, labels, weight=run.class_weights)
        run.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(trained, _CLIP)
        run.optimizer.step()
        run.schedule.step()
    if not bool(torch.isfinite(loss)):
        raise ModelError(
            f"The loss must stay finite, and after epoch {epoch + 1} it is {float(loss)}. Try a "
            f"learning rate below {recipe.learning_rate}."
        )


def _dev_score(run: _Run) -> DevScore:
    logits = enc.logits_of(run.model, run.dev_ids, run.pad)
    log_odds: NDArray[np.float64] = logits[:, 1] - logits[:, 0]
    shift = best_shift(run.dev_labels, log_odds) if run.recipe.tune_bias else 0.0
    return DevScore(macro_f1(run.dev_labels, log_odds + shift >= 0), shift)


def _batches(lengths: list[int], size: int, seed: int, epoch: int) -> list[NDArray[np.int64]]:
    """Row numbers of each batch: like lengths together, in random order."""
    chance = generator("batches", seed, epoch)
    order = chance.permutation(len(lengths))
    sizes = np.array(lengths)
    batches: list[NDArray[np.int64]] = []
    for start in range(0, len(order), size * _POOL):
        pool = order[start : start + size * _POOL]
        pool = pool[np.argsort(sizes[pool], kind="stable")]
        batches += [pool[at : at + size] for at in range(0, len(pool), size)]
    return [batches[at] for at in chance.permutation(len(batches))]


def _class_weights(labels: NDArray[np.int64], power: float) -> torch.Tensor:
    counts = np.bincount(labels, minlength=2)
    return torch.tensor((len(labels) / (2 * counts)) ** power, dtype=torch.float32)


def _groups(model: nn.Module, recipe: Recipe) -> list[dict[str, Any]]:
    """Weight decay on matrices only: biases and norms have no scale to shrink."""
    trained = [part for part in model.parameters() if part.requires_grad]
    return [
        {"params": [p for p in trained if p.ndim > 1], "weight_decay": recipe.weight_decay},
        {"params": [p for p in trained if p.ndim <= 1], "weight_decay": 0.0},
    ]


@dataclass(frozen=True)
class _Slope:
    warmup: int
    steps: int

    def __call__(self, step: int) -> float:
        if step < self.warmup:
            return (step + 1) / (self.warmup + 1)
        return max(0.0, (self.steps - step) / max(1, self.steps - self.warmup))
