"""How faithful scores are to the classifier: comprehensiveness and sufficiency by deletion.

ERASER's two measures (deyoung-etal-2020), averaged over all numbers of words as the area over
the perturbation curve (nguyen-2018), for text x with words ranked by score, highest first::

    comprehensiveness_k = P(x) - P(x without its top k words)      high: they were needed
    sufficiency_k       = P(x) - P(only its top k words)           low: they were enough
    AOPC                = mean over k = 1 .. n - 1

Every method is asked about 2 (n - 1) texts, whatever its scores cost. A sufficiency *score* of
``nsx_core.scoring`` is another thing: it infills, and high is more.

Where we differ from ERASER: all k in place of five shares of the words, and words are left out
of the text with the spacing that ``infilling.splice`` leaves.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nsx_core.attributing.agreement import TIE_DECIMALS
from nsx_core.attributing.predicting import CountedPredict, Predict
from nsx_core.errors import DataError, SettingsError
from nsx_core.infilling import runs, splice
from nsx_core.records import SplitText
from nsx_core.seeding import generator
from nsx_core.settings import checked_seed

__all__ = ["Faithfulness", "RandomOrders", "faithfulness", "random_faithfulness"]


@dataclass(frozen=True, slots=True)
class Faithfulness:
    """One order of words judged.

    comprehensiveness, sufficiency: the curves for k = 1 .. n - 1, in -1..1. The AOPC are their
    means: comprehensiveness higher is better, sufficiency lower is better; None for a text of
    one word. calls: texts asked about, 2 (n - 1). seconds: the classifier's included.
    """

    comprehensiveness: tuple[float, ...]
    sufficiency: tuple[float, ...]
    aopc_comprehensiveness: float | None
    aopc_sufficiency: float | None
    calls: int
    seconds: float
    note: str


@dataclass(frozen=True, slots=True)
class RandomOrders:
    """Random orders of the words, as a mark to beat.

    mean: curves, AOPC averaged over the orders, calls and seconds of all orders together.
    aopc_comprehensiveness, aopc_sufficiency: each order's, empty for a text of one word.
    """

    mean: Faithfulness
    aopc_comprehensiveness: tuple[float, ...]
    aopc_sufficiency: tuple[float, ...]


def faithfulness(
    split: SplitText, scores: Sequence[float | None], predict: Predict, original: float
) -> Faithfulness:
    """Words ranked by score, highest first; equal scores in reading order.

    scores: one a word, None = the method gave it nothing, which ranks as 0: between the words
    that speak for the class and those against. original: P(explained class) of the text.
    Raises ``DataError`` for scores that do not fit, ``SettingsError`` for the original.
    """
    if len(scores) != len(split.words):
        raise DataError(
            f"One score a word, None where there is none: {len(split.words)} wanted, "
            f"{len(scores)} came."
        )
    given = [0.0 if score is None else float(score) for score in scores]
    if not all(math.isfinite(score) for score in given):
        raise DataError("A score is a finite number or None, and another number came.")
    ranked = np.argsort(-np.round(given, TIE_DECIMALS), kind="stable").tolist()
    none = sum(score is None for score in scores)
    note = f"{none} of {len(scores)} words without a score rank as 0." if none else ""
    return _judged(split, ranked, CountedPredict(predict), _checked(original), note)


def random_faithfulness(
    split: SplitText, predict: Predict, original: float, seed: int = 0, orders: int = 20
) -> RandomOrders:
    """The same for random orders, which equal seeds draw alike.

    orders: at least 1. Raises ``SettingsError`` for the original, the seed or the orders.
    """
    seed = checked_seed(seed)
    if not orders >= 1:
        raise SettingsError(f"Random orders are at least 1, and {orders} came.")
    ask = CountedPredict(predict)
    began = time.perf_counter()
    judged = []
    for number in range(orders):
        order = generator("attributing", "order", seed, number).permutation(len(split.words))
        judged.append(_judged(split, order.tolist(), ask, _checked(original), ""))
    comprehensive = [
        j.aopc_comprehensiveness for j in judged if j.aopc_comprehensiveness is not None
    ]
    sufficient = [j.aopc_sufficiency for j in judged if j.aopc_sufficiency is not None]
    mean = Faithfulness(
        _mean_curve([j.comprehensiveness for j in judged]),
        _mean_curve([j.sufficiency for j in judged]),
        float(np.mean(comprehensive)) if comprehensive else None,
        float(np.mean(sufficient)) if sufficient else None,
        ask.calls,
        time.perf_counter() - began,
        judged[0].note or f"Means over {orders} random orders.",
    )
    return RandomOrders(mean, tuple(comprehensive), tuple(sufficient))


def _judged(
    split: SplitText, ranked: list[int], ask: CountedPredict, original: float, note: str
) -> Faithfulness:
    n, before = len(ranked), ask.calls
    if n == 1:
        why = "Undefined: a text of one word has no order."
        return Faithfulness((), (), None, None, 0, 0.0, why)
    began = time.perf_counter()
    tops = [set(ranked[:k]) for k in range(1, n)]
    without = [_left(split, [i in top for i in range(n)]) for top in tops]
    only = [_left(split, [i not in top for i in range(n)]) for top in tops]
    lost = original - ask([*without, *only])
    comprehensive, sufficient = lost[: n - 1], lost[n - 1 :]
    return Faithfulness(
        tuple(comprehensive.tolist()),
        tuple(sufficient.tolist()),
        float(comprehensive.mean()),
        float(sufficient.mean()),
        ask.calls - before,
        time.perf_counter() - began,
        note,
    )


def _left(split: SplitText, deleted: list[bool]) -> str:
    pieces = splice(split, deleted, ("",) * len(runs(deleted)))
    return "".join(text for text, _ in pieces)


def _mean_curve(curves: list[tuple[float, ...]]) -> tuple[float, ...]:
    mean: list[float] = np.mean(np.array(curves, dtype=np.float64), axis=0).tolist()
    return tuple(mean)


def _checked(original: float) -> float:
    if not 0 <= original <= 1:
        raise SettingsError(f"P(explained class) of the text lies in 0..1, and {original} came.")
    return float(original)
