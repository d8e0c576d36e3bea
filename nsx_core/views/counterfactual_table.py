"""All texts that were judged: ranked, filtered, sorted, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from nsx_core.counterfactual_records import Counterfactual, Findings, SetKind
from nsx_core.views.counterfactual_marks import method_name, tint
from nsx_core.views.markup import Node, direction, node
from nsx_core.views.numbers import counted, probability, score
from nsx_core.views.table_controls import pages_nav, sort_heading

__all__ = [
    "ORDERS",
    "PAGE_ROWS",
    "Row",
    "Selection",
    "Shown",
    "all_texts",
    "rows",
    "selected",
    "words_changed",
]

PAGE_ROWS = 25
Order = Literal["rank", "probability", "words", "edits", "cosine", "fluency"]
ORDERS: tuple[Order, ...] = ("rank", "probability", "words", "edits", "cosine", "fluency")
_HEADINGS: tuple[tuple[Order | None, str, str], ...] = (
    ("rank", "Rank", "number"),
    (None, "Counterfactual text", "text"),
    (None, "Found by", ""),
    ("probability", "Probability", "number"),
    (None, "Valid", ""),
    ("words", "Words", "number"),
    ("edits", "Edits", "number"),
    ("cosine", "Cosine", "number"),
    ("fluency", "Fluency", "number"),
)
_TALL_WORDS = 120
_UNKNOWN = "\u2013"


@dataclass(frozen=True, slots=True)
class Row:
    """One text and its rank, from 1, among all texts as they are ranked now."""

    rank: int
    text: Counterfactual


@dataclass(frozen=True, slots=True)
class Selection:
    """What a person asked to see: filters, then order, then a page counted from 0.

    finder: a method's name as it is shown, '' = whoever; most: at most so many words changed.
    """

    valid_only: bool = False
    finder: str = ""
    most: int | None = None
    search: str = ""
    order: Order = "rank"
    descending: bool = False
    page: int = 0


@dataclass(frozen=True, slots=True)
class Shown:
    """One page of rows, and where it stands among all that match."""

    rows: tuple[Row, ...]
    matching: tuple[Row, ...]
    first: int
    page: int
    pages: int


def rows(ranked: Sequence[Counterfactual]) -> tuple[Row, ...]:
    """The texts with their ranks, in the order given."""
    return tuple(Row(rank, text) for rank, text in enumerate(ranked, start=1))


def words_changed(rows: Sequence[Row]) -> tuple[int, ...]:
    """The numbers of changed words that occur, ascending."""
    return tuple(sorted({row.text.words_changed for row in rows}))


def selected(rows: Sequence[Row], selection: Selection) -> Shown:
    """The rows that match, in order, and one page of them; a page too far is the last one.

    What was not measured comes last, however the rows are sorted.
    """
    needle = selection.search.strip().casefold()
    matching = [
        row
        for row in rows
        if (row.text.valid or not selection.valid_only)
        and selection.finder in ("", method_name(row.text.method))
        and (selection.most is None or row.text.words_changed <= selection.most)
        and needle in row.text.text.casefold()
    ]
    matching.sort(key=lambda row: row.rank)
    known = [row for row in matching if _value(row, selection.order) is not None]
    unknown = [row for row in matching if _value(row, selection.order) is None]
    known.sort(key=lambda row: _value(row, selection.order) or 0.0, reverse=selection.descending)
    matching = known + unknown
    pages = max(1, -(-len(matching) // PAGE_ROWS))
    page = min(max(selection.page, 0), pages - 1)
    first = page * PAGE_ROWS
    return Shown(tuple(matching[first : first + PAGE_ROWS]), tuple(matching), first, page, pages)


def all_texts(found: Findings, shown: Shown, selection: Selection, total: int) -> Node:
    """The table with its headings to sort by, the original on top, and the pages below."""
    heads = (
        node("th", name, scope="col", cls=cls)
        if order is None
        else sort_heading(order, name, cls, selection.order == order, selection.descending)
        for order, name, cls in _HEADINGS
    )
    table = node(
        "table",
        node("caption", *_caption(shown, total)),
        node("thead", node("tr", *heads)),
        node("tbody", _original(found), *(_row(found, row) for row in shown.rows)),
        cls="draws cf-table",
    )
    return node(
        "div",
        node("div", table, cls="wide"),
        None if shown.rows else node("p", "No text matches these filters.", cls="nothing"),
        pages_nav(
            shown.first,
            len(shown.rows),
            len(shown.matching),
            shown.page,
            shown.pages,
            "Pages of counterfactual texts",
        ),
        cls="cf-all",
        properties=tint(SetKind.REMOVED),
    )


def _caption(shown: Shown, total: int) -> tuple[Node | str, ...]:
    listed = len(shown.matching)
    count = f"All {counted(total, 'text')}" if listed == total else f"{listed:,} of {total:,} texts"
    valid = sum(row.text.valid for row in shown.matching)
    return (
        f"{count}, {valid:,} of them valid. ",
        node("mark", "Marked words", cls="written"),
        f" were written by the infiller; {_UNKNOWN}: not measured.",
    )


def _original(found: Findings) -> Node:
    goal = found.goal
    return node(
        "tr",
        node("th", _UNKNOWN, scope="row", cls="number"),
        _text(found, (found.text, node("small", " (original)"))),
        node("td"),
        node("td", probability(goal.original, goal.threshold), cls="number"),
        node("td"),
        node("td", "0", cls="number"),
        node("td", "0", cls="number"),
        node("td", score(1.0), cls="number"),
        node("td", score(0.0), cls="number"),
        cls="original",
    )


def _row(found: Findings, row: Row) -> Node:
    text = row.text
    inside: tuple[Node | str, ...] = tuple(
        node("mark", piece, cls="written", dir=direction(piece)) if written else piece
        for piece, written in text.pieces
        if piece
    )
    if text.candidate.unchanged:
        inside = (*inside, node("small", " (unchanged)"))
    if not text.text.strip():
        inside = (*inside, node("small", "(empty text)"))
    return node(
        "tr",
        node("td", f"{row.rank:,}", cls="number"),
        _text(found, inside),
        node("td", method_name(text.method), cls="finder"),
        node("td", probability(text.after, found.goal.threshold), cls="number"),
        node("td", "yes" if text.valid else "no", cls="valid" if text.valid else "faint"),
        node("td", str(text.words_changed), cls="number"),
        node("td", str(text.edit_distance), cls="number"),
        node("td", _measured(text.cosine), cls="number"),
        node("td", _measured(text.fluency), cls="number"),
    )


def _text(found: Findings, inside: tuple[Node | str, ...]) -> Node:
    tall = len(found.words) > _TALL_WORDS
    flow = (node("div", *inside, cls="tall"),) if tall else inside
    return node("td", *flow, cls="text", dir=direction(found.text))


def _value(row: Row, order: Order) -> float | None:
    if order == "cosine":
        return row.text.cosine
    if order == "fluency":
        return row.text.fluency
    return {
        "rank": row.rank,
        "probability": row.text.after,
        "words": row.text.words_changed,
        "edits": row.text.edit_distance,
    }[order]


def _measured(value: float | None) -> str:
    return _UNKNOWN if value is None else score(value)
