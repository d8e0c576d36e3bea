"""Which suite: one that is kept, or a file of one's own."""

from __future__ import annotations

import streamlit as st

from nsx_core.auditing.audits import Audits
from nsx_core.errors import NsxError
from nsx_core.suites import Suite
from nsx_core.views.suite_preview import (
    PreviewRow,
    cases_table,
    counts_sentence,
    fetch_sentence,
    kind_names,
    phrases_sentence,
    preview_rows,
    suite_names,
)
from pages.audit.mapping_wizard import uploaded_suite
from pages.shared.figure import figure
from pages.shared.notices import error_notice, notice

__all__ = ["chosen_suite"]

OWN = "own"


def chosen_suite(audits: Audits) -> tuple[str, Suite] | None:
    """The suite to audit on and its id; None while a file of one's own is being read."""
    cards = audits.suites()
    names = suite_names(cards) | {OWN: "Upload your own"}
    if st.session_state.get("audit_suite") not in names:
        st.session_state["audit_suite"] = cards[0].id
    st.selectbox(
        "Suite",
        list(names),
        key="audit_suite",
        format_func=names.__getitem__,
        label_visibility="collapsed",
        width=420,
        persist_state="session",
    )
    chosen = st.session_state["audit_suite"]
    if chosen == OWN:
        found = uploaded_suite()
        if found is not None:
            key, suite = found
            _shown(suite, f"upload-{key}")
            st.button(
                "Use this suite", key="use-suite", type="primary", on_click=_keep,
                args=(audits, suite),
            )  # fmt: skip
        failed = st.session_state.pop("suite_error", None)
        if failed is not None:
            error_notice(failed, key="suite-kept")
        return None
    if said := fetch_sentence(cards):
        st.caption(said)
    suite = audits.suite(chosen)
    if st.toggle("Show the cases", key="audit_show_cases", persist_state="session"):
        _shown(suite, f"suite-{chosen}")
    return chosen, suite


def _keep(audits: Audits, suite: Suite) -> None:
    try:
        st.session_state["audit_suite"] = audits.keep_suite(suite)
    except NsxError as error:
        st.session_state["suite_error"] = error


@st.cache_resource(max_entries=4, show_spinner="Looking for the phrases")
def _rows(_suite: Suite, key: str) -> tuple[PreviewRow, ...]:
    return preview_rows(_suite)


@st.fragment
def _shown(suite: Suite, key: str) -> None:
    """Counts, notes and cases; turning a page runs this part alone."""
    rows = _rows(suite, key)
    st.text(f"{counts_sentence(suite)} {phrases_sentence(rows)}")
    if suite.notes:
        notice("On reading the file", "\n".join(suite.notes), key="suite-notes")
    names = kind_names(rows)
    kind = ""
    if len(names) > 2:
        kind = st.segmented_control(
            "Show",
            list(names),
            key=f"kind-{key}",
            default="",
            format_func=names.__getitem__,
            required=True,
            label_visibility="collapsed",
            on_change=_turn,
            args=(key, "0"),
        )
    page = st.session_state.get(f"cases-page-{key}", 0)
    figure(cases_table(rows, kind or "", page), f"cases-{key}", page=lambda to: _turn(key, to))


def _turn(key: str, page: str) -> None:
    st.session_state[f"cases-page-{key}"] = int(page)
