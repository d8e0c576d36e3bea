"""Necessity against sufficiency: where each word stands, with both intervals."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

import plotly.graph_objects as go

from nsx_core.records import Estimate, Explanation, Side, WordScore
from nsx_core.views.chart_labels import BESIDE, Cross, Offset, placed
from nsx_core.views.markup import shortened
from nsx_core.views.numbers import interval, score

__all__ = ["scatter", "scatter_sentence"]

#: So many words of the strongest on each score are labelled, and the chosen one.
LABELLED_A_SCORE = 3
_ALIKE = 0.01
_STEP, _PADDING = 0.25, 0.05
_LABEL_CHARACTERS = 24
# Readable on light and on dark pages; what is not labelled recedes.
_STRONG, _CHOSEN, _ZERO = "#6b7785", "#d55e00", "#8a94a0"
_FAINT_BARS, _NONE = "rgba(138, 148, 160, 0.3)", "rgba(0, 0, 0, 0)"
# The browser's own colours of text and page, which follow the theme.
_INK = '<span style="color:CanvasText">{}</span>'
_HALO = ", ".join(["0 0 2px Canvas"] * 4)


def scatter(explanation: Explanation, index: int) -> go.Figure | None:
    """One point a word: sufficiency across, necessity upwards, thin bars for intervals.

    Words with an undefined score are left out; None where that leaves none. A handful of words
    is labelled, the chosen ``index`` among them, and every point says its word when pointed at.
    Plotly reads tags in labels, so words are escaped.
    """
    shown = _shown(explanation)
    if not shown:
        return None
    labels = _labels(explanation, index)
    others = [i for i in shown if i not in labels and i != index]
    figure = go.Figure(
        [
            _points(explanation, others, _STRONG, _FAINT_BARS, 0.55),
            _points(explanation, [i for i in shown if i in labels and i != index], _STRONG, _ZERO),
            _points(explanation, [i for i in shown if i == index], _CHOSEN, _CHOSEN),
        ]
    )
    for i, (across, upwards) in labels.items():
        word = explanation.words[i]
        name = html.escape(shortened(word.word.text, _LABEL_CHARACTERS))
        figure.add_annotation(
            x=word.sufficiency.value,
            y=word.necessity.value,
            text=_INK.format(f"<b>{name}</b>" if i == index else name),
            ax=across,
            ay=-upwards,
            xanchor="left" if across > 0 else "right",
            yanchor="bottom" if upwards > 0 else "top",
            borderpad=0,
            arrowhead=0,
            # No line where the label touches its point.
            arrowcolor=_NONE if (abs(across), abs(upwards)) == BESIDE else _ZERO,
            arrowwidth=1,
            font={"size": 14, "shadow": _HALO},
        )
    for axis, name, estimates in (
        (figure.update_xaxes, "sufficiency", [explanation.words[i].sufficiency for i in shown]),
        (figure.update_yaxes, "necessity", [explanation.words[i].necessity for i in shown]),
    ):
        low, high = _ends(estimates)
        axis(
            title=name,
            range=_padded(low, high),
            tick0=0,
            dtick=_STEP,
            zeroline=True,
            zerolinecolor=_ZERO,
            zerolinewidth=1,
        )
    figure.update_layout(
        height=420,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        showlegend=False,
        dragmode=False,
    )
    return figure


def scatter_sentence(explanation: Explanation, index: int) -> str:
    """What the chart shows, in words: for people who do not see it, and those who do."""
    shown = _shown(explanation)
    if not shown:
        return "No word has both scores, so there is no chart."
    said = f"Each point is a word. {_directions(explanation)}"
    labels = len(_labels(explanation, index))
    if labels < len(shown):
        verb = "is" if labels == 1 else "are"
        said += (
            f" {labels} of {len(shown)} words {verb} labelled; the others are named when you "
            "point at them, and in the table."
        )
    if _alike(explanation):
        return f"{said} All words stand at about the same place."
    high = max((explanation.words[i] for i in shown), key=_reach)
    return (
        f"{said} Furthest out is "
        f"\u201c{shortened(high.word.text)}\u201d with necessity {score(high.necessity.value)} and "
        f"sufficiency {score(high.sufficiency.value)}."
    )


def _directions(explanation: Explanation) -> str:
    """What higher and further right mean for this text."""
    replaced, stays = "when the word is replaced", "when the word stays and others go"
    if explanation.settings.use_scores:
        below = any((w.necessity.value or 0.0) < 0 for w in explanation.words)
        gained = " (below 0: it grows)" if below else ""
        return (
            f"Higher: more of the probability of {explanation.label} is lost {replaced}{gained}. "
            f"Further right: more of it is left {stays}."
        )
    if explanation.predicted:
        return (
            f"Higher: the prediction is lost more often {replaced}. Further right: it is kept "
            f"more often {stays}."
        )
    return (
        f"Lower: the label {explanation.label} is gained more often {replaced}. Further right: "
        f"it is given more often {stays}."
    )


def _shown(explanation: Explanation) -> list[int]:
    return [
        i
        for i, w in enumerate(explanation.words)
        if w.necessity.value is not None and w.sufficiency.value is not None
    ]


def _labels(explanation: Explanation, index: int) -> dict[int, Offset]:
    """The labelled words, and where their labels stand."""
    shown, words = _shown(explanation), explanation.words
    strongest = [
        sorted(shown, key=key, reverse=True)[:LABELLED_A_SCORE]
        for key in (
            lambda i: abs(words[i].necessity.value or 0.0),
            lambda i: words[i].sufficiency.value or 0.0,
        )
    ]
    # Of words at one place none is stronger: the chosen one alone gets a label.
    ranked = set() if _alike(explanation) else {i for best in strongest for i in best}
    wanted = ranked | ({index} & set(shown))
    # The chosen word, then the furthest out, have the first choice of a place.
    order = sorted(shown, key=lambda i: (i != index, -_reach(words[i])))
    across = _padded(*_ends([words[i].sufficiency for i in shown]))
    upwards = _padded(*_ends([words[i].necessity for i in shown]))
    crosses = [_cross(words[i], across, upwards) for i in order]
    names = [shortened(words[i].word.text, _LABEL_CHARACTERS) if i in wanted else "" for i in order]
    return {order[at]: offset for at, offset in placed(crosses, names).items()}


def _cross(word: WordScore, across: list[float], upwards: list[float]) -> Cross:
    def share(value: float | None, axis: list[float]) -> float:
        return ((value or 0.0) - axis[0]) / (axis[1] - axis[0])

    n, s = word.necessity, word.sufficiency
    return Cross(
        share(s.value, across),
        share(n.value, upwards),
        share(s.low, across),
        share(s.high, across),
        share(n.low, upwards),
        share(n.high, upwards),
    )


def _ends(estimates: Sequence[Estimate]) -> tuple[float, float]:
    """Quarters around 0, all values and all intervals."""
    known = [v for e in estimates for v in (e.low, e.value, e.high) if v is not None]
    low = math.floor(min([0.0, *known]) / _STEP) * _STEP
    high = math.ceil(max([0.0, *known]) / _STEP) * _STEP
    return (low, high) if high > low else (low, low + _STEP)


def _padded(low: float, high: float) -> list[float]:
    """Room for points and labels at the ends."""
    room = (high - low) * _PADDING
    return [low - room, high + room]


def _reach(word: WordScore) -> float:
    return abs(word.necessity.value or 0.0) + (word.sufficiency.value or 0.0)


def _alike(explanation: Explanation) -> bool:
    """Whether all points stand at about the same place."""
    words = [explanation.words[i] for i in _shown(explanation)]
    columns = [[getattr(w, s).value for w in words] for s in Side]
    return all(max(column) - min(column) < _ALIKE for column in columns if column)


def _points(
    explanation: Explanation, words: list[int], colour: str, bars: str, opacity: float = 1.0
) -> go.Scatter:
    """Some words' points in one look."""
    scores = [explanation.words[i] for i in words]
    return go.Scatter(
        x=[w.sufficiency.value for w in scores],
        y=[w.necessity.value for w in scores],
        error_x=_bars([w.sufficiency for w in scores], bars),
        error_y=_bars([w.necessity for w in scores], bars),
        mode="markers",
        marker={"size": 8, "color": colour, "opacity": opacity},
        customdata=[
            [
                html.escape(shortened(w.word.text)),
                *(part for e in (w.necessity, w.sufficiency) for part in _said(e)),
            ]
            for w in scores
        ],
        hovertemplate=(
            "%{customdata[0]}<br>necessity %{customdata[1]} (%{customdata[2]})"
            "<br>sufficiency %{customdata[3]} (%{customdata[4]})<extra></extra>"
        ),
    )


def _bars(estimates: list[Estimate], colour: str) -> dict[str, object]:
    ups = [(e.high or 0.0) - (e.value or 0.0) for e in estimates]
    downs = [(e.value or 0.0) - (e.low or 0.0) for e in estimates]
    return {
        "type": "data",
        "symmetric": False,
        "array": ups,
        "arrayminus": downs,
        "thickness": 1,
        "width": 0,
        "color": colour,
    }


def _said(estimate: Estimate) -> tuple[str, str]:
    return score(estimate.value), interval(estimate)
