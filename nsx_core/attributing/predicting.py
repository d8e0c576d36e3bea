"""The question that every method asks: how probable is the explained class?

A method never sees which label won. It gets ``Predict``, P(explained class), also where that
class lost: what speaks for the class then has a score above 0 as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from nsx_core.errors import ModelError
from nsx_core.stopping import check

__all__ = ["CountedPredict", "Predict", "remembered"]

#: float64[n_texts] in 0..1: P(explained class) of each text, in order.
Predict = Callable[[list[str]], NDArray[np.float64]]
BATCH = 256
"""Texts a question at most, so that a stop is heeded within one of these."""


class CountedPredict:
    """``Predict`` that asks the classifier about each distinct text once, and counts.

    ``calls``: texts that were asked about, over all questions; ``texts``: distinct ones, which
    is what the classifier was given. A text is passed on as the method wrote it. That may be
    the empty text, which LIME asks about where it removes all there is: a classifier answers
    it as any other text, and one that refuses it stops the method with its own error.

    Raises ``CancelledError`` where the work is to stop, ``ModelError`` for an answer that is no
    float[n_texts] in 0..1.
    """

    def __init__(self, predict: Predict) -> None:
        self._predict = predict
        self._known: dict[str, float] = {}
        self.calls = 0

    @property
    def texts(self) -> int:
        return len(self._known)

    def __call__(self, texts: Iterable[str]) -> NDArray[np.float64]:
        asked = [str(text) for text in texts]  # shap hands over numpy's own kind of string
        self.calls += len(asked)
        check()
        new = [text for text in dict.fromkeys(asked) if text not in self._known]
        for at in range(0, len(new), BATCH):
            check()
            batch = new[at : at + BATCH]
            self._known.update(zip(batch, self._answers(batch), strict=True))
        return np.array([self._known[text] for text in asked], dtype=np.float64)

    def _answers(self, batch: list[str]) -> list[float]:
        answers = np.asarray(self._predict(batch))
        rule = f"P(explained class) of {len(batch)} texts is as many numbers in 0..1, and "
        if answers.shape != (len(batch),) or not np.issubdtype(answers.dtype, np.floating):
            raise ModelError(f"{rule}{answers.dtype} of shape {answers.shape} came.")
        values: list[float] = answers.astype(np.float64).tolist()
        wrong = [value for value in values if not -1e-9 <= value <= 1 + 1e-9]  # NaN is wrong too
        if wrong:
            raise ModelError(f"{rule}{wrong[0]} came. Pass one column of probabilities.")
        return values


def remembered(predict: Predict) -> Predict:
    """``predict`` that asks about no text twice: for runs whose seconds nobody counts."""
    kept: dict[str, float] = {}

    def ask(texts: list[str]) -> NDArray[np.float64]:
        if new := [text for text in dict.fromkeys(texts) if text not in kept]:
            kept.update(zip(new, predict(new).tolist(), strict=True))
        return np.array([kept[text] for text in texts], dtype=np.float64)

    return ask
