"""Audits without an engine behind them: what the Run page asks, kept in lists that a test sets."""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace

from nsx_core.audit_records import AuditCard, AuditCost, AuditView, SuiteCard
from nsx_core.auditing import AuditRequest
from nsx_core.errors import DataError, NsxError
from nsx_core.suites import Suite, units
from nsx_core.suites.starter import starter_suite

DRAWS_A_CASE = 100


class FakeAudits:
    """Keeps suites and requests; an audit goes as far as ``goes`` says and no further."""

    def __init__(self) -> None:
        starter = starter_suite()
        self.kept = {starter.sha256: starter}
        self.requests: dict[str, AuditRequest] = {}
        self.cards: dict[str, AuditCard] = {}
        self.views: dict[str, AuditView] = {}
        self.seconds: float | None = None
        self.refusal: NsxError | None = None

    def suites(self) -> list[SuiteCard]:
        return [
            SuiteCard(key, s.name, len(s.cases), s.groups, s.functionalities)
            for key, s in self.kept.items()
        ]

    def suite(self, suite_id: str) -> Suite:
        return self.kept[suite_id]

    def keep_suite(self, suite: Suite) -> str:
        self.kept[suite.sha256] = suite
        return suite.sha256

    def cost(self, request: AuditRequest) -> AuditCost:
        groups = request.groups or request.suite.groups
        named = [
            c
            for c in request.suite.cases
            if c.hateful and c.functionality in request.functionalities.explained
            if c.group in groups
        ]
        usable = [c for c in named if c.phrase is not None and units(c).at is not None]
        left_out = tuple(
            f"Case {c.case_id!r} is left out: {c.phrase_problem or 'it names no phrase'}."
            for c in named
            if c not in usable
        )
        texts = len({c.text for c in request.suite.cases})
        draws = DRAWS_A_CASE * len(usable)
        return AuditCost(texts, 0, len(usable), draws, 0, self.seconds, left_out)

    def submit(self, request: AuditRequest, name: str, visitor: str = "") -> str:
        if self.refusal is not None:
            raise self.refusal
        if not 1 <= len(name) <= 80:
            raise DataError("A name has 1 to 80 characters.")
        key = hashlib.sha256(repr(request).encode()).hexdigest()
        cost = self.cost(request)
        self.requests[key] = request
        self.cards[key] = AuditCard(
            key, name, request.suite.name, len(request.suite.cases), request.classifiers,
            request.groups, request.infiller, request.settings.budget,
            request.settings.threshold, time.time(), "queued", 0,
            cost.cases * len(request.classifiers),
        )  # fmt: skip
        self.goes(key, AuditView("queued", "waiting", 0, 0, 0, cost.cases, 0.0, None, None, 2))
        return key

    def goes(self, audit: str, view: AuditView, done: int = 0) -> None:
        """From now on the audit is as the view says, with so many explanations there."""
        self.views[audit] = view
        self.cards[audit] = replace(self.cards[audit], state=view.state, done=done)

    def listed(self) -> list[AuditCard]:
        return list(self.cards.values())

    def progress(self, audit_id: str) -> AuditView | None:
        return self.views.get(audit_id)

    def cancel(self, audit_id: str) -> None:
        self.goes(audit_id, replace(self.views[audit_id], state="cancelled"))

    def resume(self, audit_id: str) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.goes(audit_id, replace(self.views[audit_id], state="running", error=None))
