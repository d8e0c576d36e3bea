"""What an audit leaves behind: its frames as CSV and Parquet, and what it was made from."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import nsx_core
from nsx_core.auditing import AuditRequest, AuditResult

__all__ = ["write_audit"]


def write_audit(folder: Path, request: AuditRequest, found: AuditResult) -> None:
    """``predictions`` and ``token_scores`` (``nsx_core.audit.columns``), and ``audit.json``.

    ``audit tables`` reads the first two. The folder must be there.
    """
    for name in ("predictions", "token_scores"):
        frame = getattr(found, name)
        frame.to_csv(folder / f"{name}.csv", index=False)
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
