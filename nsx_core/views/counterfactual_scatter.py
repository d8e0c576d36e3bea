"""Proximity against plausibility: how near a text stays, and how well it reads."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Literal

import plotly.graph_objects as go

from nsx_core.counterfactual_records import Counterfactual, Findings, Method
from nsx_core.views.counterfactual_marks import method_name, method_names
from nsx_core.views.markup import printable, shortened
from nsx_core.views.numbers import counted, probability, score

__all__ = ["AGAINST", "Against", "scatter", "scatter_alt", "scatter_sentence"]

Against = Literal["cosine", "words changed"]
AGAINST: dict[Against, str] = {"cosine": "Meaning kept", "words changed": "Words changed"}
_TITLES: dict[Against, str] = {
    "cosine": "meaning kept (cosine): further right is nearer",
    "words changed": "words changed: further left is nearer",
}
_SYMBOLS: dict[Method | None, str] = {
    Method.WACHTER: "circle",
    Method.SEDC: "square",
    Method.SPHERES: "diamond",
    Method.ANCHORS: "triangle-up",
    None: "cross",
}
# Apart for every common colour-vision deficiency (okabe-ito-2008), on light and on dark pages;
# and full against hollow for who sees no colour. Neither is the blue or the orange of a score.
_VALID, _INVALID, _NEUTRAL = "#009e73", "#8a94a0", "#8a94a0"
#: How far to either side points of one number of words are spread, in words, and by what step.
_SPREAD, _GOLDEN = 0.24, 0.618
_TEXT_CHARACTERS = 80


def scatter(rows: Sequence[Counterfactual], found: Findings, against: Against) -> go.Figure:
    """One point a text of measured fluency; full and green: valid; hollow and grey: not.

    The symbol says which method found it, the first of several. Numbers of words are spread a little to either side.
    Plotly reads tags in labels, so texts are escaped.
    """
    shown = [(at, row) for at, row in enumerate(rows) if row.fluency is not None]
    figure = go.Figure()
    for method in _SYMBOLS:
        for valid in (False, True):
            points = [(at, r) for at, r in shown if r.method is method and r.valid is valid]
            if points:
                figure.add_trace(_points(points, found, against, method, valid))
    for method, symbol in _SYMBOLS.items():
        if any(row.method is method for _, row in shown):
            figure.add_trace(_key(method_name(method), f"{symbol}-open", _NEUTRAL))
    for valid in (True, False):
        if any(row.valid is valid for _, row in shown):
            look = ("square", _VALID) if valid else ("square-open", _INVALID)
            figure.add_trace(_key("valid: full" if valid else "not valid: hollow", *look))
    figure.update_xaxes(title=_TITLES[against], zeroline=False)
    if against == "words changed":
        most = max((row.words_changed for _, row in shown), default=1)
        figure.update_xaxes(dtick=max(1, -(-most // 12)), range=[0.4, most + 0.6])
    figure.update_yaxes(
        title="fluency: higher reads better",
        zeroline=True,
        zerolinecolor=_NEUTRAL,
        zerolinewidth=1,
    )
    figure.update_layout(
        height=420,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "itemclick": False,
                "itemdoubleclick": False},
        dragmode=False,
    )  # fmt: skip
    return figure


def scatter_sentence(rows: Sequence[Counterfactual], against: Against) -> str:
    """How to read the chart, and how many texts are left out of it."""
    shown = [row for row in rows if row.fluency is not None]
    missing = len(rows) - len(shown)
    if not rows:
        return "There is no text to draw."
    if not shown:
        return "The fluency of none of these texts was measured, so the chart has no point."
    said = (
        "Each point is a text. Higher: it reads more like something a person might write; at 0 it "
        "reads as well as the original. The best texts are valid, near to the original and high."
    )
    if any(len(row.methods) > 1 for row in shown):
        said += " A text that several methods found has the first one's symbol."
    if against == "words changed":
        said += (
            " Texts with the same number of words changed are spread a little to either side, so "
            "that none hides another."
        )
    if missing:
        what = counted(missing, "text is", "texts are")
        said += f" {what} left out, since {'its' if missing == 1 else 'their'} fluency was not "
        said += "measured."
    return said


def scatter_alt(rows: Sequence[Counterfactual]) -> str:
    """What the chart shows, for who does not see it."""
    shown = [row for row in rows if row.fluency is not None]
    said = f"A chart of proximity against fluency with {counted(len(shown), 'point')}"
    valid = [row for row in shown if row.valid]
    if not valid:
        return f"{said}, none of them valid." if shown else f"{said}."
    best = max(valid, key=lambda row: row.fluency or 0.0)
    near = max(valid, key=lambda row: row.cosine)
    said = f"{said}, {len(valid):,} of them valid. The valid text that reads best"
    if best is near:
        return f"{said} is also nearest in meaning: {_place(best)}."
    return f"{said}: {_place(best)}. The one nearest in meaning: {_place(near)}."


def _place(row: Counterfactual) -> str:
    words = counted(row.words_changed, "word")
    return f"fluency {score(row.fluency)}, cosine {score(row.cosine)}, {words} changed"


def _points(
    points: Sequence[tuple[int, Counterfactual]],
    found: Findings,
    against: Against,
    method: Method | None,
    valid: bool,
) -> go.Scatter:
    colour = _VALID if valid else _INVALID
    limit = found.goal.threshold
    return go.Scatter(
        x=[_across(at, row, against) for at, row in points],
        y=[row.fluency for _, row in points],
        mode="markers",
        showlegend=False,
        marker={
            "symbol": _SYMBOLS[method] + ("" if valid else "-open"),
            "size": 9,
            "color": colour,
            "opacity": 0.9 if valid else 0.7,
            "line": {"width": 1.2, "color": colour},
        },
        customdata=[
            [
                html.escape(shortened(printable(row.text), _TEXT_CHARACTERS)),
                method_names(row.methods),
                "valid" if valid else "not valid",
                probability(row.after, limit),
                counted(row.words_changed, "word"),
                score(row.cosine),
                score(row.fluency),
            ]
            for _, row in points
        ],
        hovertemplate=(
            "%{customdata[0]}<br>%{customdata[1]}, %{customdata[2]}, probability %{customdata[3]}"
            "<br>%{customdata[4]} changed, cosine %{customdata[5]}, fluency %{customdata[6]}"
            "<extra></extra>"
        ),
    )


def _across(at: int, row: Counterfactual, against: Against) -> float:
    if against == "cosine":
        return row.cosine
    return row.words_changed + (at * _GOLDEN % 1 * 2 - 1) * _SPREAD


def _key(name: str, symbol: str, colour: str) -> go.Scatter:
    """A line of the legend."""
    return go.Scatter(
        x=[None],
        y=[None],
        mode="markers",
        name=name,
        hoverinfo="skip",
        marker={"symbol": symbol, "size": 9, "color": colour, "line": {"width": 1.2}},
    )
