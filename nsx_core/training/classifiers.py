"""Train the classifiers and write their folders; measure their neutral baseline.

::

    python -m nsx_core.training.classifiers --all --shared ../shared/data
    python -m nsx_core.training.classifiers --name Davidson2017-abuse \\
        --data ../shared/data/davidson2017/labeled_data.csv --out assets/models
    python -m nsx_core.training.classifiers --name Mine-hate --task hate --source csv \\
        --data mine.csv --text-column text --label-column label --positive hateful
    python -m nsx_core.training.classifiers baseline --texts neutral.jsonl
    python -m nsx_core.training.classifiers cards

A name's first part picks the loader, its last part the task. A run that was stopped goes
on from its last epoch; a finished folder is left alone unless ``--again`` is given.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
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
from nsx_core.errors import DataError, NsxError, UnknownNameError
from nsx_core.settings import PROJECT_FOLDER, SHIPPED_MODELS_FOLDER, THRESHOLD_DEFAULT
from nsx_core.training.baseline import measure_baseline, read_texts
from nsx_core.training.cards import write_card
from nsx_core.training.datasets import TASKS, Dataset, Split, load, load_csv
from nsx_core.training.figures import figures
from nsx_core.training.fine_tuning import RECIPES, Learned, learn, recipe_named

__all__ = ["SHIPPED", "Shipped", "main", "train_classifier"]

CHECKPOINTS_FOLDER = PROJECT_FOLDER / "build" / "training"
SOURCES = {"Davidson2017": "davidson2017", "Vidgen2021": "cad", "Founta2018": "founta2018"}


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
        decision_shift=learned.shift,
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


def main(argv: Sequence[str] | None = None) -> int:
    """The command line above; 0 when all is done, 2 with a message on stderr otherwise."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        if arguments[:1] == ["baseline"]:
            return _baseline_command(arguments[1:])
        if arguments[:1] == ["cards"]:
            return _cards_command(arguments[1:])
        return _train_command(arguments)
    except NsxError as error:
        print(error, file=sys.stderr)
        return 2


def _train_command(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m nsx_core.training.classifiers", description="Train classifiers."
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--name", help="for example Davidson2017-abuse; ends in -hate or -abuse")
    what.add_argument("--all", action="store_true", help="the four that come with the project")
    parser.add_argument("--shared", type=Path, help="with --all: the folder of the data sets")
    parser.add_argument("--data", type=Path, help="with --name: the data file or folder")
    parser.add_argument("--source", choices=[*SOURCES.values(), "csv"], help="the loader")
    parser.add_argument("--task", choices=TASKS)
    parser.add_argument("--text-column", default="text", help="with --source csv")
    parser.add_argument("--label-column", default="label", help="with --source csv")
    parser.add_argument("--positive", default="1", help="with --source csv: comma-joined labels")
    parser.add_argument("--split-column", help="with --source csv: train, dev or test")
    parser.add_argument("--out", type=Path, default=SHIPPED_MODELS_FOLDER)
    parser.add_argument("--checkpoints", type=Path, default=CHECKPOINTS_FOLDER)
    parser.add_argument("--recipe", choices=sorted(RECIPES), default="adapter")
    parser.add_argument("--base", default=MINILM, help="a known name, a folder or a hub id")
    parser.add_argument("--allow-download", action="store_true", help="fetch a hub id")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--again", action="store_true", help="replace a finished folder")
    parser.add_argument("--no-test", action="store_true", help="choosing: leave test unseen")
    parser.add_argument("--quiet", action="store_true")
    for field in _changeable():
        flag = "--" + field.name.replace("_", "-")
        parser.add_argument(flag, type=type(field.default), help="changes the recipe")
    given = parser.parse_args(arguments)
    changes = {
        field.name: getattr(given, field.name)
        for field in _changeable()
        if getattr(given, field.name) is not None
    }
    recipe = recipe_named(given.recipe, **changes)
    if given.all and given.shared is None:
        parser.error("--all needs --shared, the folder of the data sets")
    if given.name and given.data is None:
        parser.error("--name needs --data, the data file or folder")
    for name in SHIPPED if given.all else [given.name]:
        data = _data(name, given)
        manifest = train_classifier(
            name,
            data,
            recipe,
            given.out,
            given.base,
            given.seed,
            given.checkpoints,
            given.allow_download,
            not given.no_test,
            given.again,
            given.quiet,
        )
        shown = manifest.test or manifest.dev
        split = "test" if manifest.test else "dev"
        print(
            f"{name}: {split} macro F1 {shown.macro_f1:.3f}, micro F1 {shown.micro_f1:.3f}, "
            f"precision {shown.precision:.3f}, recall {shown.recall:.3f}, n {shown.n}",
            flush=True,
        )
    return 0


def _changeable() -> list[dataclasses.Field[object]]:
    """The recipe's numbers that the command line may change."""
    return [
        field
        for field in dataclasses.fields(Recipe)
        if type(field.default) in (int, float)
    ]


def _data(name: str, given: argparse.Namespace) -> Dataset:
    first, _, last = name.partition("-")
    task = given.task or last
    if task not in TASKS:
        raise UnknownNameError("task", task, TASKS)
    source = given.source or SOURCES.get(first)
    path = given.shared / SHIPPED[name].data if given.all else given.data
    if source is None:
        raise DataError(
            f"The loader follows from a name that begins with {', '.join(SOURCES)}, and {name!r} "
            "came. Add `--source csv` with `--text-column`, `--label-column` and `--positive`."
        )
    if source == "csv":
        labels = [value.strip() for value in given.positive.split(",")]
        return load_csv(
            path, task, given.text_column, given.label_column, labels, given.split_column
        )
    return load(source, path, task)


def _baseline_command(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m nsx_core.training.classifiers baseline")
    parser.add_argument("--texts", type=Path, required=True, help='JSONL, {"text": ...} a line')
    parser.add_argument("--models", type=Path, default=SHIPPED_MODELS_FOLDER)
    parser.add_argument("--name", action="append", help="only this classifier; may be repeated")
    parser.add_argument("--source", help="what the texts are; the file's name unless given")
    given = parser.parse_args(arguments)
    texts = read_texts(given.texts)
    for folder in _folders(given.models, given.name):
        found = measure_baseline(folder, texts, given.source or given.texts.name)
        write_card(folder)
        print(
            f"{folder.name}: {found.positives} of {found.n} neutral texts positive "
            f"({found.rate:.4f}), mean probability {found.mean_probability:.4f}",
            flush=True,
        )
    return 0


def _cards_command(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m nsx_core.training.classifiers cards")
    parser.add_argument("--models", type=Path, default=SHIPPED_MODELS_FOLDER)
    parser.add_argument("--name", action="append", help="only this classifier; may be repeated")
    given = parser.parse_args(arguments)
    for folder in _folders(given.models, given.name):
        print(write_card(folder))
    return 0


def _folders(models: Path, names: Sequence[str] | None) -> list[Path]:
    """Folders below ``models`` that hold a classifier, or the named ones."""
    known = sorted(path.parent.name for path in models.glob(f"*/{WEIGHT_FILES[ADAPTER_KIND]}"))
    known += sorted(path.parent.name for path in models.glob(f"*/{WEIGHT_FILES[FULL_KIND]}"))
    known = [name for name in known if (models / name / MANIFEST_FILE).is_file()]
    for name in names or ():
        if name not in known:
            raise UnknownNameError("classifier", name, known)
    return [models / name for name in names or known]


if __name__ == "__main__":
    sys.exit(main())
