"""Group against group under one classifier: a pair side by side, and all pairs of one score."""

from __future__ import annotations

from collections.abc import Sequence

from nsx_core.audit.group_pairs import GroupPair
from nsx_core.audit.results import PairedDifference
from nsx_core.audit.saying import SIGNIFICANT
from nsx_core.records import Estimate
from nsx_core.views.audit_cells import (
    as_value,
    caption,
    framed,
    heading,
    name_of,
    number,
    row_heading,
    shaded,
    signed,
)
from nsx_core.views.audit_tables import p_value
from nsx_core.views.markup import Node, node
from nsx_core.views.numbers import interval, score

__all__ = ["pair_sentence", "pair_table", "pairs_matrix", "turned"]

_NONE = "\u2013"


def turned(pair: GroupPair, first: str) -> GroupPair:
    """The pair with ``first`` as its first group: the same numbers, signs and ends exchanged."""
    d = pair.difference
    if d.first == first:
        return pair
    other = PairedDifference(
        d.second, d.first, d.measure, _minus(d.value), d.std, _minus(d.high), _minus(d.low), d.n,
        d.templates, d.p, d.p_corrected, d.notes,
    )  # fmt: skip
    return GroupPair(pair.classifier, pair.second_mean, pair.first_mean, other)


def pair_table(pairs: Sequence[GroupPair]) -> Node:
    """Two groups, a row each score: both means over shared templates, and the difference.

    pairs: of the same two groups in the same order, one each measure; at least one.
    """
    one = pairs[0].difference
    heads = ("Difference", "95 % interval", "Shared templates", "p", "p corrected")
    table = node(
        "table",
        caption(
            f"{name_of(one.first)} against {name_of(one.second)}, {pairs[0].classifier}: mean "
            "scores over the templates whose case the classifier gets right with both names. The "
            f"bar runs from 0 to 1: the dot is {name_of(one.first)}, the ring {name_of(one.second)}."
        ),
        node(
            "thead",
            node(
                "tr",
                heading("Score"),
                heading(one.first, "number"),
                heading(one.second, "number"),
                heading("", "between"),
                *(heading(h, "number") for h in heads),
            ),
        ),
        node("tbody", *(_pair_row(pair) for pair in pairs)),
        cls="plain pairs",
    )
    return framed(table, cls="audit-pair")


def pair_sentence(pair: GroupPair, tests: int) -> str:
    """One score of two groups, in words; tests: how many were corrected together."""
    d = pair.difference
    first, second = name_of(d.first), name_of(d.second)
    if d.value is None or d.p_corrected is None:
        why = "; ".join(d.notes) or "no test"
        return f"{d.measure.capitalize()} of {first} and {second}: {why}. No conclusion."
    higher, lower = (first, second) if d.value > 0 else (second, first)
    measured = (
        f"over {d.n} templates that both share, the {d.measure} of {higher} is higher by "
        f"{score(abs(d.value))} than that of {lower}"
        if signed(d.value) != "0.00"
        else f"over {d.n} templates that both share, the {d.measure} of {first} and {second} "
        "is the same to two decimals"
    )
    p = p_value(d.p_corrected)
    test = f"(p {p if p.startswith('<') else f'= {p}'}, corrected for {tests} tests)"
    if d.p_corrected < SIGNIFICANT:
        return (
            f"{pair.classifier}: {measured} {test}. Were the two names interchangeable to the "
            "classifier, a difference as large as this would be rare."
        )
    return f"{pair.classifier}: {measured} {test}. This leaves open which is higher."


def pairs_matrix(
    pairs: Sequence[GroupPair], groups: Sequence[str], measure: str, chosen: tuple[str, str]
) -> Node:
    """All pairs of one score: the row's group minus the column's.

    Each field is a button whose event is 'pair' and whose value is ``as_value`` of both groups.
    """
    found = {}
    for pair in pairs:
        if pair.difference.measure == measure:
            first, second = pair.difference.first, pair.difference.second
            found[first, second] = pair.difference
            found[second, first] = turned(pair, second).difference
    table = node(
        "table",
        caption(
            f"All pairs, {measure}: the row's group minus the column's, over shared templates. "
            "Shaded by how far apart they are; p is corrected for all tests of this classifier. "
            "Bold: p below 0.05."
        ),
        node("thead", node("tr", heading(""), *(heading(g) for g in groups))),
        node(
            "tbody",
            *(
                node(
                    "tr",
                    row_heading(row),
                    *(_field(found.get((row, column)), chosen) for column in groups),
                )
                for row in groups
            ),
        ),
        cls="matrix",
    )
    return framed(table, cls="audit-pairs")


def _pair_row(pair: GroupPair) -> Node:
    d = pair.difference
    means = (pair.first_mean, pair.second_mean)
    return node(
        "tr",
        row_heading(d.measure),
        *(number(score(mean)) for mean in means),
        node("td", _between(*means), cls="between", properties=shaded(d.measure, 0.66)),
        number(signed(d.value)),
        number(_bounds(d)),
        number(str(d.templates)),
        number(p_value(d.p)),
        number(p_value(d.p_corrected)),
    )


def _between(first: float | None, second: float | None) -> Node | None:
    if first is None or second is None:
        return None
    one, other = (min(max(v, 0.0), 1.0) for v in (first, second))
    return node(
        "span",
        node("span", cls="line"),
        node("span", cls="end-dot first"),
        node("span", cls="end-dot second"),
        cls="interval dumbbell",
        aria_hidden="true",
        properties={
            "--left": f"{min(one, other) * 100:.2f}%",
            "--width": f"{abs(one - other) * 100:.2f}%",
            "--first": f"{one * 100:.2f}%",
            "--second": f"{other * 100:.2f}%",
        },
    )


def _field(d: PairedDifference | None, chosen: tuple[str, str]) -> Node:
    if d is None:
        return node("td", node("span", _NONE, cls="cell same"), cls="field")
    if d.value is None:
        inside: tuple[Node | str | None, ...] = (node("span", "undefined", cls="value"),)
    else:
        clear = d.p_corrected is not None and d.p_corrected < SIGNIFICANT
        said = "no test" if d.p_corrected is None else f"p {p_value(d.p_corrected)}"
        inside = (
            node("strong" if clear else "span", signed(d.value), cls="value"),
            node("span", said, cls="fine"),
            node("span", f"{d.templates} template{'s' * (d.templates != 1)}", cls="fine"),
        )
    value = as_value(d.first, d.second)
    return node(
        "td",
        node(
            "button",
            *inside,
            cls=f"cell {d.measure}" + (" undefined" if d.value is None else ""),
            properties=shaded(d.measure, abs(d.value or 0.0)),
            type="button",
            title="; ".join(d.notes) or None,
            aria_pressed="true" if chosen == (d.first, d.second) else "false",
            aria_label=f"{name_of(d.first)} minus {name_of(d.second)}, {d.measure}: "
            f"{signed(d.value)}, {_bounds(d)}",
            data_id=f"pair-{value}",
            data_event="pair",
            data_value=value,
        ),
        cls="field",
    )


def _bounds(d: PairedDifference) -> str:
    return "no interval" if d.low is None else interval(Estimate(d.value, d.low, d.high, d.n))


def _minus(value: float | None) -> float | None:
    return None if value is None else -value
