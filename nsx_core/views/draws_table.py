"""The drill-down's table: one counterfactual text a row, replaced words marked."""

from __future__ import annotations

from collections.abc import Sequence

from nsx_core.records import Explanation, Side
from nsx_core.views.drilldown import Kind, Order, Piece, Row, Selection, Shown
from nsx_core.views.heatmap import shading
from nsx_core.views.markup import Node, direction, node, shortened
from nsx_core.views.numbers import probability
from nsx_core.views.table_controls import pages_nav, sort_heading

__all__ = ["draws_table", "sample_table", "told"]

_WORD_CHARACTERS = 80
_TALL_WORDS = 120

_HEADINGS: tuple[tuple[Order | None, str, str], ...] = (
    ("number", "Draw", "number"),
    (None, "Counterfactual text", "text"),
    ("replaced", "Replaced", "number"),
    ("probability", "Probability", "number"),
    ("outcome", "Outcome", "outcome"),
)


def draws_table(
    explanation: Explanation, side: Side, shown: Shown, selection: Selection, total: int
) -> Node:
    """The table with its headings to sort by, the original on top, and the pages below."""
    return node(
        "div",
        node(
            "table",
            node("caption", _caption(explanation, side, shown, total)),
            node(
                "thead",
                node("tr", *(_heading(*h, selection) for h in _HEADINGS), _strike_heading()),
            ),
            node(
                "tbody",
                _original(explanation),
                *(_row(explanation, row) for row in shown.rows),
            ),
            cls="draws",
        ),
        None if shown.rows else node("p", _nothing(total), cls="nothing"),
        pages_nav(
            shown.first,
            len(shown.rows),
            len(shown.matching),
            shown.page,
            shown.pages,
            "Pages of counterfactual texts",
        ),
        cls=f"drilldown {side}",
        properties=shading(side, 0.35),
    )


def sample_table(explanation: Explanation, rows: Sequence[Row], caption: str) -> Node:
    """Some counterfactual texts of an explanation, with nothing to sort or to turn."""
    heads = (node("th", name, scope="col", cls=cls) for _, name, cls in _HEADINGS)
    table = node(
        "table",
        node("caption", caption),
        node("thead", node("tr", *heads, _strike_heading())),
        node("tbody", _original(explanation), *(_row(explanation, row) for row in rows)),
        cls="draws",
    )
    return node("div", table, cls="sample", properties=shading(Side.NECESSITY, 0.35))


def told(pieces: tuple[Piece, ...], unchanged: bool) -> tuple[Node | str, ...]:
    """A counterfactual text as marked pieces, with a word where it is the original's or empty."""
    inside = _marked(pieces)
    if unchanged:
        inside = (*inside, node("small", " (unchanged)"))
    if not "".join(p.text for p in pieces).strip():
        inside = (*inside, node("small", "(empty text)"))
    return inside


def _marked(pieces: tuple[Piece, ...]) -> tuple[Node | str, ...]:
    """Pieces as text and marks; words the infiller wrote are marked, the chosen one stands out."""
    made: list[Node | str] = []
    for piece in pieces:
        text = shortened(piece.text, _WORD_CHARACTERS)
        if piece.kind is Kind.WRITTEN:
            made.append(node("mark", piece.text, cls="written", dir=direction(piece.text)))
        elif piece.kind is Kind.CHOSEN:
            made.append(node("strong", text, cls="chosen"))
        else:
            made.append(text)
    return tuple(made)


def _caption(explanation: Explanation, side: Side, shown: Shown, total: int) -> Node:
    del explanation
    listed = len(shown.matching)
    count = f"All {total} texts" if listed == total else f"{listed} of {total} texts"
    struck = sum(r.struck is not None for r in shown.matching)
    count += f", {struck} of them struck out" if struck else ""
    kept = ", the chosen word in bold" if side is Side.SUFFICIENCY else ""
    return node(
        "span",
        f"{count}. ",
        node("mark", "Marked words", cls="written"),
        f" were written by the infiller{kept}.",
    )


def _heading(order: Order | None, name: str, cls: str, selection: Selection) -> Node:
    if order is None:
        return node("th", name, scope="col", cls=cls)
    return sort_heading(order, name, cls, selection.order == order, selection.descending)


def _original(explanation: Explanation) -> Node:
    verdict = explanation.label if explanation.predicted else f"not {explanation.label}"
    return node(
        "tr",
        node("th", "\u2013", scope="row", cls="number"),
        _text(explanation, (*shortened_words(explanation), node("small", " (original)"))),
        node("td", "0", cls="number"),
        _probability(explanation, explanation.probability),
        node("td", verdict, cls="outcome"),
        node("td"),
        cls="original",
    )


def _row(explanation: Explanation, row: Row) -> Node:
    inside = told(row.pieces, row.unchanged)
    if row.struck is not None:
        why = node("small", f"Struck out: {row.struck}", cls="reason", dir=direction(row.struck))
        inside = (node("s", *inside), why)
    return node(
        "tr",
        node("td", str(row.number + 1), cls="number"),
        _text(explanation, inside),
        node("td", f"{row.replaced} of {len(explanation.words)}", cls="number"),
        _probability(explanation, row.probability),
        node("td", row.outcome, cls=f"outcome {row.outcome}"),
        node("td", _strike_button(row), cls="strike"),
        cls="" if row.struck is None else "struck",
    )


def _strike_heading() -> Node:
    return node("th", cls="strike", scope="col", aria_label="Strike out or take back")


def _strike_button(row: Row) -> Node:
    name = "Strike out" if row.struck is None else "Take back"
    at = f"{row.side}:{row.number}"
    return node(
        "button",
        name,
        type="button",
        aria_label=f"{name} draw {row.number + 1}",
        data_id=f"strike-{at}",
        data_event="strike" if row.struck is None else "take_back",
        data_value=at,
    )


def shortened_words(explanation: Explanation) -> tuple[str, ...]:
    """The original's words and gaps, very long words cut short."""
    made: list[str] = []
    at = 0
    for word in (w.word for w in explanation.words):
        made += [explanation.text[at : word.start], shortened(word.text, _WORD_CHARACTERS)]
        at = word.end
    return (*made, explanation.text[at:])


def _text(explanation: Explanation, inside: tuple[Node | str, ...]) -> Node:
    tall = len(explanation.words) > _TALL_WORDS
    flow = (node("div", *inside, cls="tall"),) if tall else inside
    return node("td", *flow, cls="text", dir=direction(explanation.text))


def _probability(explanation: Explanation, value: float) -> Node:
    return node(
        "td",
        probability(value, explanation.settings.threshold),
        node("span", cls="bar", aria_hidden="true", properties={"--share": f"{value:.4f}"}),
        cls="number probability",
    )


def _nothing(total: int) -> str:
    if not total:
        return "No counterfactual text counts for this score: it is undefined."
    return "No text matches these filters."
