"""SHAP and LIME of one case's phrase, with what they cost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsx_core.attributing import Attribution, Predict, lime_scores, remembered, shap_scores
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
    # Other seeds ask about many texts again; their seconds are no cost of the method.
    again = remembered(predict)
    answers = [
        shap_scores(found.split, predict, 0, SHAP),
        lime_scores(found.split, predict, 0),
        *(shap_scores(found.split, again, seed, SHAP_SAMPLED) for seed in range(SHAP_SEEDS)),
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
