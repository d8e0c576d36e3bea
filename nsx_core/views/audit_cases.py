"""An audit's cases as a list: filtered, sorted, a page at a time, each with a way to Explain."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

import pandas as pd

from nsx_core.audit.cases import RIGHT
from nsx_core.audit.columns import (
    CASE,
    CLASSIFIER,
    FUNCTIONALITY,
    GOLD,
    GROUP,
    NECESSITY,
    PREDICTION,
    PROBABILITY,
    SUFFICIENCY,
    TEMPLATE,
    TEXT,
)

__all__ = ["ORDERS", "PAGE", "CaseOrder", "CasesShown", "Wanted", "listed", "selected", "sorted_by"]

PAGE = 25
DRAWS = "draws"
STRUCK = ("struck", "necessity_without", "sufficiency_without")
CaseOrder = Literal[
    "classifier", "group", "text", "necessity", "sufficiency", "probability", "right", "draws"
]
ORDERS: tuple[str, ...] = get_args(CaseOrder)
_TEXTUAL = ("classifier", "group", "text")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which cases, in which order. None = any; scored: those with a row of scores only.

    page counts from 0.
    """

    classifier: str | None = None
    group: str | None = None
    functionality: str | None = None
    right: bool | None = None
    search: str = ""
    scored: bool = False
    order: str = "text"
    descending: bool = False
    page: int = 0


@dataclass(frozen=True, slots=True)
class CasesShown:
    """One page; matching: all rows that match, sorted; first: the page's first row, from 0."""

    rows: pd.DataFrame
    matching: pd.DataFrame
    total: int
    first: int
    page: int
    pages: int


def listed(cases: pd.DataFrame, predictions: pd.DataFrame) -> pd.DataFrame:
    """One row a case and classifier of the whole suite, with scores where there are any.

    cases: the columns of ``phrase_scores``, and probability, draws, struck draws and scores without
    them where they are known;
    predictions: ``PREDICTION_COLUMNS``. Columns: case, text, classifier, group, functionality,
    template, gold, prediction, right, probability, necessity, sufficiency, draws, struck,
    necessity_without, sufficiency_without, scored. Texts
    join the two, as in ``nsx_core.audit.cases``; the scores' group and case stand for scored rows.
    """
    about = [c for c in (CASE, GROUP, NECESSITY, SUFFICIENCY, DRAWS, *STRUCK) if c in cases]
    scores = cases[[CLASSIFIER, TEXT, *about]].drop_duplicates([CLASSIFIER, TEXT])
    known = predictions.drop_duplicates([CLASSIFIER, TEXT])
    found = known.merge(
        scores.assign(scored=True), on=[CLASSIFIER, TEXT], how="left", suffixes=("", "_scored")
    )
    found["scored"] = found["scored"].notna()
    for name in (CASE, GROUP):
        found[name] = found[f"{name}_scored"].where(found["scored"], found[name])
    for name in (DRAWS, *STRUCK):
        if name not in found:
            found[name] = float("nan")
    found[RIGHT] = found[GOLD] == found[PREDICTION]
    return found[
        [CASE, TEXT, CLASSIFIER, GROUP, FUNCTIONALITY, TEMPLATE, GOLD, PREDICTION, RIGHT,
         PROBABILITY, NECESSITY, SUFFICIENCY, DRAWS, *STRUCK, "scored"]
    ]  # fmt: skip


def selected(found: pd.DataFrame, wanted: Wanted) -> CasesShown:
    """The rows that match, sorted, and the page asked for; a page past the end is the last.

    found: a frame of ``listed``. A search ignores case and is not a pattern. Undefined values
    come last in either direction.
    """
    keep = pd.Series(True, index=found.index)
    for column, value in (
        (CLASSIFIER, wanted.classifier), (GROUP, wanted.group),
        (FUNCTIONALITY, wanted.functionality), (RIGHT, wanted.right),
    ):  # fmt: skip
        if value is not None:
            keep &= found[column] == value
    if wanted.scored:
        keep &= found["scored"]
    if words := wanted.search.strip():
        keep &= found[TEXT].str.casefold().str.contains(words.casefold(), regex=False)
    rows = found[keep].sort_values(
        wanted.order if wanted.order in ORDERS else "text",
        ascending=not wanted.descending,
        kind="stable",
        na_position="last",
    )
    pages = max(1, -(-len(rows) // PAGE))
    page = min(max(wanted.page, 0), pages - 1)
    first = page * PAGE
    return CasesShown(rows.iloc[first : first + PAGE], rows, len(found), first, page, pages)


def sorted_by(wanted: Wanted, order: str) -> Wanted:
    """Sorted by ``order``, numbers from the highest first; again, the other way round."""
    if order not in ORDERS:
        return wanted
    descending = order not in _TEXTUAL
    if wanted.order == order:
        descending = not wanted.descending
    return replace(wanted, order=order, descending=descending, page=0)
