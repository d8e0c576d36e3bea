"""The latest results of a process, from any thread."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

__all__ = ["Latest"]

T = TypeVar("T")


class Latest(Generic[T]):
    """Up to ``most`` results by key; the oldest is forgotten first."""

    def __init__(self, most: int) -> None:
        self._kept: OrderedDict[str, T] = OrderedDict()
        self._most, self._lock = most, threading.Lock()

    def keep(self, key: str, result: T) -> None:
        """Keep it as the newest."""
        with self._lock:
            self._kept[key] = result
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def get(self, key: str) -> T | None:
        """The result of this key, None where it is not kept."""
        with self._lock:
            return self._kept.get(key)

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._kept.clear()
