"""Records of comparing methods on one text; ``nsx_core.comparing`` makes them."""

from __future__ import annotations

from dataclasses import dataclass

from nsx_core.attributing import Attribution, Faithfulness, RandomOrders, RankAgreement
from nsx_core.records import Side, Word

__all__ = ["METHODS", "Comparison", "Method", "OtherMethods", "SeedScore"]

#: In the order in which they are shown; the last two as ``Attribution.method`` names them.
METHODS = (str(Side.NECESSITY), str(Side.SUFFICIENCY), "SHAP", "LIME")


@dataclass(frozen=True, slots=True)
class SeedScore:
    """A word's mean SHAP score over seeds of the sampling explainer, and its interval at 95 %."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class OtherMethods:
    """SHAP, LIME and random orders of one text for one classifier; no threshold moves them."""

    key: str
    shap: Attribution
    lime: Attribution
    over_seeds: tuple[Attribution, ...]
    shap_faithful: Faithfulness
    lime_faithful: Faithfulness
    random: RandomOrders


@dataclass(frozen=True, slots=True)
class Method:
    """One method's scores of the words, how faithful they are, and what they cost.

    name: one of ``METHODS``. scores: one a word, None = undefined. calls: texts that the scores
    asked the classifier about; texts: distinct ones. seconds: what was measured in this run, None
    where it all came from the store. note: what to know of scores and seconds, in sentences.
    """

    name: str
    scores: tuple[float | None, ...]
    faithful: Faithfulness
    calls: int
    texts: int
    seconds: float | None
    note: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Four methods on one text for one classifier.

    probability: of ``label`` on the text, in 0..1; predicted: whether it reaches ``threshold``.
    methods: in the order of ``METHODS``. over_seeds: one a word, None where SHAP gives it no
    score. agreement: 4 x 4, symmetric, in the same order.
    """

    key: str
    text: str
    classifier: str
    label: str
    threshold: float
    probability: float
    predicted: bool
    words: tuple[Word, ...]
    methods: tuple[Method, ...]
    over_seeds: tuple[SeedScore | None, ...]
    random: RandomOrders
    agreement: tuple[tuple[RankAgreement, ...], ...]
    others: OtherMethods
