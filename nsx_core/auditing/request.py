"""What an audit is asked to do, as a record, as JSON, and as the key it is stored under."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from nsx_core.audit.columns import HATECHECK, Functionalities
from nsx_core.catalogue import Catalogue, ClassifierEntry
from nsx_core.classifying import positive
from nsx_core.errors import DataError, NsxError, UnknownNameError
from nsx_core.records import ExplainSettings, GenerationSettings
from nsx_core.settings import check_sampling, checked_budget, checked_seed
from nsx_core.store import Store, canonical_key
from nsx_core.suites import Case, Suite, units
from nsx_core.suites.storing import read_back, suite_id, written
from nsx_core.suites.units import Units

__all__ = [
    "AuditRequest",
    "audit_id",
    "case_settings",
    "checked_entries",
    "explained_cases",
    "kept",
    "request_named",
]


@dataclass(frozen=True)
class AuditRequest:
    """What to audit.

    groups: keep explanations to these; none named = all that the suite has. masking: the same
    masks again with a mask token (Table B.3); attributions: SHAP and LIME too (Table 4).
    """

    suite: Suite
    classifiers: tuple[str, ...]
    infiller: str
    settings: ExplainSettings
    groups: tuple[str, ...] = ()
    functionalities: Functionalities = HATECHECK
    masking: bool = False
    attributions: bool = False


def checked_entries(request: AuditRequest, catalogue: Catalogue) -> list[ClassifierEntry]:
    """The classifiers, after all names and settings of the request were checked.

    Raises ``UnknownNameError`` for a classifier, infiller, group or functionality, ``DataError`` for a request
    without classifiers, ``SettingsError`` for a setting out of its range.
    """
    settings = request.settings
    checked_budget(settings.budget)
    checked_seed(settings.seed)
    positive(np.zeros(1), settings.threshold)
    check_sampling(settings.generation.temperature, settings.generation.top_p)
    catalogue.infiller_entry(request.infiller)
    known = request.suite.groups
    for group in request.groups:
        if group not in known:
            raise UnknownNameError("group", group, known)
    for part in ("explained", "mentions", "non_protected"):
        # HateCheck's own are defaults: a suite without them has undefined rows, not an error.
        if (named := getattr(request.functionalities, part)) != getattr(HATECHECK, part):
            for name in named:
                if name not in request.suite.functionalities:
                    raise UnknownNameError("functionality", name, request.suite.functionalities)
    if not request.classifiers:
        raise DataError("An audit needs at least one classifier, and none was named.")
    return [catalogue.classifier_entry(name) for name in dict.fromkeys(request.classifiers)]


def audit_id(request: AuditRequest, catalogue: Catalogue) -> str:
    """16 hex digits over all that can change what the audit finds."""
    settings = asdict(request.settings)
    settings["budget"] = checked_budget(settings["budget"])
    settings["seed"] = checked_seed(settings["seed"])
    settings["threshold"] = float(settings["threshold"])
    asked = {
        "suite": suite_id(request.suite),
        "classifiers": [e.fingerprint for e in checked_entries(request, catalogue)],
        "infiller": catalogue.infiller_entry(request.infiller).fingerprint,
        "settings": settings,
        "groups": list(request.groups),
        "functionalities": asdict(request.functionalities),
        "masking": request.masking,
        "attributions": request.attributions,
    }
    return canonical_key(asked)[:16]


def kept(
    request: AuditRequest, name: str, catalogue: Catalogue, store: Store,
    created: float | None = None,
) -> str:  # fmt: skip
    """Store the request and its suite; returns the audit's id. created: None = now."""
    audit, suite = audit_id(request, catalogue), suite_id(request.suite)
    store.audits.keep_suite(suite, request.suite.name, written(request.suite))
    entries = checked_entries(request, catalogue)
    said = {
        "suite": suite,
        "suite_name": request.suite.name,
        "suite_cases": len(request.suite.cases),
        "classifiers": [e.name for e in entries],
        "fingerprints": {e.name: e.fingerprint for e in entries},
        "infiller": request.infiller,
        "infiller_fingerprint": catalogue.infiller_entry(request.infiller).fingerprint,
        "settings": asdict(request.settings),
        "groups": list(request.groups),
        "groups_explained": list(request.groups or request.suite.groups),
        "functionalities": asdict(request.functionalities),
        "masking": request.masking,
        "attributions": request.attributions,
    }
    store.audits.keep_audit(audit, name, json.dumps(said, ensure_ascii=True), created)
    return audit


def request_named(audit: str, store: Store) -> tuple[AuditRequest, dict[str, Any]]:
    """A stored audit's request and the JSON it was kept as; ``UnknownNameError`` otherwise."""
    row = store.audits.audit(audit)
    if row is None:
        raise UnknownNameError("audit", audit, [a.id for a in store.audits.audits()])
    said = json.loads(row.request)
    found = store.audits.suite(said["suite"])
    if found is None:
        raise DataError(f"The suite of audit {audit!r} is not in the store. Load its file again.")
    settings = dict(said["settings"])
    settings["generation"] = GenerationSettings(**settings["generation"])
    settings["phrases"] = tuple(settings["phrases"])
    parts = {part: tuple(names) for part, names in said["functionalities"].items()}
    request = AuditRequest(
        read_back(found.content),
        tuple(said["classifiers"]),
        said["infiller"],
        ExplainSettings(**settings),
        tuple(said["groups"]),
        Functionalities(**parts),
        bool(said["masking"]),
        bool(said["attributions"]),
    )
    return request, said


def explained_cases(request: AuditRequest) -> tuple[list[tuple[int, Case, Units]], list[str]]:
    """Hateful cases of the explained functionalities and groups, each with its number in the
    suite, and in sentences why others are left out."""
    wanted = request.functionalities.explained
    groups = request.groups or request.suite.groups
    named = [
        (number, case)
        for number, case in enumerate(request.suite.cases)
        if case.hateful and case.functionality in wanted and case.group in groups
    ]
    chosen, notes = [], []
    for number, case in named:
        try:
            found = units(case, request.settings.splitter)
        except NsxError as reason:
            notes.append(f"Case {case.case_id!r} is left out: {reason}")
            continue
        if found.at is None:
            problem = case.phrase_problem or "its template has no placeholder"
            notes.append(f"Case {case.case_id!r} is left out: {problem}.")
        else:
            chosen.append((number, case, found))
    if not named:
        notes.append(_none_named(wanted))
    return chosen, notes


def case_settings(request: AuditRequest, found: Units) -> ExplainSettings:
    """The settings of one case's explanation: its phrases are units."""
    return replace(request.settings, phrases=found.phrases)


def _none_named(wanted: Sequence[str]) -> str:
    return f"No hateful case of {', '.join(wanted)} names one of the groups."
