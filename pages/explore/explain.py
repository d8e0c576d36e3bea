"""Explain: one text, one classifier, two scores a word."""

from __future__ import annotations

import streamlit as st

from nsx_core.engine import Engine, ExplainRequest
from nsx_core.errors import MissingModelError, NsxError, SettingsError, UnknownNameError
from nsx_core.views.sentences import (
    long_sentence,
    not_predicted_sentence,
    settled_sentence,
    stopped_sentence,
)
from pages.explore.asking import (
    ask,
    asked_label,
    current_request,
    open_once,
    phrase_problem,
    write_address,
)
from pages.explore.form import form
from pages.explore.growing import RUNNING, growing, grown
from pages.shared.engine import complete, the_engine
from pages.shared.notices import error_notice, notice
from pages.shared.warned import warn_once

GOES_ON = "Another window waits for the same explanation, so it goes on there."


def page() -> None:
    """The whole page, from top to bottom."""
    engine = the_engine()
    st.title("Which words does the prediction rest on?")
    warn_once()
    try:
        if not engine.classifiers() or not engine.infillers():
            raise MissingModelError("No classifier or no infiller is installed. Run `make setup`.")
        open_once(engine)
        form(engine)
        if st.session_state["text_error"]:
            # Not raised: an error kept for many runs would gather a traceback at each.
            _refuse(st.session_state["text_error"])
            write_address(engine)
            return
        _follow_the_widgets(engine)
        _show(engine, st.session_state["asked"])
    except NsxError as error:
        error_notice(error, key="explain")
        if "asked" in st.session_state:
            write_address(engine)


def _refuse(error: NsxError) -> None:
    """Say why the text is not explained; the settings refused with it are its phrases."""
    if isinstance(error, SettingsError):
        notice("Phrases kept as one unit, under More settings", str(error), key="phrases")
    else:
        error_notice(error, key="text")


def _follow_the_widgets(engine: Engine) -> None:
    """Show at once what is complete already; say so where something must be computed."""
    # Always there, so that an old message goes as soon as the page is run again.
    place = st.empty()
    wanted, asked = current_request(engine), st.session_state["asked"]
    problems = {c.name: c.problem for c in engine.classifiers()}
    if wanted == asked or not wanted.text.strip() or problems[wanted.classifier]:
        return
    problem = phrase_problem(wanted)
    if problem:
        with place:
            _refuse(problem)
        return
    if complete(engine, wanted) is not None:
        ask(engine, wanted)
        return
    with place:
        notice("Changed since the last explanation", "Press Explain to compute it.", key="changed")


def _show(engine: Engine, asked: ExplainRequest) -> None:
    problem = {c.name: c.problem for c in engine.classifiers()}[asked.classifier]
    if problem:
        write_address(engine)
        notice("This classifier cannot be used now", problem, key="problem")
        return
    explanation = complete(engine, asked)
    # Always there, so that a finished explanation stands where it grew.
    above = st.container(key="above")
    if explanation is None:
        with above:
            job = _job(engine, asked)
        if job is None:
            write_address(engine)
        else:
            growing(engine, job)
        return
    grown(engine, explanation)


def _may_start(engine: Engine, asked: ExplainRequest) -> bool:
    """Whether to compute: for a text that is predicted and not long, or on request."""
    if st.session_state["anyway"]:
        return True
    cost = engine.cost(asked)
    with st.spinner("Asking the classifier"):
        said = engine.classify(asked.text, asked.classifier)
    label = asked_label(engine, asked)
    sentence = not_predicted_sentence(
        asked.classifier, label, said.probabilities[label], st.session_state["threshold"]
    )
    if sentence is None and not cost.long:
        return True
    if sentence is not None:
        notice("Not predicted", sentence, key="not-predicted")
    if cost.long:
        notice("A long text", long_sentence(cost.words, cost.draws), key="long")
    st.button(
        "Explain anyway",
        key="anyway-button",
        on_click=ask,
        args=(engine, asked),
        kwargs={"anyway": True},
    )
    return False


def _job(engine: Engine, asked: ExplainRequest) -> str | None:
    """The job that draws what is asked; None where there is none, which is said."""
    known = st.session_state["job"]
    again = {"on_click": ask, "args": (engine, asked), "kwargs": {"anyway": True}}
    if known is None:
        if not _may_start(engine, asked):
            return None
        state = st.session_state
        may_end = state["early"] and not state["whole"]
        early = state["threshold"] if may_end else None
        state["job"] = known = engine.submit(asked, early=early, visitor=state["visitor"])
    try:
        job = engine.job(known, st.session_state["visitor"])
    except UnknownNameError:
        st.session_state["job"] = None
        st.rerun()
    if job.state == "failed":
        notice("The computation failed", job.error or "No reason was given.", key="failed")
        st.button("Try again", key="retry", **again)
        return None
    if job.state == "cancelled":
        notice("Stopped", stopped_sentence(job.infilled, job.reused, job.total), key="cancelled")
        st.button("Go on", key="resume", **again)
    elif job.state == "left":
        notice("Stopped for you", GOES_ON, key="left")
        st.button("Go on", key="resume", **again)
    elif job.state == "settled":
        notice("The first words are clear", settled_sentence(job.done, job.total), key="settled")
        st.button(
            "Draw the rest", key="rest", **again | {"kwargs": {"anyway": True, "whole": True}}
        )
    elif job.state not in RUNNING:
        notice("The explanation is not in the store any more", "Press Explain.", key="gone")
        return None
    return str(known)


page()
