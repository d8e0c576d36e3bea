"""All audits: those that run with their progress, the others with what they came to."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from nsx_core.audit_records import AuditCard
from nsx_core.engine import Engine
from nsx_core.errors import NsxError
from nsx_core.views.audit_progress import (
    RUNNING,
    card_sentence,
    in_order,
    stage_sentence,
    state_sentence,
    whole_share,
)
from pages.shared.notices import error_notice

__all__ = ["audits_listed"]

POLL_SECONDS = 1.0
SHOWN_AT_FIRST = 10


def audits_listed(engine: Engine) -> None:
    """The list, drawn again in place while an audit runs; still when none does."""
    running = any(card.state in RUNNING for card in engine.audits.listed())
    st.fragment(_listed, run_every=POLL_SECONDS if running else None)(engine, running)


def _listed(engine: Engine, running: bool) -> None:
    place = st.container(key="audits")
    cards = in_order(engine.audits.listed())
    if running is not any(card.state in RUNNING for card in cards):
        st.rerun()  # Whether the list is drawn again by itself is decided by the whole page.
    with place:
        st.header("Audits")
        if not cards:
            st.text("None yet.")
            return
        if running:
            st.text(
                "An audit goes on in the background, also when this page is closed. Explanations "
                "that somebody waits for on the Explain page go first."
            )
        failed = st.session_state.pop("audit_list_error", None)
        if failed is not None:
            error_notice(failed, key="audit-list")
        everything = st.session_state.get("audits_all", False)
        for card in cards if everything else cards[:SHOWN_AT_FIRST]:
            with st.container(key=f"audit-{card.id}", gap="xsmall"):
                _one(engine, card)
        if len(cards) > SHOWN_AT_FIRST and not everything:
            st.button(
                f"Show all {len(cards):,}", key="audits-all", type="tertiary", on_click=_show_all
            )


def _show_all() -> None:
    st.session_state["audits_all"] = True


def _one(engine: Engine, card: AuditCard) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"audit-row-{card.id}"):
        with st.container(gap="xxsmall", width="stretch"):
            # A person typed the name, so it is text, and its looks come from the style sheet.
            with st.container(key=f"audit-title-{card.id}"):
                st.text(card.name)
            st.text(card_sentence(card))
        if card.state in RUNNING:
            _button("Cancel", engine.audits.cancel, card.id)
        elif card.state != "done":
            _button("Go on", engine.audits.resume, card.id)
        if card.done:
            st.page_link("pages/audit/results.py", label="Results", query_params={"audit": card.id})
    if card.state not in RUNNING:
        st.text(state_sentence(card))
    view = engine.audits.progress(card.id)
    if view is None:
        return
    if card.state in RUNNING:
        st.progress(whole_share(view))
        st.text(stage_sentence(view))
    if view.error:
        st.text(view.error)


def _button(label: str, act: Callable[[str], None], audit: str) -> None:
    name = label.lower().replace(" ", "-")
    st.button(label, key=f"{name}-{audit}", on_click=_tried, args=(act, audit))


def _tried(act: Callable[[str], None], audit: str) -> None:
    try:
        act(audit)
    except NsxError as error:
        st.session_state["audit_list_error"] = error
