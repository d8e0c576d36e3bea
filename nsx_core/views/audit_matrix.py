"""Tables 2 and B.3 as a matrix: classifiers down, groups across, both scores in each field."""

from __future__ import annotations

from collections.abc import Sequence

from nsx_core.audit.results import MeanScore, ScoreRow
from nsx_core.records import Side
from nsx_core.views.audit_cells import (
    Cell,
    as_value,
    caption,
    few,
    floor_of,
    framed,
    heading,
    is_few,
    mean_parts,
    name_of,
    row_heading,
    shaded,
)
from nsx_core.views.heatmap import shading
from nsx_core.views.markup import Node, node
from nsx_core.views.numbers import UNDEFINED, score

__all__ = ["matrix"]

_STEPS = 12
#: More groups than these are cut off where the window is narrow.
_GROUPS_SEEN = 4
_SIDEWAYS = "Where the window is narrow, scroll the table sideways for the other groups."
_SAYS = {
    Side.NECESSITY: "share of predictions lost when the group's name is replaced",
    Side.SUFFICIENCY: "share kept when only the name is, less the neutral baseline",
}


def matrix(
    rows: Sequence[ScoreRow],
    title: str,
    chosen: Cell | None = None,
    without: Sequence[ScoreRow] | None = None,
    clickable: bool = True,
    cls: str = "audit-scores",
) -> Node:
    """Mean scores by classifier and group.

    without: the same rows without struck-out counterfactual texts, shown below the figures that
    they change.
    clickable: each cell is a button whose event is 'cell' and whose value is ``as_value`` of
    classifier, group and measure.
    """
    classifiers = list(dict.fromkeys(r.classifier for r in rows))
    groups = list(dict.fromkeys(r.group for r in rows))
    found = {(r.classifier, r.group, r.measure): r.score for r in rows}
    struck = {
        key: r.score
        for r in without or ()
        if found.get(key := (r.classifier, r.group, r.measure)) != r.score
    }
    floor = floor_of(rows)
    body = [
        node(
            "tr",
            row_heading(classifier),
            *(
                node(
                    "td",
                    *(
                        _cell(
                            Cell(classifier, group, side),
                            found[classifier, group, side],
                            struck.get((classifier, group, side)),
                            floor,
                            chosen,
                            clickable,
                        )
                        for side in Side
                        if (classifier, group, side) in found
                    ),
                    cls="field",
                )
                for group in groups
            ),
        )
        for classifier in classifiers
    ]
    table = node(
        "table",
        caption(f"{title} {_SIDEWAYS}" if len(groups) > _GROUPS_SEEN else title),
        node("thead", node("tr", heading("Classifier"), *(heading(g) for g in groups))),
        node("tbody", *body),
        cls="matrix",
    )
    scores = [row.score for row in rows]
    return node(
        "div", legend(floor, bool(struck)), framed(table, few(scores), cls="inner"), cls=cls
    )


def legend(floor: float, struck: bool) -> Node:
    """Which colour is which score, and what a cell's lines are."""
    lines = (
        "In each cell: the mean; its 95 % interval as a bar "
        f"from {score(floor, 2 if floor % 1 else 0)} to 1 and as numbers; the standard deviation "
        "(std) and the number of cases (n) that the classifier gets right."
    )
    if struck:
        lines += (
            " Below a dotted line, where it differs: the mean without the struck-out counterfactual "
            "texts."
        )
    return node(
        "div",
        *(
            node(
                "div",
                node("span", str(side), cls="name"),
                node("span", "0", cls="end"),
                node(
                    "span",
                    *(
                        node("span", properties=shading(side, i / _STEPS))
                        for i in range(_STEPS + 1)
                    ),
                    cls="ramp",
                    aria_hidden="true",
                ),
                node("span", "1", cls="end"),
                node("span", said, cls="said"),
                cls="scale",
            )
            for side, said in _SAYS.items()
        ),
        node("p", lines, cls="footnote whole"),
        cls="legend",
    )


def _cell(
    at: Cell,
    found: MeanScore,
    without: MeanScore | None,
    floor: float,
    chosen: Cell | None,
    clickable: bool,
) -> Node:
    look = f"cell {at.measure}" + (" undefined" if found.value is None else "")
    look += " few" if is_few(found) else ""
    inside = (
        node("span", at.measure, cls="measure"),
        *mean_parts(found, floor),
        None if without is None else node("span", f"without: {_value(without)}", cls="fine struck"),
    )
    if not clickable:
        return node("span", *inside, cls=look, properties=shaded(at.measure, found.value))
    value = as_value(at.classifier, at.group, at.measure)
    return node(
        "button",
        *inside,
        cls=look,
        properties=shaded(at.measure, found.value),
        type="button",
        title="; ".join(found.notes) or None,
        aria_pressed="true" if at == chosen else "false",
        aria_label=_aloud(at, found),
        data_id=f"cell-{value}",
        data_event="cell",
        data_value=value,
    )


def _aloud(at: Cell, found: MeanScore) -> str:
    where = f"{at.classifier}, {name_of(at.group)}, {at.measure}: "
    if found.value is None:
        return f"{where}{_value(found)}. Show its cases"
    ends = "no interval"
    if found.low is not None and found.high is not None:
        ends = f"interval {score(found.low)} to {score(found.high)}"
    notes = "".join(f", {note}" for note in found.notes)
    return f"{where}{score(found.value)}, {ends}, {found.n} cases{notes}. Show its cases"


def _value(found: MeanScore) -> str:
    return f"{UNDEFINED}, 0 of {found.cases}" if found.value is None else score(found.value)
