"""Scores joined with what the predictions know of their cases.

The two kinds of files share texts, not case numbers, so a text is the key. Of the explained
cases only those count that the classifier gets right: gold and prediction are both the explained
class, as in balkir-etal-2022, section 4.2.
"""

from __future__ import annotations

import pandas as pd

from nsx_core.audit.columns import (
    CASE,
    CLASSIFIER,
    FUNCTIONALITY,
    GOLD,
    GROUP,
    HATECHECK,
    IS_IDENTITY,
    MEASURES,
    PREDICTION,
    TEMPLATE,
    TEXT,
    Functionalities,
)
from nsx_core.errors import DataError

RIGHT = "right"


def phrase_scores(
    token_scores: pd.DataFrame, predictions: pd.DataFrame,
    functionalities: Functionalities = HATECHECK,
) -> pd.DataFrame:  # fmt: skip
    """One row a case and classifier: the identity phrase's necessity and sufficiency.

    Columns: classifier, case, text, group, template, prediction, gold, right (bool), necessity,
    sufficiency. Several identity rows of one case are averaged: the case counts once. Cases
    without an identity row have none here. Raises ``DataError`` where a text is not among the
    predictions, where both files predict differently, or where a text has two templates.
    """
    rows = token_scores[token_scores[IS_IDENTITY]]
    keys = [CLASSIFIER, CASE, TEXT, GROUP, TEMPLATE, PREDICTION]
    rows = rows.groupby(keys, sort=False, as_index=False)[list(MEASURES)].mean()
    found = _with_cases(rows, predictions, "the token scores")
    judged = predictions.drop_duplicates([CLASSIFIER, TEXT])[[CLASSIFIER, TEXT, PREDICTION]]
    both = found.merge(judged, on=[CLASSIFIER, TEXT], how="left", suffixes=("", "_said"))
    differ = both[f"{PREDICTION}_said"].notna() & (both[PREDICTION] != both[f"{PREDICTION}_said"])
    if differ.any():
        first = both[differ].iloc[0]
        raise DataError(
            f"Token scores and predictions are of the same run, and {int(differ.sum())} cases are "
            f"predicted differently in them; the first: {first[CLASSIFIER]} on {first[TEXT]!r}. "
            "Give files of one run and threshold."
        )
    return _explained(found, functionalities)


def attributed_cases(
    attributions: pd.DataFrame, predictions: pd.DataFrame,
    functionalities: Functionalities = HATECHECK,
) -> pd.DataFrame:  # fmt: skip
    """SHAP or LIME scores with the columns of ``phrase_scores``, ``score`` in place of the two.

    Raises ``DataError`` where a text or a classifier is not among the predictions.
    """
    judged = predictions.drop_duplicates([CLASSIFIER, TEXT])[[CLASSIFIER, TEXT, PREDICTION]]
    found = _with_cases(attributions, predictions, "the attributions")
    found = found.merge(judged, on=[CLASSIFIER, TEXT], how="left")
    missing = found[PREDICTION].isna()
    if missing.any():
        first = found[missing].iloc[0]
        raise DataError(
            f"Attributions need the classifier's prediction, and {int(missing.sum())} have none; "
            f"the first: {first[CLASSIFIER]} on {first[TEXT]!r}. Predictions are there for: "
            f"{', '.join(sorted(predictions[CLASSIFIER].unique()))}."
        )
    return _explained(found, functionalities)


def _with_cases(rows: pd.DataFrame, predictions: pd.DataFrame, name: str) -> pd.DataFrame:
    about = [TEXT, TEMPLATE, FUNCTIONALITY, GOLD]
    known = predictions[about].drop_duplicates()
    wanted = known[known[TEXT].isin(rows[TEXT])]
    if (twice := wanted[TEXT].duplicated()).any():
        raise DataError(
            "A text has one template, functionality and gold label, and "
            f"{wanted[twice][TEXT].iloc[0]!r} has two. Leave one of each."
        )
    found = rows.merge(known, on=TEXT, how="left", suffixes=("", "_of_case"))
    if (missing := found[GOLD].isna()).any():
        raise DataError(
            f"Every text of {name} is among the predictions, and {found[missing][TEXT].nunique()} "
            f"are not; the first: {found[missing][TEXT].iloc[0]!r}. Give the predictions of "
            "the same suite."
        )
    if f"{TEMPLATE}_of_case" in found:
        own = found[TEMPLATE]
        found[TEMPLATE] = own.where(own != "", found[f"{TEMPLATE}_of_case"])
    return found


def _explained(found: pd.DataFrame, functionalities: Functionalities) -> pd.DataFrame:
    found = found[found[FUNCTIONALITY].isin(functionalities.explained)].copy()
    found[RIGHT] = (found[GOLD] == 1) & (found[PREDICTION] == 1)
    return found.reset_index(drop=True)
