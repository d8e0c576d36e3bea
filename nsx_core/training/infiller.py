"""Fine-tune a causal language model to infill neutral text (Donahue et al. 2020).

A LoRA adapter (peft) on every linear layer; the loss is the cross-entropy of answer tokens
only, and logits are computed only there. Checkpoints hold adapter, optimiser and position,
so an interrupted run goes on exactly where it was. Any causal LM by folder or hub id may be
the base; where its vocabulary has no special tokens to spare, three are added and their
embeddings trained with the adapter.

    python -m nsx_core.training.infiller --corpus build/corpus --out assets/models/infiller

``--start-from FOLDER`` begins with a finished adapter: how to train the shipped one for longer.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from peft import LoraConfig, get_peft_model, set_peft_model_state_dict
from safetensors import SafetensorError
from safetensors.torch import load_file
from tqdm import tqdm
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.pytorch_utils import Conv1D

from nsx_core.adapters.base_models import SMOLLM2, base_model_folder
from nsx_core.adapters.processor import device, matrix_dtype, set_threads
from nsx_core.adapters.special_tokens import make_room, special_tokens
from nsx_core.errors import DataError, NsxError
from nsx_core.infilling.ilm_format import SpecialTokens
from nsx_core.seeding import child_seed
from nsx_core.training.calibration import calibrate
from nsx_core.training.corpus import read_corpus
from nsx_core.training.ilm import Example, batches_of_pass
from nsx_core.training.infiller_folder import save_infiller

HELDOUT_EXAMPLES = 512
IGNORED = -100


@dataclass(frozen=True)
class Recipe:
    """What a run is made of; a checkpoint of another recipe is never resumed."""

    base: str = SMOLLM2
    rank: int = 16
    learning_rate: float = 1e-3
    warmup: int = 30
    batch_size: int = 64
    steps: int = 1200
    seed: int = 0


def build_model(recipe: Recipe) -> tuple[Any, Any, SpecialTokens]:
    """(peft model, tokenizer, special tokens) on the device and in the dtype at hand."""
    folder = base_model_folder(recipe.base)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    base = AutoModelForCausalLM.from_pretrained(folder, dtype=matrix_dtype(device()))
    special, added = special_tokens(tokenizer)
    torch.manual_seed(recipe.seed)
    if added:
        make_room(base, tokenizer)
    config = LoraConfig(
        r=recipe.rank,
        lora_alpha=2 * recipe.rank,
        target_modules="all-linear",
        # GPT-2 keeps its matrices the other way round.
        fan_in_fan_out=any(isinstance(module, Conv1D) for module in base.modules()),
        trainable_token_indices=sorted(added) or None,
        task_type="CAUSAL_LM",
    )
    return get_peft_model(base, config).to(device()), tokenizer, special


def answer_loss(model: Any, batch: list[Example]) -> tuple[torch.Tensor, int]:
    """(mean cross-entropy of the batch's answer tokens, how many they are).

    The hidden states of positions before an answer token are picked out first, so that the
    vocabulary's logits are never computed for context or padding. Sizes are rounded up to a
    few, so that memory freed by one batch fits the next: asking the system for new pages took
    a third of the time before.
    """
    longest = _rounded(max(len(e.ids) for e in batch), 4)
    ids = torch.zeros(len(batch), longest, dtype=torch.long)
    attend = torch.zeros(len(batch), longest, dtype=torch.long)
    learn = torch.zeros(len(batch), longest, dtype=torch.bool)
    for row, made in enumerate(batch):
        n = len(made.ids)
        ids[row, :n] = torch.tensor(made.ids)
        attend[row, :n] = 1
        learn[row, made.answer_start : n] = True
    at = next(model.parameters()).device
    ids, attend, learn = ids.to(at), attend.to(at), learn.to(at)
    hidden = _body(model)(input_ids=ids, attention_mask=attend, use_cache=False)[0]
    picked, wanted = hidden[:, :-1][learn[:, 1:]], ids[:, 1:][learn[:, 1:]]
    spare = _rounded(len(picked), 128) - len(picked)
    head = model.get_base_model().get_output_embeddings()
    logits = head(F.pad(picked, (0, 0, 0, spare))).float()
    loss = F.cross_entropy(logits, F.pad(wanted, (0, spare), value=IGNORED), ignore_index=IGNORED)
    return loss, int(learn.sum())


def _body(model: Any) -> Any:
    """The layers below the vocabulary."""
    causal = model.get_base_model()
    return causal.get_decoder() if hasattr(causal, "get_decoder") else causal.base_model


def _rounded(count: int, step: int) -> int:
    return -(-count // step) * step


def heldout_loss(model: Any, batches: list[list[Example]]) -> float:
    """Mean answer loss in nats a token over the given batches."""
    was_training = model.training
    model.eval()
    total, tokens = 0.0, 0
    with torch.no_grad():
        for batch in batches:
            loss, n = answer_loss(model, batch)
            total, tokens = total + float(loss) * n, tokens + n
    model.train(was_training)
    return total / tokens


def _stream(
    texts: list[str], recipe: Recipe, encode: Any, special: SpecialTokens
) -> Iterator[list[Example]]:
    number = 0
    while True:
        yield from batches_of_pass(texts, recipe.seed, number, recipe.batch_size, encode, special)
        number += 1


def _same_run(saved: dict[str, Any], recipe: Recipe) -> bool:
    """Whether a checkpoint may be gone on from: all but the number of steps must agree."""
    return saved | {"steps": recipe.steps} == asdict(recipe)


def _rate(step: int, recipe: Recipe) -> float:
    warm = min(1.0, (step + 1) / max(1, recipe.warmup))
    return recipe.learning_rate * warm * (1 - step / recipe.steps)


def _begin_with(model: Any, folder: Path) -> int:
    """Load the adapter in ``folder``; returns how many tokens it was trained on."""
    try:
        set_peft_model_state_dict(model, load_file(folder / "adapter_model.safetensors"))
        trained = json.loads((folder / "training.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RuntimeError, SafetensorError) as reason:
        raise DataError(
            f"A run starts from an infiller's folder with an adapter of the same base and rank, "
            f"and {str(folder)!r} is none: {reason}"
        ) from reason
    return int(trained["tokens"]) + int(trained.get("tokens_before", 0))


def train(
    recipe: Recipe,
    corpus: Path,
    out: Path,
    checkpoint: Path,
    name: str = "neutral-smollm2",
    end_bias: float = 0.0,
    checkpoint_seconds: float = 180,
    start_from: Path | None = None,
    compiled: bool = False,
) -> dict[str, Any]:
    """Train, or go on from ``checkpoint``; write the infiller's folder to ``out``.

    ``start_from``: an infiller's folder whose adapter, of the same base and rank, the run
    begins with; its rate warms up and falls anew. ``compiled``: run the model through
    torch.compile, which needs a C++ compiler.
    """
    texts, heldout = read_corpus(corpus / "train.jsonl"), read_corpus(corpus / "heldout.jsonl")
    if not texts or not heldout:
        raise DataError(f"A corpus needs train and held-out texts; {str(corpus)!r} lacks some.")
    model, tokenizer, special = build_model(recipe)
    tokens_before = _begin_with(model, start_from) if start_from else 0
    if compiled:
        body = _body(model)
        body.forward = torch.compile(body.forward, dynamic=True)

    def encode(text: str) -> list[int]:
        return list(tokenizer.encode(text, add_special_tokens=False))

    held = list(
        batches_of_pass(heldout[:HELDOUT_EXAMPLES], 1, 0, recipe.batch_size, encode, special)
    )
    learned = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(learned, lr=recipe.learning_rate, weight_decay=0.0)
    state_file = checkpoint / "state.pt"
    done, tokens, untuned, log = 0, 0, None, []
    if state_file.exists():
        state = torch.load(state_file, map_location=device(), weights_only=True)
        if _same_run(state["recipe"], recipe):
            model.load_state_dict(state["learned"], strict=False)
            optimiser.load_state_dict(state["optimiser"])
            done, tokens, log = state["done"], state["tokens"], state["log"]
            untuned = state["untuned"]
    if untuned is None:
        with model.disable_adapter():
            untuned = heldout_loss(model, held)
    learned_names = {n for n, p in model.named_parameters() if p.requires_grad}

    def save_checkpoint() -> None:
        checkpoint.mkdir(parents=True, exist_ok=True)
        state = {
            "recipe": asdict(recipe),
            "learned": {k: v for k, v in model.state_dict().items() if k in learned_names},
            "optimiser": optimiser.state_dict(),
            "done": done,
            "tokens": tokens,
            "untuned": untuned,
            "log": log,
        }
        torch.save(state, state_file.with_suffix(".part"))
        state_file.with_suffix(".part").replace(state_file)

    batches = _stream(texts, recipe, encode, special)
    for _ in range(done):
        next(batches)
    model.train()
    saved_at = time.monotonic()
    bar = tqdm(total=recipe.steps, initial=done, unit="step", mininterval=10)
    recent: list[float] = []
    while done < recipe.steps:
        batch = next(batches)
        for group in optimiser.param_groups:
            group["lr"] = _rate(done, recipe)
        # A base with dropout draws the same numbers at a step, interrupted before or not.
        torch.manual_seed(child_seed("infiller step", recipe.seed, done))
        loss, _ = answer_loss(model, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learned, 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        done, tokens = done + 1, tokens + sum(len(e.ids) for e in batch)
        recent.append(float(loss.detach()))
        if not math.isfinite(recent[-1]):
            raise FloatingPointError(f"The loss became {recent[-1]} at step {done}.")
        bar.update()
        bar.set_postfix(loss=f"{sum(recent[-50:]) / len(recent[-50:]):.3f}", tokens=tokens)
        if done % 200 == 0 or done == recipe.steps:
            log.append({"step": done, "tokens": tokens, "heldout_loss": heldout_loss(model, held)})
            tqdm.write(json.dumps(log[-1]))
        if time.monotonic() - saved_at > checkpoint_seconds or done == recipe.steps:
            save_checkpoint()
            saved_at = time.monotonic()
    bar.close()
    if not log:  # a checkpoint beyond the last step of a recipe made shorter
        log.append({"step": done, "tokens": tokens, "heldout_loss": heldout_loss(model, held)})
    report = {
        "recipe": asdict(recipe),
        "corpus": json.loads((corpus / "counts.json").read_text(encoding="utf-8")),
        "tokens": tokens,
        "tokens_before": tokens_before,
        "heldout_loss": {"untuned": untuned, "tuned": log[-1]["heldout_loss"]},
        "log": log,
    }
    written = {i for text in texts for i in [*encode(text), *encode(" " + text)]}
    save_infiller(model, name, recipe.base, out, report, written, end_bias)
    calibrate(out, texts)
    return report


def main(argv: Sequence[str] | None = None) -> int:
    """Train as the command line says; 0 when done, 2 with a message on stderr otherwise."""
    try:
        return _command(argv)
    except NsxError as error:
        print(error, file=sys.stderr)
        return 2


def _command(argv: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(prog="nsx_core.training.infiller")
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--checkpoint", type=Path, default=Path("build/infiller"))
    parser.add_argument("--name", default="neutral-smollm2")
    parser.add_argument("--end-bias", type=float, default=0.0, help="nats added to END when used")
    parser.add_argument("--start-from", type=Path, help="an infiller's folder to begin with")
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument(
        "--compiled", action="store_true", help="by torch.compile: faster after minutes"
    )
    for name, value in asdict(Recipe()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    given = vars(parser.parse_args(argv))
    set_threads(given.pop("threads"))
    corpus, out, checkpoint = given.pop("corpus"), given.pop("out"), given.pop("checkpoint")
    name = given.pop("name")
    end_bias = given.pop("end_bias")
    start_from, compiled = given.pop("start_from"), given.pop("compiled")
    recipe = Recipe(**given)
    report = train(recipe, corpus, out, checkpoint, name, end_bias, 180, start_from, compiled)
    print(json.dumps(report["heldout_loss"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
