"""SHAP and LIME of one case's phrase, with what they cost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsx_core.attributing import Attribution, Predict, lime_scores, shap_scores
from nsx_core.catalogue import Catalogue, ClassifierEntry
from nsx_core.classifying import checked, label_index
from nsx_core.suites.units import Units

__all__ = ["LIME", "SHAP", "SHAP_SAMPLED", "SHAP_SEEDS", "attribution_rows", "explained_class"]

SHAP, SHAP_SAMPLED, LIME = "SHAP", "SHAP permutation", "LIME"
#: SHAP's default explainer draws nothing, so the interval over seeds is of the sampling one.
SHAP_SEEDS = 5

Row = tuple[str, int, float | None, int, int, float]


def attribution_rows(found: Units, entry: ClassifierEntry, catalogue: Catalogue) -> list[Row]:
    """Method, seed, score of the phrase, calls, texts and seconds, each.

    Raises ``CancelledError`` where the work is to stop, and what the classifier raises.
    """
    assert found.at is not None
    predict = explained_class(entry, catalogue)
    kept: dict[str, float] = {}

    def remembered(texts: list[str]) -> NDArray[np.float64]:
        if new := [text for text in texts if text not in kept]:
            kept.update(zip(new, predict(new).tolist(), strict=True))
        return np.array([kept[text] for text in texts], dtype=np.float64)

    answers = [
        shap_scores(found.split, predict, 0, SHAP),
        lime_scores(found.split, predict, 0),
        # Other seeds ask about many texts again; their seconds are no cost of the method.
        *(shap_scores(found.split, remembered, seed, SHAP_SAMPLED) for seed in range(SHAP_SEEDS)),
    ]
    return [_row(answer, found.at) for answer in answers]


def explained_class(entry: ClassifierEntry, catalogue: Catalogue) -> Predict:
    """P(explained class) of texts, whichever class wins, from the classifier itself."""
    column = label_index(entry.labels, entry.explained_label)

    def predict(texts: list[str]) -> NDArray[np.float64]:
        return checked(catalogue.classifier(entry.name), texts)[:, column]

    return predict


def _row(answer: Attribution, at: int) -> Row:
    return (
        answer.method, answer.seed, answer.scores[at], answer.calls, answer.texts, answer.seconds,
    )  # fmt: skip
