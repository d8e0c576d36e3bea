"""Speed, as ratios within one run: ``python -m nsx_core.bench`` or ``make bench``.

Times the shipped infiller against a reference loop of our own (one draw a call, fp32,
transformers' generate), a cold explanation of five words at budget 100, its first scores and
its repeat from the store, and matrix products by number format; writes docs/benchmarks.md and
docs/benchmarks.json.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nsx_core import masking, pipeline, words
from nsx_core.adapters.processor import product_rates
from nsx_core.adapters.reference_loop import path_taken, reference_loop
from nsx_core.catalogue import shipped_catalogue
from nsx_core.records import (
    ExplainSettings,
    Explanation,
    GenerationSettings,
    InfillRequest,
    Side,
)
from nsx_core.seeding import child_seed
from nsx_core.settings import PROJECT_FOLDER, SHIPPED_MODELS_FOLDER
from nsx_core.store import Store

TEXT = "All these people annoy me."
REFERENCE_DRAWS = 16


def measure() -> dict[str, Any]:
    """Run everything once and return the figures."""
    catalogue = shipped_catalogue()
    classifier = next(n for n, e in catalogue.classifiers.items() if e.problem is None)
    name = catalogue.default_infiller
    loading = _seconds(lambda: (catalogue.infiller(name), catalogue.classifier(classifier)))
    infiller = catalogue.infiller(name)
    requests = _requests(261)
    engine = _seconds(lambda: infiller.infill(requests, GenerationSettings()))
    reference = _reference(requests[:: len(requests) // REFERENCE_DRAWS][:REFERENCE_DRAWS])
    begin, shown = time.perf_counter(), []

    def first(progress: pipeline.Progress) -> None:
        if progress.partial is not None:
            shown.append(time.perf_counter() - begin)

    with Store.open(":memory:") as store:

        def explain() -> Explanation:
            return pipeline.explained(
                TEXT, classifier, name, ExplainSettings(), catalogue, store, first
            )

        begin = time.perf_counter()
        cold = _seconds(explain)
        cached = statistics.median(_seconds(explain) for _ in range(5))
    return {
        "machine": {
            "processor": platform.machine(),
            "cores": os.cpu_count(),
            "path": path_taken(infiller),
        },
        "product_rates": product_rates(),
        "loading_seconds": loading,
        "engine_draws_per_second": len(requests) / engine,
        "reference_draws_per_second": 1 / reference,
        "engine_over_reference": reference * len(requests) / engine,
        "cold_seconds_5_words_budget_100": cold,
        "first_scores_seconds_5_words_budget_100": shown[0],
        "cached_seconds_5_words_budget_100": cached,
        "cold_over_cached": cold / cached,
    }


def _seconds(action: Callable[[], object]) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def _requests(count: int) -> list[InfillRequest]:
    split = words.split(TEXT)
    texts = tuple(w.text for w in split.words)
    return [
        InfillRequest(texts, split.spaces, m.replaced, child_seed("bench", m.side.value, m.number))
        for side in Side
        for m in masking.paper_masks(len(texts), side, 0, "bench", 0, count)
    ]


def _reference(requests: list[InfillRequest]) -> float:
    """Seconds a draw of the reference loop; the first draw is not counted."""
    one = reference_loop(_infiller_folder(), GenerationSettings())
    one(requests[0])
    begin = time.perf_counter()
    for request in requests:
        one(request)
    return (time.perf_counter() - begin) / len(requests)


def _infiller_folder() -> Path:
    for path in sorted(SHIPPED_MODELS_FOLDER.glob("*/adapter_config.json")):
        return path.parent
    raise FileNotFoundError(f"no infiller under {SHIPPED_MODELS_FOLDER}")


def as_markdown(found: dict[str, Any]) -> str:
    """The figures as a table."""
    rows = [
        ("engine, draws per second", f"{found['engine_draws_per_second']:.1f}"),
        ("reference loop, draws per second", f"{found['reference_draws_per_second']:.2f}"),
        ("engine over reference", f"{found['engine_over_reference']:.1f}x"),
        (
            "five words, budget 100, cold, models warm",
            f"{found['cold_seconds_5_words_budget_100']:.1f} s",
        ),
        (
            "its first scores, from the first batch of draws",
            f"{found['first_scores_seconds_5_words_budget_100']:.1f} s",
        ),
        ("the same from the store", f"{found['cached_seconds_5_words_budget_100']:.3f} s"),
        ("cold over cached", f"{found['cold_over_cached']:.0f}x"),
        ("loading both models", f"{found['loading_seconds']:.1f} s"),
    ]
    rates = found["product_rates"]
    rows += [
        (
            f"matrix product in {name}, one thread, over fp32",
            f"{rates[name] / rates['float32']:.1f}x",
        )
        for name in ("bfloat16", "int8")
    ]
    machine = found["machine"]
    lines = [
        "# Benchmarks",
        "",
        "Written by `make bench`. Seconds depend on the machine; ratios are of one run.",
        f"This run: {machine['processor']}, {machine['cores']} cores, {machine['path']}.",
        "",
        "| figure | value |",
        "|---|---|",
        *(f"| {name} | {value} |" for name, value in rows),
    ]
    return "\n".join(lines) + "\n"


def main(argv: list[str] | None = None) -> int:
    """Measure, print, and write the two files under docs/."""
    parser = argparse.ArgumentParser(prog="python -m nsx_core.bench", description=__doc__)
    parser.add_argument("--out", type=Path, default=PROJECT_FOLDER / "docs")
    given = parser.parse_args(argv)
    found = measure()
    text = as_markdown(found)
    (given.out / "benchmarks.md").write_text(text, encoding="utf-8")
    (given.out / "benchmarks.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
