"""The paper's whole job: every draw of its 120 texts, and one classifier on all of them."""

from __future__ import annotations

import time
from collections.abc import Sequence

from nsx_core import pipeline
from nsx_core.bench.figures import Figure
from nsx_core.catalogue import Catalogue
from nsx_core.records import ExplainSettings
from nsx_core.store import Store

MINUTES = 6


def paper_job(
    catalogue: Catalogue, texts: Sequence[str], every: int
) -> tuple[list[Figure], list[str]]:
    """(figures, the counterfactual texts) of the paper's sampler at budget 100.

    ``every``: only every so many texts, by length, and times that number; 1 is the whole job.
    """
    chosen = sorted(texts, key=lambda t: (len(t.split()), t))[every // 2 :: every]
    classifier = catalogue.default_classifier
    catalogue.infiller(catalogue.default_infiller), catalogue.classifier(classifier)
    written: list[str] = []
    begin = time.perf_counter()
    with Store.open(":memory:") as store:
        for text in chosen:
            found = pipeline.explained(
                text, classifier, catalogue.default_infiller,
                ExplainSettings(sampler="paper"), catalogue, store,
            )  # fmt: skip
            written += [j.draw.text for j in found.draws]
    seconds = (time.perf_counter() - begin) * len(texts) / len(chosen)
    what = f"{len(texts)} texts" if every == 1 else f"{len(texts)} texts, from every {every}th"
    return [
        Figure(f"the paper's job, {what}", seconds / 60, "min", MINUTES),
        Figure(
            "its draws, classified too",
            len(written) / seconds * len(texts) / len(chosen),
            "draws/s",
        ),
    ], written
