"""Counterfactual explanations on many cases of a suite, by method: what is found, at which cost.

python -m nsx_core.bench.counterfactuals --suite FILE [--cases 60] [--store FILE]

Writes benchmarks_counterfactuals.json and the page anew. A store on disk, with the file of rows
that lies beside it, lets a run that was stopped go on; seconds are those of the run that measured.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from nsx_core import pipeline, words
from nsx_core.bench.page import COUNTERFACTUALS, write_page
from nsx_core.catalogue import Catalogue, shipped_catalogue
from nsx_core.counterfactual_records import (
    CounterfactualRequest,
    Findings,
    Method,
    MethodFound,
    SetKind,
)
from nsx_core.counterfactual_search import searched
from nsx_core.errors import DataError, NsxError
from nsx_core.records import ExplainRequest, ExplainSettings
from nsx_core.scoring.wilson import wilson
from nsx_core.settings import CALLS_DEFAULT, PROJECT_FOLDER
from nsx_core.store import Store
from nsx_core.suites import read_suite

__all__ = ["case_row", "chosen", "summary"]


def chosen(texts: Sequence[str], count: int) -> tuple[list[str], int]:
    """Every n-th of the texts, so that ``count`` are left, and n; ``DataError`` for too few."""
    if len(texts) < count:
        raise DataError(
            f"{count} predicted cases are asked for, and the suite has {len(texts)}. Ask for fewer."
        )
    every = len(texts) // count
    return list(texts[::every][:count]), every


def case_row(found: Findings, seconds: float) -> dict[str, Any]:
    """One case as plain values."""
    return {
        "words": len(found.words),
        "seconds": seconds,
        "methods": {str(one.method): _method(one) for one in found.found},
    }


def _method(one: MethodFound) -> dict[str, Any]:
    best = one.listed[0] if one.listed else None
    return {
        "valid": best is not None,
        "words_changed": best and best.words_changed,
        "cosine": best and best.cosine,
        "fluency": best and best.fluency,
        "calls": one.calls,
        "infills": one.written,
        "seconds": one.seconds,
        "sets": [[str(s.kind), len(s.words), s.proven] for s in one.sets],
    }


def summary(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row a method over all cases: shares with Wilson's interval, medians where there is one."""
    table = []
    for method in Method:
        own = [row["methods"][method] for row in rows]
        valid = sum(one["valid"] for one in own)
        low, high = (float(bound) for bound in wilson(valid, len(own)))
        figures = ("words_changed", "cosine", "fluency", "calls", "infills", "seconds")
        middle = {name: _median(one[name] for one in own) for name in figures}
        table.append(
            {
                "method": str(method), "valid": valid, "low": low, "high": high,
                **middle, "own": _own([one["sets"] for one in own]),
            }
        )  # fmt: skip
    return table


def _own(sets: Sequence[list[list[Any]]]) -> str:
    """What SEDC's and Anchors' sets come to, in words; '' for methods without sets."""
    first = [found[0] for found in sets if found]
    if not first:
        return ""
    proven = sum(found[2] for found in first)
    size = median(found[1] for found in first)
    what = "words kept" if first[0][0] == SetKind.KEPT else "words removed"
    return f"{what}: {size:g} in the median, proven in {proven} of {len(sets)}"


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(median(known)) if known else None


def main(argv: Sequence[str] | None = None) -> int:
    """Search on many cases, print the table, and write it."""
    parser = argparse.ArgumentParser(prog="python -m nsx_core.bench.counterfactuals")
    parser.add_argument("--suite", type=Path, required=True, help="HateCheck's CSV")
    parser.add_argument("--classifier", default="Vidgen2021-hate")
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--budget", type=int, default=CALLS_DEFAULT)
    parser.add_argument("--store", type=Path, required=True, help="a DuckDB file to go on from")
    parser.add_argument(
        "--conditions", default="nothing else ran", help="what else the machine did, for the page"
    )
    parser.add_argument("--out", type=Path, default=PROJECT_FOLDER / "docs")
    given = parser.parse_args(argv)
    try:
        with Store.open(given.store) as store:
            found = _measured(given, shipped_catalogue(), store)
    except NsxError as error:
        print(error, file=sys.stderr)
        return 2
    content = json.dumps(found, indent=1) + "\n"
    (given.out / COUNTERFACTUALS).write_text(content, encoding="utf-8")
    write_page(given.out)
    print(content)
    return 0


def _measured(given: argparse.Namespace, catalogue: Catalogue, store: Store) -> dict[str, Any]:
    suite, entry = read_suite(given.suite), catalogue.classifier_entry(given.classifier)
    settings = ExplainSettings()
    hateful = [case.text for case in suite.cases if case.hateful]
    likely = pipeline.probabilities(hateful, entry, catalogue, store)
    predicted = [t for t, p in zip(hateful, likely, strict=True) if p >= settings.threshold]
    texts, every = chosen(predicted, given.cases)
    kept = given.store.with_suffix(".jsonl")
    lines = kept.read_text(encoding="utf-8").splitlines() if kept.is_file() else []
    rows = {row["text"]: row for row in map(json.loads, lines) if row["budget"] == given.budget}
    writer = catalogue.default_infiller
    for number, text in enumerate(texts):
        if text in rows:
            continue
        request = CounterfactualRequest(
            ExplainRequest(text, entry.name, writer, settings), budget=given.budget
        )
        # The explanation is what every search starts from, and no cost of it.
        pipeline.explained(text, entry.name, writer, settings, catalogue, store)
        if not number or not rows:
            catalogue.meaning().cosines(text, [text])
        began = time.perf_counter()
        found = searched(request, catalogue, store)
        row = {"text": text, "budget": given.budget} | case_row(found, time.perf_counter() - began)
        rows[text] = row
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{number + 1} of {len(texts)}: {row['seconds']:.1f} s", file=sys.stderr)
    own = [rows[text] for text in texts]
    lengths = [len(words.split(text).words) for text in texts]
    seconds = [row["seconds"] for row in own]
    return {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "conditions": given.conditions,
        "suite": suite.name,
        "classifier": entry.name,
        "label": entry.explained_label,
        "cases": len(texts),
        "every": every,
        "words": [min(lengths), max(lengths)],
        "budget": given.budget,
        "seconds": {"median": median(seconds), "high": float(np.quantile(seconds, 0.9))},
        "methods": summary(own),
    }


if __name__ == "__main__":
    raise SystemExit(main())
