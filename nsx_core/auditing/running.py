"""Run an audit: a suite's cases classified, and the phrases of its hateful ones explained.

Draws do not depend on the classifier, so each case is infilled once and judged by every
classifier on the same texts. What was learned of a case is committed together: an audit that was
stopped or killed goes on where it was when it is run again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace

import numpy as np

from nsx_core import pipeline
from nsx_core.auditing.attribution import attribution_rows
from nsx_core.auditing.request import (
    AuditRequest,
    case_settings,
    checked_entries,
    explained_cases,
    kept,
)
from nsx_core.auditing.rows import case_rows
from nsx_core.catalogue import Catalogue, ClassifierEntry
from nsx_core.classifying import positive
from nsx_core.errors import CancelledError
from nsx_core.records import Explanation
from nsx_core.settings import AUDIT_NAME_MAX
from nsx_core.store import JobRow, Store
from nsx_core.suites import Case
from nsx_core.suites.units import Units

__all__ = ["AuditProgress", "audit_name", "audited", "auditing", "case_plan", "done_row"]

TEXTS_A_STEP = 1_024
Row = Callable[["AuditProgress"], JobRow]


@dataclass(frozen=True)
class AuditProgress:
    """How far an audit is.

    ``done`` of ``total`` count what the stage does: texts for 'classifying' (of all classifiers),
    draws for 'drawing' (each case's once, whatever the number of classifiers), explained cases
    for 'masking' and 'attributing' (of all classifiers). ``cases_done`` of ``cases_total``:
    explanations that are finished, of all classifiers; ``infilled``: draws written by this run.
    """

    stage: str
    done: int
    total: int
    cases_done: int = 0
    cases_total: int = 0
    infilled: int = 0


@dataclass(frozen=True)
class _Case:
    """A case to explain for the classifiers that call it positive."""

    number: int
    case: Case
    units: Units
    entries: tuple[ClassifierEntry, ...]
    draws: int


def auditing(
    request: AuditRequest,
    catalogue: Catalogue,
    store: Store,
    name: str | None = None,
    row: Row | None = None,
) -> Generator[AuditProgress, None, str]:
    """Audit step by step; the last step returns the audit's id, under which the store has it.

    ``name``: of a new audit; ``row`` makes the job's row that is committed with each case. A
    ``CancelledError`` within a case gives up the batch in hand and ends the step: whoever drives
    goes on with the next, or closes. Raises ``UnknownNameError``, ``DataError`` and
    ``SettingsError`` for a request that cannot be met, and what the models and the store raise.
    """
    entries = checked_entries(request, catalogue)
    audit = kept(request, name or audit_name(request), catalogue, store)
    chances = {}
    for at, entry in enumerate(entries):
        for progress, found in _classifying(request, entry, at, len(entries), catalogue, store):
            yield progress
            chances[entry.name] = found
        store.audits.add_predictions(audit, entry.name, chances[entry.name], None)
    cases = _to_explain(request, entries, chances, catalogue)
    total = sum(len(one.entries) for one in cases)
    finished = store.audits.cases_done(audit)
    draws_total = sum(one.draws for one in cases)
    draws = cases_done = infilled = 0
    for one in cases:
        ready, fresh, plan = 0, False, None
        for entry in one.entries:
            before = AuditProgress(
                "drawing", draws + ready, draws_total, cases_done, total, infilled
            )
            if (False, entry.name, one.number) not in finished:
                plan = (
                    pipeline.for_classifier(plan, entry)
                    if plan
                    else case_plan(one.case, one.units, entry.name, request, catalogue)
                )
                steps = _explaining(plan, catalogue, store)
                while True:
                    try:
                        step = next(steps)
                    except StopIteration as end:
                        explained: Explanation = end.value
                        break
                    ready = max(ready, step.reused + step.infilled)
                    yield replace(before, done=draws + ready, infilled=infilled + step.infilled)
                infilled += explained.infilled
                fresh = fresh or explained.infilled == one.draws
                after = replace(before, cases_done=cases_done + 1, infilled=infilled)
                rows = case_rows(explained, one.number, _at(one.units), False, fresh)
                store.audits.add_case(audit, rows, row(after) if row else None)
            cases_done += 1
        draws += one.draws
    yield AuditProgress("drawing", draws, draws_total, cases_done, total, infilled)
    extra = AuditProgress("masking", 0, total, cases_done, total, infilled)
    if request.masking:
        yield from _masking(request, audit, cases, extra, catalogue, store)
    if request.attributions:
        extra = replace(extra, stage="attributing")
        yield from _attributing(audit, cases, extra, catalogue, store)
    if row is None:
        store.save_job(done_row(audit, cases_done))
    return audit


def audited(
    request: AuditRequest,
    catalogue: Catalogue,
    store: Store,
    name: str | None = None,
    on_progress: Callable[[AuditProgress], None] | None = None,
) -> str:
    """Audit in one call; returns the audit's id. Raises what ``auditing`` raises."""
    return pipeline.to_the_end(auditing(request, catalogue, store, name), on_progress)


def done_row(audit: str, cases: int) -> JobRow:
    """The job's row of an audit that no queue has run: done, with so many explanations."""
    now, said = time.time(), json.dumps({"audit": audit, "cases": [cases, cases]})
    return JobRow(audit, "audit", "done", cases, cases, now, None, said, now)


def audit_name(request: AuditRequest) -> str:
    """What an audit is called that nobody named: the suite's name."""
    return request.suite.name[:AUDIT_NAME_MAX] or "audit"


def case_plan(
    case: Case, found: Units, classifier: str, request: AuditRequest, catalogue: Catalogue,
    infiller: str | None = None,
) -> pipeline.Plan:  # fmt: skip
    """The explanation of one case, its phrases being units."""
    return pipeline.plan(
        case.text, classifier, infiller or request.infiller, case_settings(request, found),
        catalogue,
    )  # fmt: skip


def _classifying(
    request: AuditRequest, entry: ClassifierEntry, at: int, entries: int, catalogue: Catalogue,
    store: Store,
) -> Iterator[tuple[AuditProgress, list[float]]]:  # fmt: skip
    """P(explained class) of every case of the suite, growing."""
    cases = request.suite.cases
    texts = list(dict.fromkeys(case.text for case in cases))
    found: dict[str, float] = {}
    for first in range(0, len(texts), TEXTS_A_STEP):
        part = texts[first : first + TEXTS_A_STEP]
        done = at * len(texts) + first
        yield AuditProgress("classifying", done, entries * len(texts)), []
        answers = pipeline.probabilities(part, entry, catalogue, store)
        found |= dict(zip(part, answers, strict=True))
    last = AuditProgress("classifying", (at + 1) * len(texts), entries * len(texts))
    yield last, [found[case.text] for case in cases]


def _to_explain(
    request: AuditRequest, entries: list[ClassifierEntry], chances: dict[str, list[float]],
    catalogue: Catalogue,
) -> list[_Case]:  # fmt: skip
    threshold = request.settings.threshold
    found = []
    for number, case, found_units in explained_cases(request)[0]:
        right = tuple(
            entry
            for entry in entries
            if bool(positive(np.array([chances[entry.name][number]]), threshold)[0])
        )
        if right:
            settings = case_settings(request, found_units)
            draws = pipeline.planned_draws(case.text, request.infiller, settings, catalogue)[2]
            found.append(_Case(number, case, found_units, right, draws))
    return found


def _explaining(
    plan: pipeline.Plan, catalogue: Catalogue, store: Store
) -> Generator[pipeline.Progress, None, Explanation]:
    """``pipeline.explaining``, begun again from what is stored where a batch is given up."""
    latest = pipeline.Progress(0, len(plan.masks), 0, 0, "drawing")

    def begun() -> Generator[pipeline.Progress, None, Explanation]:
        return pipeline.explaining(plan, catalogue, store, watched=False)

    steps = begun()
    while True:
        try:
            latest = next(steps)
        except StopIteration as end:
            explained: Explanation = end.value
            return explained
        except CancelledError:
            steps = begun()
        yield latest


def _masking(
    request: AuditRequest, audit: str, cases: list[_Case], progress: AuditProgress,
    catalogue: Catalogue, store: Store,
) -> Iterator[AuditProgress]:  # fmt: skip
    """The same masks with what masking means for each classifier in place of infills."""
    finished, done = store.audits.cases_done(audit), 0
    for one in cases:
        for entry in one.entries:
            yield replace(progress, done=done)
            if (True, entry.name, one.number) not in finished:
                writer = catalogue.masking_infiller(entry.name)
                plan = case_plan(one.case, one.units, entry.name, request, catalogue, writer)
                steps = _explaining(plan, catalogue, store)
                while True:
                    try:
                        next(steps)
                    except StopIteration as end:
                        rows = case_rows(end.value, one.number, _at(one.units), True, True)
                        break
                    yield replace(progress, done=done)
                store.audits.add_case(audit, rows)
            done += 1
    yield replace(progress, done=done)


def _attributing(
    audit: str, cases: list[_Case], progress: AuditProgress, catalogue: Catalogue, store: Store
) -> Iterator[AuditProgress]:
    """SHAP and LIME of the phrase, each case and classifier a step."""
    finished, done = store.audits.attributed(audit), 0
    for one in cases:
        for entry in one.entries:
            yield replace(progress, done=done)
            while (entry.name, one.number) not in finished:
                try:
                    rows = attribution_rows(one.units, entry, catalogue)
                except CancelledError:
                    yield replace(progress, done=done)
                    continue
                store.audits.add_attributions(audit, entry.name, one.number, rows)
                finished.add((entry.name, one.number))
            done += 1
    yield replace(progress, done=done)


def _at(found: Units) -> int:
    assert found.at is not None  # explained_cases gives no others
    return found.at
