"""Run: an audit from the choice of its suite to the progress bar."""

from __future__ import annotations

import secrets
from dataclasses import fields

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nsx_core.audit_records import AuditCost
from nsx_core.auditing import AuditRequest
from nsx_core.engine import Engine
from nsx_core.errors import MissingModelError, NsxError
from nsx_core.views.audit_progress import cost_sentences
from pages.audit.progress import audits_listed
from pages.audit.settings_form import audit_name, audit_request
from pages.audit.suite_form import chosen_suite
from pages.shared.engine import the_engine
from pages.shared.notices import error_notice, notice

_LEFT_OUT_SHOWN = 100
_COST_SECONDS = 60.0


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
    asked = None
    try:
        if not engine.classifiers() or not engine.infillers():
            raise MissingModelError("No classifier or no infiller is installed. Run `make setup`.")
        asked = _asking(engine)
    except NsxError as error:
        error_notice(error, key="audit-form")
    audits_listed(engine)
    if asked is not None:
        # Last, since it takes seconds on a large suite, and the rest can be used meanwhile.
        _cost(engine, *asked)


def _asking(engine: Engine) -> tuple[DeltaGenerator, str, AuditRequest] | None:
    """The widgets; where the cost is to be shown, the suite's id, and what is asked."""
    st.header("Suite")
    chosen = chosen_suite(engine.audits)
    if chosen is None:
        return None
    key, suite = chosen
    st.header("Settings")
    request = audit_request(engine, suite, key)
    name = audit_name(suite, key)
    place = st.container(key="audit-cost")
    st.button(
        "Run the audit",
        key="audit-run",
        type="primary",
        disabled=request is None or not name.strip(),
        on_click=_submit,
        args=(engine, request, name),
    )
    failed = st.session_state.pop("audit_error", None)
    if failed is not None:
        error_notice(failed, key="audit-submit")
    return None if request is None else (place, key, request)


def _cost(engine: Engine, place: DeltaGenerator, suite: str, request: AuditRequest) -> None:
    said = [getattr(request, f.name) for f in fields(request) if f.name != "suite"]
    # What is stored already changes most when an audit begins or ends.
    states = [(card.id, card.state) for card in engine.audits.listed()]
    with place:
        try:
            cost = _counted(engine, request, repr((suite, said, states)))
        except NsxError as error:
            error_notice(error, key="audit-cost")
            return
        notice(
            "What it asks for",
            "\n".join(
                cost_sentences(
                    cost, len(request.classifiers), request.masking, request.attributions
                )
            ),
            key="audit-cost",
        )
        if cost.left_out:
            with st.expander(f"Cases left out of the explanations: {len(cost.left_out):,}"):
                st.text("\n".join(cost.left_out[:_LEFT_OUT_SHOWN]))
                if len(cost.left_out) > _LEFT_OUT_SHOWN:
                    st.text(f"These are the first {_LEFT_OUT_SHOWN}.")


@st.cache_resource(max_entries=16, ttl=_COST_SECONDS, show_spinner="Counting what it asks for")
def _counted(_engine: Engine, _request: AuditRequest, key: str) -> AuditCost:
    return _engine.audits.cost(_request)


def _submit(engine: Engine, request: AuditRequest, name: str) -> None:
    try:
        engine.audits.submit(request, name, st.session_state["audit_visitor"])
    except NsxError as error:
        st.session_state["audit_error"] = error


page()
