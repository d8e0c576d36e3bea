"""How a store that holds ten million draws serves one text."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from nsx_core import pipeline
from nsx_core.bench.figures import Figure
from nsx_core.classifying.fakes import KeywordClassifier
from nsx_core.fake_catalogue import fake_catalogue
from nsx_core.infilling.wordlist import WordListInfiller
from nsx_core.records import ExplainSettings, Side
from nsx_core.store import Store
from nsx_core.store.filling import fill
from nsx_core.views import drilldown

TEXT = "All these people annoy me."


def full_store_figures(draws: int = 10_000_000) -> list[Figure]:
    """Median seconds of five: one text's scores, and one word's first page of texts."""
    judge, writer = KeywordClassifier(["annoy"], name="keyword"), WordListInfiller()
    catalogue = fake_catalogue(judge, infiller=writer)
    named = (TEXT, judge.name, writer.name, ExplainSettings(), catalogue)
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "full.duckdb") as store:
        fill(store, draws, judge.fingerprint)
        pipeline.explained(*named, store)
        todo = pipeline.plan(*named)

        def scores():  # type: ignore[no-untyped-def]
            found = pipeline.from_store(todo, catalogue, store)
            assert found is not None
            return found

        def page() -> None:
            drilldown.selected(drilldown.rows(scores(), 3, Side.NECESSITY), drilldown.Selection())

        return [
            Figure(f"{draws:,} draws in the store: one text's scores", _median(scores), "s", 0.1),
            Figure(f"{draws:,} draws in the store: one word's texts", _median(page), "s", 0.1),
        ]


def _median(action: Callable[[], object]) -> float:
    action()
    seconds = []
    for _ in range(5):
        begin = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)
