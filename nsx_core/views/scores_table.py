"""All scores of one explanation as a table, and as files."""

from __future__ import annotations

import pandas as pd

from nsx_core.records import Estimate, Explanation, Side
from nsx_core.views.heatmap import bar_floor, interval_bar, shading
from nsx_core.views.markup import Node, direction, node, printable, shortened
from nsx_core.views.numbers import interval, score
from nsx_core.views.struck import Struck

__all__ = ["scores_frame", "scores_table"]


def scores_table(explanation: Explanation, struck: Struck | None = None) -> Node:
    """One row a word: both scores, their intervals as numbers and as bars, and n.

    Below them, smaller, the same without the draws that are struck out.
    """
    others = struck.without.words if struck else (None,) * len(explanation.words)
    floor = bar_floor(explanation.words)
    marked = ", and the thin upright marks 0" if floor < 0 else ""
    scale = node("caption", f"The bars run from {_end(floor)} to 1{marked}.")
    heads = node(
        "thead",
        node(
            "tr",
            node("th", "Word", scope="col"),
            *(
                node("th", name, scope="col", cls="number")
                for side in ("Necessity", "Sufficiency")
                for name in (side, "95 % interval", "Draws")
            ),
        ),
    )
    body = [
        node(
            "tr",
            node(
                "th",
                shortened(w.word.text),
                scope="row",
                cls="text",
                dir=direction(w.word.text),
            ),
            *(
                cell
                for side in Side
                for cell in _cells(
                    side, getattr(w, side), floor, getattr(other, side) if other else None
                )
            ),
        )
        for w, other in zip(explanation.words, others, strict=True)
    ]
    return node("div", node("table", scale, heads, node("tbody", *body), cls="scores"), cls="wide")


def scores_frame(explanation: Explanation, struck: Struck | None = None) -> pd.DataFrame:
    """The same as a frame: undefined scores are missing, never 0.

    The columns named after ``without_struck`` are there always, so that files compare; where no
    draw is struck out they say what the others say.
    """
    without = struck.without if struck else explanation
    columns: dict[str, list[object]] = {
        "word": [printable(w.word.text) for w in explanation.words],
        "start": [w.word.start for w in explanation.words],
        "end": [w.word.end for w in explanation.words],
    }
    floats = []
    for words, name in ((explanation.words, "{}"), (without.words, "{}_without_struck")):
        for side in Side:
            estimates, called = [getattr(w, side) for w in words], name.format(side)
            columns |= {
                called: [e.value for e in estimates],
                f"{called}_low": [e.low for e in estimates],
                f"{called}_high": [e.high for e in estimates],
                f"{called}_draws": [e.n for e in estimates],
            }
            floats += [called, f"{called}_low", f"{called}_high"]
    frame = pd.DataFrame(columns)
    return frame.astype(dict.fromkeys(floats, "float64") | {"word": "str"})


def _end(floor: float) -> str:
    return score(floor) if floor % 1 else score(floor, 0)


def _cells(
    side: Side, estimate: Estimate, floor: float, other: Estimate | None
) -> tuple[Node, ...]:
    def below(said: str) -> Node | None:
        return node("small", said, cls="without") if other else None

    return (
        node(
            "td",
            score(estimate.value),
            below(f"without: {score(other.value)}" if other else ""),
            cls=f"number {side}",
        ),
        node(
            "td",
            interval(estimate),
            below(interval(other) if other else ""),
            interval_bar(estimate, floor),
            cls=f"number bounds {side}",
            properties=shading(side, 0.66),
        ),
        node("td", str(estimate.n), below(str(other.n) if other else ""), cls="number"),
    )
