"""The store as the pipeline, the jobs and the pages see it."""

from __future__ import annotations

import atexit
import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from nsx_core.errors import StoreError, UnknownNameError
from nsx_core.records import Draw, DrawSide, Note, NoteSubject, SplitText, Strike, text_hash
from nsx_core.store import notes, reading, schema, strikes, writing
from nsx_core.store.audits import AuditTables
from nsx_core.store.connection import Database
from nsx_core.store.keys import DrawSet
from nsx_core.store.opening import located
from nsx_core.store.rows import JOB_STATES, JobRow, draw_table, prediction_table
from nsx_core.store.writer import Writer

if TYPE_CHECKING:
    import pandas as pd

_MODEL_KINDS = ("classifier", "infiller")


class Store:
    """One DuckDB file that this process alone has open.

    Any thread may read at any time; all writing goes through one thread, and a method that
    writes returns once its rows are durable. Every method raises ``StoreError`` with the
    cause and what to do. Rows are immutable, jobs excepted.
    """

    def __init__(self, database: Database) -> None:
        """Take over an open, up-to-date database. Use ``Store.open``."""
        self._database = database
        self._writer = Writer(database)
        self.audits = AuditTables(database, self._writer)
        # The writer is a daemon: without this, a batch could be cut off by the interpreter.
        atexit.register(self.close)

    @classmethod
    def open(cls, path: Path | str) -> Store:
        """Open or create the store at ``path`` (':memory:' for one that is never saved).

        Creates missing folders, applies missing migrations and marks the jobs of a process
        that has died as interrupted. Raises ``StoreBusyError`` where another process or
        another ``Store`` has the file, ``StoreCorruptError`` where it is damaged (see
        ``set_aside``), ``StoreError`` for anything else. A damaged log is set aside by
        itself; ``warnings`` then says so.
        """
        database = Database(None if str(path) == ":memory:" else located(path))
        try:
            schema.bring_up_to_date(database)
        except BaseException:
            database.close()
            raise
        store = cls(database)
        try:
            store.mark_interrupted()
        except BaseException:
            store.close()
            raise
        return store

    @property
    def path(self) -> Path | None:
        """The file, None in memory."""
        return self._database.path

    @property
    def warnings(self) -> tuple[str, ...]:
        """What opening the file had to set aside, one sentence or two each."""
        return self._database.warnings

    def close(self) -> None:
        """Finish what is queued and close the file. Closing twice does nothing."""
        atexit.unregister(self.close)
        self._writer.close()
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def remember_text(self, split: SplitText) -> str:
        """Keep a text; returns its id, ``records.text_hash`` of it. Idempotent."""
        text_id = text_hash(split.text)
        if self.text(text_id) is None:
            self._writer.run(
                partial(writing.write_text, text_id=text_id, text=split.text), "The text"
            )
        return text_id

    def text(self, text_id: str) -> str | None:
        """The text with this id, exactly as it came; None where it is unknown."""
        return self._database.read(partial(reading.text_of, text_id=text_id))

    def remember_model(
        self,
        kind: Literal["classifier", "infiller"],
        name: str,
        fingerprint: str,
        manifest: Mapping[str, Any],
    ) -> None:
        """Keep what a fingerprint stands for. Idempotent; the first manifest stays."""
        if kind not in _MODEL_KINDS:
            raise UnknownNameError("kind of model", kind, _MODEL_KINDS)
        written = json.dumps(dict(manifest), sort_keys=True, default=str)
        self._writer.run(
            partial(
                writing.write_model,
                kind=kind,
                name=name,
                fingerprint=fingerprint,
                manifest=written,
            ),
            f"The details of the {kind}",
        )

    def draws(self, draw_set_key: str, side: DrawSide, below: int) -> list[Draw]:
        """The saved draws of one side with numbers < below, ascending by number."""
        return self._database.read(
            partial(reading.draws_of, key=draw_set_key, side=side, below=below)
        )

    def draw_counts(self, draw_set_key: str) -> dict[DrawSide, int]:
        """How many draws of each side are saved; every side is named."""
        return self._database.read(partial(reading.draw_counts_of, key=draw_set_key))

    def predictions(
        self, classifier_fingerprint: str, texts: Sequence[str]
    ) -> dict[str, tuple[float, ...]]:
        """text -> float64[K] for those of the texts that the classifier has judged."""
        return self._database.read(
            partial(reading.predictions_of, classifier=classifier_fingerprint, texts=texts)
        )

    def commit_batch(
        self,
        draw_set: DrawSet | None,
        draws: Sequence[Draw],
        classifier_fingerprint: str | None,
        predictions: Mapping[str, Sequence[float]],
        job: JobRow | None,
    ) -> None:
        """Save draws, predictions (text -> float[K]) and a job's progress in one transaction.

        Returns once all of it is durable; on an error none of it is there, what was saved
        before is, and the store can be used on. What is saved already is left as it is, so
        a batch may be committed again.
        """
        if draws and draw_set is None:
            raise StoreError(f"{len(draws)} draws came without the draw set they belong to.")
        if predictions and not classifier_fingerprint:
            raise StoreError(f"{len(predictions)} predictions came without their classifier.")
        parts = [
            f"{len(rows)} {name}"
            for rows, name in ((draws, "draws"), (predictions, "predictions"))
            if rows
        ]
        self._writer.run(
            writing.Batch(
                draws=((draw_set, draw_table(draws) if draws else None),) if draw_set else (),
                classifier=classifier_fingerprint,
                predictions=prediction_table(predictions) if predictions else None,
                job=job,
            ),
            " and ".join(parts) or "The progress of a job",
        )

    def commit_sets(
        self,
        sets: Sequence[tuple[DrawSet, Sequence[Draw]]],
        classifier_fingerprint: str,
        predictions: Mapping[str, Sequence[float]],
        job: JobRow | None,
    ) -> None:
        """As ``commit_batch``, with draws of several draw sets; each set comes once."""
        draws = tuple((of, draw_table(drawn)) for of, drawn in sets if drawn)
        judged = prediction_table(predictions) if predictions else None
        batch = writing.Batch(draws, classifier_fingerprint, judged, job)
        count = sum(len(drawn) for _, drawn in sets)
        self._writer.run(batch, f"{count} draws and {len(predictions)} predictions")

    def draws_of_sets(self, draw_set_keys: Sequence[str], side: DrawSide) -> dict[str, list[Draw]]:
        """The saved draws of one side of each of the sets that has any, ascending by number."""
        return self._database.read(partial(reading.draws_of_sets, keys=draw_set_keys, side=side))

    def save_job(self, job: JobRow) -> None:
        """Add a job, or bring its state, counts, heartbeat and error up to date."""
        self._writer.run(partial(writing.write_job, job=job), "The state of a job")

    def job(self, job_id: str) -> JobRow | None:
        """The job with this id, None where it is unknown."""
        return self._database.read(partial(reading.job_of, job_id=job_id))

    def jobs(self, state: str | None = None, limit: int = 100) -> list[JobRow]:
        """The newest jobs first, of one state or of all."""
        if state is not None and state not in JOB_STATES:
            raise UnknownNameError("job state", state, JOB_STATES)
        return self._database.read(partial(reading.jobs_of, state=state, limit=limit))

    def mark_interrupted(self) -> int:
        """Mark queued and running jobs as interrupted; returns how many there were.

        Called by ``open``: whoever has the file open is alone, so a job that is still
        running then belongs to a process that has died.
        """
        if not (self.jobs("queued", 1) or self.jobs("running", 1)):
            return 0
        return self._writer.run(writing.interrupt_jobs, "The states of unfinished jobs")

    def judged(
        self, draw_set_key: str, classifier_fingerprint: str, side: DrawSide | None = None
    ) -> pd.DataFrame:
        """The draws that the classifier has judged, a row each, by side and number.

        Columns: side, number, mask ('1' = replaced, a character a word), answers (tuple of
        str), text, unchanged, redraws, probabilities (tuple of float64[K]).
        """
        return self._database.read(
            partial(
                reading.judged_frame,
                key=draw_set_key,
                classifier=classifier_fingerprint,
                side=side,
            )
        )

    def checkpoint(self) -> None:
        """Move the log into the file: after notes, which nothing can compute again."""
        self._writer.checkpoint()

    def strike(
        self, draw_set_key: str, side: DrawSide, number: int, struck: bool, reason: str
    ) -> None:
        """Strike out a draw, or take that back; the last word on a draw counts.

        reason: 1 to 500 characters, may be empty where ``struck`` is False, or a
        ``SettingsError``. Once it returns, the row is in the file, not only in its log.
        """
        work = partial(
            strikes.write_strike,
            key=draw_set_key,
            side=side,
            number=number,
            struck=struck,
            reason=strikes.checked_reason(reason, struck),
        )
        self._writer.run(work, "The strike")
        self.checkpoint()

    def strikes(self, draw_set_key: str) -> list[Strike]:
        """The last word on each draw of the set that was ever struck out, by side and number."""
        return self._database.read(partial(strikes.strikes_of, key=draw_set_key))

    def write_note(self, note: Note) -> Note:
        """Keep a note; one that stands already under its id is left as it is and returned.

        Once it returns, the note is in the file, not only in its log.
        """
        kept = self._writer.run(partial(notes.write_note, note=note), "The note")
        self.checkpoint()
        return kept

    def withdraw_note(self, note_id: str) -> None:
        """Say that a note no longer stands; its rows stay. ``UnknownNameError`` for no such note."""
        self._writer.run(partial(notes.withdraw_note, note_id=note_id), "The withdrawal")
        self.checkpoint()

    def notes(self, subject: NoteSubject, subject_id: str) -> list[Note]:
        """The last word on each note about a text or audit, withdrawn ones too, latest first.

        Of a text: also those that are kept with an audit.
        """
        return self._database.read(partial(notes.notes_of, subject=subject, subject_id=subject_id))
