"""Necessity, sufficiency, SHAP and LIME side by side for one classifier, and how faithful each is."""

from __future__ import annotations

import streamlit as st

from nsx_core.comparison_records import Comparison
from nsx_core.engine import Engine, ExplainRequest
from nsx_core.errors import UnknownNameError
from nsx_core.views import files
from nsx_core.views.compare_progress import methods_step_sentence
from nsx_core.views.faithfulness_chart import (
    agreement_sentence,
    faithfulness_chart,
    faithfulness_sentences,
    notes,
)
from nsx_core.views.methods_table import (
    agreement_table,
    faithfulness_table,
    methods_frame,
    methods_table,
)
from nsx_core.views.sentences import progress_share
from pages.explore.compare_asking import Asked, write_address
from pages.explore.compare_classifiers import judged_at
from pages.explore.growing import POLL_SECONDS, RUNNING
from pages.shared.engine import complete
from pages.shared.figure import figure
from pages.shared.notices import notice

__all__ = ["methods_compared"]


def methods_compared(engine: Engine, asked: Asked) -> None:
    """The lower part of the page; all explanations are there."""
    st.header("Methods side by side")
    request = _chosen(engine, asked)
    write_address()
    threshold = st.session_state["cmp_threshold"]
    found = engine.comparison(request, threshold)
    if found is not None:
        st.session_state["cmp_methods_wanted"] = True
        _shown(found)
        return
    if not st.session_state["cmp_methods_wanted"]:
        st.text(
            "SHAP and LIME ask the classifier about some thousand variants of the text, in which "
            "words are removed, not replaced. For a short text this takes seconds; the first time after "
            "the app was started, SHAP makes itself ready, which may take a minute."
        )
        st.button("Compare methods", key="cmp_methods_button", on_click=_want)
        return
    job = _job(engine, request, threshold)
    running = job is not None
    st.fragment(_waiting, run_every=POLL_SECONDS if running else None)(engine, job)


def _chosen(engine: Engine, asked: Asked) -> ExplainRequest:
    """The text and the classifier whose methods are compared."""
    state = st.session_state
    if state["cmp_methods"] not in asked.classifiers:
        judged = [judged_at(engine, complete(engine, request)) for request in asked.requests[0]]
        first = next((e.classifier for e in judged if e and e.predicted), asked.classifiers[0])
        state["cmp_methods"] = first
    if state.get("cmp_methods_text", 0) >= len(asked.texts):
        state["cmp_methods_text"] = 0
    with st.container(horizontal=True, vertical_alignment="bottom", key="cmp_which"):
        st.selectbox(
            "Classifier", asked.classifiers, key="cmp_methods", width=240, persist_state="session"
        )
        if len(asked.texts) > 1:
            st.segmented_control(
                "Text",
                [0, 1],
                key="cmp_methods_text",
                format_func=("first text", "second text").__getitem__,
                default=0,
                required=True,
            )
    row = asked.requests[state.get("cmp_methods_text") or 0]
    return row[asked.classifiers.index(state["cmp_methods"])]


def _want() -> None:
    st.session_state["cmp_methods_wanted"] = True
    st.session_state["cmp_methods_job"] = None


def _job(engine: Engine, request: ExplainRequest, threshold: float) -> str | None:
    """The job that compares what is chosen; None where it ended without a result, which is said."""
    state = st.session_state
    asked_for = (repr(request), threshold)
    if state["cmp_methods_job"] is None or state.get("cmp_methods_of") != asked_for:
        if state["cmp_methods_job"] is not None:
            engine.leave(state["cmp_methods_job"])
        state["cmp_methods_of"] = asked_for
        state["cmp_methods_job"] = engine.compare(request, threshold, state["visitor"])
    try:
        view = engine.job(state["cmp_methods_job"], state["visitor"])
    except UnknownNameError:
        state["cmp_methods_job"] = None
        st.rerun()
    if view.state in RUNNING:
        return view.id
    if view.error:
        notice("The comparison failed", view.error, key="cmp-methods-failed")
    elif view.state == "done":  # between two looks
        st.rerun()
    else:
        notice("Stopped", "Nothing of SHAP and LIME is kept.", key="cmp-methods-stopped")
    st.button("Try again", key="cmp_methods_again", on_click=_want)
    return None


def _waiting(engine: Engine, job: str | None) -> None:
    place = st.container(key="cmp_methods_progress", gap="xsmall")
    if job is None:
        return
    view = engine.job(job, st.session_state["visitor"])
    if view.state not in RUNNING:
        st.rerun()
    with place:
        st.progress(progress_share(view.done, view.total))
        st.text(methods_step_sentence(view.stage, view.done, view.total))
        st.button(
            "Cancel",
            key="cmp_methods_cancel",
            disabled=view.stage == "stopping",
            on_click=engine.cancel,
            args=(view.id, st.session_state["visitor"]),
        )


def _shown(found: Comparison) -> None:
    key = found.key[:12]
    figure(methods_table(found), f"methods-{key}")
    figure(agreement_table(found), f"agreement-{key}")
    st.text(agreement_sentence(found))
    st.subheader("How faithful each order of words is to the classifier")
    st.text(
        "Words are removed from the text in the order of a method's scores, and the classifier is "
        "asked again after each. If the first words were needed, the probability falls soon "
        "(comprehensiveness); if they are enough alone, it stays (sufficiency by deletion). AOPC "
        "is the mean over all numbers of words. Every method is judged by the same number of calls."
    )
    figure(faithfulness_table(found), f"faithfulness-{key}")
    chart = faithfulness_chart(found)
    if chart is not None:
        st.plotly_chart(chart, key=f"curves-{key}", config={"displayModeBar": False})
    st.text("\n".join(faithfulness_sentences(found)))
    with st.container(key="cmp_notes"):
        st.caption("What to know of these numbers")
        st.text("\n".join(notes(found)))
    st.download_button(
        "Download CSV",
        lambda: files.csv_bytes(methods_frame(found)),
        f"methods-{found.classifier}-{key}.csv",
        "text/csv",
        key="cmp_csv",
        on_click="ignore",
    )
