"""An audit as a job of the queue."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from nsx_core.auditing.request import AuditRequest
from nsx_core.auditing.running import AuditProgress, auditing
from nsx_core.catalogue import Catalogue
from nsx_core.pipeline import Progress
from nsx_core.records import Explanation
from nsx_core.store import Store
from nsx_core.tasks import Hooks

__all__ = ["AuditTask"]


@dataclass
class AuditTask:
    """See ``nsx_core.tasks.Task``; ``latest`` is how far the audit itself says it is."""

    audit: str
    name: str
    asked: AuditRequest
    total: int
    work: int
    latest: AuditProgress = field(default_factory=lambda: AuditProgress("waiting", 0, 0))

    kind = "audit"

    @property
    def key(self) -> str:
        return self.audit

    @property
    def job_id(self) -> str:
        return self.audit

    def request(self) -> dict[str, Any]:
        """The audit's id: the store has the rest."""
        return {"audit": self.audit, "cases": [self.latest.cases_done, self.latest.cases_total]}

    def steps(
        self, catalogue: Catalogue, store: Store, hooks: Hooks
    ) -> Generator[Progress, None, str]:
        """The audit's steps; its progress counts what its stage does."""
        steps = auditing(
            self.asked, catalogue, store, self.name, lambda p: hooks.row(self._told(p))
        )
        while True:
            try:
                progress = next(steps)
            except StopIteration as end:
                return str(end.value)
            yield self._told(progress)

    def settled(self, partial: Explanation, threshold: float) -> bool:
        """Never: an audit has no partial explanation."""
        return False

    def _told(self, progress: AuditProgress) -> Progress:
        self.latest = progress
        # Draws are told batch by batch, never one by one, so the queue has none in hand.
        return Progress(progress.done, progress.total, 0, 0, progress.stage)
