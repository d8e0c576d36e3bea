"""The view Groups: Table 2, the chart of where names stand, and group against group."""

from __future__ import annotations

import streamlit as st

from nsx_core.audit.group_pairs import GroupPair, group_pairs
from nsx_core.audit_records import AuditFound
from nsx_core.views import audit_sentences as sentences
from nsx_core.views.audit_cells import Cell, from_value, name_of
from nsx_core.views.audit_groups import pair_sentence, pair_table, pairs_matrix, turned
from nsx_core.views.audit_matrix import matrix
from nsx_core.views.audit_points import SHAPES_MAX
from nsx_core.views.audit_quadrant import quadrant, quadrant_sentences, standings
from pages.audit.results_cases import cell_cases
from pages.audit.results_state import choose_cell
from pages.shared.figure import figure

__all__ = ["groups"]

_TITLE = (
    "Table 2. How much a prediction rests on the group's name: mean necessity and sufficiency of "
    "the name over the hateful cases that each classifier gets right. Click a cell for its cases, and "
    "once more to close them."
)
_ALL = ""


def groups(found: AuditFound, cell: Cell | None) -> None:
    """Scores by classifier and group, as a table and as a chart, and pairs of groups."""
    report, struck = found.report, found.report_without_struck
    figure(
        matrix(report.table_2, _TITLE, cell, None if struck is None else struck.table_2),
        "results-scores",
        cell=choose_cell,
    )
    st.text(sentences.scores_sentence(report.table_2))
    if cell is not None:
        cell_cases(found, cell)
    names = list(dict.fromkeys(row.classifier for row in report.table_2))
    if not names:
        return
    _quadrant(found, names)
    _pairs(found)


def _quadrant(found: AuditFound, names: list[str]) -> None:
    st.subheader("Needed, enough, or both?")
    chosen = _classifier("results_quadrant", [*names, *([_ALL] if len(names) > 1 else [])])
    standing = standings(found.report.table_2, found.report.table_3, chosen or None)
    chart = quadrant(standing, names)
    if chart is not None:
        st.plotly_chart(chart, key="results-quadrant-chart", config={"displayModeBar": False})
    with st.container(key="results-quadrant-said", gap="xsmall"):
        for said in quadrant_sentences(standing):
            st.text(said)
    if chosen == _ALL and len(names) > SHAPES_MAX:
        st.text(f"After {SHAPES_MAX} classifiers, shapes and colours begin again.")


def _pairs(found: AuditFound) -> None:
    st.subheader("Group against group")
    cases = found.cases
    listed = [str(name) for name in cases["group"].unique() if name]
    names = [str(name) for name in cases["classifier"].unique()]
    if len(listed) < 2:
        st.text("Two groups are compared, and this audit has scores of fewer.")
        return
    with st.container(key="results-pair-choice", horizontal=True, vertical_alignment="bottom"):
        classifier = _classifier("results_pair_classifier", names)
        _keep("results_first", listed, listed[0])
        _keep("results_second", listed, listed[1])
        first = st.selectbox("Group", listed, key="results_first", width=200)
        second = st.selectbox("against", listed, key="results_second", width=200)
    pairs = _group_pairs(found, classifier, listed)
    both = [
        turned(pair, first)
        for pair in pairs
        if {pair.difference.first, pair.difference.second} == {first, second}
    ]
    if both:
        figure(pair_table(both), "results-pair")
        for pair in both:
            st.text(pair_sentence(pair, _tested(pairs)))
    else:
        st.text("Choose two different groups.")
    if len(listed) > 2:
        measure = st.segmented_control(
            "All pairs",
            ["necessity", "sufficiency"],
            key="results_pair_measure",
            default="necessity",
            required=True,
        )
        figure(
            pairs_matrix(pairs, listed, measure or "necessity", (first, second)),
            "results-pairs",
            pair=_choose_pair,
        )


def _group_pairs(found: AuditFound, classifier: str, listed: list[str]) -> tuple[GroupPair, ...]:
    """All pairs, kept from run to run: the bootstrap of many takes a while."""
    key = (found.card.id, found.threshold, classifier, found.card.done, len(found.cases))
    return _counted(found, classifier, listed, repr(key), float(found.cases["necessity"].sum()))


@st.cache_data(max_entries=16, show_spinner="Comparing groups")
def _counted(
    _found: AuditFound, classifier: str, listed: list[str], key: str, check: float
) -> tuple[GroupPair, ...]:
    return group_pairs(_found.cases, classifier, listed, _found.report.seed)


def _tested(pairs: tuple[GroupPair, ...]) -> int:
    return sum(pair.difference.p is not None for pair in pairs)


def _choose_pair(value: str) -> None:
    state = st.session_state
    state["results_first"], state["results_second"] = from_value(value, 2)


def _classifier(key: str, names: list[str]) -> str:
    _keep(key, names, names[0])
    return st.selectbox(
        "Classifier",
        names,
        key=key,
        width=260,
        format_func=lambda name: "all classifiers" if name == _ALL else name_of(name),
    )


def _keep(key: str, options: list[str], default: str) -> None:
    """A choice of another audit is not one of this."""
    if st.session_state.get(key) not in options:
        st.session_state[key] = default
