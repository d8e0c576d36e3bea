"""From what a caller asks to a plan: settings checked, words split, masks laid out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nsx_core import masking, words
from nsx_core.catalogue import Catalogue, ClassifierEntry, InfillerEntry
from nsx_core.classifying import label_index, positive
from nsx_core.records import ExplainSettings, Mask, SplitText
from nsx_core.settings import check_sampling, checked_budget, checked_seed
from nsx_core.store import DrawSet, canonical_key, draw_set


@dataclass(frozen=True)
class Plan:
    """One explanation, all of it decided before any model runs."""

    split: SplitText
    classifier: ClassifierEntry
    infiller: InfillerEntry
    settings: ExplainSettings
    label: str
    draws: DrawSet
    masks: tuple[Mask, ...]

    @property
    def key(self) -> str:
        """Key of all that can change the explanation."""
        s = self.settings
        return canonical_key(
            {
                "draws": self.draws.key,
                "classifier": self.classifier.fingerprint,
                "label": self.label,
                "budget": s.budget,
                "threshold": float(s.threshold),
                "scores": s.use_scores,
            }
        )


def plan(
    text: str, classifier: str, infiller: str, settings: ExplainSettings, catalogue: Catalogue
) -> Plan:
    """Check everything the caller gave and lay out the masks.

    Raises ``TextError``, ``SettingsError``, ``UnknownNameError`` or ``ModelError``.
    """
    settings = replace(
        settings, budget=checked_budget(settings.budget), seed=checked_seed(settings.seed)
    )
    positive(np.zeros(1), settings.threshold)
    check_sampling(settings.generation.temperature, settings.generation.top_p)
    entry = catalogue.classifier_entry(classifier)
    writer = catalogue.infiller_entry(infiller)
    label = _label(entry, settings)
    split, draws = _drawn_from(text, writer, settings)
    sample = masking.sampler_named(settings.sampler)
    masks = sample(len(split.words), settings.budget, settings.seed, draws.text_id)
    return Plan(split, entry, writer, settings, label, draws, tuple(masks))


def for_classifier(todo: Plan, entry: ClassifierEntry) -> Plan:
    """The same draws for another classifier: nothing is split or laid out again.

    Raises ``UnknownNameError`` where it lacks the label that the settings name.
    """
    return replace(todo, classifier=entry, label=_label(entry, todo.settings))


def planned_draws(
    text: str, infiller: str, settings: ExplainSettings, catalogue: Catalogue
) -> tuple[SplitText, DrawSet, int]:
    """The text's words, the draw set, and how many draws a plan would have, without their masks."""
    budget, seed = checked_budget(settings.budget), checked_seed(settings.seed)
    settings = replace(settings, budget=budget, seed=seed)
    split, draws = _drawn_from(text, catalogue.infiller_entry(infiller), settings)
    return split, draws, masking.draw_count(settings.sampler, len(split.words), budget)


def _label(entry: ClassifierEntry, settings: ExplainSettings) -> str:
    label = settings.label if settings.label is not None else entry.explained_label
    label_index(entry.labels, label)
    return label


def _drawn_from(
    text: str, writer: InfillerEntry, settings: ExplainSettings
) -> tuple[SplitText, DrawSet]:
    split = words.split(text, settings.splitter, settings.phrases)
    return split, draw_set(
        split, writer.name, writer.fingerprint, settings.generation, settings.sampler, settings.seed
    )
