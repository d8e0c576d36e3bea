"""Tables 1 to 4 and B.3 of balkir-etal-2022, for any classifiers and groups.

- Table 1: the suite's functionalities.
- Table 2: mean necessity and sufficiency of the identity phrase over explained cases that the
  classifier gets right; std is the sample's (n - 1), as in the paper.
- Table 3: shares classified positive among neutral and positive mentions of a group (F18, F19)
  and among abuse of targets that are not protected (F24, F23, F22).
- Table 4: SHAP and LIME scores of the identity phrase, over the same cases as Table 2.
- Table B.3: Table 2 over scores from draws with a mask token in place of infills.

Where we differ: every figure has an interval and its n, small cells are marked, and what cannot
be computed is undefined rather than missing. Wilson's intervals in Table 3 take cases as
independent; within one group of HateCheck a template occurs once, so they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from nsx_core.audit.cases import RIGHT, attributed_cases, phrase_scores
from nsx_core.audit.clusters import mean_interval
from nsx_core.audit.columns import (
    CASE,
    CLASSIFIER,
    FUNCTIONALITY,
    GOLD,
    GROUP,
    HATECHECK,
    HATECHECK_ORDER,
    MEASURES,
    NUMBERS,
    PREDICTION,
    SCORE,
    TEMPLATE,
    TEXT,
    Functionalities,
    short_name,
)
from nsx_core.audit.results import FEW, FunctionalityRow, MeanScore, Rate, RateRow, ScoreRow
from nsx_core.scoring.wilson import wilson
from nsx_core.settings import checked_seed


def table_1(predictions: pd.DataFrame) -> tuple[FunctionalityRow, ...]:
    """Functionalities with their first case as the example, gold label and number of cases.

    HateCheck's come in their own order, others after them by name. gold is 'mixed' where a
    functionality has cases of both labels.
    """
    order = {name: place for place, name in enumerate(HATECHECK_ORDER)}
    rows = []
    for name, cases in predictions.drop_duplicates(CASE).groupby(FUNCTIONALITY):
        golds = set(cases[GOLD])
        gold = "mixed" if len(golds) > 1 else "hateful" if golds == {1} else "non-hateful"
        number = NUMBERS.get(str(name), "")
        rows.append(FunctionalityRow(str(name), number, cases[TEXT].iloc[0], gold, len(cases)))
    return tuple(
        sorted(rows, key=lambda r: (order.get(r.functionality, len(order)), r.functionality))
    )


def table_2(
    token_scores: pd.DataFrame, predictions: pd.DataFrame,
    functionalities: Functionalities = HATECHECK, *, groups: Sequence[str] | None = None,
    seed: int = 0,
) -> tuple[ScoreRow, ...]:  # fmt: skip
    """Identity necessity and sufficiency by classifier and group; also Table B.3 (see above).

    token_scores, predictions: frames of ``nsx_core.audit.reading``. groups: rows to give, by
    default all that have token scores. seed 0..2**31-1, of the bootstrap. Raises ``DataError``
    where the frames do not fit together.
    """
    return mean_rows(
        phrase_scores(token_scores, predictions, functionalities),
        dict(zip(MEASURES, MEASURES, strict=True)), _groups(token_scores, groups),
        _names(predictions), seed, _cases(predictions, functionalities),
    )  # fmt: skip


def table_3(
    predictions: pd.DataFrame, functionalities: Functionalities = HATECHECK, *,
    groups: Sequence[str] | None = None,
) -> tuple[RateRow, ...]:  # fmt: skip
    """Positive rates by classifier: mentions by group, then each kind of other target.

    groups: by default all groups of the predictions. A rate without a case is undefined.
    """
    rows = []
    wanted = _groups(predictions, groups)
    for classifier in _names(predictions):
        own = predictions[predictions[CLASSIFIER] == classifier]
        mentions = own[own[FUNCTIONALITY].isin(functionalities.mentions)]
        name = short_name(functionalities.mentions)
        for group in wanted:
            rate = positive_rate(mentions[mentions[GROUP] == group][PREDICTION])
            rows.append(RateRow(classifier, name, group, rate))
        for target in functionalities.non_protected:
            rate = positive_rate(own[own[FUNCTIONALITY] == target][PREDICTION])
            rows.append(RateRow(classifier, short_name((target,)), "", rate))
    return tuple(rows)


def table_4(
    attributions: pd.DataFrame, predictions: pd.DataFrame, method: str,
    functionalities: Functionalities = HATECHECK, *, groups: Sequence[str] | None = None,
    seed: int = 0,
) -> tuple[ScoreRow, ...]:  # fmt: skip
    """Scores of one attribution method for the identity phrase, as ``table_2`` aggregates.

    attributions: a frame of ``nsx_core.audit.reading``; method: 'SHAP' or 'LIME', the rows'
    measure. Raises ``DataError`` where the frames do not fit together.
    """
    return mean_rows(
        attributed_cases(attributions, predictions, functionalities), {SCORE: method},
        _groups(attributions, groups), _names(attributions), seed,
        _cases(predictions, functionalities),
    )  # fmt: skip


def mean_rows(
    cases: pd.DataFrame, measures: dict[str, str], groups: Sequence[str],
    classifiers: Sequence[str], seed: int, cases_of: pd.Series[int],
) -> tuple[ScoreRow, ...]:  # fmt: skip
    """One row a classifier, group and measure over a frame of ``nsx_core.audit.cases``.

    measures: a column and its name in the table, each; cases_of: int by classifier and group,
    how many cases there are, scored or not.
    """
    cells = {key: cell for key, cell in cases.groupby([CLASSIFIER, GROUP])}  # noqa: C416
    rows = []
    for classifier in classifiers:
        for group in groups:
            cell = cells.get((classifier, group), cases.iloc[:0])
            for column, name in measures.items():
                right = cell[cell[RIGHT]]
                there = int(cases_of.get((classifier, group), 0))
                score = mean_score(right[column], right[TEMPLATE], there, seed)
                rows.append(ScoreRow(classifier, group, name, score))
    return tuple(rows)


def mean_score(
    scores: pd.Series[float], templates: pd.Series[str], cases: int, seed: int = 0
) -> MeanScore:
    """Mean, sample std and interval of the scores of cases that the classifier gets right.

    scores: float[n], NaN = undefined and left out, with a note; templates: str[n]; cases: how
    many cases there were, right or not.
    """
    seed = checked_seed(seed)
    there = scores.notna()
    values, clusters = scores[there], templates[there]
    n, size = len(values), int(clusters.nunique())
    notes = []
    if missing := int((~there).sum()):
        notes.append(f"{missing} of {len(scores)} scores undefined and left out")
    if not n:
        return MeanScore(None, None, None, None, 0, 0, cases, (f"undefined, 0 of {cases}", *notes))
    interval = mean_interval(values.to_numpy(), clusters.to_numpy(), seed)
    notes += small(n, size)
    if size == 1:
        notes.append("one template: no interval")
    elif interval is None:
        notes.append("no spread between templates: no interval")
    low, high = interval or (None, None)
    std = float(values.std()) if n > 1 else None
    return MeanScore(float(values.mean()), std, low, high, n, size, cases, tuple(notes))


def positive_rate(predictions: pd.Series[int]) -> Rate:
    """The share of 1 among predictions int[n] of 0 and 1, with Wilson's interval."""
    n, positives = len(predictions), int(predictions.sum())
    if not n:
        return Rate(None, None, None, 0, 0, ("undefined, 0 of 0",))
    low, high = (float(bound) for bound in wilson(positives, n))
    return Rate(positives / n, low, high, positives, n, tuple(small(n)))


def small(n: int, templates: int | None = None) -> list[str]:
    """The marks of a small cell: fewer than ``FEW`` cases, or templates."""
    if n < FEW:
        return [f"fewer than {FEW} cases"]
    return [f"fewer than {FEW} templates"] if templates is not None and templates < FEW else []


def _cases(predictions: pd.DataFrame, functionalities: Functionalities) -> pd.Series[int]:
    """How many hateful cases of the explained functionalities, by classifier and group."""
    explained = predictions[FUNCTIONALITY].isin(functionalities.explained)
    return predictions[explained & (predictions[GOLD] == 1)].groupby([CLASSIFIER, GROUP]).size()


def _groups(frame: pd.DataFrame, groups: Sequence[str] | None) -> list[str]:
    found = [g for g in frame[GROUP].unique().tolist() if g]
    return found if groups is None else list(groups)


def _names(frame: pd.DataFrame) -> list[str]:
    return [str(name) for name in np.asarray(frame[CLASSIFIER].unique())]
