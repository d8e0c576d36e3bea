"""SHAP of a text, from the package shap (lundberg-lee-2017).

``shap.Explainer`` with ``shap.maskers.Text()``, all at their defaults. What that comes to in
shap 0.51, read in its source:

- pieces are runs of letters and digits (``\\W+`` splits), each with the separators after it;
- a piece that is away is written '...', several in a row as one '...';
- white space is made single, and what follows the last piece is left out of every text, so
  scores add up to P of that tidied text minus P of '...';
- the partition explainer gives Owen values over a tree of neighbouring pieces, from at most
  500 texts, five a question.

**Seeds.** The partition explainer draws nothing. Its only random number orders entries of equal
rank in its queue, which can matter only where exact ties meet the limit of 500 texts. So 'SHAP'
gives the same scores whatever the seed, and its interval over seeds has no width: this says
that nothing is drawn, not that the score is precise.

'SHAP permutation' is shap's permutation explainer on the same masker and limit. It goes through
the pieces in random orders, there and back, and varies over seeds where pieces interact. The
masker's tree is set aside for it: with the tree the package would draw its orders by numba's
generator, which its ``seed`` does not reach, and equal seeds would give unequal scores.

shap draws from numpy's global generator. It is seeded for the call and put back afterwards;
another thread that used it meanwhile would share it. Nothing of this project does.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsx_core.attributing.attribution import Attribution, pieces_within, without_pieces
from nsx_core.attributing.predicting import CountedPredict, Predict
from nsx_core.errors import UnknownNameError
from nsx_core.records import SplitText
from nsx_core.settings import checked_seed

__all__ = ["SHAP_METHODS", "shap_scores"]

SHAP_METHODS = {"SHAP": "partition", "SHAP permutation": "permutation"}
MAX_EVALS = 500
"""shap's default for both explainers; said here since the longest text depends on it."""


def shap_scores(
    split: SplitText, predict: Predict, seed: int = 0, method: str = "SHAP"
) -> Attribution:
    """A word's score: the sum of the SHAP values of the pieces within its span.

    Punctuation before the first piece is a piece of its own. A text of one piece is more than
    shap 0.51 can take (it raises); there the Shapley value is P(text) - P('...') by definition
    and is taken so. 'SHAP permutation' needs 2 pieces + 1 texts an order: beyond 249 pieces
    every score is None.

    Raises ``UnknownNameError`` for the method, ``SettingsError`` for the seed, ``ModelError``
    for a broken answer, ``CancelledError`` where the work is to stop.
    """
    if method not in SHAP_METHODS:
        raise UnknownNameError("SHAP method", method, SHAP_METHODS)
    seed = checked_seed(seed)
    shap = _loaded()
    ask = CountedPredict(predict)
    began = time.perf_counter()
    masker = shap.maskers.Text()
    spans = _spans(masker, split.text)
    within, astray = pieces_within(split, [span for span in spans if span[0] < span[1]])
    said = without_pieces("SHAP", within, astray)
    count = len(spans)
    values: NDArray[np.float64] | None
    if not any(within):
        values = None
    elif count == 1:
        present, absent = (_masked(masker, split.text, kept) for kept in (True, False))
        values = np.array([np.subtract(*ask([present, absent]))])
        said.append("A text of one piece: its score is P(text) - P(masked text).")
    elif method == "SHAP permutation" and 2 * count + 1 > MAX_EVALS:
        values = None
        said = [
            f"{count} pieces are more than shap's permutation explainer can order with its "
            f"{MAX_EVALS} texts, so there are no scores."
        ]
    else:
        with _own_randomness(seed):
            values = _values(shap, masker, split.text, ask, method, seed)
    if values is None:
        scores: tuple[float | None, ...] = (None,) * len(split.words)
    else:
        own = values[[start < end for start, end in spans]]
        scores = tuple(float(own[pieces].sum()) if pieces else None for pieces in within)
        if _masked(masker, split.text, True) != split.text:
            said.append(
                "shap tidies the text it asks about: white space is single, and what follows "
                "the last letter or digit is left out."
            )
    seconds = time.perf_counter() - began
    return Attribution(method, seed, scores, ask.calls, ask.texts, seconds, " ".join(said))


def _spans(masker: Any, text: str) -> list[tuple[int, int]]:
    """Each piece's letters and digits; punctuation before the first as a piece; (0, 0) if blank."""
    offsets: list[tuple[int, int]] = masker.tokenizer(text)["offset_mapping"]
    if offsets[0][1] == 0:  # separators come first: shap makes them an empty piece that owns them
        before = re.match(r"\W*", text)
        lead = before.group() if before else ""
        shown = lead.strip()
        start = lead.find(shown)
        offsets = [(start, start + len(shown)) if len(offsets) > 1 else (0, 0), *offsets[1:]]
    return offsets


def _masked(masker: Any, text: str, kept: bool) -> str:
    """The text as shap asks about it with all its pieces, or with none."""
    mask = np.full(len(masker.tokenizer(text)["input_ids"]), kept)
    return str(masker(mask, text)[0][0])


def _values(
    shap: Any, masker: Any, text: str, ask: CountedPredict, method: str, seed: int
) -> NDArray[np.float64]:
    """float64[n_pieces]: the package's answer."""
    if method == "SHAP permutation":
        masker.clustering = None  # see above: else its orders are drawn past the seed

    def model(texts: Iterable[str]) -> NDArray[np.float64]:
        return ask(texts)

    explainer = shap.Explainer(model, masker, algorithm=SHAP_METHODS[method], seed=seed)
    return np.asarray(explainer([text], silent=True).values[0], dtype=np.float64)


@contextmanager
def _own_randomness(seed: int) -> Iterator[None]:
    """numpy's global generator seeded within, and as it was afterwards."""
    state = np.random.get_state()
    np.random.seed(seed)
    try:
        yield
    finally:
        np.random.set_state(state)


@cache
def _loaded() -> Any:
    """The package, its compiled parts compiled: seconds that belong to no text."""
    import shap

    with _own_randomness(0):
        for method in SHAP_METHODS:
            ask = CountedPredict(lambda texts: np.zeros(len(texts)))
            _values(shap, shap.maskers.Text(), "to warm up", ask, method, 0)
    return shap
