"""docs/benchmarks.md, from what was measured."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nsx_core.bench.figures import Figure

__all__ = ["COUNTERFACTUALS", "as_markdown", "write_figures", "write_page"]

#: What `make bench` and `make bench-counterfactuals` measured, beside the page.
FIGURES, COUNTERFACTUALS = "benchmarks.json", "benchmarks_counterfactuals.json"


def write_figures(
    out: Path,
    machine: str,
    figures: Sequence[Figure],
    operations: Mapping[str, Mapping[str, float]] | None,
) -> None:
    """Write the figures of `make bench` into a folder, and the page anew."""
    rows = {
        "machine": machine,
        "figures": [asdict(f) | {"met": f.met} for f in figures],
        "percent_by_operation": operations,
    }
    (out / FIGURES).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    write_page(out)


def write_page(out: Path) -> None:
    """Write benchmarks.md from the files of figures that lie in the folder."""
    found = json.loads((out / FIGURES).read_text(encoding="utf-8"))
    figures = [Figure(**{k: v for k, v in f.items() if k != "met"}) for f in found["figures"]]
    text = as_markdown(figures, found["machine"], found["percent_by_operation"])
    if (beside := out / COUNTERFACTUALS).is_file():
        text += "\n" + counterfactuals_as_markdown(json.loads(beside.read_text(encoding="utf-8")))
    (out / "benchmarks.md").write_text(text, encoding="utf-8")


def as_markdown(
    figures: Sequence[Figure],
    machine: str,
    operations: Mapping[str, Mapping[str, float]] | None = None,
) -> str:
    """The figures as a table, each with its target and whether it is reached.

    ``operations``: percent of the time by kind of operation, by what was run.
    """
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
    if operations:
        lines += [
            "",
            "## What infilling's time goes to",
            "",
            "By torch's profiler, which slows small operations a little.",
            "",
            f"| kind of operation | {' | '.join(operations)} |",
            f"|---|{'---:|' * len(operations)}",
        ]
        for kind in next(iter(operations.values())):
            shares = " | ".join(f"{shares[kind]:.0f}%" for shares in operations.values())
            lines.append(f"| {kind} | {shares} |")
    return "\n".join(lines) + "\n"


def _number(value: float, unit: str) -> str:
    digits = 3 if value < 0.2 else 2 if value < 2 else 1 if value < 200 else 0
    space = "" if unit in ("x", "%") else " "
    return f"{value:,.{digits}f}{space}{unit}"


def counterfactuals_as_markdown(found: Mapping[str, Any]) -> str:
    """A row a method; ``found`` as ``nsx_core.bench.counterfactuals`` writes it."""
    lines = [
        "## Counterfactual explanations",
        "",
        f"Written by `make bench-counterfactuals` on {found['machine']} ({found['conditions']}): {found['cases']} hateful cases "
        f"of {found['suite']} that {found['classifier']} predicts as {found['label']}, every "
        f"{found['every']}th in the file's order, {found['words'][0]} to {found['words'][1]} words; at most "
        f"{found['budget']:,} classifier calls a method; goal: the other prediction. The four methods "
        "search side by side on draws that necessity and sufficiency have paid for; a method's "
        "seconds are its share. Fluency is the infiller's mean log-probability a token against the "
        "original's, in nats.",
        "",
        "| method | valid answer | words changed, median | cosine, median | fluency, median | calls, median "
        "| infills, median | seconds, median | its own answer |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    lines += [
        f"| {r['method']} | {r['valid']} of {found['cases']} ({r['low']:.2f} to {r['high']:.2f}) "
        f"| {_plain(r['words_changed'])} | {_plain(r['cosine'])} | {_plain(r['fluency'])} "
        f"| {_plain(r['calls'])} | {_plain(r['infills'])} | {_plain(r['seconds'])} | {r['own']} |"
        for r in found["methods"]
    ]
    total = found["seconds"]
    lines += [
        "",
        f"All four together with the criteria of all texts: {total['median']:.1f} s a case in the "
        f"median, {total['high']:.1f} s at the 90th percentile.",
    ]
    return "\n".join(lines) + "\n"


def _plain(value: float | None) -> str:
    return "none" if value is None else f"{value:,.2f}".rstrip("0").rstrip(".")
