"""Proximity against plausibility: how near a text stays, and how well it reads."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Literal

import plotly.graph_objects as go

from nsx_core.counterfactual_records import Findings, Method
from nsx_core.views.counterfactual_marks import method_name
from nsx_core.views.counterfactual_table import Row
from nsx_core.views.markup import printable, shortened
from nsx_core.views.numbers import counted, probability, score

__all__ = ["ACROSS", "Across", "scatter", "scatter_sentence"]

Across = Literal["cosine", "words"]
ACROSS: dict[Across, str] = {"cosine": "Meaning kept", "words": "Words changed"}
_TITLES: dict[Across, str] = {
    "cosine": "meaning kept (cosine): further right is nearer",
    "words": "words changed: further left is nearer",
}
#: More points than this would hide one another and slow the browser down.
POINTS_MAX = 2_000
_SYMBOLS: dict[Method | None, str] = {
    Method.WACHTER: "circle",
    Method.SEDC: "square",
    Method.SPHERES: "diamond",
    Method.ANCHORS: "triangle-up",
    None: "cross",
}
# Readable on light and on dark pages; what is not valid recedes (okabe-ito-2008).
_VALID, _INVALID, _ZERO = "#009e73", "#8a94a0", "#8a94a0"
_SPREAD = 0.24


def scatter(found: Findings, rows: Sequence[Row], across: Across) -> go.Figure | None:
    """One point a text, of the first in rank that have both measures; None where none has.

    Full and green: valid; hollow and grey: not. The symbol says who found it. Plotly reads tags
    in labels, so texts are escaped. Numbers of words are spread a little to either side.
    """
    shown = _shown(rows, across)
    if not shown:
        return None
    figure = go.Figure()
    for method in _SYMBOLS:
        for valid in (False, True):
            points = [r for r in shown if r.text.method is method and r.text.valid is valid]
            if points:
                figure.add_trace(_points(found, points, across, method, valid))
    figure.update_xaxes(
        title=_TITLES[across], zeroline=False, dtick=1 if across == "words" else None
    )
    figure.update_yaxes(
        title="fluency: higher reads better", zeroline=True, zerolinecolor=_ZERO, zerolinewidth=1
    )
    figure.update_layout(
        height=400,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        dragmode=False,
    )
    return figure


def scatter_sentence(found: Findings, rows: Sequence[Row], across: Across) -> str:
    """What the chart shows, in words: for people who do not see it, and those who do."""
    shown = _shown(rows, across)
    if not shown:
        why = found.fluency_note or "No text has both measures."
        return f"There is no chart of proximity and plausibility. {why}"
    nearer = (
        "Further right: more of the meaning is kept"
        if across == "cosine"
        else ("Further left: fewer words are changed")
    )
    said = (
        f"Each point is a text. {nearer}. Higher: the text reads more like one that might be met; "
        "at 0 it reads as well as the original."
    )
    missing = sum(_place(row, across) is None for row in rows)
    if missing:
        said += f" {counted(missing, 'text is', 'texts are')} missing here, for want of a measure."
        said += f" {found.fluency_note}" if found.fluency_note else ""
    if len(rows) - missing > len(shown):
        said += f" The first {len(shown):,} in rank are drawn."
    valid = [row for row in shown if row.text.valid]
    if not valid:
        return f"{said} None of them is valid."
    best = max(valid, key=lambda row: row.text.fluency or 0.0)
    place = f"cosine {score(best.text.cosine)}"
    if across == "words":
        place = counted(best.text.words_changed, "word") + " changed"
    return (
        f"{said} {counted(len(valid), 'point is', 'points are')} valid (full, green). Of these the "
        f"best to read is rank {best.rank:,}: fluency {score(best.text.fluency)}, {place}."
    )


def _shown(rows: Sequence[Row], across: Across) -> list[Row]:
    return [row for row in rows if _place(row, across) is not None][:POINTS_MAX]


def _place(row: Row, across: Across) -> tuple[float, float] | None:
    near = row.text.cosine if across == "cosine" else float(row.text.words_changed)
    if near is None or row.text.fluency is None:
        return None
    return near, row.text.fluency


def _points(
    found: Findings, rows: Sequence[Row], across: Across, method: Method | None, valid: bool
) -> go.Scatter:
    places = [_place(row, across) or (0.0, 0.0) for row in rows]
    # By rank, so that a point keeps its place when the filters change.
    aside = [(row.rank * 0.618) % 1 * 2 * _SPREAD - _SPREAD for row in rows]
    colour = _VALID if valid else _INVALID
    return go.Scatter(
        x=[x + (a if across == "words" else 0.0) for (x, _), a in zip(places, aside, strict=True)],
        y=[y for _, y in places],
        mode="markers",
        name=f"{method_name(method)}, {'valid' if valid else 'not valid'}",
        marker={
            "symbol": _SYMBOLS[method] + ("" if valid else "-open"),
            "size": 9 if valid else 7,
            "color": colour,
            "opacity": 0.9 if valid else 0.65,
            "line": {"width": 1, "color": colour},
        },
        customdata=[
            [
                row.rank,
                html.escape(shortened(printable(row.text.text), 80)),
                probability(row.text.after, found.goal.threshold),
                row.text.words_changed,
                "not measured" if row.text.cosine is None else score(row.text.cosine),
                score(row.text.fluency),
            ]
            for row in rows
        ],
        hovertemplate=(
            "%{customdata[1]}<br>rank %{customdata[0]}, probability %{customdata[2]}"
            "<br>%{customdata[3]} words changed, cosine %{customdata[4]}, fluency %{customdata[5]}"
            "<extra></extra>"
        ),
    )
