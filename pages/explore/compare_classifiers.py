"""Classifiers over one another on the same draws: how far they are, cancel, the figure."""

from __future__ import annotations

import streamlit as st

from nsx_core.engine import Engine, ExplainRequest
from nsx_core.errors import UnknownNameError
from nsx_core.job import JobView
from nsx_core.records import Explanation
from nsx_core.views.compare_progress import which_sentence
from nsx_core.views.sentences import progress_sentence, progress_share
from nsx_core.views.stacked import (
    Row,
    TextRows,
    stacked,
    stacked_sentence,
    struck_here_sentence,
)
from pages.explore.compare_asking import Asked, ask
from pages.explore.growing import POLL_SECONDS, RUNNING
from pages.shared.engine import complete, rejudged
from pages.shared.figure import figure
from pages.shared.notices import notice

__all__ = ["all_there", "classifiers_compared", "judged_at"]


def all_there(engine: Engine, asked: Asked) -> bool:
    """Whether nothing is missing for any text and classifier."""
    return all(complete(engine, request) is not None for row in asked.requests for request in row)


def classifiers_compared(engine: Engine, asked: Asked) -> None:
    """The figure, drawn again in place while it grows; still once it is whole or was stopped."""
    running = _go_on(engine, asked)
    st.fragment(_shown, run_every=POLL_SECONDS if running else None)(engine, asked, running)


def _shown(engine: Engine, asked: Asked, running: bool) -> None:
    if st.session_state.get("cmp_open"):
        st.rerun()
    place = st.container(key="progress", gap="xsmall")
    if running and not _go_on(engine, asked):
        st.rerun()
    with place:
        if running:
            _progress(engine, asked)
        else:
            _ended(engine, asked)
    texts = tuple(_text_rows(engine, row) for row in asked.requests)
    figure(stacked(texts), "stacked", open=_open)
    with st.container(key="said", gap="xxsmall"):
        for text in texts:
            if sentence := stacked_sentence(text):
                st.text(sentence)
        for row in () if running else asked.requests:
            found = complete(engine, row[0])
            struck = len(engine.struck(found)) if found is not None else 0
            if note := struck_here_sentence(row[0].text, struck):
                st.text(note)


def _go_on(engine: Engine, asked: Asked) -> bool:
    """Start what is due; whether something runs.

    The first classifier of a text has its counterfactual texts written; the others only judge
    them, so they begin when the first is done, and the next text after that.
    """
    state = st.session_state
    jobs = state["cmp_jobs"]
    for row in asked.requests:
        waiting = [r for r in row if complete(engine, r) is None]
        if not waiting:
            continue
        # Only where one is complete are all draws there.
        due = waiting if len(waiting) < len(row) else waiting[:1]
        running = False
        for request in due:
            name = repr(request)
            if name not in jobs and not state["cmp_stopped"]:
                jobs[name] = engine.submit(request, visitor=state["visitor"])
            view = _view(engine, request)
            running = running or (view is not None and view.state in RUNNING)
        if running:
            return True
    return False


def _view(engine: Engine, request: ExplainRequest) -> JobView | None:
    job = st.session_state["cmp_jobs"].get(repr(request))
    if job is None:
        return None
    try:
        return engine.job(job, st.session_state["visitor"])
    except UnknownNameError:  # the engine was started again
        del st.session_state["cmp_jobs"][repr(request)]
        return None


def _progress(engine: Engine, asked: Asked) -> None:
    requests = [request for row in asked.requests for request in row]
    views = [(request, _view(engine, request)) for request in requests]
    active = [(r, v) for r, v in views if v is not None and v.state in RUNNING]
    if not active:  # it has just ended: the next is due
        st.rerun()
    request, job = active[0]
    done = sum(complete(engine, r) is not None for r in requests)
    st.progress(progress_share(job.done, job.total))
    st.text(
        which_sentence(
            request.classifier,
            done,
            len(requests),
            progress_sentence(
                job.stage, job.done, job.total, job.infilled, job.reused, job.rate,
                job.seconds_left, job.ahead,
            ),
        )
    )  # fmt: skip
    st.button(
        "Cancel",
        key="cmp_cancel",
        disabled=job.stage == "stopping",
        on_click=_cancel,
        args=(engine, [v.id for _, v in active]),
    )


def _cancel(engine: Engine, jobs: list[str]) -> None:
    st.session_state["cmp_stopped"] = True
    for job in jobs:
        engine.cancel(job, st.session_state["visitor"])


def _ended(engine: Engine, asked: Asked) -> None:
    """Why it is not whole, where it is not."""
    missing = [r for row in asked.requests for r in row if complete(engine, r) is None]
    if not missing:
        return
    views = [view for request in missing if (view := _view(engine, request)) is not None]
    errors = dict.fromkeys(view.error for view in views if view.error)
    if errors:
        notice("The computation failed", "\n".join(errors), key="cmp-failed")
    else:
        notice("Stopped", "What is drawn by now is kept and will be used again.", key="cmp-stopped")
    st.button(
        "Try again" if errors else "Go on",
        key="cmp_go_on",
        on_click=ask,
        args=(engine, asked),
        kwargs={"anyway": True},
    )


def _text_rows(engine: Engine, requests: tuple[ExplainRequest, ...]) -> TextRows:
    split = engine.plan(requests[0]).split
    return TextRows(
        tuple(word.text for word in split.words),
        tuple(_row(engine, request) for request in requests),
    )


def _row(engine: Engine, request: ExplainRequest) -> Row:
    found, said = complete(engine, request), ""
    if found is None:
        view = _view(engine, request)
        said = (
            "Not computed yet." if view is None or not view.error else "It could not be computed."
        )
        found = None if view is None else engine.partial(view.id)
        if found is not None and view is not None:
            said = f"Scores of {len(found.draws):,} of {view.total:,} draws so far."
    return Row(request.classifier, judged_at(engine, found), said)


def judged_at(engine: Engine, found: Explanation | None) -> Explanation | None:
    """The explanation at the threshold that is set."""
    threshold = st.session_state["cmp_threshold"]
    if found is None or found.settings.threshold == threshold:
        return found
    return rejudged(engine, found, threshold)


def _open(value: str) -> None:
    st.session_state["cmp_open"] = value
