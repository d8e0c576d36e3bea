"""The frozen records of a kept audit: its card in a list, and what was found at a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pandas as pd

from nsx_core.audit.report import AuditReport

AuditState = Literal["running", "queued", "done", "cancelled", "interrupted", "failed"]
Method = Literal["necessity and sufficiency", "SHAP", "LIME", "masking"]


@dataclass(frozen=True, slots=True)
class AuditCard:
    """An audit in a list.

    suite_cases: cases of the suite; budget: draws a mask; threshold: the one it ran at, in 0..1;
    created: seconds since 1970; done, total: cases finished and asked for, all classifiers
    together.
    """

    id: str
    name: str
    suite: str
    suite_cases: int
    classifiers: tuple[str, ...]
    groups: tuple[str, ...]
    infiller: str
    budget: int
    threshold: float
    created: float
    state: AuditState
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class MethodCost:
    """What a method cost on one classifier: cases explained, calls of the classifier, texts
    classified, seconds (None where nobody measured them)."""

    method: Method
    classifier: str
    cases: int
    calls: int
    texts: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class AuditFound:
    """What an audit found at a threshold.

    cases: the columns of ``nsx_core.audit.cases.phrase_scores``, plus probability and draws;
    predictions: ``nsx_core.audit.columns.PREDICTION_COLUMNS``, with the prediction at
    ``threshold``. undrawn: cases that this threshold makes right and that have no draws yet, so
    their scores are missing. struck: struck-out counterfactual texts; report_without_struck: the
    report without them, None where none are struck.
    """

    card: AuditCard
    report: AuditReport
    cases: pd.DataFrame
    predictions: pd.DataFrame
    threshold: float
    undrawn: int
    costs: tuple[MethodCost, ...]
    struck: int
    report_without_struck: AuditReport | None
    notes: tuple[str, ...] = ()
