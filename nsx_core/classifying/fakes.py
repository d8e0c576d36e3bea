"""A classifier for tests and trials that looks for keywords.

A shipped fake: what it answers can be worked out by hand, and it counts what it is asked, so
a test can see what was computed and what came out of a store.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from nsx_core.errors import SettingsError
from nsx_core.seeding import child_seed

__all__ = ["KeywordClassifier"]


class KeywordClassifier:
    """P(positive) is ``high`` where a keyword is among the text's words, else ``low``.

    Words are the pieces between white space, without punctuation at their ends, whatever
    their case. Probabilities lie in 0..1. ``sees``: words the fake reads, None = all.
    ``calls`` counts calls of ``predict_proba``; ``judged`` counts texts over all calls.
    """

    def __init__(
        self,
        words: Iterable[str],
        *,
        name: str = "keywords",
        labels: tuple[str, str] = ("negative", "positive"),
        high: float = 0.9,
        low: float = 0.1,
        sees: int | None = None,
    ) -> None:
        given = [words] if isinstance(words, str) else list(words)
        for word in given:
            if word.split() != [word] or not _bare(word):
                raise SettingsError(
                    f"A keyword is one word with a letter in it, and {word!r} came."
                )
        if not 0 <= low <= high <= 1:
            raise SettingsError(f"0 <= low <= high <= 1, and low={low}, high={high} came.")
        self.keywords = frozenset(map(_bare, given))
        self.high, self.low, self.sees = high, low, sees
        self.calls = self.judged = 0
        self._name, self._labels = name, labels

    @property
    def name(self) -> str:
        return self._name

    @property
    def fingerprint(self) -> str:
        parts = (*self._labels, str(self.high), str(self.low), str(self.sees))
        return f"keywords-1-{child_seed(*parts, *sorted(self.keywords)):016x}"

    @property
    def labels(self) -> tuple[str, ...]:
        return self._labels

    def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
        """float64[n_texts, 2]: (1 - P, P) of each text, in order."""
        self.calls += 1
        self.judged += len(texts)
        found = [
            not self.keywords.isdisjoint(map(_bare, text.split()[: self.sees])) for text in texts
        ]
        positive = np.where(np.array(found, dtype=np.bool_), self.high, self.low)
        return np.stack([1 - positive, positive], axis=1)

    def unseen_words(self, text: str) -> int:
        """How many words come after the first ``sees``."""
        return 0 if self.sees is None else max(0, len(text.split()) - self.sees)


def _bare(word: str) -> str:
    """The word casefolded, without punctuation at its ends."""
    ends = "".join(c for c in word if unicodedata.category(c)[0] == "P")
    return word.casefold().strip(ends)
