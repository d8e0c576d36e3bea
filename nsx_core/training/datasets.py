"""Labelled texts for the classifiers: loaders, tasks and splits.

A loader answers with a frozen ``Dataset``: texts as they came (cleaning is the model's
part), 1 where the task's class applies and 0 where not, in three splits.

- ``davidson2017`` (davidson-etal-2017): one CSV, classes 0 hate speech, 1 offensive
  language, 2 neither. The file has no split of its own; the one drawn here is stratified
  on the three classes and the same for both tasks.
- ``cad`` (vidgen-etal-2021-introducing): three TSV files, the authors' own split.
- ``founta2018`` (founta-etal-2018): the user's own copy, text, label and votes without a
  header. Spam is dropped rather than taken as negative: the label answers another question
  (is this advertising?), and a spam tweet may well be hateful too.
- ``csv``: any table of the user's with a text column and a label column.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nsx_core.cleaning import clean
from nsx_core.errors import DataError, UnknownNameError
from nsx_core.seeding import generator
from nsx_core.training.tables import read_table

__all__ = ["DATASETS", "TASKS", "Dataset", "Split", "load", "load_csv", "split_rows"]

TASKS = ("hate", "abuse")
SPLITS = ("train", "dev", "test")
SHARES = (0.8, 0.1, 0.1)


@dataclass(frozen=True)
class Split:
    """``labels`` int64[n_texts] of 0 and 1, in the order of ``texts``."""

    texts: tuple[str, ...]
    labels: NDArray[np.int64]

    @property
    def counts(self) -> tuple[int, int]:
        """How many texts, and how many of them are positive."""
        return len(self.texts), int(self.labels.sum())


@dataclass(frozen=True)
class Dataset:
    """One task's texts in three splits. ``notes`` say what was dropped or overlaps."""

    name: str
    task: str
    citation: str
    licence: str
    train: Split
    dev: Split
    test: Split
    notes: tuple[str, ...] = ()

    @property
    def label_names(self) -> tuple[str, str]:
        """The names of label 0 and label 1."""
        return f"not {self.task}", self.task


def load(name: str, path: Path, task: str) -> Dataset:
    """The dataset called ``name`` ('davidson2017', 'cad' or 'founta2018') for a task.

    Raises ``UnknownNameError`` for another name or task, and ``DataError`` for a missing
    file, missing columns, no rows, or a split with one class only.
    """
    if name not in DATASETS:
        raise UnknownNameError("dataset", name, DATASETS)
    if task not in TASKS:
        raise UnknownNameError("task", task, TASKS)
    return DATASETS[name](Path(path), task)


def load_csv(
    path: Path,
    task: str,
    text_column: str,
    label_column: str,
    positive: Collection[str],
    split_column: str | None = None,
    seed: int = 0,
) -> Dataset:
    """A table of the user's: CSV, TSV, JSONL or Parquet, told apart by the file's ending.

    ``positive`` are the values of ``label_column`` (as text) that mean 1. The values of
    ``split_column`` are train, dev and test; without one the split is drawn 80/10/10,
    stratified on the label column. Rows without
    a label are left out. Errors as ``load``.
    """
    path = Path(path)
    columns = [text_column, label_column] + ([split_column] if split_column else [])
    frame = read_table(path, columns)
    frame = frame[frame[label_column] != ""]
    texts, classes = frame[text_column].tolist(), frame[label_column].tolist()
    if not texts:
        raise _no_rows(path)
    unknown = set(positive) - set(classes)
    if not positive or unknown:
        raise DataError(
            f"The positive labels must be values of the column {label_column!r} of "
            f"{path.name!r}, and {sorted(unknown) or 'none'} came. The column holds: "
            f"{_listed(classes)}."
        )
    labels = np.array([value in set(positive) for value in classes], dtype=np.int64)
    notes: tuple[str, ...] = ()
    if split_column:
        named = frame[split_column].tolist()
        odd = sorted(set(named) - set(SPLITS))
        if odd:
            raise DataError(
                f"The column {split_column!r} of {path.name!r} holds train, dev or test, and "
                f"{odd[0]!r} came. Rename its values, or leave the split column out."
            )
        where = np.array(named)
    else:
        where = split_rows(classes, "csv", seed)
        where, notes = _without_leaks(texts, where)
    return _dataset(path, path.stem, task, "", "the user's own data", texts, labels, where, notes)


def split_rows(classes: Sequence[object], *purpose: str | int) -> NDArray[np.str_]:
    """str[n_rows] of 'train', 'dev' and 'test': 80/10/10 within each class.

    The same classes and purpose always give the same split.
    """
    values = np.array([str(value) for value in classes])
    where = np.full(len(values), "train", dtype="<U5")
    for value in sorted(set(values.tolist())):
        rows = np.flatnonzero(values == value)
        rows = rows[generator("split", *purpose, value).permutation(len(rows))]
        first, second = round(len(rows) * SHARES[0]), round(len(rows) * (SHARES[0] + SHARES[1]))
        where[rows[first:second]] = "dev"
        where[rows[second:]] = "test"
    return where


def _davidson2017(path: Path, task: str) -> Dataset:
    frame = read_table(path, ["class", "tweet"])
    classes = _class_numbers(frame["class"].tolist(), path)
    texts = frame["tweet"].tolist()
    where, notes = _without_leaks(texts, split_rows(classes, "davidson2017"))
    hits = (0,) if task == "hate" else (0, 1)
    labels = np.isin(np.array(classes), hits).astype(np.int64)
    return _dataset(
        path, "davidson2017", task, "davidson-etal-2017", "MIT", texts, labels, where, notes
    )


def _cad(folder: Path, task: str) -> Dataset:
    if not folder.is_dir():
        raise DataError(
            f"'cad' is a folder with cad_v1_1_train.tsv, _dev.tsv and _test.tsv, and "
            f"{str(folder)!r} is none. Give the folder that holds the three files."
        )
    texts: list[str] = []
    found: list[str] = []
    where: list[str] = []
    for split in SPLITS:
        # A quotation mark in these files is a character like any other.
        frame = read_table(folder / f"cad_v1_1_{split}.tsv", ["text", "labels"], quoted=False)
        texts += frame["text"].tolist()
        found += frame["labels"].tolist()
        where += [split] * len(frame)
    labels = np.array([_cad_label(value, task) for value in found], dtype=np.int64)
    seen = {clean(text) for text, split in zip(texts, where, strict=True) if split == "train"}
    shared = [
        sum(clean(text) in seen for text, at in zip(texts, where, strict=True) if at == split)
        for split in ("dev", "test")
    ]
    notes = (
        (
            f"The authors' split is kept as it is; {shared[0]} dev and {shared[1]} test texts also "
            "stand in train once cleaned."
        ),
    )
    return _dataset(
        folder,
        "cad",
        task,
        "vidgen-etal-2021-introducing",
        "CC BY 4.0",
        texts,
        labels,
        np.array(where),
        notes,
    )


def _cad_label(joined: str, task: str) -> bool:
    names = [name.strip() for name in joined.split(",")]
    if task == "hate":
        return "IdentityDirectedAbuse" in names
    return any("DirectedAbuse" in name for name in names)


def _founta2018(path: Path, task: str) -> Dataset:
    if not path.is_file():
        raise _no_file(path)
    frame = pd.read_csv(
        path,
        sep="\t",
        header=None,
        dtype=str,
        quoting=csv.QUOTE_NONE,
        keep_default_na=False,
        encoding="utf-8",
    )
    if frame.shape[1] != 3:
        raise DataError(
            f"'founta2018' has three columns split by tabs (text, label, votes) and no header, "
            f"and {path.name!r} has {frame.shape[1]}. Check how the file was exported."
        )
    classes = [value.strip().lower() for value in frame[1]]
    known = ("hateful", "abusive", "normal", "spam")
    odd = sorted(set(classes) - set(known))
    if odd:
        raise DataError(
            f"The second column of {path.name!r} holds {', '.join(known)}, and {odd[0]!r} came. "
            "Check that the file has no header and that its columns are text, label, votes."
        )
    kept = [row for row, value in enumerate(classes) if value != "spam"]
    texts = [str(frame[0][row]) for row in kept]
    classes = [classes[row] for row in kept]
    if not texts:
        raise _no_rows(path)
    where, notes = _without_leaks(texts, split_rows(classes, "founta2018"))
    hits = {"hateful"} if task == "hate" else {"hateful", "abusive"}
    labels = np.array([value in hits for value in classes], dtype=np.int64)
    dropped = len(frame) - len(kept)
    notes = (f"{dropped} texts labelled spam are dropped.", *notes)
    licence = "the user's own copy"
    return _dataset(
        path, "founta2018", task, "founta-etal-2018", licence, texts, labels, where, notes
    )


DATASETS: dict[str, Callable[[Path, str], Dataset]] = {
    "davidson2017": _davidson2017,
    "cad": _cad,
    "founta2018": _founta2018,
}


def _without_leaks(
    texts: Sequence[str], where: NDArray[np.str_]
) -> tuple[NDArray[np.str_], tuple[str, ...]]:
    """Mark '' the dev texts that stand in train, and the test texts that stand in either.

    Texts are compared as the model sees them, cleaned: retweets differ in links only.
    """
    where, seen, dropped = where.copy(), set[str](), []
    keys = [clean(text) for text in texts]
    for split in SPLITS:
        rows = [int(row) for row in np.flatnonzero(where == split)]
        leaks = [row for row in rows if keys[row] in seen]
        where[leaks] = ""
        dropped.append(len(leaks))
        seen.update(keys[row] for row in rows)
    note = (
        f"{dropped[1]} dev and {dropped[2]} test texts that also stand in an earlier split once "
        "cleaned are dropped."
    )
    return where, (note,)


def _dataset(
    path: Path,
    name: str,
    task: str,
    citation: str,
    licence: str,
    texts: Sequence[str],
    labels: NDArray[np.int64],
    where: NDArray[np.str_],
    notes: tuple[str, ...],
) -> Dataset:
    splits = []
    for split in SPLITS:
        rows = np.flatnonzero(where == split)
        made = Split(tuple(texts[int(row)] for row in rows), labels[rows].astype(np.int64))
        n, positives = made.counts
        if positives in (0, n):
            raise DataError(
                f"Each split needs texts of both classes, and {split} of {path.name!r} has "
                f"{positives} of {n} texts labelled {task!r}. Add texts of the missing class, "
                "or check which labels count as positive."
            )
        splits.append(made)
    return Dataset(name, task, citation, licence, splits[0], splits[1], splits[2], notes)


def _class_numbers(values: list[str], path: Path) -> list[int]:
    odd = sorted(set(values) - {"0", "1", "2"})
    if odd:
        raise DataError(
            f"The column 'class' of {path.name!r} holds 0 (hate), 1 (offensive) or 2 (neither), "
            f"and {odd[0]!r} came. Check that it is the file of (davidson-etal-2017)."
        )
    return [int(value) for value in values]


def _no_file(path: Path) -> DataError:
    return DataError(f"There is no data file {str(path)!r}. Check the path; it must be a file.")


def _no_rows(path: Path) -> DataError:
    return DataError(f"A data file needs at least one row, and {path.name!r} has none. Check it.")


def _listed(values: Sequence[str]) -> str:
    kinds = sorted(set(values))
    more = f" and {len(kinds) - 10} more" if len(kinds) > 10 else ""
    return ", ".join(map(repr, kinds[:10])) + more
