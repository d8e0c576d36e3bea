"""Hypotheses 1 to 3 of balkir-etal-2022 as tests, and sentences that claim no more than n allows.

1. Labels for hate make identity phrases more necessary than labels for abuse: hate is abuse *of
   a group*, so the group must be named. Tested case by case on classifiers of the same training
   data (names alike up to '-hate' and '-abuse'), so that nothing but the labels differs.
2. Where identity phrases are more sufficient, more neutral and positive mentions of the group
   (F18, F19) are classified positive.
3. Where they are less necessary, more abuse of targets that are not protected (F22 to F24) is
   classified positive.

2 and 3 are rank correlations over classifiers and groups: few points, which share classifiers
and texts. The paper argued from its tables; the tests here are ours.
"""

from __future__ import annotations

import pandas as pd

from nsx_core.audit.cases import RIGHT
from nsx_core.audit.columns import (
    ABUSE,
    CASE,
    CLASSIFIER,
    FUNCTIONALITY,
    HATE,
    HATECHECK,
    LABEL_KIND,
    NECESSITY,
    SUFFICIENCY,
    TEMPLATE,
    Functionalities,
    short_name,
)
from nsx_core.audit.comparisons import compared, corrected, paired_differences
from nsx_core.audit.correlation import Rated, correlated
from nsx_core.audit.results import Correlation, Hypothesis, PairedDifference
from nsx_core.audit.saying import correlation_sentence, labels_sentence

CLAIMS = {
    1: "Identity phrases are more necessary for classifiers of hate than for those of abuse.",
    2: "Classifiers for which a group's name is more sufficient flag more neutral and positive "
    "mentions of the group.",
    3: "Classifiers for which groups' names are less necessary flag more abuse of targets that "
    "are not protected groups.",
}
POOLED = "all sources"


def hypotheses(
    cases: pd.DataFrame, predictions: pd.DataFrame,
    functionalities: Functionalities = HATECHECK, seed: int = 0,
) -> tuple[Hypothesis, ...]:  # fmt: skip
    """The three hypotheses, tested.

    cases: a frame of ``phrase_scores``; predictions: a frame of ``nsx_core.audit.reading``.
    Each result has its n and interval; 'not enough' is a result too.
    """
    right = cases[cases[RIGHT]]
    labels = labels_compared(cases, predictions, seed)
    mentions = predictions[predictions[FUNCTIONALITY].isin(functionalities.mentions)]
    name = short_name(functionalities.mentions)
    second = (correlated(right, SUFFICIENCY, Rated(name, mentions, True), seed),)
    targets = functionalities.non_protected
    third = tuple(
        correlated(
            right, NECESSITY,
            Rated(short_name(some), predictions[predictions[FUNCTIONALITY].isin(some)], False),
            seed,
        )
        for some in (targets, *((target,) for target in targets if len(targets) > 1))
    )  # fmt: skip
    return (
        Hypothesis(1, CLAIMS[1], labels, tuple(labels_sentence(r) for r in labels)),
        _correlations(2, second, rising=True),
        _correlations(3, third, rising=False),
    )


def labels_compared(
    cases: pd.DataFrame, predictions: pd.DataFrame, seed: int = 0
) -> tuple[PairedDifference, ...]:
    """Necessity with labels for hate minus with labels for abuse, a row each source of data.

    With two sources or more, a first row pools them: the mean of a case's differences, over
    cases with any. p is corrected over the sources (holm-1979); the pooled test stands alone.
    """
    kinds = predictions.drop_duplicates(CLASSIFIER).set_index(CLASSIFIER)[LABEL_KIND]
    scored = [name for name in cases[CLASSIFIER].unique() if name in kinds.index]
    by_kind = {
        kind: {str(n).removesuffix(f"-{kind}"): str(n) for n in scored if kinds[n] == kind}
        for kind in (HATE, ABUSE)
    }
    pairs = [
        (by_kind[HATE][source], by_kind[ABUSE][source])
        for source in by_kind[HATE]
        if source in by_kind[ABUSE]
    ]
    found = [paired_differences(cases, *pair, NECESSITY) for pair in pairs]
    single = corrected(
        [compared(d, *pair, NECESSITY, seed) for d, pair in zip(found, pairs, strict=True)]
    )
    if len(pairs) < 2:
        return single
    together = pd.concat(found).groupby([CASE, TEMPLATE])[["difference"]].mean().reset_index()
    return (compared(together, f"{HATE}, {POOLED}", f"{ABUSE}, {POOLED}", NECESSITY, seed), *single)


def _correlations(number: int, results: tuple[Correlation, ...], *, rising: bool) -> Hypothesis:
    sentences = tuple(correlation_sentence(result, rising=rising) for result in results)
    return Hypothesis(number, CLAIMS[number], results, sentences)
