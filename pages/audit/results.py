"""Results: an audit's tables, groups, hypotheses and cases at any threshold."""

from __future__ import annotations

import streamlit as st

from nsx_core.audit_records import AuditCard, AuditFound
from nsx_core.engine import Engine
from nsx_core.errors import NsxError
from nsx_core.views import audit_sentences as sentences
from nsx_core.views.address import THRESHOLD_MAX, THRESHOLD_MIN
from nsx_core.views.audit_address import VIEWS, results_parameters
from pages.audit.results_cases import all_cases, go_to_explain
from pages.audit.results_downloads import downloads
from pages.audit.results_groups import groups
from pages.audit.results_notes import notes_of_audit
from pages.audit.results_state import checked_cell, open_results, shown_view
from pages.audit.results_tables import classifier_pairs, hypotheses, tables
from pages.shared.engine import the_engine
from pages.shared.notices import error_notice, notice


def page() -> None:
    """The whole page, from top to bottom."""
    engine = the_engine()
    st.title("What did the audit find?")
    try:
        cards = {card.id: card for card in engine.audits.listed()}
        open_results(cards)
        _put_aside()
        if not cards:
            notice("There is no audit yet", sentences.NO_AUDIT, key="no-audit")
            return
        card = _chosen(cards)
        threshold = _threshold()
        with st.spinner("Counting at this threshold", show_time=False):
            found = engine.audits.found(card.id, threshold)
        _results(engine, found)
        notes_of_audit(engine, card.id)
    except NsxError as error:
        error_notice(error, key="results")


def _put_aside() -> None:
    for number, said in enumerate(st.session_state["results_notices"]):
        notice("Part of the link was put aside", said, key=f"results-link-{number}")


def _chosen(cards: dict[str, AuditCard]) -> AuditCard:
    """The audit that is picked, and what is to be known of it."""

    def picked() -> None:
        state = st.session_state
        state["results_threshold"] = cards[state["results_audit"]].threshold
        state["results_cell"], state["results_notices"] = None, ()

    chosen = st.selectbox(
        "Audit",
        list(cards),
        key="results_audit",
        format_func=lambda audit: sentences.audit_name(cards[audit]),
        on_change=picked,
        persist_state="session",
    )
    card = cards[chosen]
    st.text(sentences.summary_sentence(card))
    progress = sentences.progress_sentence(card)
    if progress is not None:
        notice("Not the whole audit", progress, key="results-progress")
        if card.state in ("running", "queued"):
            st.button("Show what is there now", key="results-refresh")
    return card


def _threshold() -> float:
    return st.slider(
        "Decision threshold",
        THRESHOLD_MIN,
        THRESHOLD_MAX,
        key="results_threshold",
        step=0.01,
        format="%.2f",
        help="A case is flagged where its probability is at least this. All figures follow from "
        "stored probabilities; no classifier runs.",
        persist_state="session",
    )


@st.fragment
def _results(engine: Engine, found: AuditFound) -> None:
    """The views; a fragment, so that a click does not count everything again."""
    go_to_explain(engine, found)
    for key, title, said in (
        ("undrawn", "Scores that are missing", sentences.undrawn_sentence(found)),
        ("struck", "Struck-out texts", sentences.struck_sentence(found)),
        ("notes", "About this audit", "\n".join(found.notes)),
    ):
        if said:
            notice(title, said, key=f"results-{key}")
    view = st.segmented_control(
        "Show",
        list(VIEWS),
        key="results_view",
        format_func=VIEWS.__getitem__,
        required=True,
        label_visibility="collapsed",
        persist_state="session",
    )
    cell, unknown = checked_cell(found)
    if unknown is not None:
        notice("The chosen cell is not in this audit", unknown, key="results-cell")
    if view == "tables":
        tables(found)
    elif view == "hypotheses":
        hypotheses(found)
    elif view == "pairs":
        classifier_pairs(found)
    elif view == "cases":
        all_cases(found)
    elif view == "downloads":
        downloads(found)
    else:
        groups(found, cell)
    wanted = results_parameters(shown_view())
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)
    st.session_state["results_written"] = wanted


page()
