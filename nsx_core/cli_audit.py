"""The command line's part on audits: ``python -m nsx_core audit run`` and ``audit tables``."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import pandas as pd

from nsx_core.audit import (
    HATECHECK,
    Functionalities,
    as_json,
    as_text,
    attributions_frame,
    audit_report,
    predictions_frame,
    read_attributions,
    read_predictions,
    read_token_scores,
    token_scores_frame,
)
from nsx_core.auditing import AuditProgress, AuditRequest, audit_result, audited
from nsx_core.auditing.files import write_audit
from nsx_core.catalogue import Catalogue
from nsx_core.errors import DataError
from nsx_core.masking import SAMPLERS
from nsx_core.records import ExplainSettings
from nsx_core.settings import (
    BUDGET_DEFAULT,
    SAMPLER_DEFAULT,
    STORE_FILE,
    THRESHOLD_DEFAULT,
    data_folder,
)
from nsx_core.store import Store
from nsx_core.suites import read_suite
from nsx_core.suites.starter import starter_suite

__all__ = ["add_audit_command", "print_tables", "run_audit"]


def add_audit_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
) -> argparse._SubParsersAction[argparse.ArgumentParser]:
    """Add ``audit`` to the commands, with ``tables`` below it; more can be added to the answer."""
    audit = commands.add_parser("audit", help="audit classifiers on a suite of test cases")
    below = audit.add_subparsers(dest="audit_command", required=True)
    tables = below.add_parser("tables", help="the paper's tables and tests, from files of scores")
    tables.add_argument("--predictions", type=Path, required=True, help="CSV or Parquet")
    tables.add_argument("--token-scores", type=Path, required=True, help="CSV or Parquet")
    tables.add_argument("--shap", type=Path, help="SHAP scores of identity phrases")
    tables.add_argument("--lime", type=Path, help="LIME scores of identity phrases")
    tables.add_argument("--masking", type=Path, help="token scores with a mask token (Table B.3)")
    tables.add_argument("--groups", type=_names, help="keep to these groups: 'women,Muslims'")
    _add_functionalities(tables)
    tables.add_argument("--seed", default="0", help="of intervals and random permutations")
    tables.add_argument("--json", action="store_true", help="everything, as JSON")
    tables.set_defaults(run=lambda given, catalogue: print_tables(given))
    run = below.add_parser(
        "run", help="classify a suite, explain its hateful cases, make the tables"
    )
    run.add_argument("--suite", required=True, help="a file, or 'starter' for the one of our own")
    run.add_argument("--classifiers", type=_names, required=True, help="names that `models` lists")
    run.add_argument("--groups", type=_names, default=(), help="'women,Muslims' (default: all)")
    _add_functionalities(run)
    run.add_argument("--infiller", help="a name that `models` lists (default: the first)")
    run.add_argument("--budget", default=str(BUDGET_DEFAULT), help="draws a word and score")
    run.add_argument("--sampler", default=SAMPLER_DEFAULT, help=f"{', '.join(SAMPLERS)}")
    run.add_argument("--threshold", type=float, default=THRESHOLD_DEFAULT)
    run.add_argument("--seed", default="0")
    run.add_argument("--masking", action="store_true", help="the same masks with a mask token too")
    run.add_argument("--attributions", action="store_true", help="SHAP and LIME of phrases too")
    run.add_argument("--name", help="of the audit, as the app lists it (default: the suite's)")
    run.add_argument("--out", type=Path, required=True, help="a folder for what is found")
    run.add_argument("--store", type=Path, help="the DuckDB file (default: under $NSX_HOME)")
    run.add_argument("--quiet", action="store_true", help="no progress on standard error")
    run.set_defaults(run=run_audit)
    return below


def _add_functionalities(command: argparse.ArgumentParser) -> None:
    for option, default, what in (
        ("--explained", HATECHECK.explained, "hateful functionalities with scores"),
        ("--mentions", HATECHECK.mentions, "neutral and positive mentions of groups"),
        ("--non-protected", HATECHECK.non_protected, "abuse of other targets"),
    ):
        command.add_argument(option, type=_names, default=default, help=f"{what} (HateCheck's)")


def run_audit(given: argparse.Namespace, catalogue: Catalogue) -> None:
    """Audit, write the frames and tables into ``--out``, and print the tables.

    Raises what ``auditing`` and ``read_suite`` raise, and ``DataError`` for a folder that cannot
    be written to.
    """
    suite = starter_suite() if given.suite == "starter" else read_suite(given.suite)
    request = AuditRequest(
        suite,
        given.classifiers,
        given.infiller or catalogue.default_infiller,
        ExplainSettings(
            budget=given.budget, seed=given.seed, threshold=given.threshold, sampler=given.sampler
        ),
        given.groups,
        Functionalities(given.explained, given.mentions, given.non_protected),
        masking=given.masking,
        attributions=given.attributions,
    )
    try:
        given.out.mkdir(parents=True, exist_ok=True)
    except OSError as reason:
        raise DataError(
            f"--out is a folder that can be written to, and {given.out} is none: {reason}."
        ) from reason
    for note in suite.notes:
        print(note, file=sys.stderr)
    with Store.open(given.store or data_folder() / STORE_FILE) as store:
        began = time.monotonic()

        def tell(progress: AuditProgress) -> None:
            if not given.quiet:
                print(_said(progress, time.monotonic() - began), file=sys.stderr, flush=True)

        audit = audited(request, catalogue, store, given.name, tell)
        found = audit_result(audit, request, catalogue, store)
    write_audit(given.out, request, found)
    for note in found.notes:
        print(note, file=sys.stderr)
    if not len(found.token_scores):
        print("\n".join(("Nothing was explained.", *found.notes)))
        return
    report = audit_report(
        predictions_frame(found.predictions), token_scores_frame(found.token_scores),
        shap=_attributions(found.shap), lime=_attributions(found.lime),
        masking=None if found.masking is None else token_scores_frame(found.masking),
        functionalities=request.functionalities, groups=given.groups or suite.groups, seed=given.seed,
    )  # fmt: skip
    (given.out / "tables.json").write_text(json.dumps(as_json(report), indent=1), encoding="utf-8")
    print(as_text(report))


def _attributions(frame: pd.DataFrame | None) -> pd.DataFrame | None:
    return None if frame is None or frame.empty else attributions_frame(frame)


def _said(progress: AuditProgress, seconds: float) -> str:
    done, total = progress.done, progress.total
    said = f"{progress.stage}: {done:,} of {total:,}"
    if progress.stage != "drawing":
        return f"{said} {'texts' if progress.stage == 'classifying' else 'cases'}"
    left = ""
    if 0 < done < total and progress.infilled:
        # Classifying took a part of the time: the estimate errs on the long side.
        minutes = seconds * (total - done) / progress.infilled / 60
        left = f", at most about {max(1, round(minutes))} min left"
    cases = f"{progress.cases_done:,} of {progress.cases_total:,}"
    return f"{said} draws, {cases} explanations{left}"


def print_tables(given: argparse.Namespace) -> None:
    """Print the tables and tests of the given files.

    Raises ``DataError`` for a file that cannot be used, ``UnknownNameError`` for a group or
    functionality that is not in it, ``SettingsError`` for the seed.
    """
    report = audit_report(
        read_predictions(given.predictions),
        read_token_scores(given.token_scores),
        shap=read_attributions(given.shap) if given.shap else None,
        lime=read_attributions(given.lime) if given.lime else None,
        masking=read_token_scores(given.masking) if given.masking else None,
        functionalities=Functionalities(given.explained, given.mentions, given.non_protected),
        groups=given.groups,
        seed=given.seed,
    )
    print(json.dumps(as_json(report), indent=1) if given.json else as_text(report))


def _names(listed: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in listed.split(",") if name.strip())
