"""What every classifier must do, and the door every answer passes through.

A classifier maps texts to one probability a named label. ``checked`` wraps the call, so
that a wrong shape, a NaN, a value outside 0..1 or a row that does not sum to 1 stops at
the door with the model's name in the message, and never reaches a score.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from nsx_core.errors import ModelError, SettingsError, UnknownNameError

__all__ = ["Classifier", "checked", "label_index", "positive"]


@runtime_checkable
class Classifier(Protocol):
    """Texts in, probabilities of named labels out.

    ``name`` is shown to people; ``fingerprint`` changes when the model's answers may
    change (weights, text cleaning, truncation) and is part of every cache key.
    One whose model has learned a token for hidden words may name it as ``mask_token`` (str or
    None): the audit's comparison with masking takes it, and deletion where there is none.
    """

    @property
    def name(self) -> str: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def labels(self) -> tuple[str, ...]: ...

    def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
        """float64[n_texts, n_labels], rows in the order of ``texts``, each summing to 1."""
        ...

    def unseen_words(self, text: str) -> int:
        """How many words at the end of the text are cut off before the model sees it."""
        ...


def checked(classifier: Classifier, texts: list[str]) -> NDArray[np.float64]:
    """``classifier.predict_proba(texts)``, or a ``ModelError`` that names the broken rule."""
    given = classifier.predict_proba(texts)
    rule = f"Classifier {classifier.name!r} broke its contract: "
    wanted = (len(texts), len(classifier.labels))
    try:
        answer = np.asarray(given)
    except ValueError:  # rows of unequal lengths
        raise ModelError(f"{rule}it must answer with shape {wanted}, and gave no array.") from None
    if answer.shape != wanted:
        raise ModelError(f"{rule}it must answer with shape {wanted}, and gave {answer.shape}.")
    if not np.issubdtype(answer.dtype, np.floating):
        raise ModelError(f"{rule}it must answer with floats, and gave {answer.dtype}.")
    answer = answer.astype(np.float64)
    if not np.isfinite(answer).all():
        row = int(np.argmin(np.isfinite(answer).all(axis=1)))
        raise ModelError(f"{rule}row {row} holds {answer[row].tolist()}, not finite numbers.")
    if answer.size and (answer.min() < 0 or answer.max() > 1):
        raise ModelError(
            f"{rule}probabilities lie between 0 and 1, and it gave values from "
            f"{answer.min():.4g} to {answer.max():.4g}. Does it return logits?"
        )
    sums = answer.sum(axis=1)
    if len(texts) and np.abs(sums - 1).max() > 1e-3:
        row = int(np.abs(sums - 1).argmax())
        raise ModelError(f"{rule}each row must sum to 1, and row {row} sums to {sums[row]:.4g}.")
    return answer


def label_index(labels: Sequence[str], name: str) -> int:
    """The column of the label called ``name``."""
    if name not in labels:
        raise UnknownNameError("label", name, labels)
    return list(labels).index(name)


def positive(probabilities: NDArray[np.float64], threshold: float) -> NDArray[np.bool_]:
    """bool[...]: where the explained class's probability reaches the threshold.

    ``threshold`` lies strictly between 0 and 1.
    """
    if not 0 < threshold < 1:
        raise SettingsError(
            f"The decision threshold lies strictly between 0 and 1, and {threshold} came. "
            "Choose, for example, 0.5."
        )
    return np.asarray(probabilities) >= threshold
