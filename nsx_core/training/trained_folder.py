"""From labelled texts to a classifier's folder under ``assets/models``.

The folder is made whole in a place beside its own and then moved there, so that a run
that stops never leaves half a classifier under its name.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from safetensors.torch import save_file

from nsx_core.adapters import encoder as enc
from nsx_core.adapters.base_models import MINILM
from nsx_core.adapters.encoder_classifier import ENCODER_FOLDER, EncoderClassifier
from nsx_core.adapters.manifest import (
    ADAPTER_KIND,
    FORMAT,
    FULL_KIND,
    MANIFEST_FILE,
    WEIGHT_FILES,
    DataSummary,
    Figures,
    Manifest,
    PaperFigures,
    Recipe,
    file_sha256,
    fingerprint,
    read_manifest,
    write_json,
)
from nsx_core.classifying import label_index, positive
from nsx_core.settings import PROJECT_FOLDER, THRESHOLD_DEFAULT
from nsx_core.training.cards import write_card
from nsx_core.training.datasets import Dataset, Split
from nsx_core.training.figures import figures
from nsx_core.training.fine_tuning import Learned, learn

__all__ = ["CHECKPOINTS_FOLDER", "SHIPPED", "Shipped", "train_classifier"]

CHECKPOINTS_FOLDER = PROJECT_FOLDER / "build" / "training"


@dataclass(frozen=True)
class Shipped:
    """A classifier that comes with the project: its data below the data folder, and how
    the paper's classifier of the same name did (Table B.2 of balkir-etal-2022)."""

    data: str
    macro_f1: float
    micro_f1: float


SHIPPED = {
    "Davidson2017-abuse": Shipped("davidson2017/labeled_data.csv", 0.93, 0.96),
    "Davidson2017-hate": Shipped("davidson2017/labeled_data.csv", 0.70, 0.94),
    "Vidgen2021-hate": Shipped("cad", 0.71, 0.91),
    "Vidgen2021-abuse": Shipped("cad", 0.72, 0.85),
}


def train_classifier(
    name: str,
    data: Dataset,
    recipe: Recipe,
    out: Path,
    base: str = MINILM,
    seed: int = 0,
    checkpoints: Path = CHECKPOINTS_FOLDER,
    allow_download: bool = False,
    measure_test: bool = True,
    again: bool = False,
    quiet: bool = False,
) -> Manifest:
    """Train, choose on dev, measure on test once, and write ``out/name``.

    ``base`` is a known name, a folder or a hub id. The test figures are those of the folder
    as it is loaded for use. Returns the manifest of a folder that is already there, unless
    ``again``. ``MissingModelError`` where the base model is not there.
    """
    folder = Path(out) / name
    if (folder / MANIFEST_FILE).is_file() and not again:
        return read_manifest(folder)
    source = enc.base_folder(base, allow_download)
    base_hash = enc.base_sha256(source)
    work = Path(checkpoints) / f"{name}-{_run_key(data, recipe, base_hash, seed)[:16]}"
    learned = learn(data, recipe, source, seed, work, quiet=quiet)
    draft = _draft(name, data, recipe, base, base_hash, seed, learned)
    Path(out).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=out) as place:
        made = Path(place) / name
        made.mkdir()
        manifest = _written(made, draft, learned)
        manifest = dataclasses.replace(manifest, dev=_measured(made, data.dev))
        if measure_test:
            manifest = dataclasses.replace(manifest, test=_measured(made, data.test))
        write_json(made / MANIFEST_FILE, manifest)
        write_card(made)
        if folder.exists():
            shutil.rmtree(folder)
        made.rename(folder)
    return manifest


def _run_key(data: Dataset, recipe: Recipe, base_hash: str, seed: int) -> str:
    """sha256 hex over what a run's weights depend on; names its checkpoint folder."""
    digest = hashlib.sha256()
    for split in (data.train, data.dev):
        texts = [text.encode("utf-8", "replace").decode() for text in split.texts]
        digest.update(json.dumps([texts, split.labels.tolist()]).encode())
    settings = {**dataclasses.asdict(recipe), "base": base_hash, "seed": seed}
    digest.update(json.dumps(settings, sort_keys=True).encode())
    return digest.hexdigest()


def _draft(
    name: str,
    data: Dataset,
    recipe: Recipe,
    base: str,
    base_hash: str,
    seed: int,
    learned: Learned,
) -> Manifest:
    known = SHIPPED.get(name)
    paper = None
    if known is not None:
        where = "balkir-etal-2022, Table B.2"
        paper = PaperFigures("BERT-base", known.macro_f1, known.micro_f1, where)
    return Manifest(
        format=FORMAT,
        name=name,
        kind=ADAPTER_KIND if recipe.lora_rank else FULL_KIND,
        base=base,
        base_sha256=base_hash if recipe.lora_rank else "",
        labels=data.label_names,
        explained_class=data.task,
        max_tokens=learned.max_tokens,
        recipe=recipe,
        lora_targets=learned.targets,
        seed=seed,
        best_epoch=learned.epoch,
        decision_shift=learned.dev[learned.epoch - 1].shift,
        data=DataSummary(
            name=data.name,
            task=data.task,
            citation=data.citation,
            licence=data.licence,
            train=data.train.counts,
            dev=data.dev.counts,
            test=data.test.counts,
            notes=data.notes,
        ),
        dev=Figures(0, 0, 0.0, 0.0, 0.0, 0.0),
        test=None,
        paper=paper,
        baseline=None,
        weights_sha256="",
        fingerprint="",
    )


def _written(folder: Path, draft: Manifest, learned: Learned) -> Manifest:
    path = folder / WEIGHT_FILES[draft.kind]
    save_file(learned.tensors, path)
    path.chmod(0o644)  # written for its owner alone otherwise
    if draft.kind == FULL_KIND:
        learned.tokenizer.save_pretrained(folder / ENCODER_FOLDER)
        learned.config.save_pretrained(folder / ENCODER_FOLDER)
    manifest = dataclasses.replace(draft, weights_sha256=file_sha256(path))
    manifest = dataclasses.replace(manifest, fingerprint=fingerprint(manifest))
    write_json(folder / MANIFEST_FILE, manifest)
    return manifest


def _measured(folder: Path, split: Split) -> Figures:
    classifier = EncoderClassifier.load(folder)
    column = label_index(classifier.labels, classifier.explained_class)
    answers = classifier.predict_proba(list(split.texts))[:, column]
    return figures(split.labels, positive(answers, THRESHOLD_DEFAULT))
