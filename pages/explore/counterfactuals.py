"""Counterfactuals: the smallest change that flips, and the smallest keep that holds."""

from __future__ import annotations

import streamlit as st

from nsx_core.engine import Engine
from nsx_core.errors import NsxError
from nsx_core.views.counterfactual_marks import method_name
from nsx_core.views.counterfactual_progress import QUESTIONS, long_search_sentence
from pages.explore.counterfactuals_asking import (
    Asked,
    ask,
    open_once,
    wanted,
    write_address,
)
from pages.explore.counterfactuals_form import form
from pages.explore.counterfactuals_result import result
from pages.explore.counterfactuals_searching import search
from pages.shared.engine import complete, the_engine
from pages.shared.notices import error_notice, notice
from pages.shared.warned import warn_once


def page() -> None:
    """The whole page, from top to bottom."""
    engine = the_engine()
    st.title("What is the least you would have to change?")
    warn_once()
    st.text("And what is the least that suffices? Four published methods on the same text.")
    try:
        open_once(engine)
        form(engine)
        if st.session_state["cf_error"]:
            error_notice(st.session_state["cf_error"], key="cf-text")
            return
        _follow_the_widgets(engine)
        asked: Asked | None = st.session_state["cf_asked"]
        if asked is None:
            notice("Nothing to search", "Type a text, or choose an example.", key="nothing")
            return
        found = engine.found_counterfactuals(asked.request)
        if found is not None:
            result(engine, asked, found)
        else:
            write_address()
            if _may_start(engine, asked):
                search(engine, asked)
    except NsxError as error:
        error_notice(error, key="cf")


def _follow_the_widgets(engine: Engine) -> None:
    """Show at once what is found already; say so where something must be computed."""
    # Always there, so that an old message goes as soon as the page is run again.
    place = st.empty()
    asked: Asked | None = st.session_state["cf_asked"]
    try:
        now = wanted(engine)
        if now is None or asked is None or now.request == asked.request:
            return
        if engine.found_counterfactuals(now.request) is not None:
            ask(engine, now)
            return
    except NsxError as error:
        with place:
            error_notice(error, key="cf-settings")
        return
    with place:
        notice(
            "Changed since the last search",
            "Press \u2018Find the smallest change\u2019 to search anew.",
            key="changed",
        )


def _may_start(engine: Engine, asked: Asked) -> bool:
    """Whether to search: on request, and unasked where it takes seconds."""
    state = st.session_state
    if state["cf_job"] or state["cf_anyway"]:
        return True
    explain = asked.request.explain
    cost = engine.cost(explain)
    long = long_search_sentence(cost.words, cost.draws, asked.request)
    if long is not None:
        notice("A long search", long, key="cf-long")
        st.button(
            "Search anyway",
            key="cf_anyway_button",
            on_click=ask,
            args=(engine, asked),
            kwargs={"start": True, "anyway": True},
        )
        return False
    if state["cf_start_wanted"] or complete(engine, explain) is not None:
        return True
    _invite()
    return False


def _invite() -> None:
    """What the methods answer, for who has not searched yet."""
    notice(
        "Not searched yet",
        "Press \u2018Find the smallest change\u2019. A short text takes about a quarter of a "
        "minute, more where its words were never explained.",
        key="cf-invitation",
    )
    for method, question in QUESTIONS.items():
        st.text(f"{method_name(method)}. {question}")


page()
