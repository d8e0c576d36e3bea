"""LIME of a text, from the package lime (ribeiro-etal-2016).

``LimeTextExplainer`` and ``explain_instance`` at their defaults: words are runs of letters and
digits (``\\W+`` splits), a word that stands twice is one feature and goes from all its places
at once, removed words leave nothing, 5,000 texts with 1 to all words removed, cosine distance,
kernel width 25, a ridge regression on the 10 words of the largest weights.

The package reads column 1 as the explained class. It is given P(explained class) there,
whichever class won: with the winner's probability in that column, scores of a text that is
predicted negative would come out upside down.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsx_core.attributing.attribution import Attribution, pieces_within, without_pieces
from nsx_core.attributing.predicting import CountedPredict, Predict
from nsx_core.records import SplitText
from nsx_core.settings import checked_seed

__all__ = ["lime_scores"]

EXPLAINED = 1
_PIECE = re.compile(r"\w+")  # what LIME's default split leaves between separators


def lime_scores(split: SplitText, predict: Predict, seed: int = 0) -> Attribution:
    """A word's score: the sum of LIME's weights of the distinct LIME words within its span.

    LIME gives a word that stands more than once one weight for all its places together; every
    place shows it. A word none of whose LIME words is among the ten kept has the score 0; one
    without a letter or digit has None. The seed draws the 5,000 texts: other seeds, other
    scores.

    Raises ``SettingsError`` for the seed, ``ModelError`` for a broken answer,
    ``CancelledError`` where the work is to stop.
    """
    seed = checked_seed(seed)
    explainer = _loaded()(random_state=seed)
    ask = CountedPredict(predict)
    began = time.perf_counter()
    found = list(_PIECE.finditer(split.text))
    pieces = [match.group() for match in found]
    within, astray = pieces_within(split, [match.span() for match in found])
    said = without_pieces("LIME", within, astray)
    weights = _weights(explainer, split.text, ask) if pieces else {}
    scores = tuple(
        sum(weights.get(piece, 0.0) for piece in {pieces[number]: None for number in numbers})
        if numbers
        else None
        for numbers in within
    )
    left_out = sum(
        bool(numbers) and not any(pieces[number] in weights for number in numbers)
        for numbers in within
    )
    if left_out:
        said.append(
            f"{left_out} of {len(within)} words {'is' if left_out == 1 else 'are'} not among the "
            f"{len(weights)} that LIME keeps, and {'counts' if left_out == 1 else 'count'} as 0."
        )
    if max(Counter(pieces).values(), default=0) > 1:
        said.append(
            "LIME gives a word that stands more than once one weight for all its places "
            "together; every place shows it."
        )
    seconds = time.perf_counter() - began
    return Attribution("LIME", seed, scores, ask.calls, ask.texts, seconds, " ".join(said))


def _weights(explainer: Any, text: str, ask: CountedPredict) -> dict[str, float]:
    """LIME's weight of each word it keeps."""

    def both_classes(texts: Sequence[str]) -> NDArray[np.float64]:
        explained = ask(texts)
        return np.stack([1 - explained, explained], axis=1)

    found = explainer.explain_instance(text, both_classes, labels=(EXPLAINED,))
    words = found.domain_mapper.indexed_string
    return {str(words.word(number)): float(w) for number, w in found.local_exp[EXPLAINED]}


@cache
def _loaded() -> Any:
    """The explainer's class; seconds of loading belong to no text."""
    from lime.lime_text import LimeTextExplainer

    return LimeTextExplainer
