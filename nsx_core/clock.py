"""How long each stage of an explanation took."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Clock:
    """Seconds by stage."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._spent: dict[str, float] = {}

    @contextmanager
    def of(self, stage: str) -> Iterator[None]:
        begin = time.perf_counter()
        try:
            yield
        finally:
            spent = self._spent.get(stage, 0.0) + time.perf_counter() - begin
            self._spent[stage] = spent

    def seconds(self) -> dict[str, float]:
        return {**self._spent, "total": time.perf_counter() - self._began}
