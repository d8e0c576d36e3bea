"""Files and frames of other people's making into the frames of ``nsx_core.audit.columns``.

Takes the form of the files that the authors of balkir-etal-2022 released, and the form of our
own runs (the columns under their own names). Texts lose blanks at both ends, so that files that
differ in them still fit together. A text that reads 'None' or 'NA' stays a text.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from nsx_core.audit.columns import (
    ATTRIBUTION_COLUMNS,
    CASE,
    CLASSIFIER,
    FUNCTIONALITY,
    GOLD,
    GOLD_VALUES,
    GROUP,
    IS_IDENTITY,
    LABEL_KIND,
    MEASURES,
    OTHER_NAMES,
    POSITION,
    PREDICTION,
    PREDICTION_COLUMNS,
    PROBABILITY,
    SCORE,
    TEMPLATE,
    TEXT,
    TOKEN_COLUMNS,
    WIDE_PREDICTION,
    WIDE_PROBABILITY,
    WORD,
    label_kind,
)
from nsx_core.audit.values import falling_in, flags, texts, whole_numbers
from nsx_core.errors import DataError
from nsx_core.spreadsheet import plain

ENDINGS = (".csv", ".parquet")


def read_predictions(path: str | Path) -> pd.DataFrame:
    """A predictions file as a frame with ``PREDICTION_COLUMNS``; see ``predictions_frame``."""
    return predictions_frame(_file(path), Path(path).name)


def read_token_scores(path: str | Path) -> pd.DataFrame:
    """A token scores file as a frame with ``TOKEN_COLUMNS``; see ``token_scores_frame``."""
    return token_scores_frame(_file(path), Path(path).name)


def read_attributions(path: str | Path) -> pd.DataFrame:
    """A SHAP or LIME file as a frame with ``ATTRIBUTION_COLUMNS``; see ``attributions_frame``."""
    return attributions_frame(_file(path), Path(path).name)


def predictions_frame(given: pd.DataFrame, name: str = "the frame") -> pd.DataFrame:
    """Predictions, one row a case and classifier, with ``PREDICTION_COLUMNS``.

    given: one row a case with columns 'NAME:pred' (and 'NAME:score') for each classifier, or one
    row a case and classifier. A template is the first there is of ``template``, ``templ_id``,
    ``case_templ`` and the text itself, by which each case is its own cluster. Raises
    ``DataError`` for missing columns, wrong values, duplicates and frames without rows.
    """
    frame = _named(given, name, (CASE, TEXT, FUNCTIONALITY, GROUP, GOLD))
    named = [str(c) for c in frame.columns]
    wide = [c.removesuffix(WIDE_PREDICTION) for c in named if c.endswith(WIDE_PREDICTION)]
    if wide:
        frame = _long(frame, wide)
    elif not {CLASSIFIER, PREDICTION} <= set(frame):
        raise DataError(
            f"{name} has no predictions: it needs a column 'NAME{WIDE_PREDICTION}' for each "
            f"classifier, or the columns {CLASSIFIER!r} and {PREDICTION!r}. It has: {_listed(given)}."
        )
    for column in (CASE, TEXT, FUNCTIONALITY, CLASSIFIER):
        frame[column] = texts(frame, column, name)
    frame[GROUP] = texts(frame, GROUP, name, may_be_empty=True)
    frame[TEMPLATE] = _templates(frame, name, frame[TEXT])
    frame[PREDICTION] = whole_numbers(frame, PREDICTION, name, high=1)
    frame[GOLD] = whole_numbers(
        frame.assign(**{GOLD: frame[GOLD].map(lambda v: GOLD_VALUES.get(v, v))}), GOLD, name, high=1
    )
    frame[PROBABILITY] = _probabilities(frame, name)
    frame[LABEL_KIND] = (
        texts(frame, LABEL_KIND, name, may_be_empty=True)
        if LABEL_KIND in frame
        else frame[CLASSIFIER].map(label_kind)
    )
    _refuse_duplicates(frame, (CLASSIFIER, CASE), name)
    return frame[list(PREDICTION_COLUMNS)].reset_index(drop=True)


def token_scores_frame(given: pd.DataFrame, name: str = "the frame") -> pd.DataFrame:
    """Token scores, one row a word of a case and classifier, with ``TOKEN_COLUMNS``.

    A template is "" where the frame has none: ``nsx_core.audit.cases`` then takes the
    prediction's. Raises ``DataError`` as ``predictions_frame`` does.
    """
    needed = (CASE, TEXT, CLASSIFIER, GROUP, POSITION, WORD, IS_IDENTITY, *MEASURES, PREDICTION)
    frame = _named(given, name, needed).copy()
    for column in (CASE, TEXT, CLASSIFIER, WORD):
        frame[column] = texts(frame, column, name)
    frame[GROUP] = texts(frame, GROUP, name, may_be_empty=True)
    frame[TEMPLATE] = _templates(frame, name, pd.Series("", index=frame.index))
    frame[PREDICTION] = whole_numbers(frame, PREDICTION, name, high=1)
    frame[POSITION] = whole_numbers(frame, POSITION, name)
    frame[IS_IDENTITY] = flags(frame, IS_IDENTITY, name)
    frame[PROBABILITY] = _probabilities(frame, name)
    for measure in MEASURES:
        frame[measure] = falling_in(frame, measure, name, -1, 1)
    _refuse_duplicates(frame, (CLASSIFIER, CASE, POSITION), name)
    return frame[list(TOKEN_COLUMNS)].reset_index(drop=True)


def attributions_frame(given: pd.DataFrame, name: str = "the frame") -> pd.DataFrame:
    """SHAP or LIME scores of identity phrases, one row a case and classifier.

    given: one row a case with a column of scores for each classifier, or one row a case and
    classifier with ``classifier`` and ``score``. A missing score is NaN. Raises ``DataError``
    as ``predictions_frame`` does.
    """
    frame = _named(given, name, (TEXT, GROUP))
    if not {CLASSIFIER, SCORE} <= set(frame):
        others = [c for c in frame if c not in (TEXT, GROUP, CASE, TEMPLATE)]
        if not others:
            raise DataError(f"{name} has no column of scores. It has: {_listed(given)}.")
        frame = frame.melt([TEXT, GROUP], others, var_name=CLASSIFIER, value_name=SCORE)
    frame = frame.copy()
    frame[TEXT] = texts(frame, TEXT, name)
    frame[GROUP] = texts(frame, GROUP, name, may_be_empty=True)
    frame[CLASSIFIER] = texts(frame, CLASSIFIER, name)
    frame[SCORE] = falling_in(frame, SCORE, name, -np.inf, np.inf)
    _refuse_duplicates(frame, (CLASSIFIER, TEXT, GROUP), name)
    return frame[list(ATTRIBUTION_COLUMNS)].reset_index(drop=True)


def _file(path: str | Path) -> pd.DataFrame:
    path = Path(path)
    if not path.is_file():
        raise DataError(f"A file of the audit must exist, and {path} does not. Check the path.")
    if path.suffix.lower() not in ENDINGS:
        raise DataError(
            f"A file of the audit ends in {' or '.join(ENDINGS)}, and {path.name} came."
        )
    try:
        if path.suffix.lower() == ".parquet":
            return pd.read_parquet(path)
        found = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
        return found.map(plain)
    except pd.errors.EmptyDataError as reason:
        raise DataError(f"{path.name} holds no rows.") from reason
    except UnicodeDecodeError as reason:
        raise DataError(f"{path.name} is not UTF-8: {reason}. Save it as UTF-8.") from reason
    except (ValueError, OSError) as reason:
        raise DataError(f"{path.name} cannot be read as {path.suffix[1:]}: {reason}") from reason


def _named(given: pd.DataFrame, name: str, needed: tuple[str, ...]) -> pd.DataFrame:
    """The frame under our names, with every needed column and at least one row."""
    if twice := sorted({str(c) for c in given.columns[given.columns.duplicated()]}):
        raise DataError(f"{name} has the column {twice[0]!r} twice. Rename one.")
    frame = given.rename(columns=str)
    for ours, others in OTHER_NAMES.items():
        found = next((other for other in others if other in frame), None)
        if ours not in frame and found is not None:
            frame = frame.rename(columns={found: ours})
    if missing := [c for c in needed if c not in frame]:
        said = "; ".join(" or ".join(map(repr, (c, *OTHER_NAMES.get(c, ())))) for c in missing)
        raise DataError(f"{name} has no column {said}. It has: {_listed(given)}.")
    if frame.empty:
        raise DataError(f"{name} holds no rows.")
    return frame


def _long(frame: pd.DataFrame, classifiers: list[str]) -> pd.DataFrame:
    """One row a case and classifier out of two columns a classifier."""
    named = [str(c) for c in frame.columns]
    kept = [c for c in named if not c.endswith((WIDE_PREDICTION, WIDE_PROBABILITY))]
    parts = []
    for classifier in classifiers:
        part = frame[kept].copy()
        part[CLASSIFIER] = classifier
        part[PREDICTION] = frame[classifier + WIDE_PREDICTION]
        if classifier + WIDE_PROBABILITY in frame:
            part[PROBABILITY] = frame[classifier + WIDE_PROBABILITY]
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _templates(frame: pd.DataFrame, name: str, otherwise: pd.Series[str]) -> pd.Series[str]:
    if TEMPLATE not in frame:
        return otherwise
    found = texts(frame, TEMPLATE, name, may_be_empty=True)
    return found.where(found != "", otherwise)


def _probabilities(frame: pd.DataFrame, name: str) -> pd.Series[float]:
    if PROBABILITY not in frame:
        return pd.Series(np.nan, index=frame.index)
    return falling_in(frame, PROBABILITY, name, 0, 1)


def _refuse_duplicates(frame: pd.DataFrame, key: tuple[str, ...], name: str) -> None:
    twice = frame.duplicated(list(key))
    if twice.any():
        first = ", ".join(f"{c} {frame[twice][c].iloc[0]!r}" for c in key)
        raise DataError(
            f"{name} has a row of its own for each {', '.join(key)}, and {int(twice.sum())} rows "
            f"come again; the first: {first}. Leave one of each."
        )


def _listed(frame: pd.DataFrame) -> str:
    return ", ".join(map(str, frame.columns)) or "none"
