"""An engine on fakes whose infiller waits at a gate, so that a test decides when a batch runs."""

from __future__ import annotations

import dataclasses
import threading
import time
from pathlib import Path

from nsx_core.catalogue import Catalogue
from nsx_core.classifying.fakes import KeywordClassifier
from nsx_core.engine import Engine, ExplainRequest
from nsx_core.fake_catalogue import fake_catalogue
from nsx_core.infilling.wordlist import WordListInfiller
from nsx_core.job import JobView
from nsx_core.records import ExplainSettings, GenerationSettings, InfillRequest

TEXT = "I hate all women here."


class Gated(WordListInfiller):
    """Waits for ``gate`` before each batch, so that a test decides when one runs."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Semaphore(0)
        self.waiting = threading.Event()
        self.fault: Exception | None = None

    def infill(
        self, requests: list[InfillRequest], settings: GenerationSettings
    ) -> list[tuple[str, ...]]:
        self.waiting.set()
        assert self.gate.acquire(timeout=20)
        if self.fault:
            raise self.fault
        return super().infill(requests, settings)


class Bench:
    """An engine on fakes whose infiller waits at a gate."""

    def __init__(self, home: Path) -> None:
        self.writer = Gated()
        self.hate = KeywordClassifier(["hate"], name="hate")
        self.catalogue: Catalogue = fake_catalogue(self.hate, infiller=self.writer)
        self.engine = Engine.start(home, self.catalogue)

    def request(self, text: str = TEXT, **changes: object) -> ExplainRequest:
        wanted = dataclasses.replace(ExplainSettings(), **changes)  # type: ignore[arg-type]
        return ExplainRequest(text, "hate", self.writer.name, wanted)

    def until(self, job: str, *states: str) -> JobView:
        end = time.monotonic() + 20
        while time.monotonic() < end:
            view = self.engine.job(job)
            if view.state in states:
                return view
            time.sleep(0.01)
        raise AssertionError(f"{job} is {view.state}, not one of {states}")

    def open_gate(self, batches: int = 1000) -> None:
        self.writer.gate.release(batches)
