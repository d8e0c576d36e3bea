"""Where the scatter chart's labels go: beside their points, off bars and off one another.

The chart's width is the browser's, so places are tried on a narrow chart; on a wider one
points only move apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["BESIDE", "Cross", "Offset", "placed"]

#: Pixels across (right is positive) and upwards from a point to its label's nearest corner.
Offset = tuple[int, int]

#: The offset, but for its signs, of a label that needs no line to its point.
BESIDE: Offset = (6, 4)
_WIDTH, _HEIGHT = 560.0, 340.0
_CHARACTER, _LINE, _MARKER = 7.5, 17.0, 5.0
# Farther off where it is crowded.
_DISTANCES: tuple[Offset, ...] = (BESIDE, (18, 26), (40, 16), (34, 48), (64, 34), (20, 72))
_OFFSETS = tuple(
    (across * x, upwards * y) for x, y in _DISTANCES for upwards in (1, -1) for across in (1, -1)
)
# What a label costs that lies on such a thing.
_ON_OWN, _ON_POINT, _ON_BAR, _ON_FAINT, _OUTSIDE, _FARTHER = 20.0, 6.0, 3.0, 1.0, 40.0, 1.5

#: left, right, bottom, top in pixels of the narrow chart.
_Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Cross:
    """A point and its two interval bars, as shares 0..1 of the chart's width and height."""

    x: float
    y: float
    left: float
    right: float
    bottom: float
    top: float


def placed(crosses: Sequence[Cross], names: Sequence[str]) -> dict[int, Offset]:
    """Where each named point's label goes, for those that fit.

    names: '' for a point that gets no label; earlier names have the first choice, and the first
    is placed whatever it covers.
    """
    found: dict[int, Offset] = {}
    taken: list[_Box] = []
    parts = [_parts(cross) for cross in crosses]
    for at, name in enumerate(names):
        if not name:
            continue
        boxes = {offset: _label(crosses[at], name, offset) for offset in _OFFSETS}
        free = [o for o, box in boxes.items() if not any(_meet(box, t) for t in taken)]
        if not free and found:
            continue
        best = min(free or _OFFSETS, key=lambda o: _cost(o, boxes[o], at, parts, names))
        found[at] = best
        taken.append(boxes[best])
    return found


def _cost(
    offset: Offset,
    box: _Box,
    own: int,
    parts: Sequence[tuple[_Box, ...]],
    names: Sequence[str],
) -> float:
    cost = _FARTHER * (_OFFSETS.index(offset) // 4) + _OUTSIDE * _outside(box)
    for at, (point, *bars) in enumerate(parts):
        cost += _ON_POINT * _meet(box, point)
        weight = _ON_OWN if at == own else _ON_BAR if names[at] else _ON_FAINT
        cost += weight * sum(_meet(box, bar) for bar in bars)
    return cost


def _label(cross: Cross, name: str, offset: Offset) -> _Box:
    across, upwards = offset
    x, y = cross.x * _WIDTH + across, cross.y * _HEIGHT + upwards
    width, line = len(name) * _CHARACTER, _LINE
    left, right = (x, x + width) if across > 0 else (x - width, x)
    bottom, top = (y, y + line) if upwards > 0 else (y - line, y)
    return left, right, bottom, top


def _parts(cross: Cross) -> tuple[_Box, ...]:
    """The point, the bar across and the bar upwards."""
    x, y = cross.x * _WIDTH, cross.y * _HEIGHT
    return (
        (x - _MARKER, x + _MARKER, y - _MARKER, y + _MARKER),
        (cross.left * _WIDTH, cross.right * _WIDTH, y - 1, y + 1),
        (x - 1, x + 1, cross.bottom * _HEIGHT, cross.top * _HEIGHT),
    )


def _meet(one: _Box, other: _Box) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


def _outside(box: _Box) -> bool:
    return box[0] < 0 or box[1] > _WIDTH or box[2] < 0 or box[3] > _HEIGHT
