"""The one connection to the one file, lent out as a fresh cursor a call.

A DuckDB connection shared by threads hands rows of one to another, so nobody ever gets
the connection itself. After a fatal error (the disk filling up during a checkpoint) DuckDB
refuses everything until the file is opened anew; ``Database`` does that by itself, and
counts the cursors it has lent because the old instance lives as long as one of them does.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import duckdb

from nsx_core.errors import StoreError
from nsx_core.store import files
from nsx_core.store.failures import explained
from nsx_core.store.opening import Cursor, claim, opened, release

T = TypeVar("T")

CLOSE_WAIT_SECONDS = 10.0

_fatal = (duckdb.FatalException, duckdb.InternalException)


class Database:
    """A DuckDB file of this process alone. ``path`` None is a database in memory."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._warnings: list[str] = []
        self._gate = threading.Condition()
        self._lent = 0
        self._shut = False
        self._generation = 0
        self._connection: Cursor | None = None
        if path is not None:
            claim(path)
        try:
            self._connection = opened(self.path, self._warnings)
        except BaseException:
            release(self.path)
            raise

    @property
    def warnings(self) -> tuple[str, ...]:
        """What opening the file had to set aside, for the person to read."""
        return tuple(self._warnings)

    def read(self, query: Callable[[Cursor], T]) -> T:
        """``query`` with a fresh cursor. It must fetch all that it selects."""
        return self._run(query, "")

    def write(self, work: Callable[[Cursor], T], losing: str = "The changes") -> T:
        """``work`` as one transaction; on any error nothing of it stays.

        Only the writer thread calls this once the store is open. ``work`` may run twice
        (after a fatal error), so it must give the same rows both times.
        """
        return self._run(lambda cursor: _in_transaction(cursor, work), losing)

    def checkpoint(self) -> None:
        """Move the log's content into the file, once the transactions under way have ended."""
        self._run(lambda cursor: cursor.execute("FORCE CHECKPOINT").fetchall(), "")

    def backup(self, word: str) -> Path | None:
        """A copy of the file beside it; None in memory. Closes and opens the file."""
        if self.path is None:
            return None
        self.checkpoint()
        return self._reopen(lambda path: files.copy_beside(path, word))

    def close(self) -> None:
        """Wait for the cursors lent out, close the file and let others open it."""
        with self._gate:
            if self._shut:
                return
            self._shut = True
            self._gate.wait_for(lambda: self._lent == 0, CLOSE_WAIT_SECONDS)
            connection, self._connection = self._connection, None
        try:
            if connection is not None:
                with contextlib.suppress(duckdb.Error):  # the log keeps what is not checkpointed
                    connection.close()
        finally:
            release(self.path)

    def _run(self, work: Callable[[Cursor], T], losing: str) -> T:
        try:
            for last in (self.path is None, True):
                with self._lend() as (cursor, generation):
                    try:
                        return work(cursor)
                    except _SavedThenFailedError as error:
                        broken: Exception = error
                    except _fatal as error:
                        if last:
                            raise
                        broken = error
                try:
                    self._reopen(None, generation)
                except StoreError as error:  # the next call tries to open it again
                    if not isinstance(broken, _SavedThenFailedError):
                        raise explained(broken, self.path, losing) from error
                if isinstance(broken, _SavedThenFailedError):
                    return cast("T", broken.result)
        except StoreError:
            raise
        except (duckdb.Error, OSError, UnicodeError) as error:
            raise explained(error, self.path, losing) from error
        raise AssertionError("the second try returns or raises")

    @contextlib.contextmanager
    def _lend(self) -> Iterator[tuple[Cursor, int]]:
        with self._gate:
            if self._connection is None and not self._shut:
                self._connection = opened(
                    self.path, self._warnings
                )  # an earlier reopening had failed
            if self._shut or self._connection is None:
                raise StoreError("The store is closed. Open it again to read or save.")
            cursor, generation = self._connection.cursor(), self._generation
            self._lent += 1
        try:
            yield cursor, generation
        finally:
            with contextlib.suppress(duckdb.Error):
                cursor.close()
            with self._gate:
                self._lent -= 1
                self._gate.notify_all()

    def _reopen(
        self, between: Callable[[Path], T] | None, generation: int | None = None
    ) -> T | None:
        """Close the file once all cursors are back, do ``between``, open it.

        With a ``generation``, nothing happens if another thread has reopened since then.
        The lock is held throughout, so that nobody borrows meanwhile.
        """
        if self.path is None:
            return None
        with self._gate:
            self._gate.wait_for(lambda: self._lent == 0)
            if self._shut or generation not in (None, self._generation):
                return None
            connection, self._connection = self._connection, None
            if connection is not None:
                with contextlib.suppress(duckdb.Error):
                    connection.close()
            try:
                return between(self.path) if between else None
            finally:
                self._connection = opened(self.path, self._warnings)
                self._generation += 1


def first_row(
    cursor: Cursor, query: str, values: Sequence[object] | Mapping[str, object] | None = None
) -> tuple[Any, ...] | None:
    """The first row of a small result, None where it is empty.

    ``fetchone`` leaves a result open, and DuckDB then refuses the cursor's next statement.
    """
    rows: list[tuple[Any, ...]] = cursor.execute(query, values).fetchall()
    return rows[0] if rows else None


class _SavedThenFailedError(Exception):
    """The rows are safe in the log, but DuckDB could not move the log into the file."""

    def __init__(self, result: object) -> None:
        self.result = result
        super().__init__("committed, then the checkpoint failed")


def _in_transaction(cursor: Cursor, work: Callable[[Cursor], T]) -> T:
    cursor.execute("BEGIN TRANSACTION")
    try:
        result = work(cursor)
        cursor.execute("COMMIT")
    except BaseException as error:
        if isinstance(error, _fatal) and "succeeded and is durable" in str(error):
            raise _SavedThenFailedError(result) from error
        with contextlib.suppress(duckdb.Error):  # a failed commit has rolled back already
            cursor.execute("ROLLBACK")
        raise
    return result
