"""An explanation while it grows: how far it is, cancel, and what its draws say so far."""

from __future__ import annotations

import streamlit as st

from nsx_core.engine import Engine
from nsx_core.job import JobView
from nsx_core.records import Explanation
from nsx_core.views.sentences import progress_sentence, progress_share
from pages.explore.asking import write_address
from pages.explore.result import result
from pages.shared.engine import rejudged

__all__ = ["RUNNING", "growing", "grown"]

RUNNING = ("queued", "running")
POLL_SECONDS = 0.7


def growing(engine: Engine, job_id: str) -> None:
    """The job's draws so far, drawn again in place as they come; still once it was stopped."""
    running = engine.job(job_id, st.session_state["visitor"]).state in RUNNING
    st.fragment(_shown, run_every=POLL_SECONDS if running else None)(engine, None, job_id, running)


def grown(engine: Engine, explanation: Explanation) -> None:
    """The whole explanation, at the very place where it grew, so that nothing flickers."""
    st.fragment(_shown)(engine, explanation, "", False)


def _shown(engine: Engine, explanation: Explanation | None, job_id: str, running: bool) -> None:
    place = st.container(key="progress", gap="xsmall")
    if explanation is None:
        job = engine.job(job_id, st.session_state["visitor"])
        if running and job.state not in RUNNING:
            st.rerun()
        if running:
            with place:
                _progress(engine, job)
        explanation = engine.partial(job_id)
        if explanation is None:
            write_address(engine)
            return
    threshold = st.session_state["threshold"]
    if threshold != explanation.settings.threshold:
        explanation = rejudged(engine, explanation, threshold)
    result(engine, explanation, growing=bool(job_id))


def _progress(engine: Engine, job: JobView) -> None:
    st.progress(progress_share(job.done, job.total))
    st.text(
        progress_sentence(
            job.stage,
            job.done,
            job.total,
            job.infilled,
            job.reused,
            job.rate,
            job.seconds_left,
            job.ahead,
        )
    )
    st.button(
        "Cancel",
        key="cancel",
        disabled=job.stage == "stopping",
        on_click=engine.cancel,
        args=(job.id, st.session_state["visitor"]),
    )
