"""The list of cases as a table: headings to sort by, a button 'Explain' a row, pages below."""

from __future__ import annotations

from typing import Any

import pandas as pd

from nsx_core.audit.columns import NUMBERS
from nsx_core.views.audit_cases import CasesShown, Wanted
from nsx_core.views.audit_cells import as_value, name_of, row_heading, shaded
from nsx_core.views.markup import Node, direction, node
from nsx_core.views.numbers import probability, score
from nsx_core.views.table_controls import pages_nav, sort_heading

__all__ = ["cases_table"]

_DASH = "\u2013"
_HEADINGS: tuple[tuple[str, str, str], ...] = (
    ("text", "Case", "text"),
    ("classifier", "Classifier", ""),
    ("group", "Group", ""),
    ("necessity", "Necessity", "number"),
    ("sufficiency", "Sufficiency", "number"),
    ("probability", "Probability", "number"),
    ("right", "Prediction", ""),
    ("draws", "Draws", "number"),
)


def cases_table(shown: CasesShown, wanted: Wanted, threshold: float, title: str) -> Node:
    """The page of cases; events: 'sort' (an order), 'page' (from 0), 'case' (``as_value`` of
    classifier and case). Columns that a filter makes the same in every row are left out."""
    hidden = {n for n in ("classifier", "group") if getattr(wanted, n) is not None}
    heads = [h for h in _HEADINGS if h[0] not in hidden]
    rows = shown.rows.to_dict("records")
    table = node(
        "table",
        node("caption", f"{title} {_count(shown, wanted)}"),
        node(
            "thead",
            node(
                "tr",
                *(sort_heading(*h, wanted.order == h[0], wanted.descending) for h in heads),
                node("th", "", scope="col", cls="go"),
            ),
        ),
        node("tbody", *(_row(row, [h[0] for h in heads], threshold) for row in rows)),
        cls="cases",
    )
    return node(
        "div",
        node("div", table, cls="audit-box"),
        None if rows else node("p", "No case matches these filters.", cls="nothing"),
        pages_nav(
            shown.first,
            len(shown.rows),
            len(shown.matching),
            shown.page,
            shown.pages,
            "Pages of cases",
        ),
        cls="audit-cases audit",
    )


def _count(shown: CasesShown, wanted: Wanted) -> str:
    what = "rows, one a case and classifier" if wanted.classifier is None else "cases"
    if len(shown.matching) == shown.total:
        return f"All {shown.total:,} {what}."
    return f"{len(shown.matching):,} of {shown.total:,} {what}."


def _row(row: dict[Any, Any], columns: list[str], threshold: float) -> Node:
    made = {
        "text": _text(row),
        "classifier": row_heading(str(row["classifier"])),
        "group": node("td", name_of(str(row["group"]))),
        "necessity": _score("necessity", row),
        "sufficiency": _score("sufficiency", row),
        "probability": _probability(row["probability"], threshold),
        "right": node("td", _verdict(row), cls="outcome"),
        "draws": _draws(row),
    }  # fmt: skip
    value = as_value(str(row["classifier"]), str(row["case"]))
    button = node(
        "button",
        "Explain",
        type="button",
        aria_label=f"Explain this case with {row['classifier']}",
        data_id=f"case-{value}",
        data_event="case",
        data_value=value,
    )
    return node("tr", *(made[name] for name in columns), node("td", button, cls="go"))


def _text(row: dict[Any, Any]) -> Node:
    text, functionality = str(row["text"]), str(row["functionality"])
    number = NUMBERS.get(functionality, "")
    return node(
        "td",
        text,
        node("small", f" {number} {functionality}".replace("  ", " "), cls="function"),
        cls="text",
        dir=direction(text),
    )


def _score(measure: str, row: dict[Any, Any]) -> Node:
    value = row[measure]
    if not row["scored"]:
        return node("td", _DASH, cls="number", title="Not among the explained cases")
    if pd.isna(value):
        return node("td", "undefined", cls="number")
    rest = row[f"{measure}_without"]
    return node(
        "td",
        node("span", score(float(value)), cls="shade", properties=shaded(measure, float(value))),
        node("small", f"without: {score(None if pd.isna(rest) else float(rest))}", cls="function")
        if _struck(row)
        else None,
        cls="number",
    )


def _draws(row: dict[Any, Any]) -> Node:
    if pd.isna(row["draws"]):
        return node("td", _DASH, cls="number")
    gone = _struck(row)
    return node(
        "td",
        f"{int(row['draws']):,}",
        node("small", f"{gone:,} struck out", cls="function") if gone else None,
        cls="number",
    )


def _struck(row: dict[Any, Any]) -> int:
    return 0 if pd.isna(row["struck"]) else int(row["struck"])


def _probability(value: Any, threshold: float) -> Node:
    return node("td", _DASH if pd.isna(value) else probability(float(value), threshold),
                cls="number")  # fmt: skip


def _verdict(row: dict[Any, Any]) -> str:
    return f"{'flagged' if row['prediction'] == 1 else 'not flagged'}, " + (
        "right" if row["right"] else "wrong"
    )
