"""One folder an epoch: trained weights, optimizer state, and how the dev split went.

``dev.json`` is written last, so a folder that has it is whole. Optimizer state is kept for
the newest epoch alone; it is read with ``weights_only``, which runs no code.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import nn

from nsx_core.adapters.manifest import write_json

__all__ = ["DevScore", "dev_scores", "resume", "stored_weights", "write_checkpoint"]

Schedule = torch.optim.lr_scheduler.LambdaLR


@dataclass(frozen=True)
class DevScore:
    """Macro F1 0..1 on dev after an epoch, with ``shift`` added to the log-odds of label 1."""

    macro_f1: float
    shift: float


def write_checkpoint(
    place: Path,
    epoch: int,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    schedule: Schedule,
    score: DevScore,
) -> None:
    """Write what epoch number ``epoch`` (from 0) left behind."""
    folder = _folder(place, epoch)
    folder.mkdir(parents=True, exist_ok=True)
    trained = {
        _stored_name(name): part.detach().cpu().contiguous()
        for name, part in model.named_parameters()
        if part.requires_grad
    }
    save_file(trained, folder / "weights.safetensors")
    state = {"optimizer": optimizer.state_dict(), "last_epoch": schedule.last_epoch}
    torch.save(state, folder / "optimizer.draft")
    os.replace(folder / "optimizer.draft", folder / "optimizer.pt")
    write_json(folder / "dev.json", score)
    for old in place.glob("epoch-*/optimizer.pt"):
        if old.parent != folder:
            old.unlink()


def resume(
    place: Path, model: nn.Module, optimizer: torch.optim.Optimizer, schedule: Schedule
) -> int:
    """Fill all three from the newest whole checkpoint; the number of epochs done."""
    done = len(dev_scores(place))
    if not done:
        return 0
    stored = stored_weights(place, done - 1)
    with torch.no_grad():
        for name, part in model.named_parameters():
            if part.requires_grad:
                part.copy_(stored[_stored_name(name)])
    path = _folder(place, done - 1) / "optimizer.pt"
    state = torch.load(path, weights_only=True, map_location="cpu")
    optimizer.load_state_dict(state["optimizer"])
    schedule.last_epoch = int(state["last_epoch"])
    return done


def dev_scores(place: Path) -> list[DevScore]:
    """The dev scores of the epochs done, the first epoch's first."""
    scores: list[DevScore] = []
    while (path := _folder(place, len(scores)) / "dev.json").is_file():
        found = json.loads(path.read_text(encoding="utf-8"))
        scores.append(DevScore(float(found["macro_f1"]), float(found["shift"])))
    return scores


def stored_weights(place: Path, epoch: int) -> dict[str, torch.Tensor]:
    """The trained tensors after an epoch, by the names a classifier's folder uses."""
    return load_file(_folder(place, epoch) / "weights.safetensors")


def _folder(place: Path, epoch: int) -> Path:
    return place / f"epoch-{epoch}"


def _stored_name(name: str) -> str:
    """A parameter's name, free of peft's name for the adapter."""
    return name.replace(".default.weight", "") if ".lora_" in name else name
