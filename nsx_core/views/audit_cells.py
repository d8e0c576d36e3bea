"""A cell of an audit's tables: a mean or a rate with its interval, its n and its marks.

Number, bar and shade say the same; a cell that rests on few cases is marked with a dagger, and
what cannot be computed says 'undefined' and out of how many.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nsx_core.audit.results import FEW, MeanScore, Rate, ScoreRow
from nsx_core.errors import DataError
from nsx_core.records import Estimate, Side
from nsx_core.views.heatmap import interval_bar, shading
from nsx_core.views.markup import Node, node, shortened
from nsx_core.views.numbers import UNDEFINED, interval, percent, score

__all__ = [
    "DAGGER",
    "Cell",
    "as_value",
    "caption",
    "few",
    "floor_of",
    "framed",
    "from_value",
    "heading",
    "is_few",
    "mean_parts",
    "name_of",
    "number",
    "rate_parts",
    "row_heading",
    "shaded",
    "signed",
]

DAGGER = "\u2020"
_NAME_CHARACTERS = 40
_FLOOR_STEP, _HARDLY_BELOW = 0.25, -0.02


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of Table 2; measure: 'necessity' or 'sufficiency'."""

    classifier: str
    group: str
    measure: str


def as_value(*parts: str) -> str:
    """Names as one string that cannot be misread, whatever they hold."""
    return json.dumps(parts)


def from_value(value: str, count: int) -> tuple[str, ...]:
    """The ``count`` names of ``as_value``; raises ``DataError`` for anything else."""
    try:
        parts = json.loads(value)
    except ValueError:
        parts = None
    if not isinstance(parts, list) or len(parts) != count:
        raise DataError(f"A click names {count} things, and {value!r} came. Click again.")
    if not all(isinstance(part, str) for part in parts):
        raise DataError(f"A click names things by text, and {value!r} came. Click again.")
    return tuple(parts)


def few(found: Iterable[MeanScore | Rate]) -> Node | None:
    """The line that explains the dagger, where there is one to explain."""
    if not any(is_few(one) for one in found):
        return None
    return node(
        "p",
        node("strong", DAGGER),
        f" fewer than {FEW} cases, or fewer than {FEW} templates: one more case could change "
        "the figure a lot.",
        cls="footnote",
    )


def is_few(found: MeanScore | Rate) -> bool:
    """Whether a defined figure rests on fewer than 10 cases or templates."""
    templates = found.templates if isinstance(found, MeanScore) else FEW
    return found.value is not None and (found.n < FEW or templates < FEW)


def floor_of(rows: Sequence[ScoreRow]) -> float:
    """Where the interval bars begin: at 0, or at the quarter below the lowest end."""
    lows = [v for r in rows for v in (r.score.low, r.score.value) if v is not None]
    lowest = min(lows, default=0.0)
    return -math.ceil(-lowest / _FLOOR_STEP) * _FLOOR_STEP if lowest < _HARDLY_BELOW else 0.0


def mean_parts(found: MeanScore, floor: float, bar: bool = True) -> tuple[Node | None, ...]:
    """Mean, interval as numbers and as a bar, std and n of a cell."""
    if found.value is None:
        return (
            node("span", UNDEFINED, cls="value"),
            node("span", f"0 of {found.cases}", cls="fine"),
        )
    estimate = Estimate(found.value, found.low, found.high, found.n)
    ends = "no interval" if found.low is None else interval(estimate)
    spread = "" if found.std is None else f"std {score(found.std)}, "
    return (
        node("span", score(found.value), _mark(found), cls="value"),
        interval_bar(estimate, floor) if bar else None,
        node("span", ends, cls="fine"),
        node("span", f"{spread}n {found.n}", cls="fine"),
    )


def rate_parts(found: Rate) -> tuple[Node, ...]:
    """A share, its interval as numbers and as a bar, and out of how many."""
    if found.value is None or found.low is None or found.high is None:
        return (node("span", UNDEFINED, cls="value"), node("span", "0 of 0", cls="fine"))
    return (
        node("span", percent(found.value), _mark(found), cls="value"),
        interval_bar(Estimate(found.value, found.low, found.high, found.n)),
        node("span", _percents(found.low, found.high), cls="fine"),
        node("span", f"{found.positives} of {found.n}", cls="fine"),
    )


def shaded(measure: str, value: float | None) -> dict[str, str]:
    """The colour of a score on its measure's own scale; none for other measures."""
    return shading(Side(measure), value) if measure in set(Side) else {}


def signed(value: float | None) -> str:
    """'+0.12', '\u22120.12', '0.00' or 'undefined'."""
    written = score(value)
    return f"+{written}" if value is not None and round(value, 2) > 0 else written


def number(text: str, *more: Node | str | None) -> Node:
    """A figure in a table."""
    return node("td", text, *more, cls="number")


def heading(text: str, cls: str = "") -> Node:
    """A column's heading; long names are cut in the middle."""
    shown = name_of(text) if text else ""
    return node("th", shown, scope="col", cls=cls, title=None if shown == text else text)


def row_heading(text: str, *more: Node | str | None) -> Node:
    """A row's heading."""
    shown = name_of(text)
    full = None if shown == text else text
    return node("th", node("span", shown, title=full), *more, scope="row", cls="name")


def name_of(text: str) -> str:
    """A name as tables print it; a case without a group says so."""
    return shortened(text, _NAME_CHARACTERS) if text else "(no group)"


def caption(*said: Node | str) -> Node:
    """What a table shows."""
    return node("caption", *said)


def framed(table: Node, *below: Node | None, cls: str) -> Node:
    """A table in a box of its own that scrolls, and what is said below."""
    return node("div", node("div", table, cls="audit-box"), *below, cls=f"{cls} audit")


def _mark(found: MeanScore | Rate) -> Node | None:
    return node("span", DAGGER, cls="dagger", title=found.notes[0]) if is_few(found) else None


def _percents(low: float, high: float) -> str:
    """'2.3\u201318 %', short enough for a narrow field."""
    return f"{percent(low).removesuffix(' %')}\u2013{percent(high)}"
