"""Tables 1, 3 and 4, pairs of classifiers and costs."""

from __future__ import annotations

from collections.abc import Sequence

from nsx_core.audit.results import (
    FunctionalityRow,
    MeanScore,
    PairedDifference,
    RateRow,
    ScoreRow,
)
from nsx_core.audit_records import MethodCost, SeedRow
from nsx_core.records import Estimate
from nsx_core.views.audit_cells import (
    caption,
    few,
    framed,
    heading,
    mean_parts,
    number,
    rate_parts,
    row_heading,
    signed,
)
from nsx_core.views.markup import Node, direction, node
from nsx_core.views.numbers import UNDEFINED, interval, score

__all__ = [
    "attributions_table",
    "costs_table",
    "differences_table",
    "functions_table",
    "p_value",
    "rates_table",
    "seeds_table",
]

_NONE = "\u2013"
_TIMED = (
    "Seconds are of the cases in brackets: of the others some texts were stored before, or the "
    "audit was interrupted, so nobody measured them."
)
# What HateCheck's functionalities about other targets are about (rottger-etal-2021).
_TARGETS = {"F24": "other groups", "F23": "individuals", "F22": "objects"}


def functions_table(rows: Sequence[FunctionalityRow]) -> Node:
    """Table 1: what the suite tests, an example of each, its gold label and its cases."""
    numbered = any(row.number for row in rows)
    table = node(
        "table",
        caption("Table 1. What the test suite holds: each kind of case, its first case as an "
                "example, and how the suite labels it."),
        node(
            "thead",
            node(
                "tr",
                heading("No.") if numbered else None,
                heading("Function"), heading("Example"), heading("Gold label"),
                heading("Cases", "number"),
            ),
        ),
        node(
            "tbody",
            *(
                node(
                    "tr",
                    node("td", row.number or _NONE) if numbered else None,
                    row_heading(row.functionality),
                    node("td", row.example, cls="text", dir=direction(row.example)),
                    node("td", row.gold),
                    number(f"{row.n:,}"),
                )
                for row in rows
            ),
        ),
        cls="plain",
    )  # fmt: skip
    return framed(table, cls="audit-functions")


def rates_table(rows: Sequence[RateRow]) -> Node:
    """Table 3: shares classified positive where nothing should be."""
    columns = list(dict.fromkeys((r.functionalities, r.group) for r in rows))
    found = {(r.classifier, r.functionalities, r.group): r.rate for r in rows}
    classifiers = list(dict.fromkeys(r.classifier for r in rows))
    table = node(
        "table",
        caption(
            "Table 3. Share of cases that the classifier flags, with a 95 % interval (Wilson). By "
            "group: neutral and positive mentions of the group. Without a group: abuse of "
            "targets that are not protected groups."
        ),
        node(
            "thead",
            node(
                "tr",
                heading("Classifier"),
                *(
                    node(
                        "th",
                        node("span", group or _TARGETS.get(functions, "other targets")),
                        node("small", functions),
                        scope="col",
                        cls="two-lines",
                    )
                    for functions, group in columns
                ),
            ),
        ),
        node(
            "tbody",
            *(
                node(
                    "tr",
                    row_heading(classifier),
                    *(
                        node(
                            "td",
                            node("span", *rate_parts(found[classifier, *column]), cls="cell rate"),
                            cls="field",
                        )
                        if (classifier, *column) in found
                        else node("td", _NONE, cls="field")
                        for column in columns
                    ),
                )
                for classifier in classifiers
            ),
        ),
        cls="matrix rates",
    )
    return framed(table, few(row.rate for row in rows), cls="audit-rates")


def attributions_table(
    rows: Sequence[ScoreRow], ours: Sequence[ScoreRow] = (), title: str = ""
) -> Node:
    """Table 4: SHAP and LIME scores of the same cases, beside necessity and sufficiency.

    The four measure different things on different scales, so none of them is shaded.
    """
    found = {(r.classifier, r.group, r.measure): r.score for r in (*ours, *rows)}
    cells = list(dict.fromkeys((r.classifier, r.group) for r in rows))
    measures = list(dict.fromkeys(r.measure for r in (*ours, *rows)))
    table = node(
        "table",
        caption(title),
        node(
            "thead",
            node("tr", heading("Classifier"), heading("Group"), *(heading(m) for m in measures)),
        ),
        node(
            "tbody",
            *(
                node(
                    "tr",
                    row_heading(classifier),
                    row_heading(group),
                    *(_plain(found.get((classifier, group, m))) for m in measures),
                )
                for classifier, group in cells
            ),
        ),
        cls="matrix",
    )
    scores = [score for (c, g, _), score in found.items() if (c, g) in set(cells)]
    return framed(table, few(scores), cls="audit-attributions")


def seeds_table(rows: Sequence[SeedRow]) -> Node:
    """A sampling method's scores over seeds, each with its interval over them."""
    heads = ("Mean over seeds", "95 % over seeds", "Seeds", "n (cases)")
    table = node(
        "table",
        caption(
            "SHAP over seeds. SHAP's default for texts draws nothing, so another seed changes "
            "nothing. Its sampling explainer draws orders of words: this is how far it moves."
        ),
        node(
            "thead",
            node(
                "tr", heading("Classifier"), heading("Group"),
                *(heading(h, "number") for h in heads),
            ),
        ),
        node(
            "tbody",
            *(
                node(
                    "tr",
                    row_heading(row.classifier),
                    node("td", row.group, dir=direction(row.group)),
                    number(score(row.value, 3)),
                    number(
                        "none"
                        if row.low is None or row.high is None
                        else f"{score(row.low, 3)} to {score(row.high, 3)}"
                    ),
                    number(str(row.seeds)),
                    number(str(row.cases)),
                )
                for row in rows
            ),
        ),
        cls="plain",
    )  # fmt: skip
    return framed(table, None, cls="audit-seeds")


def differences_table(
    rows: Sequence[PairedDifference], title: str, kind: str, shared: str = "shared cases"
) -> Node:
    """Paired differences with intervals, and p before and after Holm's correction.

    kind: what is compared, 'Classifiers' or 'Groups'; shared: what n counts.
    """
    heads = ("Difference", "95 % interval", "std", f"n ({shared})", "Templates", "p", "p corrected")
    table = node(
        "table",
        caption(title),
        node(
            "thead",
            node("tr", heading(kind), heading("Score"), *(heading(h, "number") for h in heads)),
        ),
        node("tbody", *(_difference(row) for row in rows)),
        cls="plain",
    )
    notes = list(dict.fromkeys(n for r in rows if r.p_corrected is None for n in r.notes))
    said = node("p", "No test: " + "; ".join(notes) + ".", cls="footnote") if notes else None
    return framed(table, said, cls="audit-differences")


def costs_table(costs: Sequence[MethodCost]) -> Node:
    """What each method cost: calls of the classifier, texts and seconds."""
    heads = ("Cases", "Calls", "Texts classified", "Texts a case", "Seconds", "Seconds a case")
    table = node(
        "table",
        caption("What each method cost: how often the classifier was called, how many texts it "
                "read, and how long it took."),
        node(
            "thead",
            node(
                "tr", heading("Method"), heading("Classifier"),
                *(heading(h, "number") for h in heads),
            ),
        ),
        node(
            "tbody",
            *(
                node(
                    "tr",
                    row_heading(cost.method),
                    row_heading(cost.classifier),
                    *(number(f"{n:,}") for n in (cost.cases, cost.calls, cost.texts)),
                    number(f"{cost.texts / cost.cases:,.0f}" if cost.cases else UNDEFINED),
                    number(_seconds(cost)),
                    number(
                        _NONE if cost.seconds_a_case is None else f"{cost.seconds_a_case:.2f}"
                    ),
                )
                for cost in costs
            ),
        ),
        cls="plain",
    )  # fmt: skip
    partly = any(cost.timed < cost.cases for cost in costs)
    said = node("p", _TIMED, cls="footnote") if partly else None
    return framed(table, said, cls="audit-costs")


def _seconds(cost: MethodCost) -> str:
    if cost.seconds is None:
        return _NONE
    some = "" if cost.timed == cost.cases else f" ({cost.timed:,} cases)"
    return f"{cost.seconds:,.0f}{some}"


def p_value(p: float | None) -> str:
    """'0.012', '< 0.001', or a dash where there was no test."""
    return _NONE if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def _plain(found: MeanScore | None) -> Node:
    if found is None:
        return node("td", _NONE, cls="field")
    return node("td", node("span", *mean_parts(found, 0.0, bar=False), cls="cell"), cls="field")


def _difference(row: PairedDifference) -> Node:
    ends = Estimate(row.value, row.low, row.high, row.n)
    bounds = "none" if row.low is None else interval(ends)
    std = _NONE if row.std is None else score(row.std)
    return node(
        "tr",
        row_heading(row.first, node("span", " against ", cls="against"), row.second),
        node("td", row.measure),
        number(signed(row.value)),
        number(bounds),
        number(std),
        number(str(row.n)),
        number(str(row.templates)),
        number(p_value(row.p)),
        number(p_value(row.p_corrected)),
    )
