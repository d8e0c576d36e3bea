"""Scores against the number of draws: whether they have come to rest."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from nsx_core.records import Explanation, Growth, Side
from nsx_core.views.markup import shortened
from nsx_core.views.numbers import score
from nsx_core.views.sentences import by_necessity

__all__ = ["followed", "growth_chart", "growth_sentence"]

FOLLOWED_MAX = 5
# Told apart by dash as well as by colour; readable on light and dark (okabe-ito-2008).
_STYLES = (
    ("#0072b2", "solid"), ("#d55e00", "dash"), ("#009e73", "dot"), ("#cc79a7", "dashdot"),
    ("#8c6d1f", "longdash"), ("#6b7785", "longdashdot"),
)  # fmt: skip


def followed(explanation: Explanation, index: int) -> tuple[int, ...]:
    """The five words with the strongest necessity, and the chosen one, in the text's order.

    Strongest is farthest from 0: necessity is negative where words gain the label.
    """
    words = explanation.words
    ranked = sorted(
        by_necessity(explanation), key=lambda i: abs(words[i].necessity.value or 0.0), reverse=True
    )
    return tuple(sorted({*ranked[:FOLLOWED_MAX], index}))


def growth_chart(explanation: Explanation, grown: Sequence[Growth]) -> go.Figure | None:
    """Necessity above, sufficiency below, one line a word; words are escaped for Plotly.

    A score that no word has gets no axes; None where there is nothing to draw.
    """
    grown = [g for g in grown if not all(map(math.isnan, g.values))]
    sides = [side for side in Side if any(g.side is side for g in grown)]
    if not sides:
        return None
    figure = make_subplots(rows=len(sides), cols=1, shared_xaxes=True, vertical_spacing=0.08)
    words = sorted({g.word for g in grown})
    for line in grown:
        colour, dash = _STYLES[words.index(line.word) % len(_STYLES)]
        name = html.escape(shortened(explanation.words[line.word].word.text, 24))
        row = sides.index(line.side) + 1
        figure.add_trace(
            go.Scatter(
                x=line.draws,
                y=line.values,
                name=name,
                legendgroup=str(line.word),
                showlegend=row == 1,
                mode="lines",
                line={"color": colour, "dash": dash, "width": 2},
                # Written here: Plotly's own format has a negative zero.
                customdata=[score(v) for v in line.values],
                hovertemplate=f"{name}<br>%{{x}} draws: %{{customdata}}<extra></extra>",
            ),
            row=row,
            col=1,
        )
    for row, side in enumerate(sides, start=1):
        figure.update_yaxes(title=str(side), row=row, col=1)
    figure.update_xaxes(title="draws", row=len(sides), col=1)
    figure.update_layout(
        height=60 + 180 * len(sides),
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        dragmode=False,
    )
    return figure


def growth_sentence(explanation: Explanation, index: int) -> str:
    """What the chart shows, in words, and of which words."""
    count = len(explanation.words)
    drawn = followed(explanation, index)
    which = "Each line is a word"
    if len(drawn) < count:
        chosen = " and the chosen one" if len(drawn) > FOLLOWED_MAX else ""
        which = (
            f"Each line is one of {len(drawn)} of the {count} words, so that lines can be told "
            f"apart: the {FOLLOWED_MAX} with the strongest necessity{chosen}"
        )
    return (
        f"{which}. It shows the word's score over the first draws, up to all "
        f"{len(explanation.draws):,}. "
        "A line that has come to rest will hardly move with a larger budget."
    )
