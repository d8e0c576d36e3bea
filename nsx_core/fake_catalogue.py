"""Catalogues of the shipped fakes, for tests and for trying the screens without models.

The app opens ``trial_catalogue`` where NSX_FAKE_MODELS is set, and says so on every page.
"""

from __future__ import annotations

import math
import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nsx_core.catalogue import Catalogue, ClassifierEntry, InfillerEntry
from nsx_core.classifying.baseline import NeutralBaseline
from nsx_core.classifying.fakes import KeywordClassifier
from nsx_core.errors import ModelError, SettingsError
from nsx_core.infilling.wordlist import WordListInfiller
from nsx_core.records import GenerationSettings, InfillRequest

__all__ = ["TrialInfiller", "WordMeaning", "fake_catalogue", "trial_catalogue"]

NOTE = (
    "Test models: the classifiers look for keywords and the infiller writes words from a list. "
    "No number here says anything about a real model."
)


class TrialInfiller(WordListInfiller):
    """The word-list infiller, slowed to ``rate`` draws a second (None: as fast as it is).

    It raises ``ModelError`` where a text holds the word ``faulty``.
    """

    def __init__(self, rate: float | None = None, faulty: str | None = None) -> None:
        super().__init__()
        if rate is not None and not rate > 0:
            raise SettingsError(f"A rate is a number of draws a second above 0, and {rate} came.")
        self.rate, self.faulty = rate, faulty

    def mean_log_probabilities(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """float64[n_texts]: made up, as long words are rare; NaN for a text without a word."""
        found = [[len(word) for word in text.split()] for text in texts]
        return np.array([-sum(n) / len(n) if n else np.nan for n in found])

    def infill(
        self, requests: list[InfillRequest], settings: GenerationSettings
    ) -> list[tuple[str, ...]]:
        """As the word-list infiller's, after the time that ``rate`` asks for."""
        if any(self.faulty in request.words for request in requests):
            raise ModelError(f"The test infiller fails on {self.faulty!r}, as it was told to.")
        if self.rate is not None:
            time.sleep(len(requests) / self.rate)
        return super().infill(requests, settings)


class WordMeaning:
    """Cosines of word counts: what can be worked out by hand."""

    name = "word counts"

    def cosines(self, text: str, others: Sequence[str]) -> NDArray[np.float64]:
        """float64[n_others] in 0..1; words are the pieces between white space."""
        own = Counter(text.split())
        return np.array([_cosine(own, Counter(other.split())) for other in others])


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    length = math.sqrt(sum(n * n for n in one.values()) * sum(n * n for n in other.values()))
    return sum(n * other[word] for word, n in one.items()) / length if length else 0.0


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
        load_meaning=WordMeaning,
    )


def trial_catalogue() -> Catalogue:
    """What the app shows under NSX_FAKE_MODELS: all that real models come with, made up.

    Two classifiers with cards and figures, of which the first reads 200 words; a third with
    a damaged folder; the word-list infiller. NSX_FAKE_RATE slows the infiller to so many
    draws a second, and NSX_FAKE_FAULT names a word on which it fails.
    """
    named = ["women", "immigrants", "gay"]
    catalogue = fake_catalogue(
        KeywordClassifier(named, name="fake-hate", labels=("not hate", "hate"), sees=200),
        KeywordClassifier(["idiot", "hate"], name="fake-abuse", labels=("not abuse", "abuse")),
        infiller=TrialInfiller(_rate(), os.environ.get("NSX_FAKE_FAULT")),
    )
    figures = {"macro_f1": 0.75, "micro_f1": 0.9, "paper_macro_f1": 0.7}
    figures |= {"baseline_rate": 0.02, "baseline_n": 50}
    for name, entry in catalogue.classifiers.items():
        card = f"# {name}\n\nLooks for keywords. All of its figures are made up.\n"
        catalogue.classifiers[name] = replace(entry, figures=figures, card=card)
    catalogue.classifiers["fake-damaged"] = ClassifierEntry(
        "fake-damaged", "", (), "", "", {}, "", None,
        "its folder is damaged, as a test model's may be. Restore it.",
    )  # fmt: skip
    for name, writer in catalogue.infillers.items():
        card = f"# {name}\n\nWrites words from a list. All of its figures are made up.\n"
        figures = {"unchanged_share": 0.02, "duplicate_share": 0.05, "held_out_loss": 3.5}
        catalogue.infillers[name] = replace(writer, figures=figures, card=card)
    return catalogue


def _rate() -> float | None:
    given = os.environ.get("NSX_FAKE_RATE")
    try:
        return float(given) if given else None
    except ValueError as reason:
        raise SettingsError(
            f"NSX_FAKE_RATE is a number of draws a second, and {given!r} came."
        ) from reason
