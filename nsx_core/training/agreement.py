"""Whether a classifier gives the same labels in bfloat16 as in float32.

Where it does, on nearly all of many texts, it runs in bfloat16 on machines that are faster at
it (``nsx_core.adapters.encoder_classifier``); elsewhere, and unmeasured, in float32.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import torch

from nsx_core.adapters.encoder_classifier import EncoderClassifier
from nsx_core.adapters.manifest import MANIFEST_FILE, Agreement, read_manifest, write_json
from nsx_core.classifying import checked, label_index, positive
from nsx_core.errors import DataError
from nsx_core.settings import THRESHOLD_DEFAULT

__all__ = ["measure_agreement"]


def measure_agreement(folder: Path, texts: Sequence[str], source: str) -> Agreement:
    """Ask the classifier in ``folder`` in both formats; write the result into its manifest.

    ``source`` says where the texts come from, for people. ``DataError`` where there are none.
    """
    if not texts:
        raise DataError("Formats are compared on at least one text, and none came. Give texts.")
    labels = []
    for dtype in (torch.float32, torch.bfloat16):
        classifier = EncoderClassifier.load(folder, dtype)
        column = label_index(classifier.labels, classifier.explained_class)
        labels.append(positive(checked(classifier, list(texts))[:, column], THRESHOLD_DEFAULT))
    found = Agreement(len(texts), int((labels[0] == labels[1]).sum()), source)
    manifest = dataclasses.replace(read_manifest(folder), bfloat16=found)
    write_json(Path(folder) / MANIFEST_FILE, manifest)
    return found
