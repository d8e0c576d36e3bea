"""A rank correlation as a chart: one point a classifier and group."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from nsx_core.audit.results import FEW, Correlation, Hypothesis, Point
from nsx_core.views.audit_cells import name_of
from nsx_core.views.audit_points import CROWDED, Axis, Mark, points_chart
from nsx_core.views.numbers import percent, score

__all__ = ["correlation_chart", "correlation_note", "correlations_frame", "points_frame"]

_NARROWEST, _ROOM = 0.25, 0.12


def correlation_chart(found: Correlation, classifiers: Sequence[str]) -> go.Figure | None:
    """The points with their groups' names; None without any point.

    classifiers: all of the audit, in order, so that a classifier keeps its look.
    """
    if not found.points:
        return None
    return points_chart(
        [_mark(p) for p in found.points],
        _axis(found.x, [p.x for p in found.points]),
        _axis(found.y, [p.y for p in found.points]),
        classifiers,
        height=400,
    )


def correlation_note(found: Correlation) -> str:
    """How to read the chart; small points are counted."""
    few = sum(p.n_x < FEW or p.n_y < FEW for p in found.points)
    said = f"Each point is a classifier and a group. Across: {found.x}. Upwards: {found.y}."
    if few:
        said += (
            f" {few} of {len(found.points)} points rest on fewer than {FEW} cases and are hollow."
        )
    if len(found.points) > CROWDED:
        said += " Not every point has room for its name: point at one to read it."
    return said


def correlations_frame(found: Sequence[Hypothesis]) -> pd.DataFrame:
    """One row a correlation: rho, interval, n and p."""
    names = ("x", "y", "rho", "low", "high", "n", "p", "p_smallest", "orders", "exact")
    rows = [
        {"hypothesis": h.number, **{name: getattr(r, name) for name in names},
         "notes": "; ".join(r.notes), "sentence": said}
        for h in found
        for r, said in zip(h.results, h.sentences, strict=True)
        if isinstance(r, Correlation)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["hypothesis", *names, "notes", "sentence"])


def points_frame(found: Sequence[Hypothesis]) -> pd.DataFrame:
    """One row a point of every correlation."""
    names = ("classifier", "group", "x", "y", "n_x", "n_y")
    rows = [
        {"hypothesis": h.number, "x_is": r.x, "y_is": r.y, **{n: getattr(p, n) for n in names}}
        for h in found
        for r in h.results
        if isinstance(r, Correlation)
        for p in r.points
    ]
    return pd.DataFrame(rows, columns=["hypothesis", "x_is", "y_is", *names])


def _axis(title: str, values: Sequence[float]) -> Axis:
    """As wide as the values ask for, since ranks are compared, but never a sliver."""
    low, high = min(values), max(values)
    spare = max(0.0, _NARROWEST - (high - low)) / 2
    room = (high - low + 2 * spare) * _ROOM
    return Axis(title, low - spare - room, high + spare + room)


def _mark(point: Point) -> Mark:
    name = name_of(point.group)
    return Mark(
        point.classifier,
        point.x,
        point.y,
        name,
        (
            f"{name}, {point.classifier}",
            f"score {score(point.x)} ({point.n_x} cases)",
            f"flagged {percent(point.y)} of {point.n_y} cases",
        ),
        hollow=point.n_x < FEW or point.n_y < FEW,
    )
