"""Classifying many texts, against transformers' pipeline at batch 32."""

from __future__ import annotations

import time
from collections.abc import Sequence

from nsx_core.adapters.reference_loop import reference_pipeline
from nsx_core.bench.figures import Figure
from nsx_core.catalogue import Catalogue
from nsx_core.classifying import checked

REFERENCE_TEXTS = 1_024


def classifying_figures(catalogue: Catalogue, texts: Sequence[str]) -> list[Figure]:
    """``texts``: what the infiller wrote, in drawing order, equal ones included."""
    name = catalogue.default_classifier
    classifier = catalogue.classifier(name)
    checked(classifier, list(texts[:256]))
    begin = time.perf_counter()
    checked(classifier, list(texts))
    ours = len(texts) / (time.perf_counter() - begin)
    run = reference_pipeline()
    sample = list(texts[:: max(1, len(texts) // REFERENCE_TEXTS)][:REFERENCE_TEXTS])
    run(sample[:64])
    begin = time.perf_counter()
    run(sample)
    theirs = len(sample) / (time.perf_counter() - begin)
    return [
        Figure(f"classifying {len(texts):,} texts", ours, "texts/s"),
        Figure("transformers' pipeline at batch 32", theirs, "texts/s"),
        Figure("classifying over the pipeline", ours / theirs, "x", 5, at_least=True),
    ]
