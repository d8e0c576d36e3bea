"""The generation engine against a reference loop of our own, and whole explanations."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import cache

from nsx_core import masking, pipeline, words
from nsx_core.adapters.decoding.load import load_of
from nsx_core.adapters.operations import shares_by_kind
from nsx_core.adapters.processor import product_rates, usable_cores
from nsx_core.adapters.reference_loop import reference_loop
from nsx_core.bench.figures import Figure
from nsx_core.catalogue import Catalogue
from nsx_core.records import (
    ExplainSettings,
    Explanation,
    GenerationSettings,
    InfillRequest,
)
from nsx_core.seeding import child_seed
from nsx_core.settings import SHIPPED_MODELS_FOLDER
from nsx_core.store import Store

FIVE_WORDS = "All these people annoy me."
TWENTY_WORDS = (
    "When my neighbours came home late last night they were so loud that nobody in the house could "
    "sleep again"
)
WARM_UP = "They like old books."
REFERENCE_DRAWS = 16


def engine_figures(catalogue: Catalogue) -> list[Figure]:
    """Draws a second, over the reference loop, and the share of the matrix peak."""
    infiller = catalogue.infiller(catalogue.default_infiller)
    requests = _requests(522)
    infiller.infill(requests[:64], GenerationSettings())
    with load_of(infiller) as load:
        seconds = _seconds(lambda: infiller.infill(requests, GenerationSettings()))
    reference = _reference(requests[:: len(requests) // REFERENCE_DRAWS][:REFERENCE_DRAWS])
    rate = len(requests) / seconds
    rates = product_rates()
    precision = getattr(infiller, "precision", "float32")
    peak = rates.get(precision, rates["float32"]) * 1e9 * usable_cores()
    return [
        Figure("generation engine", rate, "draws/s"),
        Figure("reference loop, one draw a call", 1 / reference, "draws/s"),
        Figure("engine over reference loop", rate * reference, "x", 150, at_least=True),
        Figure(
            f"share of the {precision} matrix peak while generating",
            100 * load.multiply_adds / seconds / peak,
            "%",
            35,
            at_least=True,
        ),
        Figure("matrix product in bfloat16 over fp32", rates["bfloat16"] / rates["float32"], "x"),
        Figure("matrix product in int8 over fp32", rates["int8"] / rates["float32"], "x"),
    ]


def time_by_operation(catalogue: Catalogue) -> dict[str, dict[str, float]]:
    """Percent of the time by kind of operation, of the reference loop and of the engine."""
    infiller = catalogue.infiller(catalogue.default_infiller)
    requests = _requests(522)
    one = _reference_loop()
    one(requests[0])
    infiller.infill(requests[:64], GenerationSettings())
    return {
        "reference loop": shares_by_kind(lambda: [one(request) for request in requests[::130]], 1),
        "engine": shares_by_kind(
            lambda: infiller.infill(requests, GenerationSettings()), usable_cores()
        ),
    }


def explanation_figures(catalogue: Catalogue) -> list[Figure]:
    """Five and twenty words at budget 100: cold with models loaded, first scores, from the store."""
    classifier = catalogue.default_classifier
    catalogue.infiller(catalogue.default_infiller), catalogue.classifier(classifier)
    found = []
    with Store.open(":memory:") as store:

        def explain(text: str, **settings: object) -> tuple[Explanation, float | None]:
            begin, first = time.perf_counter(), []

            def seen(progress: pipeline.Progress) -> None:
                if progress.partial is not None:
                    first.append(time.perf_counter() - begin)

            made = pipeline.explained(
                text, classifier, catalogue.default_infiller,
                ExplainSettings(**settings), catalogue, store, seen,  # type: ignore[arg-type]
            )  # fmt: skip
            return made, first[0] if first else None

        explain(WARM_UP, budget=10)
        begin = time.perf_counter()
        made, first = explain(FIVE_WORDS)
        whole = time.perf_counter() - begin
        cached = statistics.median(_seconds(lambda: explain(FIVE_WORDS)) for _ in range(5))
        moved = statistics.median(
            _seconds(lambda: pipeline.rejudged(made, 0.3, catalogue.classifier_entry(classifier)))
            for _ in range(5)
        )
        paper = _seconds(lambda: explain(FIVE_WORDS, sampler="paper"))
        twenty = _seconds(lambda: explain(TWENTY_WORDS))
        found += [
            Figure("five words, budget 100: first scores", first or whole, "s", 1),
            Figure("five words, budget 100: complete", whole, "s", 4),
            Figure("the same by the paper's sampler", paper, "s", 25),
            Figure("the same from the store", cached, "s", 0.15),
            Figure("its threshold moved", moved, "s", 0.15),
            Figure("twenty words, budget 100: complete", twenty, "s", 10),
        ]
    return found


def _seconds(action: Callable[[], object]) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def _requests(count: int) -> list[InfillRequest]:
    """The paper's masks of the five words, both sides."""
    split = words.split(FIVE_WORDS)
    texts = tuple(w.text for w in split.words)
    masks = masking.paper_plan(len(texts), 100, 0, "bench")[:count]
    return [
        InfillRequest(texts, split.spaces, m.replaced, child_seed("bench", m.side.value, m.number))
        for m in masks
    ]


def _reference(requests: list[InfillRequest]) -> float:
    """Seconds a draw of the reference loop; the first draw is not counted."""
    one = _reference_loop()
    one(requests[0])
    return _seconds(lambda: [one(request) for request in requests]) / len(requests)


@cache
def _reference_loop() -> Callable[[InfillRequest], None]:
    adapter = next(iter(sorted(SHIPPED_MODELS_FOLDER.glob("*/adapter_config.json")))).parent
    return reference_loop(adapter, GenerationSettings())
