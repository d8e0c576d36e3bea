"""Run an audit: a suite's cases classified, and the phrases of its hateful ones explained.

Draws do not depend on the classifier, so each case is infilled once and judged by every
classifier on the same texts. All that was learned lies in the store: an audit that was stopped
or killed goes on where it was when it is run again.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from nsx_core import pipeline
from nsx_core.audit.columns import (
    HATECHECK,
    PREDICTION_COLUMNS,
    TOKEN_COLUMNS,
    Functionalities,
    label_kind,
)
from nsx_core.catalogue import Catalogue, ClassifierEntry
from nsx_core.classifying import checked, label_index, positive
from nsx_core.errors import DataError, NsxError, UnknownNameError
from nsx_core.records import ExplainSettings, Explanation
from nsx_core.store import Store
from nsx_core.suites import Case, Suite, units
from nsx_core.suites.units import Units

__all__ = ["AuditProgress", "AuditRequest", "AuditResult", "auditing"]

TEXTS_A_STEP = 1_024


@dataclass(frozen=True)
class AuditRequest:
    """What to audit. ``groups``: keep explanations to these; none named = all that the suite has."""

    suite: Suite
    classifiers: tuple[str, ...]
    infiller: str
    settings: ExplainSettings
    groups: tuple[str, ...] = ()
    functionalities: Functionalities = HATECHECK


@dataclass(frozen=True)
class AuditProgress:
    """``stage`` 'classifying' counts texts of all classifiers, 'explaining' explanations.

    ``draws`` of ``draws_total`` are there: each case's once, whatever the number of classifiers.
    """

    stage: str
    done: int
    total: int
    draws: int = 0
    draws_total: int = 0


@dataclass(frozen=True)
class AuditResult:
    """Frames of ``nsx_core.audit.columns``, and in words what was left out."""

    predictions: pd.DataFrame
    token_scores: pd.DataFrame
    notes: tuple[str, ...]


def auditing(
    request: AuditRequest, catalogue: Catalogue, store: Store
) -> Generator[AuditProgress, None, AuditResult]:
    """Audit step by step; the last step returns the result.

    Raises ``UnknownNameError`` for a classifier, infiller or group, ``DataError`` for a request
    without classifiers, and what ``pipeline.plan`` and the models raise.
    """
    entries = _entries(request, catalogue)
    probabilities: dict[str, dict[str, float]] = {}
    texts = list(dict.fromkeys(case.text for case in request.suite.cases))
    for number, entry in enumerate(entries):
        probabilities[entry.name] = {}
        for first in range(0, len(texts), TEXTS_A_STEP):
            done, part = number * len(texts) + first, texts[first : first + TEXTS_A_STEP]
            yield AuditProgress("classifying", done, len(entries) * len(texts))
            probabilities[entry.name] |= _classified(entry, part, catalogue, store)
    threshold = request.settings.threshold
    predictions = _predictions(request.suite.cases, entries, probabilities, threshold)
    chosen, notes = _explained_cases(request)
    rows: list[dict[str, Any]] = []
    todo = [
        (case, found, entry)
        for case, found in chosen
        for entry in entries
        if bool(positive(np.array([probabilities[entry.name][case.text]]), threshold)[0])
    ]
    # Masks are the same for every classifier.
    first_of = {case.case_id: (case, found, entry) for case, found, entry in reversed(todo)}
    draws = sum(len(_plan(*one, request, catalogue).masks) for one in first_of.values())
    ready: dict[str, int] = {}
    for number, (case, found, entry) in enumerate(todo):
        steps = pipeline.explaining(_plan(case, found, entry, request, catalogue), catalogue, store)
        while True:
            try:
                step = next(steps)
            except StopIteration as end:
                rows += _token_rows(case, found, entry, end.value)
                break
            ready[case.case_id] = max(ready.get(case.case_id, 0), step.reused + step.infilled)
            yield AuditProgress("explaining", number, len(todo), sum(ready.values()), draws)
    return AuditResult(predictions, pd.DataFrame(rows, columns=list(TOKEN_COLUMNS)), tuple(notes))


def _entries(request: AuditRequest, catalogue: Catalogue) -> list[ClassifierEntry]:
    """The classifiers, after all names of the request were checked."""
    catalogue.infiller_entry(request.infiller)
    known = request.suite.groups
    for group in request.groups:
        if group not in known:
            raise UnknownNameError("group", group, known)
    if not request.classifiers:
        raise DataError("An audit needs at least one classifier, and none was named.")
    return [catalogue.classifier_entry(name) for name in dict.fromkeys(request.classifiers)]


def _classified(
    entry: ClassifierEntry, texts: Sequence[str], catalogue: Catalogue, store: Store
) -> dict[str, float]:
    """P(explained class) of each text; what is new is stored."""
    known = store.predictions(entry.fingerprint, texts)
    if missing := [text for text in texts if text not in known]:
        answer = checked(catalogue.classifier(entry.name), missing)
        new = {t: tuple(map(float, row)) for t, row in zip(missing, answer, strict=True)}
        store.commit_batch(None, [], entry.fingerprint, new, None)
        known |= new
    column = label_index(entry.labels, entry.explained_label)
    return {text: float(known[text][column]) for text in texts}


def _predictions(
    cases: Sequence[Case],
    entries: Sequence[ClassifierEntry],
    probabilities: dict[str, dict[str, float]],
    threshold: float,
) -> pd.DataFrame:
    rows = []
    for entry in entries:
        values = np.array([probabilities[entry.name][case.text] for case in cases])
        kept = positive(values, threshold).astype(int)
        kind = label_kind(entry.name)
        rows += [
            (
                c.case_id, c.text, c.functionality, c.group, c.cluster, entry.name, kind, int(one),
                float(value), int(c.hateful),
            )
            for c, one, value in zip(cases, kept, values, strict=True)
        ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(PREDICTION_COLUMNS))


def _explained_cases(request: AuditRequest) -> tuple[list[tuple[Case, Units]], list[str]]:
    """Hateful cases of the explained functionalities and groups, and why others are left out."""
    wanted = request.functionalities.explained
    groups = request.groups or request.suite.groups
    named = [
        case
        for case in request.suite.cases
        if case.hateful and case.functionality in wanted and case.group in groups
    ]
    chosen, notes = [], []
    for case in named:
        try:
            found = units(case, request.settings.splitter)
        except NsxError as reason:
            notes.append(f"Case {case.case_id!r} is left out: {reason}")
            continue
        if found.at is None:
            reason_ = case.phrase_problem or "its template has no placeholder"
            notes.append(f"Case {case.case_id!r} is left out: {reason_}.")
        else:
            chosen.append((case, found))
    if not named:
        notes.append(f"No hateful case of {', '.join(wanted)} names one of the groups.")
    return chosen, notes


def _plan(
    case: Case, found: Units, entry: ClassifierEntry, request: AuditRequest, catalogue: Catalogue
) -> pipeline.Plan:
    settings = replace(request.settings, phrases=found.phrases)
    return pipeline.plan(case.text, entry.name, request.infiller, settings, catalogue)


def _token_rows(
    case: Case, found: Units, entry: ClassifierEntry, explained: Explanation
) -> list[dict[str, Any]]:
    common = {
        "case": case.case_id,
        "text": case.text,
        "classifier": entry.name,
        "group": case.group,
        "template": case.cluster,
        "prediction": int(explained.predicted),
        "probability": explained.probability,
    }
    return [
        {
            **common,
            "position": place,
            "word": score.word.text,
            "is_identity": place == found.at,
            "necessity": _number(score.necessity.value),
            "sufficiency": _number(score.sufficiency.value),
        }
        for place, score in enumerate(explained.words)
    ]


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
