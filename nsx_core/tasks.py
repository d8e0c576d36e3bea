"""What a job can be asked to do, and explaining one text as such a task.

The queue knows only this protocol: it drives the steps, one a turn, and commits its job's row
with what each step learned.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from nsx_core import batches, pipeline
from nsx_core.catalogue import Catalogue
from nsx_core.pipeline import Plan, Progress
from nsx_core.records import Explanation
from nsx_core.store import JobRow, Store

__all__ = ["ExplainTask", "Hooks", "Task"]


@dataclass(frozen=True)
class Hooks:
    """What a task may ask and tell while it runs.

    row: the job's row at this progress, to be committed with what was learned; drawn: called
    once for each new draw, from any thread; alone: whether no other job waits.
    """

    row: Callable[[Progress], JobRow]
    drawn: Callable[[], None]
    alone: Callable[[], bool]


class Task(Protocol):
    """One piece of work. Equal ``key``: the same work, one job for all who ask for it.

    ``job_id``: the id of its job where it must be found again after a restart, else None;
    ``total``: what it counts to, as far as is known before; ``work``: how much it is, in words to
    write or read (``batches.work``); ``request``: plain values for JSON, of which it can be made
    again.
    """

    @property
    def kind(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def job_id(self) -> str | None: ...
    @property
    def total(self) -> int: ...
    @property
    def work(self) -> int: ...

    def request(self) -> dict[str, Any]: ...

    def steps(
        self, catalogue: Catalogue, store: Store, hooks: Hooks
    ) -> Generator[Progress, None, Any]:
        """The work, a step at a time; the last returns its result."""
        ...

    def settled(self, partial: Explanation, threshold: float) -> bool:
        """Whether more of it would not change the order of the first words."""
        ...


@dataclass(frozen=True)
class ExplainTask:
    """One explanation."""

    plan: Plan

    kind = "explain"
    job_id = None

    @property
    def key(self) -> str:
        return self.plan.key

    @property
    def total(self) -> int:
        return len(self.plan.masks)

    @property
    def work(self) -> int:
        return batches.work(len(self.plan.masks), len(self.plan.split.words))

    def request(self) -> dict[str, Any]:
        """The text's id, the models' names and the settings."""
        return {
            "text_id": self.plan.draws.text_id,
            "classifier": self.plan.classifier.name,
            "infiller": self.plan.infiller.name,
            "settings": asdict(self.plan.settings),
        }

    def steps(
        self, catalogue: Catalogue, store: Store, hooks: Hooks
    ) -> Generator[Progress, None, Explanation]:
        """See ``pipeline.explaining``."""
        return pipeline.explaining(self.plan, catalogue, store, hooks.row, hooks.drawn, hooks.alone)

    def settled(self, partial: Explanation, threshold: float) -> bool:
        """See ``pipeline.settled``."""
        return pipeline.settled(pipeline.rejudged(partial, threshold, self.plan.classifier))
