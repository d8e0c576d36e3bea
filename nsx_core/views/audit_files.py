"""An audit's tables as files, each with the settings it was made under."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict

import pandas as pd

from nsx_core.audit import as_frame
from nsx_core.audit.report import AuditReport
from nsx_core.audit.results import PairedDifference
from nsx_core.audit_records import AuditFound
from nsx_core.views.audit_cases import listed
from nsx_core.views.audit_hypotheses import correlations_frame, points_frame
from nsx_core.views.markup import printable

__all__ = ["FILES", "audit_about", "audit_stem", "audit_table"]

#: Names of files and what is in them; a table without rows has no file.
FILES: dict[str, str] = {
    "table-1-functions": "Table 1: what the suite holds",
    "table-2-scores": "Table 2: necessity and sufficiency",
    "table-2-without-struck-texts": "Table 2 without struck-out texts",
    "table-3-rates": "Table 3: positive rates",
    "table-4-shap-lime": "Table 4: SHAP and LIME",
    "table-4-shap-over-seeds": "Table 4: SHAP's sampling explainer over seeds",
    "table-b3-masking": "Table B.3: scores with a mask token",
    "hypothesis-1-labels": "Hypothesis 1: labels for hate and for abuse",
    "hypotheses-2-3-correlations": "Hypotheses 2 and 3: rank correlations",
    "hypotheses-2-3-points": "Hypotheses 2 and 3: the points",
    "classifier-pairs": "Pairs of classifiers",
    "costs": "What each method cost",
    "cases": "All cases with predictions and scores",
}


def audit_table(found: AuditFound, name: str) -> pd.DataFrame:
    """One of ``FILES`` as a frame with a column for each thing of ``audit_about``."""
    frame = _frame(found, found.report, name)
    texts = frame.select_dtypes(include=["object", "str"])
    for column in texts:
        frame[column] = [printable(v) if isinstance(v, str) else v for v in frame[column]]
    for key, value in audit_about(found).items():
        frame[f"audit_{key}"] = value
    return frame


def audit_about(found: AuditFound) -> dict[str, str | float | int]:
    """What a file must say to be understood without the app; token: a digest of the rest."""
    card = found.card
    about: dict[str, str | float | int] = {
        "id": card.id,
        "name": printable(card.name),
        "suite": printable(card.suite),
        "infiller": card.infiller,
        "budget": card.budget,
        "threshold": found.threshold,
        "threshold_of_run": card.threshold,
        "state": card.state,
        "done": card.done,
        "total": card.total,
        "seed": found.report.seed,
        "struck": found.struck,
    }
    written = json.dumps(about, sort_keys=True, ensure_ascii=True)
    return {**about, "token": hashlib.sha256(written.encode("ascii")).hexdigest()[:12]}


def audit_stem(found: AuditFound, name: str) -> str:
    """'table-2-scores-t0.50-1a2b3c4d5e6f': other settings, another name."""
    return f"{name}-t{found.threshold:.2f}-{audit_about(found)['token']}"


def _frame(found: AuditFound, report: AuditReport, name: str) -> pd.DataFrame:
    struck = found.report_without_struck
    match name:
        case "table-1-functions":
            return as_frame(report.table_1)
        case "table-2-scores":
            return as_frame(report.table_2)
        case "table-2-without-struck-texts":
            return as_frame(() if struck is None else struck.table_2)
        case "table-3-rates":
            return as_frame(report.table_3)
        case "table-4-shap-lime":
            return as_frame(report.table_4)
        case "table-4-shap-over-seeds":
            return pd.DataFrame([asdict(row) for row in found.seeds])
        case "table-b3-masking":
            return as_frame(report.table_b3)
        case "hypothesis-1-labels":
            results = [r for h in report.hypotheses for r in h.results]
            return as_frame(tuple(r for r in results if isinstance(r, PairedDifference)))
        case "hypotheses-2-3-correlations":
            return correlations_frame(report.hypotheses)
        case "hypotheses-2-3-points":
            return points_frame(report.hypotheses)
        case "classifier-pairs":
            return as_frame(report.pairs)
        case "costs":
            names = ("method", "classifier", "cases", "calls", "texts", "seconds", "timed")
            rows = [{n: getattr(cost, n) for n in names} for cost in found.costs]
            return pd.DataFrame(rows, columns=names)
        case "cases":
            return listed(found.cases, found.predictions)
    raise KeyError(name)
