"""A search for counterfactuals while it runs: how far it is, cancel, why it ended without an answer."""

from __future__ import annotations

import streamlit as st

from nsx_core.counterfactual_records import CounterfactualRequest
from nsx_core.engine import Engine
from nsx_core.errors import UnknownNameError
from nsx_core.views.counterfactual_progress import search_sentence, search_share
from pages.explore.counterfactuals_asking import Asked, ask
from pages.explore.growing import POLL_SECONDS, RUNNING
from pages.shared.notices import notice

__all__ = ["search"]


def search(engine: Engine, asked: Asked) -> None:
    """Start it where it does not run, and show how far it is until it ends."""
    job = _job(engine, asked)
    st.fragment(_waiting, run_every=POLL_SECONDS if job else None)(engine, job, asked.request)


def _job(engine: Engine, asked: Asked) -> str | None:
    """The job that searches; None where it ended without findings, which is said."""
    state = st.session_state
    if state["cf_job"] is None:
        state["cf_job"] = engine.counterfactuals(asked.request, state["visitor"])
    try:
        view = engine.job(state["cf_job"], state["visitor"])
    except UnknownNameError:  # the engine was started again
        state["cf_job"] = None
        st.rerun()
    if view.state in RUNNING:
        return view.id
    said = "Go on"
    if view.state == "failed":
        notice("The search failed", view.error or "No reason was given.", key="cf-failed")
        said = "Try again"
    elif view.state == "left":
        notice(
            "Stopped for you",
            "Another window waits for the same search, so it goes on there.",
            key="cf-left",
        )
    elif view.state == "done":
        if engine.found_counterfactuals(asked.request) is not None:  # between two looks
            st.rerun()
        notice(
            "These findings are not kept any more",
            "The app keeps those of the last searches. What was written and judged is stored, so "
            "the same search is soon done.",
            key="cf-gone",
        )
        said = "Search again"
    else:
        notice(
            "Stopped",
            "What was written and judged by now is kept and will be used again.",
            key="cf-stopped",
        )
    st.button(
        said,
        key="cf_go_on",
        on_click=ask,
        args=(engine, asked),
        kwargs={"start": True, "anyway": True},
    )
    return None


def _waiting(engine: Engine, job: str | None, request: CounterfactualRequest) -> None:
    place = st.container(key="cf_progress", gap="xsmall")
    if job is None:
        return
    view = engine.job(job, st.session_state["visitor"])
    if view.state not in RUNNING:
        st.rerun()
    with place:
        st.progress(search_share(view, request, engine.cost(request.explain).draws))
        st.text(search_sentence(view, request))
        st.button(
            "Cancel",
            key="cf_cancel",
            disabled=view.stage == "stopping",
            on_click=engine.cancel,
            args=(view.id, st.session_state["visitor"]),
        )
