"""What an audit leaves behind: its frames as CSV and Parquet, and what it was made from."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import nsx_core
from nsx_core.auditing.found import AuditResult
from nsx_core.auditing.request import AuditRequest
from nsx_core.spreadsheet import csv_bytes

__all__ = ["write_audit"]

FRAMES = ("predictions", "token_scores", "costs", "masking", "shap", "lime")


def write_audit(folder: Path, request: AuditRequest, found: AuditResult) -> None:
    """``predictions``, ``token_scores``, ``costs`` and, where they were asked for, ``masking``,
    ``shap`` and ``lime``, as CSV and Parquet; and ``audit.json``.

    ``audit tables`` reads all but the costs (columns: ``nsx_core.audit.columns``). The folder
    must be there.
    """
    for name in FRAMES:
        frame = getattr(found, name)
        if frame is None:
            continue
        (folder / f"{name}.csv").write_bytes(csv_bytes(frame))
        frame.to_parquet(folder / f"{name}.parquet", index=False)
    suite = request.suite
    made_from = {
        "version": nsx_core.__version__,
        "suite": {"name": suite.name, "sha256": suite.sha256, "cases": len(suite.cases)},
        "classifiers": request.classifiers,
        "infiller": request.infiller,
        "groups": request.groups or suite.groups,
        "functionalities": asdict(request.functionalities),
        "settings": asdict(request.settings),
        "notes": [*suite.notes, *found.notes],
    }
    text = json.dumps(made_from, indent=1)
    (folder / "audit.json").write_text(text + "\n", encoding="utf-8")
