"""Run explanations in the background of the app: one inference thread, shared by all visitors.

Jobs advance one batch at a time, the most urgent first and equals in turn; a batch that lasts
gives way to a smaller job that waits. Identical requests join one job; cancelling stops within
the batch in hand, and what was committed stays. Every batch is committed with its job's row, so
that after a crash the job is found 'interrupted' and a new request finds its draws.
"""

from __future__ import annotations

import itertools
import json
import logging
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Generator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from nsx_core import batches, pipeline, stopping, words
from nsx_core.catalogue import Catalogue, ClassifierEntry, InfillerEntry, shipped_catalogue
from nsx_core.classifying import checked
from nsx_core.errors import CancelledError, NsxError, UnknownNameError
from nsx_core.fake_catalogue import trial_catalogue
from nsx_core.pipeline import Plan, Progress
from nsx_core.precomputed import load_examples
from nsx_core.records import ExplainSettings, Explanation
from nsx_core.settings import STORE_FILE, data_folder
from nsx_core.store import JobRow, Store, canonical_key

INTERACTIVE, SWEEP = 0, 1
RESULTS_KEPT = 64
JOBS_KEPT = 512
ACTIVE = ("queued", "running")
MEASURED = ("classifying", "drawing")
#: After so many seconds a batch gives way to a smaller job, but not so often that it starves.
PATIENCE_SECONDS, GIVE_WAY_MAX = 3.0, 5

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ExplainRequest:
    """What a visitor asks for."""

    text: str
    classifier: str
    infiller: str
    settings: ExplainSettings


@dataclass(frozen=True)
class Classified:
    """A classifier's answer on one text."""

    probabilities: dict[str, float]
    unseen_words: int


@dataclass(frozen=True)
class JobView:
    """A job as a page sees it.

    ``rate`` is draws judged a second in the present stage; ``stage`` is the pipeline's, or
    'waiting' before the first batch, or 'stopping' once a person has cancelled.
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


@dataclass(frozen=True)
class Cost:
    """What an explanation asks for before it begins; ``long`` = ask the person first."""

    words: int
    draws: int
    long: bool


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
    error: str | None = None
    cancelled: bool = False
    turns: int = 0
    #: When the batch in hand began, and how often it was given up for a smaller job.
    began: float = 0.0
    gave_way: int = 0

    @property
    def work(self) -> int:
        return batches.work(len(self.todo.masks), len(self.todo.split.words))


class Engine:
    """Models, store and inference thread of one process."""

    def __init__(self, store: Store, catalogue: Catalogue) -> None:
        self.store, self.catalogue = store, catalogue
        self._jobs: OrderedDict[str, _Job] = OrderedDict()
        self._results: OrderedDict[str, Explanation] = OrderedDict()
        self._order = itertools.count()
        self._wake = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="nsx-inference", daemon=True)
        self._thread.start()

    @classmethod
    def start(cls, home: Path | None = None, catalogue: Catalogue | None = None) -> Engine:
        """Open the store under ``home`` (default: settings.data_folder()) and start.

        Raises ``StoreError`` or one of its kinds.
        """
        if catalogue is None:
            fakes = os.environ.get("NSX_FAKE_MODELS")
            catalogue = trial_catalogue() if fakes else shipped_catalogue()
        store = Store.open((home or data_folder()) / STORE_FILE)
        try:
            load_examples(catalogue, store)
        except BaseException:
            store.close()
            raise
        return cls(store, catalogue)

    def close(self) -> None:
        """Stop after the batch in hand, leave unfinished jobs interrupted, close the store."""
        with self._wake:
            self._closed = True
            self._wake.notify_all()
        self._thread.join()
        for job in [j for j in self._jobs.values() if j.state in ACTIVE]:
            if job.steps is not None:
                job.steps.close()
            self._end(job, "interrupted")
        self.store.close()

    @property
    def note(self) -> str | None:
        """What a visitor should know of the models, None where they are the real ones."""
        return self.catalogue.note

    @property
    def warnings(self) -> tuple[str, ...]:
        """What opening the store had to set aside."""
        return self.store.warnings

    def classifiers(self) -> list[ClassifierEntry]:
        """All classifiers, those with a problem included."""
        return list(self.catalogue.classifiers.values())

    def infillers(self) -> list[InfillerEntry]:
        """All infillers, those with a problem included."""
        return list(self.catalogue.infillers.values())

    def classify(self, text: str, classifier: str) -> Classified:
        """The classifier's probabilities of one text; raises ``TextError`` or ``ModelError``."""
        entry = self.catalogue.classifier_entry(classifier)
        words.split(text)
        known = self.store.predictions(entry.fingerprint, [text])
        if text in known and len(text) <= pipeline.NEVER_CUT_CHARACTERS:
            return Classified(dict(zip(entry.labels, known[text], strict=True)), 0)
        # Not on the inference thread: a visitor must not wait for another's batch of draws.
        model = self.catalogue.classifier(classifier)
        row = [float(p) for p in checked(model, [text])[0]]
        unseen = model.unseen_words(text)
        self.store.commit_batch(None, [], entry.fingerprint, {text: row}, None)
        return Classified(dict(zip(entry.labels, row, strict=True)), unseen)

    def plan(self, request: ExplainRequest) -> Plan:
        """The request, checked; raises what ``pipeline.plan`` raises."""
        r = request
        return pipeline.plan(r.text, r.classifier, r.infiller, r.settings, self.catalogue)

    def cost(self, request: ExplainRequest) -> Cost:
        """How many words and draws the request means; raises what ``plan`` raises."""
        todo = self.plan(request)
        n_words, draws = len(todo.split.words), len(todo.masks)
        return Cost(n_words, draws, batches.work(draws, n_words) > batches.LONG_WORK)

    def submit(self, request: ExplainRequest, urgency: int = INTERACTIVE) -> str:
        """Queue the request and return its job's id; an equal one that runs is joined."""
        todo = self.plan(request)
        with self._wake:
            for job in self._jobs.values():
                if job.todo.key == todo.key and job.state in ACTIVE and not job.cancelled:
                    job.urgency = min(job.urgency, urgency)
                    return job.id
            number, now = next(self._order), time.time()
            job = _Job(canonical_key([todo.key, number, now])[:16], todo, urgency, number, now)
            job.progress = Progress(0, len(todo.masks), 0, 0, "waiting")
            self._jobs[job.id] = job
            self._forget_old()
            self._wake.notify_all()
        return job.id

    def job(self, job_id: str) -> JobView:
        """The job's state now; ``UnknownNameError`` for one that is not known here."""
        with self._wake:
            job = self._known(job_id)
            p = job.progress
            rate, left = 0.0, None
            if job.first and job.latest > job.first[0]:
                rate = (p.done - job.first[1]) / (job.latest - job.first[0])
            if rate > 0:
                left = (p.total - p.done) / rate
            stage = "stopping" if job.cancelled and job.state in ACTIVE else p.stage
            return JobView(
                job.id, job.state, p.done, p.total, p.infilled, p.reused, rate, left,
                stage, job.error,
            )  # fmt: skip

    def result(self, job_id: str) -> Explanation | None:
        """The finished job's explanation, from memory or from the store."""
        with self._wake:
            job = self._known(job_id)
            found = self._results.get(job.todo.key)
        if found is None and job.state == "done":
            found = pipeline.from_store(job.todo, self.catalogue, self.store)
        return found

    def cached(self, request: ExplainRequest) -> Explanation | None:
        """The explanation if nothing is missing for it, else None; no model runs."""
        todo = self.plan(request)
        with self._wake:
            if todo.key in self._results:
                return self._results[todo.key]
        found = pipeline.from_store(todo, self.catalogue, self.store)
        if found is not None:
            with self._wake:
                self._keep(found)
        return found

    def cancel(self, job_id: str) -> None:
        """Stop the job: at once where it waits, else within the batch in hand.

        What is committed stays.
        """
        with self._wake:
            job = self._known(job_id)
            if job.state in ACTIVE:
                job.cancelled = True
            if job.state == "queued":
                job.state = "cancelled"
            self._wake.notify_all()

    def remember_text(self, text: str) -> str:
        """Store a text for a link; returns its id. Raises ``TextError``."""
        return self.store.remember_text(words.split(text))

    def text(self, text_id: str) -> str | None:
        """The text of a link's id, or None."""
        return self.store.text(text_id)

    def rejudged(self, explanation: Explanation, threshold: float) -> Explanation:
        """The explanation under another decision threshold; no model runs."""
        entry = self.catalogue.classifier_entry(explanation.classifier)
        return pipeline.rejudged(explanation, threshold, entry)

    def _known(self, job_id: str) -> _Job:
        if job_id not in self._jobs:
            raise UnknownNameError("job", job_id, [])
        return self._jobs[job_id]

    def _keep(self, found: Explanation) -> None:
        self._results[found.key] = found
        while len(self._results) > RESULTS_KEPT:
            self._results.popitem(last=False)

    def _forget_old(self) -> None:
        ended = [j.id for j in self._jobs.values() if j.state not in ACTIVE]
        for job_id in ended[: max(0, len(self._jobs) - JOBS_KEPT)]:
            del self._jobs[job_id]

    def _next(self) -> _Job | None:
        active = [j for j in self._jobs.values() if j.state in ACTIVE]
        # Turns within an urgency, so that a short text need not wait for a long one's end.
        key = lambda j: (j.urgency, 0 < j.gave_way < GIVE_WAY_MAX, j.turns, j.order)  # noqa: E731
        return min(active, key=key, default=None)

    def _gives_way(self, job: _Job) -> bool:
        """Whether the batch in hand has lasted and a smaller job waits; from any thread."""
        if job.gave_way >= GIVE_WAY_MAX or time.monotonic() - job.began < PATIENCE_SECONDS:
            return False
        with self._wake:
            return any(
                j is not job and j.urgency <= job.urgency and j.work < job.work
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
            if job.cancelled:
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
                    job.todo, self.catalogue, self.store, lambda p: _row(job, "running", p)
                )
                self.store.save_job(_row(job, "running", job.progress))
            job.began = time.monotonic()
            with stopping.asking(lambda: job.cancelled or self._closed or self._gives_way(job)):
                progress = next(job.steps)
            now, job.gave_way = time.monotonic(), 0
            with self._wake:
                # Draws that are only judged go faster than new ones: each stage has its rate.
                if progress.stage in MEASURED and progress.stage != job.progress.stage:
                    job.first = (now, progress.done)
                job.progress, job.latest = progress, now
        except StopIteration as end:
            with self._wake:
                self._keep(end.value)
            self._end(job, "done")
        except CancelledError:
            # Closing the engine marks its jobs itself; see ``close``.
            if job.cancelled:
                self._end(job, "cancelled")
            elif not self._closed:
                # It begins again from what is committed.
                job.steps, job.state, job.first = None, "queued", None
                job.progress = replace(job.progress, stage="waiting")
                job.gave_way += 1
        except NsxError as error:
            job.error = str(error)
            self._end(job, "failed")
        except Exception as error:  # an unforeseen fault must not stop the other jobs
            log.exception("job %s failed", job.id)
            job.error = f"Unexpected fault: {type(error).__name__}: {error}"
            self._end(job, "failed")

    def _end(self, job: _Job, state: str) -> None:
        job.steps = None
        try:
            self.store.save_job(_row(job, state, job.progress))
        except NsxError as error:
            job.error = job.error or str(error)
        with self._wake:
            job.state = state


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
