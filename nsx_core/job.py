"""One job in the queue: its state, who looks at it, its place among others, its row."""

from __future__ import annotations

import json
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from nsx_core.pipeline import Progress
from nsx_core.store import JobRow
from nsx_core.tasks import Task

__all__ = ["ACTIVE", "GIVE_WAY_MAX", "Job", "JobView", "place", "row"]

ACTIVE = ("queued", "running")
#: A batch gives way to a smaller job, but not so often that it starves.
GIVE_WAY_MAX = 5
#: A page asks for its job more often than this.
LOOKS_SECONDS, NEVER = 5.0, float("-inf")
#: Whoever is there still looks again within this; after a reload, the page before it is not.
WATCHING_SECONDS = 1.5


@dataclass(frozen=True)
class JobView:
    """A job as a page sees it.

    ``done`` and ``infilled`` count the draws in hand that are written, too;
    ``rate`` is how many a second in the present stage; ``stage`` is the pipeline's, or 'waiting'
    before the first batch, or 'stopping' once a person has cancelled.
    """

    id: str
    state: str
    done: int
    total: int
    infilled: int
    reused: int
    rate: float
    seconds_left: float | None
    stage: str
    error: str | None
    ahead: int = 0


@dataclass
class Job:
    """What the queue knows of one task; only the queue changes it, under its lock."""

    id: str
    todo: Task
    urgency: int
    order: int
    created: float
    state: str = "queued"
    progress: Progress = Progress(0, 0, 0, 0, "waiting")
    steps: Generator[Progress, None, Any] | None = None
    first: tuple[float, int] | None = None
    latest: float = 0.0
    #: Draws that are written and not yet judged and stored.
    in_hand: int = 0
    error: str | None = None
    cancelled: bool = False
    turns: int = 0
    #: When the batch in hand began, and how often it was given up for a smaller job.
    began: float = 0.0
    gave_way: int = 0
    #: The decision threshold at which it may end once the order of the first words is settled;
    #: None = it draws its whole budget.
    early: float | None = None
    #: When a page last asked for it, by visitor, and when one went on to something else.
    looks: dict[str, float] = field(default_factory=dict)
    left: float | None = None
    #: A visitor who has cancelled, and when, while another may still look; and those for whom
    #: the job goes on unseen, since another did.
    doubt: tuple[str, float] | None = None
    detached: set[str] = field(default_factory=set)

    @property
    def seen(self) -> float:
        return max(self.looks.values(), default=NEVER)

    def look(self, visitor: str) -> None:
        """A page asks for the job on behalf of a visitor."""
        if visitor in self.detached:
            return
        self.looks[visitor] = time.monotonic()
        if self.doubt and visitor and visitor != self.doubt[0]:
            self.detached.add(self.doubt[0])
            self.looks.pop(self.doubt[0], None)
            self.doubt = None

    def shared_with(self, visitor: str) -> bool:
        """Whether another named visitor has looked lately."""
        return any(_recent(at) for name, at in self.looks.items() if name not in ("", visitor))

    @property
    def unwanted(self) -> bool:
        """Cancelled, by everybody who looks at it."""
        if self.doubt and time.monotonic() - self.doubt[1] > WATCHING_SECONDS:
            self.cancelled, self.doubt = True, None
        return self.cancelled

    @property
    def watched(self) -> bool:
        return _recent(self.seen)

    @property
    def deserted(self) -> bool:
        """A visitor left it, and no other has asked for it since."""
        if self.left is None or self.seen > self.left:
            return False
        return not _recent(self.left)


def _recent(at: float) -> bool:
    """Whether a look at that time (monotonic seconds) is recent enough to be followed by another."""
    return time.monotonic() - at < LOOKS_SECONDS


def place(job: Job) -> tuple[int, bool, bool, int, int]:
    """Who goes first: the most urgent, then what somebody awaits, then who had fewest turns."""
    put_off = 0 < job.gave_way < GIVE_WAY_MAX
    return job.urgency, not job.watched, put_off, job.turns, job.order


def row(job: Job, state: str, progress: Progress) -> JobRow:
    """The job's row in the store."""
    return JobRow(
        id=job.id,
        kind=job.todo.kind,
        state=state,
        done=progress.done,
        total=progress.total,
        heartbeat=time.time(),
        error=job.error,
        request=json.dumps(job.todo.request()),
        created=job.created,
    )
