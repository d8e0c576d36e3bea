"""The command line: explain one text, list the models, fetch a suite, audit one.

Exit status 0: done; 2: bad input or a model or store that cannot be used, with the reason
on standard error.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nsx_core import pipeline, words
from nsx_core.catalogue import Catalogue, shipped_catalogue
from nsx_core.cli_audit import add_audit_command
from nsx_core.cli_counterfactuals import add_counterfactuals_command
from nsx_core.cli_suites import add_fetch_command
from nsx_core.errors import NsxError
from nsx_core.masking import SAMPLERS
from nsx_core.pipeline import Progress
from nsx_core.records import Estimate, ExplainSettings, Explanation, GenerationSettings, Side
from nsx_core.settings import (
    BUDGET_DEFAULT,
    BUDGET_MAX,
    BUDGET_MIN,
    SAMPLER_DEFAULT,
    STORE_FILE,
    TEMPERATURE_DEFAULT,
    THRESHOLD_DEFAULT,
    TOP_P_DEFAULT,
    data_folder,
)
from nsx_core.store import Store
from nsx_core.terminal import as_line


def main(argv: Sequence[str] | None = None, catalogue: Catalogue | None = None) -> int:
    """Run one command; see ``python -m nsx_core --help``."""
    given = _parser().parse_args(argv)
    try:
        if given.command == "models":
            _models(catalogue or shipped_catalogue(), given.json)
        elif given.command == "explain":
            _explain(given, catalogue or shipped_catalogue())
        else:
            given.run(given, catalogue or shipped_catalogue())
        sys.stdout.flush()
    except NsxError as error:
        print(f"{error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Whoever read the output has enough, as `head` has; Python must not complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("Stopped. What was drawn so far is kept.", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m nsx_core", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    explain = commands.add_parser("explain", help="necessity and sufficiency of each word")
    explain.add_argument("text", help="the text, in quotation marks")
    explain.add_argument("--classifier", required=True, help="a name that `models` lists")
    explain.add_argument("--infiller", help="a name that `models` lists (default: the first)")
    explain.add_argument("--label", help="the explained class (default: the classifier's own)")
    explain.add_argument(
        "--budget",
        default=str(BUDGET_DEFAULT),
        help=f"expected draws a word and score, {BUDGET_MIN} to {BUDGET_MAX}",
    )
    explain.add_argument("--seed", default="0")
    explain.add_argument("--threshold", type=float, default=THRESHOLD_DEFAULT)
    explain.add_argument("--temperature", type=float, default=TEMPERATURE_DEFAULT)
    explain.add_argument("--top-p", type=float, default=TOP_P_DEFAULT)
    explain.add_argument(
        "--keep-unchanged",
        action="store_true",
        help="as the paper did, keep a draw whose infill equals the words it replaces",
    )
    explain.add_argument("--scores", action="store_true", help="average P(label), not labels")
    explain.add_argument(
        "--sampler",
        default=SAMPLER_DEFAULT,
        help=f"how masks are drawn: {', '.join(SAMPLERS)} (default: {SAMPLER_DEFAULT})",
    )
    explain.add_argument(
        "--splitter",
        default="whitespace",
        help=f"what a unit is: {', '.join(sorted(words.SPLITTERS))}",
    )
    explain.add_argument("--phrase", action="append", default=[], help="one unit; may repeat")
    explain.add_argument("--store", type=Path, help="the DuckDB file (default: under $NSX_HOME)")
    explain.add_argument("--no-cache", action="store_true", help="read and keep nothing")
    explain.add_argument("--json", action="store_true", help="everything, as JSON")
    explain.add_argument("--quiet", action="store_true", help="no progress on standard error")
    models = commands.add_parser("models", help="classifiers and infillers, with their figures")
    models.add_argument("--json", action="store_true", help="everything, as JSON")
    add_fetch_command(commands)
    add_audit_command(commands)
    add_counterfactuals_command(commands)
    return parser


def _explain(given: argparse.Namespace, catalogue: Catalogue) -> None:
    settings = ExplainSettings(
        budget=given.budget,
        seed=given.seed,
        threshold=given.threshold,
        label=given.label,
        use_scores=given.scores,
        sampler=given.sampler,
        splitter=given.splitter,
        phrases=tuple(given.phrase),
        generation=GenerationSettings(
            given.temperature, given.top_p, redraw_unchanged=not given.keep_unchanged
        ),
    )
    words.check_phrases(given.text, settings.phrases)
    infiller = given.infiller or catalogue.default_infiller
    path = ":memory:" if given.no_cache else given.store or data_folder() / STORE_FILE

    def show(progress: Progress) -> None:
        if not given.quiet and sys.stderr.isatty():
            print(
                f"\r{progress.stage}: {progress.done} of {progress.total} draws ",
                end="",
                file=sys.stderr,
            )

    with Store.open(path) as store:
        found = pipeline.explained(
            given.text, given.classifier, infiller, settings, catalogue, store, show
        )
    if not given.quiet and sys.stderr.isatty():
        print(file=sys.stderr)
    print(json.dumps(as_json(found), indent=1) if given.json else as_table(found))


def as_json(found: Explanation) -> dict[str, Any]:
    """The explanation as plain values; word positions are characters of the text."""
    drawn = {side.value: sum(j.draw.side.counts_on(side) for j in found.draws) for side in Side}
    return {
        "text": found.text,
        "words": [
            {
                "text": w.word.text,
                "start": w.word.start,
                "end": w.word.end,
                "necessity": _estimate(w.necessity),
                "sufficiency": _estimate(w.sufficiency),
            }
            for w in found.words
        ],
        "classifier": found.classifier,
        "infiller": found.infiller,
        "label": found.label,
        "prediction": found.label if found.predicted else f"not {found.label}",
        "predicted": found.predicted,
        "probability": found.probability,
        "probabilities": found.probabilities,
        "threshold": found.settings.threshold,
        "baseline": found.baseline,
        "budget": found.settings.budget,
        "seed": found.settings.seed,
        "sampler": found.settings.sampler,
        "draws": {**drawn, "total": len(found.draws), "infilled_now": found.infilled},
        "unchanged_draws": sum(j.draw.unchanged for j in found.draws),
        "unseen_words": found.unseen_words,
        "seconds": {k: round(v, 3) for k, v in found.seconds.items()},
        "versions": found.versions,
    }


def _estimate(found: Estimate) -> dict[str, float | int | None]:
    return {"value": found.value, "low": found.low, "high": found.high, "n": found.n}


def as_table(found: Explanation) -> str:
    """The explanation as lines of text."""
    width = max(len(w.word.text) for w in found.words)
    width = min(max(width, 4), 40)
    lines = [
        f"{found.classifier}: P({found.label}) = {found.probability:.3f}, "
        f"{'' if found.predicted else 'not '}predicted at threshold {found.settings.threshold:g}; "
        f"neutral baseline {found.baseline:.4f}; {len(found.draws)} draws",
        f"{'word':<{width}}  {'necessity':<24}  {'sufficiency':<24}",
    ]
    for w in found.words:
        shown = as_line(w.word.text)
        if len(shown) > width:
            shown = shown[: width - 1] + "…"
        lines.append(f"{shown:<{width}}  {_cell(w.necessity):<24}  {_cell(w.sufficiency):<24}")
    return "\n".join(lines)


def _cell(found: Estimate) -> str:
    if found.value is None or found.low is None or found.high is None:
        return f"undefined (n = {found.n})"
    # Adding 0.0 turns a rounded -0.0 into 0.0.
    value, low, high = (round(v, 2) + 0.0 for v in (found.value, found.low, found.high))
    return f"{value:5.2f} [{low:5.2f}, {high:5.2f}] n={found.n}"


def _models(catalogue: Catalogue, as_json_: bool) -> None:
    rows = [
        {
            "kind": kind,
            "name": e.name,
            "description": e.description,
            "figures": e.figures,
            "problem": e.problem,
        }
        for kind, entries in (
            ("classifier", catalogue.classifiers),
            ("infiller", catalogue.infillers),
        )
        for e in entries.values()
    ]
    if as_json_:
        print(json.dumps(rows, indent=1))
        return
    for row in rows:
        print(f"{row['kind']:<11} {row['name']:<20} {row['problem'] or row['description']}")
        for name, value in row["figures"].items() if isinstance(row["figures"], dict) else ():
            shown = f"{value:.3f}" if isinstance(value, float) else value
            print(f"{'':<11} {'':<20} {name}: {shown}")
