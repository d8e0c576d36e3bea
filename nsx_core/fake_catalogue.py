"""A catalogue of the shipped fakes, for tests and for trying the screens without models.

The app opens it where NSX_FAKE_MODELS is set, and says so on every page.
"""

from __future__ import annotations

import numpy as np

from nsx_core.catalogue import Catalogue, ClassifierEntry, InfillerEntry
from nsx_core.classifying.baseline import NeutralBaseline
from nsx_core.classifying.fakes import KeywordClassifier
from nsx_core.infilling.wordlist import WordListInfiller

NOTE = (
    "Test models: the classifiers look for keywords and the infiller writes words from a list. "
    "No number here says anything about a real model."
)


def fake_catalogue(
    *classifiers: KeywordClassifier, infiller: WordListInfiller | None = None
) -> Catalogue:
    """Keyword classifiers (two by default) and the word-list infiller, all counting calls.

    The neutral baseline is 1 positive of 50, for every classifier.
    """
    models = classifiers or (
        KeywordClassifier(["hate", "women"], name="fake-hate", labels=("not hate", "hate")),
        KeywordClassifier(["hate", "idiot"], name="fake-abuse", labels=("not abuse", "abuse")),
    )
    writer = infiller or WordListInfiller()
    by_name = {m.name: m for m in models}
    entries = {
        m.name: ClassifierEntry(
            m.name,
            m.fingerprint,
            m.labels,
            m.labels[1],
            "Looks for keywords; for tests.",
            {},
            "",
            NeutralBaseline(m.labels[1], np.array([m.low] * 49 + [m.high]), "50 made-up answers"),
        )
        for m in models
    }
    return Catalogue(
        entries,
        {
            writer.name: InfillerEntry(
                writer.name, writer.fingerprint, "Writes words from a list; for tests.", {}, ""
            )
        },
        by_name.__getitem__,
        lambda _: writer,
        note=NOTE,
    )
