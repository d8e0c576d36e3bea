"""Where each group's name stands: sufficiency across, necessity upwards.

A marker's area is the group's positive rate on neutral and positive mentions (Table 3), so the
groups whose mere mention is flagged are the large ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from nsx_core.audit.results import MeanScore, Rate, RateRow, ScoreRow
from nsx_core.records import Estimate, Side
from nsx_core.views.audit_cells import is_few, name_of
from nsx_core.views.audit_points import Axis, Mark, points_chart
from nsx_core.views.numbers import UNDEFINED, interval, percent, score

__all__ = ["Standing", "quadrant", "quadrant_of", "quadrant_sentences", "standings"]

MIDDLE = 0.5
_SMALL, _LARGE = 7.0, 34.0
# Room above and below for the names of the four fields.
_STEP, _ROOM, _ROOM_FOR_NAMES = 0.25, 0.06, 0.15
_LINE = "#8a94a0"
#: By (necessity reaches the middle, sufficiency does).
NAMES = {
    (True, False): "needed, not enough alone",
    (True, True): "needed and enough alone",
    (False, False): "neither needed nor enough",
    (False, True): "enough alone, not needed",
}
_MEANINGS = {
    (True, False): "without the name the prediction falls, and the name alone does not bring it "
    "back: it takes other words too",
    (True, True): "the prediction falls without the name, and stands with little else: the "
    "classifier goes by the name",
    (False, False): "the prediction rests mostly on other words",
    (False, True): "the name alone keeps the prediction, and so do the other words without it",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """A classifier and group: both mean scores, and the rate of flagged mentions."""

    classifier: str
    group: str
    necessity: MeanScore
    sufficiency: MeanScore
    rate: Rate | None


def standings(
    scores: Sequence[ScoreRow], rates: Sequence[RateRow], classifier: str | None = None
) -> tuple[Standing, ...]:
    """Every classifier and group of Table 2, or one classifier's, with Table 3's rate."""
    found = {(r.classifier, r.group, r.measure): r.score for r in scores}
    flagged = {(r.classifier, r.group): r.rate for r in rates if r.group}
    return tuple(
        Standing(
            c, g, found[c, g, Side.NECESSITY], found[c, g, Side.SUFFICIENCY], flagged.get((c, g))
        )
        for c, g in dict.fromkeys((r.classifier, r.group) for r in scores)
        if classifier is None or c == classifier
    )


def quadrant(found: Sequence[Standing], classifiers: Sequence[str]) -> go.Figure | None:
    """One point a classifier and group; None where no group has both scores.

    classifiers: all of the audit, in order, so that a classifier keeps its look.
    """
    one = len({s.classifier for s in found}) == 1
    marks = [m for m in (_mark(s, one) for s in found) if m is not None]
    if not marks:
        return None
    x = _axis("sufficiency: kept when only the name is", [(m.x, m.x_ends) for m in marks], _ROOM)
    y = _axis(
        "necessity: lost when the name is replaced",
        [(m.y, m.y_ends) for m in marks],
        _ROOM_FOR_NAMES,
    )
    # Large markers first have a place for their label.
    marks.sort(key=lambda m: -m.size)
    figure = points_chart(marks, x, y, classifiers, height=520)
    for (needed, enough), name in NAMES.items():
        figure.add_annotation(
            x=x.high if enough else x.low,
            y=y.high if needed else y.low,
            xanchor="right" if enough else "left",
            yanchor="top" if needed else "bottom",
            text=name,
            showarrow=False,
            font={"size": 13, "color": _LINE},
        )
    return figure


def quadrant_of(standing: Standing) -> tuple[bool, bool] | None:
    """Whether necessity, and whether sufficiency, reaches one half; None where undefined."""
    n, s = standing.necessity.value, standing.sufficiency.value
    return None if n is None or s is None else (n >= MIDDLE, s >= MIDDLE)


def quadrant_sentences(found: Sequence[Standing]) -> tuple[str, ...]:
    """What the chart shows: how to read it, then which groups stand where, then the flagged."""
    placed: dict[tuple[bool, bool], list[Standing]] = {}
    missing = []
    for standing in found:
        at = quadrant_of(standing)
        if at is None:
            missing.append(standing)
        else:
            placed.setdefault(at, []).append(standing)
    several = len({s.classifier for s in found}) > 1
    said = (
        []
        if not placed
        else [
            "Each point is a group's name. Higher: more predictions are lost when the name is "
            "replaced. Further right: more are kept when only the name is. Larger: more neutral "
            "and positive mentions of the group are flagged. Thin lines are 95 % intervals. The "
            "dashed lines at 0.50 are guides for reading, no limits of the method."
        ]
    )
    said += [
        f"{NAMES[at][:1].upper()}{NAMES[at][1:]} ({_MEANINGS[at]}): {_listed(there, several)}."
        for at in NAMES
        if (there := placed.get(at))
    ]
    if missing:
        said.append(f"Not in the chart, with an undefined score: {_listed(missing, several)}.")
    rated = [s for s in found if s.rate is not None and s.rate.value is not None]
    if any(s not in rated and s not in missing for s in found):
        said.append("Hollow: no neutral or positive mention of the group is there to be flagged.")
    if len(rated) > 1:
        most = max(rated, key=lambda s: _rate(s.rate))
        assert most.rate is not None
        if not most.rate.positives:
            said.append("No neutral or positive mention of these groups is flagged.")
            return tuple(said)
        said.append(
            f"Most often flagged without cause: {_named(most, several)}, "
            f"{most.rate.positives} of {most.rate.n} neutral and positive mentions "
            f"({percent(_rate(most.rate))})."
        )
    return tuple(said)


def _mark(standing: Standing, labelled: bool) -> Mark | None:
    n, s, rate = standing.necessity, standing.sufficiency, standing.rate
    if n.value is None or s.value is None:
        return None
    known = rate is not None and rate.value is not None
    flagged = f"flagged {percent(_rate(rate))}" if known else "flagged: undefined"
    small = " (few cases)" if is_few(n) or is_few(s) else ""
    name = name_of(standing.group)
    label = f"{name} {percent(_rate(rate))}" if known else name
    return Mark(
        standing.classifier,
        s.value,
        n.value,
        label if labelled else name,
        (
            f"{name}, {standing.classifier}{small}",
            f"necessity {_said(n)}",
            f"sufficiency {_said(s)}",
            f"{flagged} of neutral and positive mentions"
            + (f" ({rate.positives} of {rate.n})" if rate is not None and known else ""),
        ),
        _ends(s),
        _ends(n),
        # Areas, not widths, are in proportion.
        max(_SMALL, _LARGE * math.sqrt(_rate(rate))),
        hollow=not known,
    )


def _rate(rate: Rate | None) -> float:
    return 0.0 if rate is None or rate.value is None else rate.value


def _ends(found: MeanScore) -> tuple[float, float] | None:
    return None if found.low is None or found.high is None else (found.low, found.high)


def _said(found: MeanScore) -> str:
    if found.value is None:
        return UNDEFINED
    ends = interval(Estimate(found.value, found.low, found.high, found.n))
    return f"{score(found.value)} ({'no interval' if found.low is None else ends}; n {found.n})"


def _axis(
    title: str, found: Sequence[tuple[float, tuple[float, float] | None]], share: float
) -> Axis:
    """0 to 1, further down by quarters where a score or an interval goes below 0."""
    lowest = min(min(value, *(ends or ())) if ends else value for value, ends in found)
    low = min(0.0, math.floor(lowest / _STEP) * _STEP)
    room = (1.0 - low) * share
    return Axis(title, low - room, 1.0 + room, MIDDLE)


def _named(standing: Standing, several: bool) -> str:
    name = name_of(standing.group)
    return f"{name} ({standing.classifier})" if several else name


def _listed(found: Sequence[Standing], several: bool) -> str:
    return ", ".join(_named(s, several) for s in found)
