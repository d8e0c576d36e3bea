"""The queue of explanations: one inference thread, shared by all visitors.

Jobs advance one batch at a time, the most urgent first and equals in turn; a batch that lasts
gives way to a smaller job that waits, and a job that nobody looks at to one that somebody
awaits. A job that its last visitor has left is stopped. Identical requests join one job;
cancelling stops within the batch in hand, and what was committed stays. Every batch is committed
with its job's row, so that after a crash the job is found 'interrupted' and a new request finds
its draws.
"""

from __future__ import annotations

import itertools
import json
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Generator
from dataclasses import asdict, dataclass, field, replace

from nsx_core import batches, pipeline, stopping
from nsx_core.catalogue import Catalogue
from nsx_core.errors import CancelledError, NsxError, UnknownNameError
from nsx_core.pipeline import Plan, Progress
from nsx_core.records import Explanation
from nsx_core.store import JobRow, Store, canonical_key

INTERACTIVE, SWEEP = 0, 1
#: How many jobs are known, and of how many stopped ones the unfinished explanation.
JOBS_KEPT, UNFINISHED_KEPT = 512, 16
ACTIVE = ("queued", "running")
MEASURED = ("classifying", "drawing")
#: After so many seconds a batch gives way to a smaller job, but not so often that it starves.
PATIENCE_SECONDS, GIVE_WAY_MAX = 3.0, 5
#: A page asks for its job more often than this.
LOOKS_SECONDS, NEVER = 5.0, float("-inf")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class JobView:
    """A job as a page sees it.

    ``done`` counts draws that are judged, and those of the batch in hand that are written;
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
class _Job:
    id: str
    todo: Plan
    urgency: int
    order: int
    created: float
    state: str = "queued"
    progress: Progress = Progress(0, 0, 0, 0, "waiting")
    steps: Generator[Progress, None, Explanation] | None = None
    first: tuple[float, int] | None = None
    latest: float = 0.0
    #: Draws of the batch in hand that are written.
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

    @property
    def seen(self) -> float:
        return max(self.looks.values(), default=NEVER)

    @property
    def watched(self) -> bool:
        return _recent(self.seen)

    @property
    def deserted(self) -> bool:
        """A visitor left it, and no other has asked for it since."""
        if self.left is None or self.seen > self.left:
            return False
        return not _recent(self.left)

    @property
    def work(self) -> int:
        return batches.work(len(self.todo.masks), len(self.todo.split.words))


class JobQueue:
    """Jobs of one process; ``on_done`` is told each finished explanation, before its job ends."""

    def __init__(
        self, store: Store, catalogue: Catalogue, on_done: Callable[[Explanation], None]
    ) -> None:
        self._store, self._catalogue, self._on_done = store, catalogue, on_done
        self._jobs: OrderedDict[str, _Job] = OrderedDict()
        self._order = itertools.count()
        self._wake = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="nsx-inference", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop within the batch in hand and leave unfinished jobs interrupted."""
        with self._wake:
            self._closed = True
            self._wake.notify_all()
        self._thread.join()
        for job in [j for j in self._jobs.values() if j.state in ACTIVE]:
            if job.steps is not None:
                job.steps.close()
            self._end(job, "interrupted")

    def submit(
        self, todo: Plan, urgency: int, early: float | None = None, visitor: str = ""
    ) -> str:
        """Queue the plan and return its job's id; an equal one that runs is joined.

        ``early``: end as 'settled' once ``pipeline.settled`` says so at this decision threshold; a
        job that is joined goes on for whoever wants more of it.
        """
        with self._wake:
            for job in self._jobs.values():
                if job.todo.key == todo.key and job.state in ACTIVE and not job.cancelled:
                    job.urgency, job.left = min(job.urgency, urgency), None
                    job.early = early if early == job.early else None
                    job.looks[visitor] = time.monotonic()
                    return job.id
            number, now = next(self._order), time.time()
            job = _Job(canonical_key([todo.key, number, now])[:16], todo, urgency, number, now)
            job.progress = Progress(0, len(todo.masks), 0, 0, "waiting")
            job.looks[visitor], job.early = time.monotonic(), early
            self._jobs[job.id] = job
            self._forget_old()
            self._wake.notify_all()
        return job.id

    def plan(self, job_id: str) -> Plan:
        """What the job does; ``UnknownNameError`` for one that is not known here."""
        with self._wake:
            return self._known(job_id).todo

    def view(self, job_id: str, visitor: str = "") -> JobView:
        """The job's state now; ``UnknownNameError`` for one that is not known here."""
        with self._wake:
            job = self._known(job_id)
            job.looks[visitor] = time.monotonic()
            p = job.progress
            rate, left, done = 0.0, None, min(p.total, p.done + job.in_hand)
            if job.first and job.latest > job.first[0]:
                rate = (done - job.first[1]) / (job.latest - job.first[0])
            if rate > 0:
                left = (p.total - done) / rate
            stage = "stopping" if job.cancelled and job.state in ACTIVE else p.stage
            return JobView(
                job.id, job.state, done, p.total, p.infilled, p.reused, rate, left,
                stage, job.error, self._ahead(job),
            )  # fmt: skip

    def partial(self, job_id: str) -> Explanation | None:
        """What the job's draws say so far; None before the first batch and at the end.

        Of stopped jobs only the latest keep it.
        """
        with self._wake:
            return self._known(job_id).progress.partial

    def leave(self, job_id: str) -> None:
        """A visitor looks at something else: stop the job unless another one asks for it."""
        with self._wake:
            if job_id in self._jobs:
                self._jobs[job_id].left = time.monotonic()

    def cancel(self, job_id: str, visitor: str = "") -> bool:
        """Stop the job: at once where it waits, else within the batch in hand.

        What is committed stays. False, and the job goes on, where another visitor looks at it;
        whoever gives no name stops it for all.
        """
        with self._wake:
            job = self._known(job_id)
            others = [at for name, at in job.looks.items() if name not in ("", visitor)]
            job.looks.pop(visitor, None)
            if visitor and job.state in ACTIVE and _recent(max(others, default=NEVER)):
                return False
            if job.state in ACTIVE:
                job.cancelled = True
            if job.state == "queued":
                job.state = "cancelled"
            self._wake.notify_all()
            return True

    def _known(self, job_id: str) -> _Job:
        if job_id not in self._jobs:
            raise UnknownNameError("job", job_id, [])
        return self._jobs[job_id]

    def _forget_old(self) -> None:
        ended = [j for j in self._jobs.values() if j.state not in ACTIVE]
        for job in ended[: max(0, len(self._jobs) - JOBS_KEPT)]:
            del self._jobs[job.id]
        unfinished = [j for j in ended if j.progress.partial is not None]
        for job in unfinished[: max(0, len(unfinished) - UNFINISHED_KEPT)]:
            job.progress = replace(job.progress, partial=None)

    def _next(self) -> _Job | None:
        active = [j for j in self._jobs.values() if j.state in ACTIVE]
        return min(active, key=_place, default=None)

    def _ahead(self, job: _Job) -> int:
        """How many others come first while it waits."""
        if job.state != "queued":
            return 0
        active = [j for j in self._jobs.values() if j is not job and j.state in ACTIVE]
        return sum(j.state == "running" or _place(j) < _place(job) for j in active)

    def _stops(self, job: _Job) -> bool:
        return job.cancelled or self._closed or job.deserted or self._gives_way(job)

    def _gives_way(self, job: _Job) -> bool:
        """Whether the batch in hand has lasted and a job waits that it should not keep waiting."""
        if job.gave_way >= GIVE_WAY_MAX or time.monotonic() - job.began < PATIENCE_SECONDS:
            return False
        with self._wake:
            return any(
                j is not job
                and j.urgency <= job.urgency
                and (j.work < job.work or (j.watched and not job.watched))
                for j in self._jobs.values()
                if j.state in ACTIVE and not j.cancelled
            )

    def _run(self) -> None:
        while True:
            with self._wake:
                while not self._closed and self._next() is None:
                    self._wake.wait()
                if self._closed:
                    return
                job = self._next()
            assert job is not None
            self._advance(job)

    def _advance(self, job: _Job) -> None:
        """One batch of one job; an error ends the job and never the thread."""
        job.turns += 1
        try:
            if job.cancelled or job.deserted:
                if job.steps is not None:
                    job.steps.close()
                self._end(job, "cancelled")
                return
            if job.steps is None:
                with self._wake:
                    if job.state != "queued":
                        return
                    job.state = "running"
                job.steps = pipeline.explaining(
                    job.todo,
                    self._catalogue,
                    self._store,
                    lambda p: _row(job, "running", p),
                    lambda: self._drawn(job),
                )
                self._store.save_job(_row(job, "running", job.progress))
            job.began = time.monotonic()
            with stopping.asking(lambda: self._stops(job)):
                progress = next(job.steps)
            now = time.monotonic()
            if progress.infilled:  # a batch came to its end; loading and judging anew do not count
                job.gave_way = 0
            with self._wake:
                # Draws that are only judged go faster than new ones: each stage has its rate.
                if progress.stage in MEASURED and progress.stage != job.progress.stage:
                    job.first = (now, progress.done)
                job.progress, job.latest, job.in_hand = progress, now, 0
            told = progress.partial
            if told is not None and self._settled(job, told):
                job.steps.close()
                self._end(job, "settled")
        except StopIteration as end:
            self._on_done(end.value)
            self._end(job, "done")
        except CancelledError:
            # Closing the engine marks its jobs itself; see ``close``.
            if job.cancelled or job.deserted:
                self._end(job, "cancelled")
            elif not self._closed:
                # It begins again from what is committed.
                job.steps, job.state, job.first, job.in_hand = None, "queued", None, 0
                job.progress = replace(job.progress, stage="waiting")
                job.gave_way += 1
        except NsxError as error:
            job.error = str(error)
            self._end(job, "failed")
        except Exception as error:  # an unforeseen fault must not stop the other jobs
            log.exception("job %s failed", job.id)
            job.error = f"Unexpected fault: {type(error).__name__}: {error}"
            self._end(job, "failed")

    def _drawn(self, job: _Job) -> None:
        with self._wake:
            job.in_hand, job.latest = job.in_hand + 1, time.monotonic()

    def _settled(self, job: _Job, told: Explanation) -> bool:
        if job.early is None:
            return False
        return pipeline.settled(pipeline.rejudged(told, job.early, job.todo.classifier))

    def _end(self, job: _Job, state: str) -> None:
        job.steps, job.in_hand = None, 0
        try:
            self._store.save_job(_row(job, state, job.progress))
        except NsxError as error:
            job.error = job.error or str(error)
        with self._wake:
            job.state = state


def _recent(at: float) -> bool:
    """Whether a look at that time (monotonic seconds) is recent enough to be followed by another."""
    return time.monotonic() - at < LOOKS_SECONDS


def _place(job: _Job) -> tuple[int, bool, bool, int, int]:
    """Who goes first: the most urgent, then what somebody awaits, then who had fewest turns."""
    put_off = 0 < job.gave_way < GIVE_WAY_MAX
    return job.urgency, not job.watched, put_off, job.turns, job.order


def _row(job: _Job, state: str, progress: Progress) -> JobRow:
    request = {
        "text_id": job.todo.draws.text_id,
        "classifier": job.todo.classifier.name,
        "infiller": job.todo.infiller.name,
        "settings": asdict(job.todo.settings),
    }
    return JobRow(
        id=job.id,
        kind="explain",
        state=state,
        done=progress.done,
        total=progress.total,
        heartbeat=time.time(),
        error=job.error,
        request=json.dumps(request),
        created=job.created,
    )
