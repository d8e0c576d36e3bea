"""Necessity against sufficiency: where each word stands, with both intervals."""

from __future__ import annotations

import html

import plotly.graph_objects as go

from nsx_core.records import Estimate, Explanation, WordScore
from nsx_core.views.markup import shortened
from nsx_core.views.numbers import interval, score

__all__ = ["scatter", "scatter_sentence"]

LABELLED_MAX = 12
LABELS_APART = 0.04


def scatter(explanation: Explanation) -> go.Figure:
    """One point a word: sufficiency across, necessity upwards, thin bars for intervals.

    Words with an undefined score are left out; the words with the highest scores are labelled,
    at most twelve and none on another's label, and every point says its word when pointed at.
    Plotly reads tags in labels, so words are escaped.
    """
    shown = _shown(explanation)
    labelled = _apart(sorted(shown, key=_reach, reverse=True))[:LABELLED_MAX]
    names = [html.escape(shortened(w.word.text)) for w in shown]
    figure = go.Figure(
        go.Scatter(
            x=[w.sufficiency.value for w in shown],
            y=[w.necessity.value for w in shown],
            error_x=_bars([w.sufficiency for w in shown]),
            error_y=_bars([w.necessity for w in shown]),
            text=[n if w in labelled else "" for n, w in zip(names, shown, strict=True)],
            mode="markers+text",
            textposition="top right",
            marker={"size": 8, "color": "#6b7785"},
            customdata=[
                [name, *(part for e in (w.necessity, w.sufficiency) for part in _said(e))]
                for name, w in zip(names, shown, strict=True)
            ],
            hovertemplate=(
                "%{customdata[0]}<br>necessity %{customdata[1]} (%{customdata[2]})"
                "<br>sufficiency %{customdata[3]} (%{customdata[4]})<extra></extra>"
            ),
        )
    )
    axis = {"range": [-0.12, 1.12], "tickvals": [0, 0.25, 0.5, 0.75, 1], "zeroline": True}
    figure.update_layout(
        xaxis={**axis, "title": "sufficiency"},
        yaxis={**axis, "title": "necessity"},
        height=420,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        showlegend=False,
        dragmode=False,
    )
    return figure


def scatter_sentence(explanation: Explanation) -> str:
    """What the chart shows, in words: for people who do not see it, and those who do."""
    shown = _shown(explanation)
    if not shown:
        return "No word has both scores, so there is no chart."
    high = max(shown, key=_reach)
    lost, kept = ("the prediction is lost more often", "it is kept more often")
    if explanation.settings.use_scores:
        lost, kept = ("more of the probability is lost", "more of it is left")
    what = (
        f"Each point is a word. Higher: {lost} when the word is replaced. Further right: {kept} "
        "when the word stays and others go."
    )
    if _reach(high) - min(map(_reach, shown)) < 0.01:
        return f"{what} All words stand at about the same place."
    return (
        f"{what} Furthest out is "
        f"\u201c{shortened(high.word.text)}\u201d with necessity {score(high.necessity.value)} and "
        f"sufficiency {score(high.sufficiency.value)}."
    )


def _shown(explanation: Explanation) -> list[WordScore]:
    return [
        w
        for w in explanation.words
        if w.necessity.value is not None and w.sufficiency.value is not None
    ]


def _apart(words: list[WordScore]) -> list[WordScore]:
    """Of words at about one height, the first: labels of the others would lie on it."""
    kept: list[WordScore] = []
    for word in words:
        height = word.necessity.value or 0.0
        if all(abs(height - (k.necessity.value or 0.0)) >= LABELS_APART for k in kept):
            kept.append(word)
    return kept


def _reach(word: WordScore) -> float:
    return (word.necessity.value or 0.0) + (word.sufficiency.value or 0.0)


def _bars(estimates: list[Estimate]) -> dict[str, object]:
    ups = [(e.high or 0.0) - (e.value or 0.0) for e in estimates]
    downs = [(e.value or 0.0) - (e.low or 0.0) for e in estimates]
    return {
        "type": "data",
        "symmetric": False,
        "array": ups,
        "arrayminus": downs,
        "thickness": 1,
        "width": 0,
        "color": "#9aa5b1",
    }


def _said(estimate: Estimate) -> tuple[str, str]:
    return score(estimate.value), interval(estimate)
