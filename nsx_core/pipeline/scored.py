"""From judged draws to an explanation: both scores of every word, with intervals."""

from __future__ import annotations

import platform
from collections.abc import Collection
from dataclasses import replace
from functools import cache
from importlib.metadata import version

import numpy as np

import nsx_core
from nsx_core.catalogue import ClassifierEntry
from nsx_core.classifying import label_index, positive
from nsx_core.clock import Clock
from nsx_core.counting import draw_weights, side_masks
from nsx_core.errors import ModelError
from nsx_core.pipeline.planning import Plan
from nsx_core.records import Draw, DrawSide, Estimate, Explanation, JudgedDraw, Side, WordScore
from nsx_core.scoring import uncertainty
from nsx_core.seeding import child_seed


def explanation_of(
    todo: Plan,
    have: dict[tuple[DrawSide, int], Draw],
    judged: dict[str, tuple[float, ...]],
    infilled: int,
    clock: Clock,
    unseen: int,
) -> Explanation:
    """What the draws that are there and judged say; ``judged`` must hold the original text."""
    column = label_index(todo.classifier.labels, todo.label)
    original = judged[todo.split.text]
    named = [(m.side, m.number) for m in todo.masks]
    draws = [have[at] for at in named if at in have and have[at].text in judged]
    values = np.array([judged[d.text][column] for d in draws], dtype=np.float64)
    with clock.of("scoring"):
        scored = _scores(
            todo.split.words, draws, values, original[column], todo.settings,
            todo.classifier, todo.label,
        )  # fmt: skip
    return Explanation(
        key=todo.key,
        draw_set=todo.draws.key,
        text=todo.split.text,
        classifier=todo.classifier.name,
        infiller=todo.infiller.name,
        label=todo.label,
        settings=todo.settings,
        probabilities=dict(zip(todo.classifier.labels, original, strict=True)),
        probability=original[column],
        infilled=infilled,
        seconds=clock.seconds(),
        versions=_versions(todo),
        unseen_words=unseen,
        **scored,
    )


def rejudged(explanation: Explanation, threshold: float, entry: ClassifierEntry) -> Explanation:
    """The same draws and probabilities under another decision threshold; no model is asked."""
    settings = replace(explanation.settings, threshold=threshold)
    draws = [j.draw for j in explanation.draws]
    values = np.array([j.probability for j in explanation.draws])
    scored = _scores(
        [w.word for w in explanation.words], draws, values, explanation.probability,
        settings, entry, explanation.label,
    )  # fmt: skip
    return replace(explanation, settings=settings, **scored)


def without(
    explanation: Explanation, struck: Collection[tuple[DrawSide, int]], entry: ClassifierEntry
) -> Explanation:
    """The scores of the draws that are not struck out, at the explanation's own threshold.

    struck: (side, number) of draws; those that are not the explanation's change nothing. Weights
    are computed anew over what remains, and a score without any draw left is undefined. No model
    is asked.
    """
    left = [j for j in explanation.draws if (j.draw.side, j.draw.number) not in struck]
    scored = _scores(
        [w.word for w in explanation.words], [j.draw for j in left],
        np.array([j.probability for j in left], dtype=np.float64), explanation.probability,
        explanation.settings, entry, explanation.label,
    )  # fmt: skip
    return replace(explanation, **scored)


def _scores(split_words, draws, values, original, settings, entry, label):  # type: ignore[no-untyped-def]
    """The fields of an ``Explanation`` that follow from probabilities and threshold."""
    if entry.baseline is None:
        raise ModelError(f"{entry.name!r} has no neutral baseline, so sufficiency is undefined.")
    kept = positive(values, settings.threshold)
    predicted = bool(positive(np.array([original]), settings.threshold)[0])
    baseline = entry.baseline.value(label, entry.labels, settings.threshold, settings.use_scores)
    judged = values if settings.use_scores else kept.astype(np.float64)
    own = original if settings.use_scores else float(predicted)
    estimates: dict[Side, list[Estimate]] = {}
    for side in Side:
        rows, masks = side_masks(draws, side, len(split_words))
        arguments = (
            judged[rows],
            masks,
            settings.use_scores,
            child_seed("interval", settings.seed),
            draw_weights(draws, masks, side),
        )
        if side is Side.NECESSITY:
            estimates[side] = uncertainty.necessity_estimates(own, *arguments)
        else:
            estimates[side] = uncertainty.sufficiency_estimates(baseline, *arguments)
    return {
        "predicted": predicted,
        "baseline": baseline,
        "words": tuple(
            WordScore(w, n, s)
            for w, n, s in zip(
                split_words, estimates[Side.NECESSITY], estimates[Side.SUFFICIENCY], strict=True
            )
        ),
        "draws": tuple(
            JudgedDraw(d, float(p), bool(k)) for d, p, k in zip(draws, values, kept, strict=True)
        ),
    }


@cache
def _installed(package: str) -> str:
    """Reading a package's metadata takes longer than scoring a short text."""
    return version(package)


def _versions(todo: Plan) -> dict[str, str]:
    return {
        "nsx": nsx_core.__version__,
        "python": platform.python_version(),
        "torch": _installed("torch"),
        "classifier": todo.classifier.fingerprint[:16],
        "infiller": todo.infiller.fingerprint[:16],
    }
