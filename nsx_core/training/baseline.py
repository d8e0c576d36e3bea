"""How often a classifier calls neutral texts positive: what sufficiency subtracts.

The rate at 0.5 and the mean probability go into the manifest; every text's probability,
rounded to four digits and sorted, into ``baseline.json`` beside it, so that the rate at
any threshold of up to three digits is exact (balkir-etal-2022 subtract the rate at 0.5).
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from nsx_core.adapters.encoder_classifier import EncoderClassifier
from nsx_core.adapters.manifest import MANIFEST_FILE, Baseline, read_manifest, write_json
from nsx_core.classifying import checked, label_index, positive
from nsx_core.errors import DataError
from nsx_core.settings import THRESHOLD_DEFAULT

__all__ = ["BASELINE_FILE", "measure_baseline"]

BASELINE_FILE = "baseline.json"


def measure_baseline(folder: Path, texts: Sequence[str], source: str) -> Baseline:
    """Ask the classifier in ``folder`` about neutral texts; write the answers beside it.

    ``source`` says where the texts come from, for people. Writes ``baseline.json``
    ({"fingerprint", "source", "probabilities": sorted floats of 4 digits}) and the
    manifest's ``baseline``. ``DataError`` where there are no texts.
    """
    if not texts:
        raise DataError("A baseline needs at least one neutral text, and none came. Give texts.")
    folder = Path(folder)
    classifier = EncoderClassifier.load(folder)
    column = label_index(classifier.labels, classifier.explained_class)
    answers = checked(classifier, list(texts))[:, column]
    # Rounding down keeps a probability below a threshold below it.
    kept = np.floor(answers * 10_000) / 10_000
    positives = int(positive(answers, THRESHOLD_DEFAULT).sum())
    baseline = Baseline(
        n=len(texts),
        positives=positives,
        rate=positives / len(texts),
        mean_probability=round(float(answers.mean()), 6),
        source=source,
        fingerprint=classifier.fingerprint,
    )
    content = {
        "fingerprint": classifier.fingerprint,
        "source": source,
        "probabilities": sorted(round(float(value), 4) for value in kept),
    }
    path = folder / BASELINE_FILE
    write_json(path, content)
    # One line: 5,000 numbers on 5,000 lines would drown every diff.
    path.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")
    manifest = dataclasses.replace(read_manifest(folder), baseline=baseline)
    write_json(folder / MANIFEST_FILE, manifest)
    return baseline
