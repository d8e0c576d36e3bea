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
from pathlib import Path

from nsx_core.adapters.reference_loop import path_taken
from nsx_core.bench import auditing, classifying, full_store, memory, paper_job, speed
from nsx_core.bench.figures import Figure
from nsx_core.bench.page import as_markdown, write_figures
from nsx_core.catalogue import Catalogue, shipped_catalogue
from nsx_core.settings import PROJECT_FOLDER
from nsx_core.training.quality_report import PAPER_FILE
from nsx_core.training.tables import read_table

EXAMPLES = PROJECT_FOLDER / "assets" / "examples.json"


def measure(
    catalogue: Catalogue, parts: list[str], every: int, paper: Path | None = None
) -> list[Figure]:
    """The figures of the named parts, in the order of the table."""
    texts = _texts(paper)
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
        "audit": lambda: auditing.audit_figures(catalogue),
    }
    return [figure for name in parts for figure in named[name]()]


PARTS = ["engine", "explanations", "job", "classifying", "memory", "store", "audit"]


def _texts(paper: Path | None) -> list[str]:
    """The paper's cases, where the data is at hand; else sentences of our own."""
    if paper is not None and (cases := paper / PAPER_FILE).is_file():
        return list(read_table(cases, ["text"])["text"].unique())
    return [str(e["text"]) for e in json.loads(EXAMPLES.read_text(encoding="utf-8"))]


def main(argv: list[str] | None = None) -> int:
    """Measure, print, and, for all parts, write the two files under docs/."""
    parser = argparse.ArgumentParser(prog="python -m nsx_core.bench")
    parser.add_argument("--out", type=Path, default=PROJECT_FOLDER / "docs")
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--whole-job", action="store_true")
    parser.add_argument("--paper", type=Path, help="the folder of the authors' released draws")
    given = parser.parse_args(argv)
    catalogue = shipped_catalogue()
    parts = given.part or PARTS
    found = measure(catalogue, parts, 1 if given.whole_job else 10, given.paper)
    path = path_taken(catalogue.infiller(catalogue.default_infiller))
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {path}"
    operations = speed.time_by_operation(catalogue) if "engine" in parts else None
    if not given.part:
        write_figures(given.out, machine, found, operations)
    print(as_markdown(found, machine, operations))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
