"""All scores of one explanation as a table, and as files."""

from __future__ import annotations

import pandas as pd

from nsx_core.records import Estimate, Explanation, Side
from nsx_core.views.heatmap import bar_floor, interval_bar, shading
from nsx_core.views.markup import Node, direction, node, printable, shortened
from nsx_core.views.numbers import interval, score

__all__ = ["scores_frame", "scores_table"]


def scores_table(explanation: Explanation) -> Node:
    """One row a word: both scores, their intervals as numbers and as bars, and n."""
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
            *_cells(Side.NECESSITY, w.necessity, floor),
            *_cells(Side.SUFFICIENCY, w.sufficiency, floor),
        )
        for w in explanation.words
    ]
    return node("div", node("table", scale, heads, node("tbody", *body), cls="scores"), cls="wide")


def scores_frame(explanation: Explanation) -> pd.DataFrame:
    """The same as a frame: undefined scores are missing, never 0."""
    columns: dict[str, list[object]] = {
        "word": [printable(w.word.text) for w in explanation.words],
        "start": [w.word.start for w in explanation.words],
        "end": [w.word.end for w in explanation.words],
    }
    for side in Side:
        estimates = [getattr(w, str(side)) for w in explanation.words]
        columns |= {
            str(side): [e.value for e in estimates],
            f"{side}_low": [e.low for e in estimates],
            f"{side}_high": [e.high for e in estimates],
            f"{side}_draws": [e.n for e in estimates],
        }
    frame = pd.DataFrame(columns)
    floats = [c for s in Side for c in (str(s), f"{s}_low", f"{s}_high")]
    return frame.astype(dict.fromkeys(floats, "float64") | {"word": "str"})


def _end(floor: float) -> str:
    return score(floor) if floor % 1 else score(floor, 0)


def _cells(side: Side, estimate: Estimate, floor: float) -> tuple[Node, ...]:
    return (
        node("td", score(estimate.value), cls=f"number {side}"),
        node(
            "td",
            interval(estimate),
            interval_bar(estimate, floor),
            cls=f"number bounds {side}",
            properties=shading(side, 0.66),
        ),
        node("td", str(estimate.n), cls="number"),
    )
