"""Train the classifiers and write their folders; measure their neutral baseline.

::

    python -m nsx_core.training.classifiers --all --shared ../shared/data
    python -m nsx_core.training.classifiers --name Davidson2017-abuse \\
        --data ../shared/data/davidson2017/labeled_data.csv --out assets/models
    python -m nsx_core.training.classifiers --name Mine-hate --task hate --source csv \\
        --data mine.csv --text-column text --label-column label --positive hateful
    python -m nsx_core.training.classifiers baseline --texts neutral.jsonl
    python -m nsx_core.training.classifiers agreement --texts texts.parquet --column text
    python -m nsx_core.training.classifiers cards

A name's first part picks the loader, its last part the task. A run that was stopped goes
on from its last epoch; a finished folder is left alone unless ``--again`` is given.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path

from nsx_core.adapters.base_models import MINILM
from nsx_core.adapters.manifest import MANIFEST_FILE, Recipe, holds_classifier
from nsx_core.errors import DataError, NsxError, UnknownNameError
from nsx_core.settings import SHIPPED_MODELS_FOLDER
from nsx_core.training.agreement import measure_agreement
from nsx_core.training.baseline import measure_baseline
from nsx_core.training.cards import write_card
from nsx_core.training.corpus import read_corpus
from nsx_core.training.datasets import TASKS, Dataset, load, load_csv
from nsx_core.training.fine_tuning import RECIPES, recipe_named
from nsx_core.training.tables import read_table
from nsx_core.training.trained_folder import CHECKPOINTS_FOLDER, SHIPPED, train_classifier

__all__ = ["main"]

SOURCES = {"Davidson2017": "davidson2017", "Vidgen2021": "cad", "Founta2018": "founta2018"}


def main(argv: Sequence[str] | None = None) -> int:
    """The command line above; 0 when all is done, 2 with a message on stderr otherwise."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        if arguments[:1] == ["baseline"]:
            return _baseline_command(arguments[1:])
        if arguments[:1] == ["agreement"]:
            return _agreement_command(arguments[1:])
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
    return [field for field in dataclasses.fields(Recipe) if type(field.default) in (int, float)]


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


def _trained_parser(command: str) -> argparse.ArgumentParser:
    """What every command over classifiers that are there already takes."""
    parser = argparse.ArgumentParser(prog=f"python -m nsx_core.training.classifiers {command}")
    parser.add_argument("--models", type=Path, default=SHIPPED_MODELS_FOLDER)
    parser.add_argument("--name", action="append", help="only this classifier; may be repeated")
    return parser


def _baseline_command(arguments: list[str]) -> int:
    parser = _trained_parser("baseline")
    parser.add_argument("--texts", type=Path, required=True, help='JSONL, {"text": ...} a line')
    parser.add_argument("--source", help="what the texts are; the file's name unless given")
    given = parser.parse_args(arguments)
    texts = read_corpus(given.texts)
    for folder in _folders(given.models, given.name):
        found = measure_baseline(folder, texts, given.source or given.texts.name)
        write_card(folder)
        print(
            f"{folder.name}: {found.positives} of {found.n} neutral texts positive "
            f"({found.rate:.4f}), mean probability {found.mean_probability:.4f}",
            flush=True,
        )
    return 0


def _agreement_command(arguments: list[str]) -> int:
    parser = _trained_parser("agreement")
    parser.add_argument("--texts", type=Path, required=True, help="CSV, TSV, JSONL or Parquet")
    parser.add_argument("--column", default="text")
    parser.add_argument("--most", type=int, default=10_000, help="how many distinct texts")
    parser.add_argument("--source", help="what the texts are; the file's name unless given")
    given = parser.parse_args(arguments)
    distinct = list(dict.fromkeys(read_table(given.texts, [given.column])[given.column]))
    every = max(1, len(distinct) // max(1, given.most))
    texts = distinct[::every][: given.most]
    for folder in _folders(given.models, given.name):
        found = measure_agreement(folder, texts, given.source or given.texts.name)
        write_card(folder)
        print(
            f"{folder.name}: bfloat16 gives float32's label on {found.same:,} of {found.n:,} texts "
            f"({found.share:.2%})",
            flush=True,
        )
    return 0


def _cards_command(arguments: list[str]) -> int:
    parser = _trained_parser("cards")
    given = parser.parse_args(arguments)
    for folder in _folders(given.models, given.name):
        print(write_card(folder))
    return 0


def _folders(models: Path, names: Sequence[str] | None) -> list[Path]:
    """Folders below ``models`` that hold a classifier, or the named ones."""
    places = (path.parent for path in models.glob(f"*/{MANIFEST_FILE}"))
    known = sorted(place.name for place in places if holds_classifier(place))
    for name in names or ():
        if name not in known:
            raise UnknownNameError("classifier", name, known)
    return [models / name for name in names or known]


if __name__ == "__main__":
    sys.exit(main())
