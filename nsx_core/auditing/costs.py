"""What each method cost, and how far a sampling method moves over seeds."""

from __future__ import annotations

import numpy as np
import pandas as pd

from nsx_core.attributing import interval_over_seeds
from nsx_core.audit_records import Method, MethodCost, SeedRow
from nsx_core.auditing.attribution import LIME, SHAP, SHAP_SAMPLED
from nsx_core.auditing.request import AuditRequest
from nsx_core.store import Store

__all__ = ["method_costs", "over_seeds"]

_METHODS: dict[str, Method] = {SHAP: "SHAP", LIME: "LIME"}


def method_costs(audit: str, store: Store, attributed: pd.DataFrame) -> list[MethodCost]:
    """Cases, calls, texts and seconds by method and classifier.

    Counterfactual texts are written once, within the seconds of the first classifier that each
    case is explained for. SHAP and LIME count the run with seed 0 alone.
    """
    kinds = {"classifier": str, "cases": int, "calls": int, "texts": int, "timed": int}
    found = [
        MethodCost(
            "masking" if masked else "necessity and sufficiency", classifier, cases, calls, texts,
            seconds if timed else None, timed,
        )
        for masked, seconds, classifier, cases, calls, texts, timed in _rows(
            store.audits.costs(audit), {"masked": bool, "seconds": float, **kinds}
        )
    ]  # fmt: skip
    first = attributed[attributed["seed"] == 0]
    sums = first.groupby(["method", "classifier"], as_index=False).agg(
        cases=("case_number", "count"), calls=("calls", "sum"), texts=("texts", "sum"),
        seconds=("seconds", "sum"),
    )  # fmt: skip
    sums["timed"] = sums["cases"]
    for method, seconds, classifier, cases, calls, texts, timed in _rows(
        sums, {"method": str, "seconds": float, **kinds}
    ):
        if method in _METHODS:
            found.append(
                MethodCost(_METHODS[method], classifier, cases, calls, texts, seconds, timed)
            )
    return found


def _rows(frame: pd.DataFrame, kinds: dict[str, type]) -> list[tuple]:  # type: ignore[type-arg]
    columns = [[kind(value) for value in frame[name].tolist()] for name, kind in kinds.items()]
    return list(zip(*columns, strict=True))


def over_seeds(
    attributed: pd.DataFrame, request: AuditRequest, predictions: pd.DataFrame
) -> tuple[SeedRow, ...]:
    """SHAP's sampling explainer over the cases that the classifier gets right."""
    own = attributed[attributed["method"] == SHAP_SAMPLED].dropna(subset=["score"])
    cases = [request.suite.cases[n] for n in own["case_number"]]
    own = own.assign(case=[c.case_id for c in cases], group=[c.group for c in cases])
    judged = predictions[["classifier", "case", "prediction"]]
    own = own.merge(judged, on=["classifier", "case"])
    own = own[own["prediction"] == 1]
    found = []
    for classifier in request.classifiers:
        for group in request.groups or request.suite.groups:
            cell = own[(own["classifier"] == classifier) & (own["group"] == group)]
            means = cell.groupby("seed")["score"].mean().to_numpy().tolist()
            if len(means):
                value, seeds = float(np.mean(means)), len(means)
                low, high = interval_over_seeds(means) if seeds > 1 else (None, None)
                found.append(
                    SeedRow(
                        classifier, group, SHAP_SAMPLED, value, low, high, seeds,
                        int(cell["case_number"].nunique()),
                    )
                )  # fmt: skip
    return tuple(found)
