"""What a classifier says of texts: from the store, and from the model where the store lacks it."""

from __future__ import annotations

from collections.abc import Sequence

from nsx_core.catalogue import Catalogue, ClassifierEntry
from nsx_core.classifying import checked, label_index
from nsx_core.store import Store

__all__ = ["probabilities"]


def probabilities(
    texts: Sequence[str], entry: ClassifierEntry, catalogue: Catalogue, store: Store,
    label: str | None = None,
) -> list[float]:  # fmt: skip
    """P(label) of each text, None = the class that the classifier explains; 0..1, in order.

    What the store lacks is classified in one call and kept. Raises ``UnknownNameError`` for the
    label, and what the model and the store raise.
    """
    column = label_index(entry.labels, label or entry.explained_label)
    known = store.predictions(entry.fingerprint, texts)
    if missing := [text for text in dict.fromkeys(texts) if text not in known]:
        answers = checked(catalogue.classifier(entry.name), missing)
        new = {t: tuple(map(float, row)) for t, row in zip(missing, answers, strict=True)}
        store.commit_batch(None, [], entry.fingerprint, new, None)
        known |= new
    return [known[text][column] for text in texts]
