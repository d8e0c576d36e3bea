"""The command line's part on counterfactual explanations: ``python -m nsx_core counterfactuals``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from nsx_core.catalogue import Catalogue
from nsx_core.counterfactual_records import (
    Counterfactual,
    CounterfactualRequest,
    Findings,
    Method,
    MethodFound,
    Removal,
    SetKind,
)
from nsx_core.counterfactual_search import searched
from nsx_core.pipeline import Progress
from nsx_core.records import ExplainRequest, ExplainSettings
from nsx_core.settings import (
    BUDGET_DEFAULT,
    CALLS_DEFAULT,
    CALLS_MAX,
    DELTA_DEFAULT,
    PRECISION_DEFAULT,
    STORE_FILE,
    THRESHOLD_DEFAULT,
    data_folder,
)
from nsx_core.store import Store
from nsx_core.terminal import as_line
from nsx_core.views.counterfactual_json import findings_as_json
from nsx_core.views.counterfactual_sentences import method_sentence
from nsx_core.words import SPLITTERS, check_phrases

__all__ = ["add_counterfactuals_command", "findings_as_json", "findings_as_text", "run_search"]

#: How many answers of a method are printed as lines; JSON holds all.
LINES_A_METHOD = 3


def add_counterfactuals_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
) -> None:
    """Add ``counterfactuals`` to the commands."""
    own = commands.add_parser(
        "counterfactuals", help="the smallest change that flips, and the smallest keep that holds"
    )
    own.add_argument("text", help="the text, in quotation marks")
    own.add_argument("--classifier", required=True, help="a name that `models` lists")
    own.add_argument("--infiller", help="a name that `models` lists (default: the first)")
    own.add_argument("--label", help="the class in question (default: the classifier's own)")
    own.add_argument(
        "--method",
        action="append",
        help=f"{', '.join(Method)}; may repeat (default: all four)",
    )
    own.add_argument(
        "--budget",
        default=str(CALLS_DEFAULT),
        help=f"classifier calls a method, 1 to {CALLS_MAX:,} (default: {CALLS_DEFAULT:,}), beyond "
        "those of the explanation that every method starts from",
    )
    own.add_argument(
        "--target", type=float, help="the wanted P(class), 0 to 1 (default: the other prediction)"
    )
    own.add_argument(
        "--tolerance", type=float, help="epsilon: how far from the target still counts, 0 to 1"
    )
    own.add_argument("--removal", default=Removal.INFILL, help=f"of SEDC: {', '.join(Removal)}")
    own.add_argument(
        "--precision",
        type=float,
        default=PRECISION_DEFAULT,
        help="tau of Anchors: the share of its draws that hold; the bound may lie up to .05 below",
    )
    own.add_argument(
        "--delta", type=float, default=DELTA_DEFAULT, help="how often Anchors' bounds may fail"
    )
    own.add_argument(
        "--draws", default=str(BUDGET_DEFAULT), help="budget of the explanation, draws a word"
    )
    own.add_argument("--seed", default="0")
    own.add_argument("--threshold", type=float, default=THRESHOLD_DEFAULT)
    own.add_argument(
        "--splitter",
        default="whitespace",
        help=f"what a unit is: {', '.join(sorted(SPLITTERS))}",
    )
    own.add_argument("--phrase", action="append", default=[], help="one unit; may repeat")
    own.add_argument("--store", type=Path, help="the DuckDB file (default: under $NSX_HOME)")
    own.add_argument("--no-cache", action="store_true", help="read and keep nothing")
    own.add_argument("--json", action="store_true", help="everything, as JSON")
    own.add_argument("--quiet", action="store_true", help="no progress on standard error")
    own.set_defaults(run=lambda given, catalogue: run_search(given, catalogue))


def run_search(given: argparse.Namespace, catalogue: Catalogue) -> None:
    """Search as the command line asks, and print what was found."""
    check_phrases(given.text, tuple(given.phrase))
    settings = ExplainSettings(
        budget=given.draws,
        seed=given.seed,
        threshold=given.threshold,
        label=given.label,
        splitter=given.splitter,
        phrases=tuple(given.phrase),
    )
    infiller = given.infiller or catalogue.default_infiller
    request = CounterfactualRequest(
        ExplainRequest(given.text, given.classifier, infiller, settings),
        given.target, given.tolerance, given.budget, tuple(given.method or Method), given.removal,
        given.precision, given.delta,
    )  # fmt: skip
    path = ":memory:" if given.no_cache else given.store or data_folder() / STORE_FILE
    watching = not given.quiet and sys.stderr.isatty()
    with Store.open(path) as store:
        found = searched(request, catalogue, store, _show if watching else None)
    if watching:
        print(file=sys.stderr)
    written = json.dumps(findings_as_json(found), indent=1) if given.json else None
    print(written or findings_as_text(found))


def _show(progress: Progress) -> None:
    print(f"\r{progress.stage}: {progress.done} of {progress.total} ", end="", file=sys.stderr)


def findings_as_text(found: Findings) -> str:
    """The findings as lines of text: a paragraph a method."""
    goal = found.goal
    lines = [
        f"{found.classifier}: P({found.label}) = {goal.original:.3f}, "
        f"{'' if goal.predicted else 'not '}predicted at threshold {goal.threshold:g}; wanted: "
        f"{goal.target:g} within {goal.tolerance:g}; {found.budget:,} calls a method; "
        f"{found.free:,} texts of the explanation are free",
    ]
    for one in found.found:
        lines += ["", f"{one.method} ({one.calls:,} calls, {one.seconds:.1f} s)"]
        lines.append(f"  {as_line(method_sentence(one, found))}")
        lines += [f"  {_line(row)}" for row in one.listed[:LINES_A_METHOD]]
        lines += [f"  {line}" for line in _sets(one, found)]
        lines += [f"  {as_line(note)}" for note in one.notes]
    return "\n".join(lines)


def _line(row: Counterfactual) -> str:
    words = "1 word" if row.words_changed == 1 else f"{row.words_changed} words"
    fluency = "not measured" if row.fluency is None else f"{row.fluency:+.2f}"
    return (
        f"{row.after:.2f}  {as_line(row.text)}  ({words} changed, cosine {row.cosine:.2f}, "
        f"fluency {fluency})"
    )


def _sets(one: MethodFound, found: Findings) -> list[str]:
    said: dict[SetKind, Callable[[str], str]] = {
        SetKind.REMOVED: lambda words: f"without {words}: reached in",
        SetKind.KEPT: lambda words: f"keeping {words}: held in",
    }
    lines = []
    for word_set in one.sets[:LINES_A_METHOD]:
        words = " ".join(f'"{as_line(found.words[i].text)}"' for i in word_set.words) or "no word"
        share = word_set.share
        if not share.n:
            lines.append(f"keeping {words}: by definition")
            continue
        lines.append(
            f"{said[word_set.kind](words)} {share.count} of {share.n} texts "
            f"[{share.low:.2f}, {share.high:.2f}]"
        )
    return lines
