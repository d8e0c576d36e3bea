"""The one thread that writes.

Concurrent transactions that touch the same rows abort one another in DuckDB, so all
writing queues up here; each piece of work is one transaction, and its caller waits until
that is durable.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from nsx_core.errors import StoreError
from nsx_core.store.connection import Database
from nsx_core.store.opening import Cursor

T = TypeVar("T")
_Task = tuple[Callable[[Database], Any], "Future[Any]"]


class Writer:
    """Runs pieces of work one after another, in the order they came."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._queue: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False
        # A daemon, so that a program that forgets to close the store can still end.
        self._thread = threading.Thread(target=self._loop, name="nsx-store-writer", daemon=True)
        self._thread.start()

    def run(self, work: Callable[[Cursor], T], losing: str = "The changes") -> T:
        """``work`` in a transaction of the writer thread; returns once it is durable.

        A caller that is interrupted while it waits does not stop the transaction. Raises
        the ``StoreError`` of the cause; ``losing`` is what it says was not saved.
        """
        return self._queued(lambda database: database.write(work, losing), losing)

    def checkpoint(self) -> None:
        """Move the log into the file, between two transactions."""
        self._queued(Database.checkpoint, "The last rows")

    def close(self) -> None:
        """Finish what is queued, then end the thread."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    def _queued(self, task: Callable[[Database], T], losing: str) -> T:
        future: Future[T] = Future()
        with self._lock:  # nothing may queue up behind the end mark
            if self._closed:
                raise StoreError(f"{losing} could not be saved: the store is closed.")
            self._queue.put((task, future))
        return future.result()

    def _loop(self) -> None:
        while (queued := self._queue.get()) is not None:
            task, future = queued
            try:
                future.set_result(task(self._database))
            except BaseException as error:  # noqa: BLE001 - it is raised where the caller waits
                future.set_exception(error)
            del queued, task, future  # a batch must not stay in memory until the next one
