"""Measure, print, and write docs/benchmarks.md and docs/benchmarks.json.

python -m nsx_core.bench                  # some minutes
python -m nsx_core.bench --whole-job      # the paper's job on all its texts, not every tenth
python -m nsx_core.bench --part engine    # one part, printed only
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from nsx_core.adapters.reference_loop import path_taken
from nsx_core.bench import classifying, full_store, memory, paper_job, speed
from nsx_core.bench.figures import Figure
from nsx_core.catalogue import Catalogue, shipped_catalogue
from nsx_core.settings import PROJECT_FOLDER

#: The cases of the paper, where the data is at hand; else sentences of our own.
PAPER_CASES = PROJECT_FOLDER.parent / "shared" / "data" / "paper" / "ilm_perturbations.parquet"
EXAMPLES = PROJECT_FOLDER / "assets" / "examples.json"


def measure(catalogue: Catalogue, parts: list[str], every: int) -> list[Figure]:
    """The figures of the named parts, in the order of the table."""
    texts = _texts()
    written: list[str] = []

    def job() -> list[Figure]:
        figures, made = paper_job.paper_job(catalogue, texts, every)
        written.extend(made)
        return figures

    named: dict[str, Callable[[], list[Figure]]] = {
        "engine": lambda: speed.engine_figures(catalogue),
        "explanations": lambda: speed.explanation_figures(catalogue),
        "job": job,
        "classifying": lambda: classifying.classifying_figures(catalogue, written or texts),
        "memory": memory.memory_figures,
        "store": full_store.full_store_figures,
    }
    return [figure for name in parts for figure in named[name]()]


PARTS = ["engine", "explanations", "job", "classifying", "memory", "store"]


def _texts() -> list[str]:
    if PAPER_CASES.is_file():
        import pandas as pd

        return list(pd.read_parquet(PAPER_CASES, columns=["text"])["text"].unique())
    return [str(e["text"]) for e in json.loads(EXAMPLES.read_text(encoding="utf-8"))]


def as_markdown(figures: list[Figure], machine: str) -> str:
    """The figures as a table, each with its target and whether it is reached."""
    lines = [
        "# Benchmarks",
        "",
        "Written by `make bench`. Seconds depend on the machine; ratios are of one run.",
        f"This run: {machine}.",
        "",
        "| figure | measured | target | reached |",
        "|---|---:|---:|---|",
    ]
    for f in figures:
        word = "at least" if f.at_least else "at most"
        target = "" if f.target is None else f"{word} {_number(f.target, f.unit)}"
        reached = {None: "", True: "yes", False: "**no**"}[f.met]
        lines.append(f"| {f.name} | {_number(f.value, f.unit)} | {target} | {reached} |")
    return "\n".join(lines) + "\n"


def _number(value: float, unit: str) -> str:
    digits = 3 if value < 0.2 else 2 if value < 2 else 1 if value < 200 else 0
    space = "" if unit in ("x", "%") else " "
    return f"{value:,.{digits}f}{space}{unit}"


def main(argv: list[str] | None = None) -> int:
    """Measure, print, and, for all parts, write the two files under docs/."""
    parser = argparse.ArgumentParser(prog="python -m nsx_core.bench")
    parser.add_argument("--out", type=Path, default=PROJECT_FOLDER / "docs")
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--whole-job", action="store_true")
    given = parser.parse_args(argv)
    catalogue = shipped_catalogue()
    found = measure(catalogue, given.part or PARTS, 1 if given.whole_job else 10)
    path = path_taken(catalogue.infiller(catalogue.default_infiller))
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {path}"
    text = as_markdown(found, machine)
    if not given.part:
        (given.out / "benchmarks.md").write_text(text, encoding="utf-8")
        rows = {"machine": machine, "figures": [asdict(f) | {"met": f.met} for f in found]}
        content = json.dumps(rows, indent=1) + "\n"
        (given.out / "benchmarks.json").write_text(content, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
