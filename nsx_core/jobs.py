"""The queue of tasks: one inference thread, shared by all visitors.

Jobs advance one batch at a time, the most urgent first and equals in turn; a batch that lasts
gives way to a smaller job that waits, and a job that nobody looks at to one that somebody
awaits. A job that its last visitor has left is stopped. Identical requests join one job;
cancelling stops within the batch in hand, and what was committed stays. Every batch is committed
with its job's row, so that after a crash the job is found 'interrupted' and a new request finds
its draws.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nsx_core import stopping
from nsx_core.catalogue import Catalogue
from nsx_core.errors import CancelledError, NsxError, UnknownNameError
from nsx_core.job import ACTIVE, GIVE_WAY_MAX, Job, JobView, place, row
from nsx_core.pipeline import Progress
from nsx_core.records import Explanation
from nsx_core.store import Store, canonical_key
from nsx_core.tasks import Hooks, Task

INTERACTIVE, SWEEP = 0, 1
#: How many jobs are known, and of how many stopped ones the unfinished explanation.
JOBS_KEPT, UNFINISHED_KEPT = 512, 16
#: Stages that have no pace.
UNMEASURED = ("waiting", "loading models", "stored")
#: After so many seconds a batch gives way to a smaller job.
PATIENCE_SECONDS = 3.0

log = logging.getLogger(__name__)


class JobQueue:
    """Jobs of one process; ``on_done`` is told what each task returned, before its job ends."""

    def __init__(self, store: Store, catalogue: Catalogue, on_done: Callable[[Any], None]) -> None:
        self._store, self._catalogue, self._on_done = store, catalogue, on_done
        self._jobs: OrderedDict[str, Job] = OrderedDict()
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
        self, todo: Task, urgency: int, early: float | None = None, visitor: str = ""
    ) -> str:
        """Queue the task and return its job's id; an equal one that runs is joined.

        ``early``: end as 'settled' once ``Task.settled`` says so at this decision threshold; a
        job that is joined goes on for whoever wants more of it.
        """
        with self._wake:
            for job in self._jobs.values():
                same = job.todo.key == todo.key and job.state in ACTIVE
                if same and (todo.job_id or not job.cancelled):
                    # A job with an id of its own is still the one while it is being stopped.
                    job.cancelled, job.doubt = False, None
                    job.urgency, job.left = min(job.urgency, urgency), None
                    job.early = early if early == job.early else None
                    job.looks[visitor] = time.monotonic()
                    job.detached.discard(visitor)
                    return job.id
            number, now = next(self._order), time.time()
            job_id = todo.job_id or canonical_key([todo.key, number, now])[:16]
            job = Job(job_id, todo, urgency, number, now)
            job.progress = Progress(0, todo.total, 0, 0, "waiting")
            job.looks[visitor], job.early = time.monotonic(), early
            self._jobs[job.id] = job
            self._jobs.move_to_end(job.id)
            self._forget_old()
            self._wake.notify_all()
        return job.id

    def task(self, job_id: str) -> Task:
        """What the job does; ``UnknownNameError`` for one that is not known here."""
        with self._wake:
            return self._known(job_id).todo

    def view(self, job_id: str, visitor: str = "") -> JobView:
        """The job's state now; ``UnknownNameError`` for one that is not known here."""
        with self._wake:
            job = self._known(job_id)
            job.look(visitor)
            p = job.progress
            rate, left, done = 0.0, None, min(p.total, p.done + job.in_hand)
            if job.first and job.latest > job.first[0]:
                rate = (done - job.first[1]) / (job.latest - job.first[0])
            if rate > 0:
                left = (p.total - done) / rate
            stopping_ = job.unwanted or (job.doubt is not None and job.doubt[0] == visitor)
            stage = "stopping" if stopping_ and job.state in ACTIVE else p.stage
            state = "left" if visitor in job.detached and job.state in ACTIVE else job.state
            return JobView(
                job.id, state, done, p.total, p.infilled + job.in_hand, p.reused, rate, left,
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

    def cancel(self, job_id: str, visitor: str = "") -> None:
        """Stop the job: at once where it waits, else within the batch in hand.

        What is committed stays. Where another visitor goes on looking at it, it goes on for them,
        and its state is 'left' for whoever cancelled. Who gives no name stops it for all.
        """
        with self._wake:
            job = self._known(job_id)
            if job.state not in ACTIVE:
                return
            if visitor and job.shared_with(visitor):
                job.doubt = (visitor, time.monotonic())
                return
            job.cancelled = True
            if job.state == "queued":
                job.state = "cancelled"
            self._wake.notify_all()

    def _known(self, job_id: str) -> Job:
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

    def _next(self) -> Job | None:
        active = [j for j in self._jobs.values() if j.state in ACTIVE]
        return min(active, key=place, default=None)

    def _ahead(self, job: Job) -> int:
        """How many others come first while it waits."""
        if job.state != "queued":
            return 0
        active = [j for j in self._jobs.values() if j is not job and j.state in ACTIVE]
        return sum(j.state == "running" or place(j) < place(job) for j in active)

    def _stops(self, job: Job) -> bool:
        return job.unwanted or self._closed or job.deserted or self._gives_way(job)

    def _gives_way(self, job: Job) -> bool:
        """Whether the batch in hand has lasted and a job waits that it should not keep waiting."""
        if job.gave_way >= GIVE_WAY_MAX or time.monotonic() - job.began < PATIENCE_SECONDS:
            return False
        with self._wake:
            return any(
                j is not job
                and j.urgency <= job.urgency
                and (j.todo.work < job.todo.work or (j.watched and not job.watched))
                for j in self._jobs.values()
                if j.state in ACTIVE and not j.cancelled
            )

    def _alone(self, job: Job) -> bool:
        """Whether no other job waits for its turn."""
        with self._wake:
            return not any(
                j is not job and j.state in ACTIVE and not j.cancelled for j in self._jobs.values()
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

    def _advance(self, job: Job) -> None:
        """One batch of one job; an error ends the job and never the thread."""
        job.turns += 1
        try:
            if job.unwanted or job.deserted:
                if job.steps is not None:
                    job.steps.close()
                self._end(job, "cancelled")
                return
            if job.steps is None:
                with self._wake:
                    if job.state != "queued":
                        return
                    job.state, job.progress = "running", replace(job.progress, infilled=0)
                hooks = Hooks(
                    lambda p: row(job, "running", p),
                    lambda: self._drawn(job),
                    lambda: self._alone(job),
                )
                job.steps = job.todo.steps(self._catalogue, self._store, hooks)
                self._store.save_job(row(job, "running", job.progress))
            job.began = time.monotonic()
            with stopping.asking(lambda: self._stops(job)):
                progress = next(job.steps)
            now = time.monotonic()
            if progress.infilled:  # a batch came to its end; loading and judging anew do not count
                job.gave_way = 0
            with self._wake:
                # Draws that are only judged go faster than new ones: each stage has its rate.
                if progress.stage not in UNMEASURED and progress.stage != job.progress.stage:
                    job.first = (now, progress.done)
                # Draws of the next batch may be in hand by now.
                job.in_hand -= progress.infilled - job.progress.infilled
                job.progress, job.latest = progress, now
            told = progress.partial
            if told is not None and job.early is not None and job.todo.settled(told, job.early):
                job.steps.close()
                self._end(job, "settled")
        except StopIteration as end:
            self._on_done(end.value)
            self._end(job, "done")
        except CancelledError:
            # What is drawn is stored, if not judged. Closing marks its jobs itself; see ``close``.
            p, kept = job.progress, job.in_hand
            job.progress = replace(p, done=min(p.total, p.done + kept), infilled=p.infilled + kept)
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

    def _drawn(self, job: Job) -> None:
        with self._wake:
            job.in_hand, job.latest = job.in_hand + 1, time.monotonic()

    def _end(self, job: Job, state: str) -> None:
        job.steps, job.in_hand = None, 0
        try:
            self._store.save_job(row(job, state, job.progress))
        except NsxError as error:
            job.error = job.error or str(error)
        with self._wake:
            job.state = state
