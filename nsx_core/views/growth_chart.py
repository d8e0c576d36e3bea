"""Scores against the number of draws: whether they have come to rest."""

from __future__ import annotations

import html
from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from nsx_core.records import Explanation, Growth, Side
from nsx_core.views.markup import shortened
from nsx_core.views.sentences import by_necessity

__all__ = ["followed", "growth_chart", "growth_sentence"]

FOLLOWED_MAX = 5
# Told apart by dash as well as by colour; readable on light and dark (okabe-ito-2008).
_STYLES = (
    ("#0072b2", "solid"), ("#d55e00", "dash"), ("#009e73", "dot"), ("#cc79a7", "dashdot"),
    ("#8c6d1f", "longdash"), ("#6b7785", "longdashdot"),
)  # fmt: skip


def followed(explanation: Explanation, index: int) -> tuple[int, ...]:
    """The five most necessary words, and the chosen one, in the order of the text."""
    return tuple(sorted({*by_necessity(explanation)[:FOLLOWED_MAX], index}))


def growth_chart(explanation: Explanation, grown: Sequence[Growth]) -> go.Figure:
    """Necessity above, sufficiency below, one line a word; words are escaped for Plotly."""
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.08)
    words = sorted({g.word for g in grown})
    for line in grown:
        colour, dash = _STYLES[words.index(line.word) % len(_STYLES)]
        name = html.escape(shortened(explanation.words[line.word].word.text, 24))
        row = list(Side).index(line.side) + 1
        figure.add_trace(
            go.Scatter(
                x=line.draws,
                y=line.values,
                name=name,
                legendgroup=str(line.word),
                showlegend=row == 1,
                mode="lines",
                line={"color": colour, "dash": dash, "width": 2},
                hovertemplate=f"{name}<br>%{{x}} draws: %{{y:.2f}}<extra></extra>",
            ),
            row=row,
            col=1,
        )
    for row, side in enumerate(Side, start=1):
        figure.update_yaxes(title=str(side), row=row, col=1)
    figure.update_xaxes(title="draws", row=2, col=1)
    figure.update_layout(
        height=420,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        dragmode=False,
    )
    return figure


def growth_sentence(explanation: Explanation) -> str:
    """What the chart shows, in words."""
    return (
        f"Each line is a word: its score over the first draws, up to all {len(explanation.draws):,}. "
        "A line that has come to rest will hardly move with a larger budget."
    )
