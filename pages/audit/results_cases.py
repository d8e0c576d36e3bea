"""Lists of cases: of a clicked cell, and of the whole suite; each opens on the page Explain."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
from pandas import DataFrame

from nsx_core import words
from nsx_core.audit_records import AuditFound
from nsx_core.engine import Engine, ExplainRequest
from nsx_core.errors import NsxError
from nsx_core.views import audit_sentences as sentences
from nsx_core.views.audit_cases import Wanted, listed, selected, sorted_by
from nsx_core.views.audit_cases_table import cases_table
from nsx_core.views.audit_cells import Cell, from_value, name_of
from pages.explore.asking import open_explanation
from pages.shared.figure import figure
from pages.shared.notices import error_notice

__all__ = ["all_cases", "cell_cases", "go_to_explain"]

_ANY = ""
_RIGHT = {"right": True, "wrong": False}


def cell_cases(found: AuditFound, cell: Cell) -> None:
    """The cases behind one cell of Table 2."""
    st.subheader("The cases of this cell")
    row = next(
        r
        for r in found.report.table_2
        if (r.classifier, r.group, r.measure) == (cell.classifier, cell.group, cell.measure)
    )
    st.text(sentences.cell_sentence(cell.classifier, cell.group, cell.measure, row.score))
    order = st.session_state.setdefault(
        "results_cell_order", Wanted(order=cell.measure, descending=True)
    )
    right = st.segmented_control(
        "Prediction", ["right", "wrong", "both"], key="results_cell_right", default="right",
        required=True, on_change=_turn, args=("results_cell_order", "0"),
    )  # fmt: skip
    own = replace(order, classifier=cell.classifier, group=cell.group, scored=True)
    rows = selected(listed(found.cases, found.predictions), own).matching
    _list(
        found,
        rows,
        replace(own, right=_RIGHT.get(right or "")),
        "results_cell_order",
        f"{name_of(cell.group)}, {cell.classifier}.",
    )


def all_cases(found: AuditFound) -> None:
    """Every case of the suite under every classifier, filtered."""
    order = st.session_state.setdefault("results_case_order", Wanted())
    turn = {"on_change": _turn, "args": ("results_case_order", "0")}
    rows = found.predictions
    with st.container(key="results-filters", horizontal=True, vertical_alignment="bottom"):
        search = st.text_input(
            "Search", key="results_search", width=200, placeholder="words in the cases", **turn
        )
        chosen = {}
        for name in ("classifier", "group", "functionality"):
            key = f"results_of_{name}"
            options = [_ANY, *sorted(str(v) for v in rows[name].unique() if v)]
            if st.session_state.get(key) not in options:
                st.session_state[key] = _ANY
            chosen[name] = st.selectbox(
                name.capitalize(),
                options,
                key=key,
                width=190,
                format_func=lambda v: "any" if v == _ANY else name_of(v),
                **turn,
            )
        right = st.selectbox(
            "Prediction", ["any", "right", "wrong"], key="results_of_right", width=110, **turn
        )
        scored = st.toggle("Explained only", key="results_of_scored", **turn)
    wanted = replace(
        order,
        search=search or "",
        right=_RIGHT.get(right),
        scored=scored,
        **{name: value or None for name, value in chosen.items()},
    )
    _list(
        found,
        listed(found.cases, found.predictions),
        wanted,
        "results_case_order",
        "Cases of the suite.",
    )


def go_to_explain(engine: Engine, found: AuditFound) -> None:
    """Leave for the page Explain where a case was clicked; say so where it cannot be shown."""
    asked = st.session_state.pop("results_explain", None)
    if asked is None:
        return
    classifier, case = asked
    try:
        request = engine.audits.request_of(found.card.id, case, classifier)
        open_explanation(engine, request, found.threshold, _phrase(engine, request))
    except NsxError as error:
        error_notice(error, key="results-explain")


def _phrase(engine: Engine, request: ExplainRequest) -> int | None:
    """Which word of the text the group's name is; None where the text has no phrase."""
    spans = words.phrase_spans(request.text, request.settings.phrases)
    starts = {word.start: at for at, word in enumerate(engine.plan(request).split.words)}
    return next((starts[start] for start, _ in spans if start in starts), None)


def _list(found: AuditFound, rows: DataFrame, wanted: Wanted, key: str, title: str) -> None:
    shown = selected(rows, wanted)

    def sort(order: str) -> None:
        st.session_state[key] = sorted_by(st.session_state[key], order)

    def turn(number: str) -> None:
        _turn(key, number)

    figure(
        cases_table(shown, wanted, found.threshold, title),
        f"table-{key}",
        sort=sort,
        page=turn,
        case=_ask,
    )


def _turn(key: str, number: str) -> None:
    if key in st.session_state:
        st.session_state[key] = replace(st.session_state[key], page=int(number))


def _ask(value: str) -> None:
    st.session_state["results_explain"] = from_value(value, 2)
