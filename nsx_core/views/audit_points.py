"""Points of classifiers and groups in a chart: one marker shape and colour a classifier.

Plotly reads tags in labels and hover texts, so every name is escaped.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from nsx_core.views.audit_cells import name_of
from nsx_core.views.chart_labels import BESIDE, Cross, placed
from nsx_core.views.markup import shortened

__all__ = ["CROWDED", "SHAPES_MAX", "Axis", "Mark", "points_chart"]

# Not the two hues of the scores: the axes say which score is which.
_LOOKS = (
    ("circle", "#6b7785"), ("square", "#009e73"), ("diamond", "#cc79a7"),
    ("triangle-up", "#8f7ac2"), ("cross", "#a68a2b"), ("star", "#56a3b5"),
)  # fmt: skip
SHAPES_MAX = len(_LOOKS)
_LINE, _FAINT, _NONE = "#8a94a0", "rgba(138, 148, 160, 0.45)", "rgba(0, 0, 0, 0)"
_INK = '<span style="color:CanvasText">{}</span>'
_HALO = ", ".join(["0 0 2px Canvas"] * 4)
_LABEL_CHARACTERS = 28
_SMALLEST = 9.0
#: With more points than this only those are named that have room beside them.
CROWDED = 16


@dataclass(frozen=True, slots=True)
class Mark:
    """A point. low, high: ends of its interval, None without one; size: diameter in pixels;
    hollow: drawn as an outline; label: "" for none; hover: lines, our words and names mixed."""

    classifier: str
    x: float
    y: float
    label: str
    hover: tuple[str, ...]
    x_ends: tuple[float, float] | None = None
    y_ends: tuple[float, float] | None = None
    size: float = _SMALLEST
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis: its title and ends; dashed: where a dashed line crosses, None for none."""

    title: str
    low: float
    high: float
    dashed: float | None = None


def points_chart(
    marks: Sequence[Mark], x: Axis, y: Axis, classifiers: Sequence[str], height: int = 460
) -> go.Figure:
    """The chart. classifiers: all of the audit, in order, so that each keeps its look."""
    figure = go.Figure()
    drawn = [name for name in classifiers if any(m.classifier == name for m in marks)]
    for name in drawn:
        shape, colour = _LOOKS[list(classifiers).index(name) % SHAPES_MAX]
        own = [m for m in marks if m.classifier == name]
        figure.add_trace(
            go.Scatter(
                x=[m.x for m in own],
                y=[m.y for m in own],
                error_x=_bars([(m.x, m.x_ends) for m in own]),
                error_y=_bars([(m.y, m.y_ends) for m in own]),
                mode="markers",
                name=html.escape(shortened(name, _LABEL_CHARACTERS)),
                marker={
                    "symbol": [f"{shape}-open" if m.hollow else shape for m in own],
                    "size": [m.size for m in own],
                    "color": colour,
                    "opacity": 0.85,
                    "line": {"width": 1.5, "color": colour},
                },
                customdata=["<br>".join(html.escape(line) for line in m.hover) for m in own],
                hovertemplate="%{customdata}<extra></extra>",
            )
        )
    _label(figure, marks, x, y)
    for axis, update, line in (
        (x, figure.update_xaxes, figure.add_vline),
        (y, figure.update_yaxes, figure.add_hline),
    ):
        update(title=axis.title, range=[axis.low, axis.high], zeroline=False)
        if axis.dashed is not None:
            line(axis.dashed, line={"dash": "dash", "color": _LINE, "width": 1})
    figure.update_layout(
        height=height,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        showlegend=len(drawn) > 1,
        legend={
            "orientation": "h",
            "y": 1.02,
            "yanchor": "bottom",
            "x": 0,
            "itemsizing": "constant",
        },
        dragmode=False,
    )
    return figure


def _label(figure: go.Figure, marks: Sequence[Mark], x: Axis, y: Axis) -> None:
    """A name beside each point, where it fits; the others are named when pointed at."""
    crosses = [_cross(m, x, y) for m in marks]
    names = [shortened(name_of(m.label), _LABEL_CHARACTERS) if m.label else "" for m in marks]
    for at, (across, upwards) in placed(crosses, names).items():
        mark = marks[at]
        # Off the marker's own rim; a large one reaches farther than the places are tried for.
        rim = max(0.0, mark.size / 2 - _SMALLEST / 2) * 0.75
        near = (abs(across), abs(upwards)) == BESIDE
        if len(marks) > CROWDED and not near:
            continue
        figure.add_annotation(
            x=mark.x,
            y=mark.y,
            text=_INK.format(html.escape(names[at])),
            ax=across + (rim if across > 0 else -rim),
            ay=-(upwards + (rim if upwards > 0 else -rim)),
            xanchor="left" if across > 0 else "right",
            yanchor="bottom" if upwards > 0 else "top",
            borderpad=0,
            arrowhead=0,
            arrowcolor=_NONE if near else _LINE,
            arrowwidth=1,
            font={"size": 13, "shadow": _HALO},
        )


def _cross(mark: Mark, x: Axis, y: Axis) -> Cross:
    def share(value: float, axis: Axis) -> float:
        return (value - axis.low) / (axis.high - axis.low)

    left, right = mark.x_ends or (mark.x, mark.x)
    bottom, top = mark.y_ends or (mark.y, mark.y)
    return Cross(
        share(mark.x, x), share(mark.y, y), share(left, x), share(right, x), share(bottom, y),
        share(top, y),
    )  # fmt: skip


def _bars(places: Sequence[tuple[float, tuple[float, float] | None]]) -> dict[str, object]:
    ends = [(value, *(found or (value, value))) for value, found in places]
    return {
        "type": "data",
        "symmetric": False,
        "array": [high - value for value, _, high in ends],
        "arrayminus": [value - low for value, low, _ in ends],
        "thickness": 1,
        "width": 0,
        "color": _FAINT,
    }
