"""What an audit found, read from the store: frames and tables at any threshold.

No model runs. Scores come from the probabilities of the draws in SQL
(``nsx_core.store.audits``); what a threshold changes beside them is each classifier's prediction
of every case and its neutral baseline.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

import numpy as np
import pandas as pd

from nsx_core.audit import audit_report, phrase_scores
from nsx_core.audit.columns import (
    ATTRIBUTION_COLUMNS,
    PREDICTION_COLUMNS,
    TOKEN_COLUMNS,
    label_kind,
)
from nsx_core.audit.report import AuditReport
from nsx_core.audit_records import AuditCard, AuditFound
from nsx_core.auditing.attribution import LIME, SHAP
from nsx_core.auditing.costs import method_costs, over_seeds
from nsx_core.auditing.request import AuditRequest, explained_cases
from nsx_core.catalogue import Catalogue
from nsx_core.classifying import positive
from nsx_core.counting import word_weights
from nsx_core.errors import ModelError
from nsx_core.infilling.deletion import DeletionInfiller
from nsx_core.records import DrawSide
from nsx_core.store import Store

__all__ = ["AuditResult", "audit_found", "audit_result"]


@dataclass(frozen=True)
class AuditResult:
    """Frames of ``nsx_core.audit.columns`` at the run's threshold; None = was not asked for.

    costs: method, classifier, cases, calls, texts and seconds; notes: in words what was left out.
    """

    predictions: pd.DataFrame
    token_scores: pd.DataFrame
    masking: pd.DataFrame | None
    shap: pd.DataFrame | None
    lime: pd.DataFrame | None
    costs: pd.DataFrame
    notes: tuple[str, ...]


def audit_result(
    audit: str, request: AuditRequest, catalogue: Catalogue, store: Store
) -> AuditResult:
    """The frames that files are written from, with the scores of every word."""
    threshold = request.settings.threshold
    predictions = _predictions(audit, request, store, threshold)
    masking = _words(audit, True, request, store, predictions) if request.masking else None
    attributed = store.audits.attributions(audit)
    asked = request.attributions
    return AuditResult(
        predictions,
        _words(audit, False, request, store, predictions),
        masking,
        _attributions(attributed, SHAP, request) if asked else None,
        _attributions(attributed, LIME, request) if asked else None,
        pd.DataFrame(method_costs(audit, store, attributed)),
        tuple(explained_cases(request)[1]),
    )


def audit_found(
    card: AuditCard, request: AuditRequest, fingerprints: Mapping[str, str],
    catalogue: Catalogue, store: Store, threshold: float,
) -> AuditFound:  # fmt: skip
    """Every table and test at a threshold strictly between 0 and 1.

    Raises ``SettingsError`` for the threshold, ``ModelError`` where a classifier is no longer
    the one that the audit ran on: its neutral baseline would be another's.
    """
    positive(np.zeros(1), threshold)
    explained, left_out = explained_cases(request)
    baselines = _baselines(request, fingerprints, catalogue, threshold)
    predictions = _predictions(card.id, request, store, threshold)
    scored = store.audits.scores(card.id, False, threshold, baselines)
    tokens = _phrases(scored, request)
    masked = None
    if request.masking:
        masked = _phrases(store.audits.scores(card.id, True, threshold, baselines), request)
    attributed = store.audits.attributions(card.id)
    extra = {
        "shap": _attributions(attributed, SHAP, request) if len(attributed) else None,
        "lime": _attributions(attributed, LIME, request) if len(attributed) else None,
        "masking": masked if masked is not None and len(masked) else None,
    }
    groups = request.groups or request.suite.groups

    def report(token_scores: pd.DataFrame) -> AuditReport:
        return audit_report(
            predictions, token_scores, functionalities=request.functionalities, groups=groups,
            seed=request.settings.seed, **extra,
        )  # fmt: skip

    struck = store.audits.struck_draws(card.id)
    without, rest = None, scored
    if bool(struck["struck"].any()):
        rest = _without_struck(scored, struck, threshold, baselines)
        without = report(_phrases(rest, request))
    cases = phrase_scores(tokens, predictions, request.functionalities)
    about = scored[["classifier", "case_number", "probability", "draws"]].assign(
        case=[request.suite.cases[n].case_id for n in scored["case_number"]],
        necessity_without=rest["necessity"], sufficiency_without=rest["sufficiency"],
        struck=_struck_of(scored, struck),
    )  # fmt: skip
    cases = cases.merge(about.drop(columns="case_number"), on=["classifier", "case"], how="left")
    return AuditFound(
        card=card,
        report=report(tokens),
        cases=cases,
        predictions=predictions,
        threshold=threshold,
        undrawn=_undrawn(request, {n for n, _, _ in explained}, predictions, scored),
        costs=tuple(method_costs(card.id, store, attributed)),
        struck=int(struck.drop_duplicates(["case_number", "side", "number"])["struck"].sum()),
        report_without_struck=without,
        seeds=over_seeds(attributed, request, predictions),
        notes=(
            *request.suite.notes,
            *left_out,
            *_masking_notes(store.audits.masking(card.id)),
        ),
    )


def _masking_notes(masking: Mapping[str, str]) -> list[str]:
    """What masking means for classifiers that have no mask token of their own."""
    deleting = [name for name, infiller in masking.items() if infiller == DeletionInfiller().name]
    if not deleting:
        return []
    return [
        f"{', '.join(deleting)} {'has' if len(deleting) == 1 else 'have'} no mask token, so in "
        "Table B.3 replaced words are left out instead."
    ]


def _predictions(audit: str, request: AuditRequest, store: Store, threshold: float) -> pd.DataFrame:
    stored = store.audits.predictions(audit)
    cases = request.suite.cases
    about = pd.DataFrame(
        [(c.case_id, c.text, c.functionality, c.group, c.cluster, int(c.hateful)) for c in cases],
        columns=["case", "text", "functionality", "group", "template", "gold"],
    )
    parts = []
    for name in request.classifiers:
        own = stored[stored["classifier"] == name]
        part = about.iloc[own["case_number"].to_numpy()].copy()
        part["classifier"], part["label_kind"] = name, label_kind(name)
        part["probability"] = own["probability"].to_numpy()
        part["prediction"] = positive(own["probability"].to_numpy(), threshold).astype(np.int64)
        parts.append(part)
    found = pd.concat(parts, ignore_index=True)
    return found[list(PREDICTION_COLUMNS)]


def _words(
    audit: str, masked: bool, request: AuditRequest, store: Store, predictions: pd.DataFrame
) -> pd.DataFrame:
    """Token scores of every word, in the order of the suite's cases."""
    found = store.audits.words(audit, masked)
    order = {name: place for place, name in enumerate(request.classifiers)}
    found["place"] = found["classifier"].map(order)
    found = found.sort_values(["case_number", "place", "position"], kind="stable")
    return _tokens(found, request, predictions)


def _phrases(scored: pd.DataFrame, request: AuditRequest) -> pd.DataFrame:
    """Token scores of the phrases alone."""
    order = {name: place for place, name in enumerate(request.classifiers)}
    found = scored.assign(
        position=0, is_identity=True, prediction=scored["predicted"],
        place=scored["classifier"].map(order),
    ).sort_values(["place", "case_number"], kind="stable")  # fmt: skip
    cases = request.suite.cases
    phrases = (cases[n].phrase for n in found["case_number"])
    found["word"] = [phrase.text if phrase else "" for phrase in phrases]
    return _tokens(found, request, None)


def _tokens(
    found: pd.DataFrame, request: AuditRequest, predictions: pd.DataFrame | None
) -> pd.DataFrame:
    cases = [request.suite.cases[n] for n in found["case_number"]]
    found = found.assign(
        case=[c.case_id for c in cases],
        text=[c.text for c in cases],
        group=[c.group for c in cases],
        template=[c.cluster for c in cases],
    )
    if predictions is not None:
        judged = predictions[["classifier", "case", "prediction", "probability"]]
        found = found.merge(judged, on=["classifier", "case"], how="left")
    return found[list(TOKEN_COLUMNS)].reset_index(drop=True)


def _attributions(attributed: pd.DataFrame, method: str, request: AuditRequest) -> pd.DataFrame:
    own = attributed[(attributed["method"] == method) & (attributed["seed"] == 0)]
    cases = [request.suite.cases[n] for n in own["case_number"]]
    found = own.assign(text=[c.text for c in cases], group=[c.group for c in cases])
    return found[list(ATTRIBUTION_COLUMNS)].reset_index(drop=True)


def _baselines(
    request: AuditRequest, fingerprints: Mapping[str, str], catalogue: Catalogue, threshold: float
) -> dict[str, float]:
    found = {}
    for name in request.classifiers:
        entry = catalogue.classifier_entry(name)
        if entry.fingerprint != fingerprints[name]:
            raise ModelError(
                f"The audit ran on another model called {name!r} (fingerprint "
                f"{fingerprints[name][:12]}; the one here has {entry.fingerprint[:12]}). Run the "
                "audit again."
            )
        if entry.baseline is None:
            raise ModelError(f"{name!r} has no neutral baseline, so sufficiency is undefined.")
        found[name] = entry.baseline.value(entry.explained_label, entry.labels, threshold, False)
    return found


def _struck_of(scored: pd.DataFrame, struck: pd.DataFrame) -> list[int]:
    """How many of each explained case's draws are struck out."""
    counts = struck.groupby(["classifier", "case_number"])["struck"].sum().to_dict()
    pairs = zip(scored["classifier"], scored["case_number"], strict=True)
    return [int(counts.get(pair, 0)) for pair in pairs]


def _without_struck(
    scored: pd.DataFrame, struck: pd.DataFrame, threshold: float, baselines: Mapping[str, float]
) -> pd.DataFrame:
    """The scores with those of cases that have struck draws counted anew."""
    found = scored.copy()
    pairs = zip(found["classifier"], found["case_number"], strict=True)
    places = {key: at for at, key in enumerate(pairs)}
    necessity, sufficiency = found["necessity"].tolist(), found["sufficiency"].tolist()
    left = struck[~struck["struck"]]
    for classifier, number in struck[["classifier", "case_number"]].drop_duplicates().to_numpy():
        own = left[(left["classifier"] == classifier) & (left["case_number"] == number)]
        at = places[classifier, number]
        lost = _share(own[own["replaced"]], threshold)
        necessity[at] = float(found["predicted"].iloc[at]) - lost
        sufficiency[at] = _share(own[~own["replaced"]], threshold) - baselines[classifier]
    return found.assign(necessity=necessity, sufficiency=sufficiency)


def _share(draws: pd.DataFrame, threshold: float) -> float:
    """The weighted share of draws that are positive; NaN where there is none."""
    if draws.empty:
        return float("nan")
    values = positive(draws["probability"].to_numpy(), threshold).astype(np.float64)
    if set(draws["side"]) != {DrawSide.BOTH.value}:
        return float(values.mean())
    weights = word_weights(draws["size"].to_numpy(), int(draws["words"].iloc[0]))
    return float((weights * values).sum())


def _undrawn(
    request: AuditRequest, numbers: Set[int], predictions: pd.DataFrame, scored: pd.DataFrame
) -> int:
    """Cases and classifiers that are right at this threshold and have no draws.

    numbers: of the cases to explain.
    """
    ids = {request.suite.cases[n].case_id for n in numbers}
    right = predictions[(predictions["prediction"] == 1) & predictions["case"].isin(ids)]
    drawn = {
        (name, request.suite.cases[n].case_id)
        for name, n in zip(scored["classifier"], scored["case_number"], strict=True)
    }
    wanted = set(zip(right["classifier"], right["case"], strict=True))
    return len(wanted - drawn)
