"""Which classifiers and infillers there are, and how each is loaded.

Reading the catalogue loads no model: names, labels, figures and fingerprints come from the
manifests, so a cached explanation opens without torch. Models are loaded once, on first use.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from nsx_core.adapters.manifest import holds_classifier, read_manifest
from nsx_core.classifying import Classifier
from nsx_core.classifying.baseline import NeutralBaseline, read_baseline
from nsx_core.errors import MissingModelError, ModelError, NsxError, UnknownNameError
from nsx_core.infilling import Infiller
from nsx_core.settings import SHIPPED_MODELS_FOLDER

INFILLER_KIND = "causal-infiller"


@dataclass(frozen=True)
class ClassifierEntry:
    """One classifier, known by its manifest; ``problem`` says why it cannot be used."""

    name: str
    fingerprint: str
    labels: tuple[str, ...]
    explained_label: str
    description: str
    figures: dict[str, Any]
    card: str
    baseline: NeutralBaseline | None
    problem: str | None = None


@dataclass(frozen=True)
class InfillerEntry:
    """One infiller, known by its manifest."""

    name: str
    fingerprint: str
    description: str
    figures: dict[str, Any]
    card: str
    problem: str | None = None


class Meaning(Protocol):
    """How near texts are in meaning."""

    @property
    def name(self) -> str: ...

    def cosines(self, text: str, others: Sequence[str]) -> NDArray[np.float64]:
        """float64[n_others] in -1..1: the cosine of each one's embedding with that of ``text``."""
        ...


Entry = TypeVar("Entry", ClassifierEntry, InfillerEntry)


def sentence_meaning() -> Meaning:
    """The shipped encoder of sentences; raises ``MissingModelError`` where it is not installed."""
    from nsx_core.adapters.meaning import SentenceMeaning

    return SentenceMeaning()


@dataclass
class Catalogue:
    """Entries by name, and loaders that run once each."""

    classifiers: dict[str, ClassifierEntry]
    infillers: dict[str, InfillerEntry]
    load_classifier: Callable[[str], Classifier]
    load_infiller: Callable[[str], Infiller]
    note: str | None = None
    load_meaning: Callable[[], Meaning] = sentence_meaning
    _loaded: dict[tuple[str, str], Any] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def classifier_entry(self, name: str) -> ClassifierEntry:
        """The entry called ``name``; one with a problem raises ``ModelError``."""
        return _usable(self.classifiers, "classifier", name)

    def infiller_entry(self, name: str) -> InfillerEntry:
        """The entry called ``name``; one with a problem raises ``ModelError``."""
        return _usable(self.infillers, "infiller", name)

    def classifier(self, name: str) -> Classifier:
        """The loaded classifier."""
        self.classifier_entry(name)
        model: Classifier = self._once("classifier", name, self.load_classifier)
        return model

    def infiller(self, name: str) -> Infiller:
        """The loaded infiller."""
        self.infiller_entry(name)
        model: Infiller = self._once("infiller", name, self.load_infiller)
        return model

    def meaning(self) -> Meaning:
        """The loaded encoder of sentences."""
        model: Meaning = self._once("meaning", "", lambda _: self.load_meaning())
        return model

    def masking_infiller(self, classifier: str) -> str:
        """What masking means for a classifier: the infiller of its own mask token, or deletion.

        Loads the classifier: its tokenizer knows the token.
        """
        from nsx_core.infilling.deletion import DeletionInfiller
        from nsx_core.infilling.mask_token import MaskTokenInfiller

        token = getattr(self.classifier(classifier), "mask_token", None)
        writer: Infiller = MaskTokenInfiller(token) if token else DeletionInfiller()
        with self._lock:
            if writer.name not in self.infillers:
                said = f"Writes {token}." if token else "Leaves replaced words out."
                self.infillers[writer.name] = InfillerEntry(
                    writer.name, writer.fingerprint, said, {}, ""
                )
            self._loaded.setdefault(("infiller", writer.name), writer)
        return writer.name

    @property
    def default_infiller(self) -> str:
        """The first infiller without a problem."""
        return _first_usable("infiller", self.infillers.values())

    @property
    def default_classifier(self) -> str:
        """The first classifier without a problem."""
        return _first_usable("classifier", self.classifiers.values())

    def _once(self, kind: str, name: str, load: Callable[[str], Any]) -> Any:
        with self._lock:
            if (kind, name) not in self._loaded:
                self._loaded[kind, name] = load(name)
            return self._loaded[kind, name]


def _first_usable(kind: str, entries: Iterable[ClassifierEntry | InfillerEntry]) -> str:
    usable = [e.name for e in entries if e.problem is None]
    if not usable:
        raise MissingModelError(f"No {kind} can be used. Run `make setup`.")
    return usable[0]


def _usable(entries: dict[str, Entry], kind: str, name: str) -> Entry:
    if name not in entries:
        raise UnknownNameError(kind, name, entries)
    entry = entries[name]
    if entry.problem:
        raise ModelError(f"The {kind} {name!r} cannot be used: {entry.problem}")
    return entry


def shipped_catalogue(folder: Path = SHIPPED_MODELS_FOLDER) -> Catalogue:
    """The models under assets/models, and the infillers that need no model."""
    from nsx_core.infilling.deletion import DeletionInfiller
    from nsx_core.infilling.mask_token import MaskTokenInfiller

    found = {p.parent: holds_classifier(p.parent) for p in sorted(folder.glob("*/model.json"))}
    classifiers = {
        e.name: (e, f) for f, is_one in found.items() if is_one for e in [_classifier(f)]
    }
    infillers = {
        e.name: (e, f) for f, is_one in found.items() if not is_one for e in [_infiller(f)]
    }
    mask, deletion = MaskTokenInfiller(), DeletionInfiller()
    plain: dict[str, Infiller] = {mask.name: mask, deletion.name: deletion}
    plain_entries = [
        InfillerEntry(m.name, m.fingerprint, what, {}, "")
        for m, what in (
            (mask, "Writes [MASK] for each run of replaced words (the paper's Appendix C)."),
            (deletion, "Leaves replaced words out."),
        )
    ]

    def load_classifier(name: str) -> Classifier:
        from nsx_core.adapters.encoder_classifier import EncoderClassifier

        return EncoderClassifier.load(classifiers[name][1])

    def load_infiller(name: str) -> Infiller:
        if name in plain:
            return plain[name]
        from nsx_core.adapters.causal_infiller import CausalInfiller

        return CausalInfiller.load(infillers[name][1])

    return Catalogue(
        {name: entry for name, (entry, _) in classifiers.items()},
        {name: entry for name, (entry, _) in infillers.items()}
        | {entry.name: entry for entry in plain_entries},
        load_classifier,
        load_infiller,
    )


def _classifier(folder: Path) -> ClassifierEntry:
    card = _card(folder)
    try:
        manifest = read_manifest(folder)
    except NsxError as error:
        return ClassifierEntry(folder.name, "", (), "", "", {}, card, None, str(error))
    baseline, problem = None, None
    try:
        baseline = read_baseline(folder, manifest.explained_class)
    except NsxError as error:
        problem = str(error)
    figures: dict[str, Any] = {}
    if manifest.test:
        figures |= {"macro_f1": manifest.test.macro_f1, "micro_f1": manifest.test.micro_f1}
        figures |= {"precision": manifest.test.precision, "recall": manifest.test.recall}
        figures |= {"test_n": manifest.test.n, "test_positives": manifest.test.positives}
    if manifest.paper:
        figures |= {
            "paper_macro_f1": manifest.paper.macro_f1,
            "paper_micro_f1": manifest.paper.micro_f1,
        }
    if manifest.baseline:
        figures |= {"baseline_rate": manifest.baseline.rate, "baseline_n": manifest.baseline.n}
    return ClassifierEntry(
        manifest.name,
        manifest.fingerprint,
        manifest.labels,
        manifest.explained_class,
        f"{manifest.data.name}, {manifest.data.task}; {manifest.base}",
        figures,
        card,
        baseline,
        problem,
    )


def _infiller(folder: Path) -> InfillerEntry:
    try:
        manifest = json.loads((folder / "model.json").read_text(encoding="utf-8"))
        return InfillerEntry(
            manifest["name"],
            manifest["fingerprint"],
            manifest["description"],
            manifest.get("figures", {}),
            _card(folder),
        )
    except (ValueError, KeyError, TypeError) as error:
        problem = f"{folder / 'model.json'} is damaged: {error!r}. Restore the folder."
        return InfillerEntry(folder.name, "", "", {}, _card(folder), problem)


def _card(folder: Path) -> str:
    path = folder / "README.md"
    return path.read_text(encoding="utf-8") if path.is_file() else ""
