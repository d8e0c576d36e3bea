"""Audits as pages see them: suites, costs, running ones, and what finished ones found."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from dataclasses import replace
from typing import cast

from nsx_core import batches, pipeline
from nsx_core.audit_records import (
    AuditCard,
    AuditCost,
    AuditFound,
    AuditState,
    AuditView,
    Stage,
    SuiteCard,
)
from nsx_core.auditing.found import audit_found
from nsx_core.auditing.request import (
    AuditRequest,
    audit_id,
    case_settings,
    checked_entries,
    explained_cases,
    kept,
    request_named,
)
from nsx_core.auditing.shipping import shipped_speed
from nsx_core.auditing.task import AuditTask
from nsx_core.catalogue import Catalogue
from nsx_core.errors import DataError, SettingsError, UnknownNameError
from nsx_core.job import ACTIVE
from nsx_core.jobs import SWEEP, JobQueue
from nsx_core.records import ExplainRequest
from nsx_core.settings import AUDIT_NAME_MAX
from nsx_core.store import Store
from nsx_core.suites import Suite, read_suite
from nsx_core.suites.fetching import HATECHECK_SHA256, fetched_file
from nsx_core.suites.starter import starter_suite
from nsx_core.suites.storing import read_back, suite_id, written

__all__ = ["Audits", "audit_card"]

#: Suites, requests and findings at hand.
KEPT = 8
_STAGES = ("classifying", "drawing", "masking", "attributing", "stopping")


class Audits:
    """The audits of one store; every method may be called from any thread."""

    def __init__(self, store: Store, catalogue: Catalogue, jobs: JobQueue) -> None:
        self._store, self._catalogue, self._jobs = store, catalogue, jobs
        self._lock = threading.Lock()
        self._suites: OrderedDict[str, Suite] = OrderedDict()
        self._requests: OrderedDict[str, tuple[AuditRequest, dict[str, str]]] = OrderedDict()
        self._found: OrderedDict[tuple[AuditCard, float, int], AuditFound] = OrderedDict()
        self._tasks: dict[str, AuditTask] = {}
        self._cards: dict[str, SuiteCard] = {}
        self._shipped: str | None = None
        self._fetched: str | None = None

    def suites(self) -> list[SuiteCard]:
        """The starter suite first, then the fetched HateCheck, then stored ones, newest first."""
        if self._shipped is None:
            self._shipped = self.keep_suite(starter_suite())
        if self._fetched is None and fetched_file().is_file():
            suite = read_suite(fetched_file())
            if suite.sha256 == HATECHECK_SHA256:
                self._fetched = self.keep_suite(suite)
        first = [name for name in (self._shipped, self._fetched) if name]
        stored = [row.id for row in self._store.audits.suites()]
        return [self._suite_card(name) for name in dict.fromkeys([*first, *stored])]

    def suite(self, suite: str) -> Suite:
        """The suite with this id; ``UnknownNameError`` for one that is not known."""
        with self._lock:
            found = self._suites.get(suite)
        if found is None:
            row = self._store.audits.suite(suite)
            if row is None:
                raise UnknownNameError("suite", suite, [])
            found = self._remember(suite, read_back(row.content))
        return found

    def keep_suite(self, suite: Suite) -> str:
        """Store a suite; returns its id. ``DataError`` for one without cases."""
        if not suite.cases:
            raise DataError(
                f"A suite needs at least one case that can be used, and {suite.name!r} has none."
            )
        name = suite_id(suite)
        self._store.audits.keep_suite(name, suite.name, written(suite))
        self._remember(name, suite)
        return name

    def cost(self, request: AuditRequest) -> AuditCost:
        """What the audit asks for; raises what ``auditing`` raises for a bad request."""
        entries = checked_entries(request, self._catalogue)
        texts = list(dict.fromkeys(case.text for case in request.suite.cases))
        known = sum(len(self._store.predictions(e.fingerprint, texts)) for e in entries)
        cases, left_out = explained_cases(request)
        planned = [
            pipeline.planned_draws(
                case.text, request.infiller, case_settings(request, found), self._catalogue
            )
            for _, case, found in cases
        ]
        there = self._store.audits.draws_there([draws.key for _, draws, _ in planned])
        stored = [min(there.get(draws.key, 0), count) for _, draws, count in planned]
        counts = [count for _, _, count in planned]
        work = sum(
            batches.work(count - known, len(split.words))
            for (split, _, count), known in zip(planned, stored, strict=True)
        )
        infiller = self._catalogue.infiller_entry(request.infiller)
        own = self._store.audits.speed(infiller.fingerprint)
        speed = own or shipped_speed(infiller.fingerprint)
        return AuditCost(
            texts=len(texts),
            texts_known=known,
            cases=len(cases),
            draws=sum(counts),
            draws_stored=sum(stored),
            seconds=work / speed if speed else (0.0 if not work else None),
            left_out=tuple(left_out),
            elsewhere=own is None and work > 0,
        )

    def submit(self, request: AuditRequest, name: str, visitor: str = "") -> str:
        """Queue an audit, behind all that people wait for; returns its id.

        An equal one that runs is joined; one that was stopped goes on with what is missing.
        Raises ``SettingsError`` for the name, and what ``auditing`` raises for the request.
        """
        name = name.strip()
        if not 1 <= len(name) <= AUDIT_NAME_MAX:
            raise SettingsError(
                f"An audit has a name of 1 to {AUDIT_NAME_MAX} characters, and {len(name)} came."
            )
        audit = kept(request, name, self._catalogue, self._store)
        cases = explained_cases(request)[0]
        words = sum(len(found.split.words) for _, _, found in cases)
        work = max(1, batches.work(len(request.suite.cases) + 100 * len(cases), max(1, words)))
        task = AuditTask(audit, name, request, 0, work)
        with self._lock:
            if self._running(audit) is None:
                self._tasks[audit] = task
            task = self._tasks[audit]
        self._jobs.submit(task, SWEEP, visitor=visitor)
        return audit

    def listed(self) -> list[AuditCard]:
        """All audits, the newest first."""
        return [self.card(row.id) for row in self._store.audits.audits()]

    def card(self, audit: str) -> AuditCard:
        """One audit in short; ``UnknownNameError`` for one that is not known."""
        task = self._tasks.get(audit)
        if task is None:
            return audit_card(audit, self._store)
        state = cast("AuditState", self._jobs.view(audit).state)
        latest = task.latest
        return replace(
            audit_card(audit, self._store),
            state=state, done=latest.cases_done, total=latest.cases_total,
        )  # fmt: skip

    def request(self, audit: str) -> AuditRequest:
        """What the audit was asked to do; ``UnknownNameError`` for one that is not known."""
        return self._request(audit)[0]

    def found(self, audit: str, threshold: float) -> AuditFound:
        """What the audit found so far, at this threshold; see ``audit_found``."""
        request, fingerprints = self._request(audit)
        card = self.card(audit)
        key = (card, threshold, self._store.audits.strikes_count())
        with self._lock:
            known = self._found.get(key)
        if known is not None:
            return known
        found = audit_found(card, request, fingerprints, self._catalogue, self._store, threshold)
        if card.state not in ACTIVE:  # one that runs goes on writing
            with self._lock:
                self._found[key] = found
                while len(self._found) > KEPT:
                    self._found.popitem(last=False)
        return found

    def progress(self, audit: str) -> AuditView | None:
        """How far the audit is, by what this process knows; None for one that never ran here."""
        task = self._tasks.get(audit)
        if task is None:
            return None
        job, latest = self._jobs.view(audit), task.latest
        stage = job.stage if job.stage in _STAGES else "waiting"
        return AuditView(
            state=cast("AuditState", job.state),
            stage=cast("Stage", stage),
            done=job.done,
            total=job.total,
            cases_done=latest.cases_done,
            cases_total=latest.cases_total,
            rate=job.rate,
            seconds_left=job.seconds_left,
            error=job.error,
            ahead=job.ahead,
        )

    def cancel(self, audit: str) -> None:
        """Stop the audit within the batch in hand; what is committed stays."""
        if self._running(audit) is not None:
            self._jobs.cancel(audit)

    def resume(self, audit: str) -> None:
        """Go on with an audit that was stopped; raises what ``submit`` raises."""
        row = self._store.audits.audit(audit)
        if row is None:
            raise UnknownNameError("audit", audit, [])
        request = self.request(audit)
        if audit_id(request, self._catalogue) != audit:
            raise DataError(
                f"The audit {row.name!r} ran on other models than those installed now, so it "
                "cannot be gone on with. Start a new one."
            )
        self.submit(request, row.name)

    def request_of(self, audit: str, case: str, classifier: str) -> ExplainRequest:
        """The explanation of one case, its phrase being one unit.

        Raises ``UnknownNameError`` for a case or classifier that the audit does not have.
        """
        request = self.request(audit)
        if classifier not in request.classifiers:
            raise UnknownNameError("classifier", classifier, request.classifiers)
        for _, one, found in explained_cases(request)[0]:
            if one.case_id == case:
                settings = case_settings(request, found)
                return ExplainRequest(one.text, classifier, request.infiller, settings)
        plain = next((c for c in request.suite.cases if c.case_id == case), None)
        if plain is None:
            raise UnknownNameError("case", case, [])
        return ExplainRequest(plain.text, classifier, request.infiller, request.settings)

    def _request(self, audit: str) -> tuple[AuditRequest, dict[str, str]]:
        with self._lock:
            known = self._requests.get(audit)
        if known is None:
            request, said = request_named(audit, self._store)
            known = request, dict(said["fingerprints"])
            with self._lock:
                self._requests[audit] = known
                while len(self._requests) > KEPT:
                    self._requests.popitem(last=False)
        return known

    def _suite_card(self, name: str) -> SuiteCard:
        if name not in self._cards:
            suite = self.suite(name)
            self._cards[name] = SuiteCard(
                name, suite.name, len(suite.cases), suite.groups, suite.functionalities
            )
        return self._cards[name]

    def _remember(self, name: str, suite: Suite) -> Suite:
        with self._lock:
            self._suites[name] = suite
            while len(self._suites) > KEPT:
                self._suites.popitem(last=False)
        return suite

    def _running(self, audit: str) -> str | None:
        """The state of the audit's job where it waits or runs, else None."""
        if audit not in self._tasks:
            return None
        state = self._jobs.view(audit).state
        return state if state in ACTIVE else None


def audit_card(audit: str, store: Store) -> AuditCard:
    """An audit in short, by its job's row; ``UnknownNameError`` for one that is not known."""
    row = store.audits.audit(audit)
    if row is None:
        raise UnknownNameError("audit", audit, [])
    said, job = json.loads(row.request), store.job(audit)
    # Without a job's row its process died before the first case, or no queue ran it.
    done, total = json.loads(job.request)["cases"] if job else (0, 0)
    return AuditCard(
        id=audit,
        name=row.name,
        suite=said["suite_name"],
        suite_cases=said["suite_cases"],
        classifiers=tuple(said["classifiers"]),
        groups=tuple(said["groups_explained"]),
        infiller=said["infiller"],
        budget=int(said["settings"]["budget"]),
        threshold=float(said["settings"]["threshold"]),
        created=row.created,
        state=cast("AuditState", job.state if job else "interrupted"),
        done=done,
        total=total,
    )
