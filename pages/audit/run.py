"""Run: an audit from the choice of its suite to the progress bar."""

from __future__ import annotations

import secrets

import streamlit as st

from nsx_core.audit_records import AuditCost
from nsx_core.auditing import AuditRequest
from nsx_core.errors import MissingModelError, NsxError
from nsx_core.views.audit_progress import cost_sentences
from pages.audit.progress import audits_listed
from pages.audit.settings_form import audit_name, audit_request
from pages.audit.suite_form import chosen_suite
from pages.shared.engine import the_engine
from pages.shared.notices import error_notice, notice


def page() -> None:
    """Suite, settings, cost, the button, and all audits below."""
    engine = the_engine()
    st.session_state.setdefault("audit_visitor", secrets.token_hex(8))
    st.title("Does a classifier rest on who is named?")
    st.markdown(
        "An audit classifies the cases of a test suite. In the hateful ones that a classifier "
        "finds rightly, it scores the phrase that names the group: is it necessary for the "
        "prediction, is it sufficient?"
    )
    try:
        if not engine.classifiers() or not engine.infillers():
            raise MissingModelError("No classifier or no infiller is installed. Run `make setup`.")
        _asking(engine)
    except NsxError as error:
        error_notice(error, key="audit-form")
    audits_listed(engine)


def _asking(engine) -> None:  # type: ignore[no-untyped-def]
    st.header("Suite")
    chosen = chosen_suite(engine.audits)
    if chosen is None:
        return
    key, suite = chosen
    st.header("Settings")
    request = audit_request(engine, suite, key)
    name = audit_name(suite, key)
    cost = None
    if request is not None:
        with st.spinner("Counting what it asks for", show_time=False):
            cost = engine.audits.cost(request)
        _cost(cost, len(request.classifiers))
    st.button(
        "Run the audit",
        key="audit-run",
        type="primary",
        disabled=cost is None or not name.strip(),
        on_click=_submit,
        args=(engine, request, name.strip()),
    )
    failed = st.session_state.pop("audit_error", None)
    if failed is not None:
        error_notice(failed, key="audit-submit")


def _cost(cost: AuditCost, classifiers: int) -> None:
    notice("What it asks for", "\n".join(cost_sentences(cost, classifiers)), key="audit-cost")
    if cost.left_out:
        with st.expander(f"Cases left out of the explanations: {len(cost.left_out):,}"):
            st.text("\n".join(cost.left_out[:100]))
            if len(cost.left_out) > 100:
                st.text("These are the first 100.")


def _submit(engine, request: AuditRequest, name: str) -> None:  # type: ignore[no-untyped-def]
    try:
        engine.audits.submit(request, name, st.session_state["audit_visitor"])
    except NsxError as error:
        st.session_state["audit_error"] = error


page()
