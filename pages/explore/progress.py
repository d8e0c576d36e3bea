"""A job while it runs: stage, count, rate, time left, cancel."""

from __future__ import annotations

import streamlit as st

from nsx_core.engine import Engine
from nsx_core.views.sentences import progress_sentence, progress_share

__all__ = ["RUNNING", "progress"]

RUNNING = ("queued", "running")


@st.fragment(run_every=0.7)
def progress(engine: Engine, job_id: str) -> None:
    """Shown only while the job runs, so that the page polls only then."""
    job = engine.job(job_id)
    if job.state not in RUNNING:
        st.rerun()
    with st.container(key="progress", gap="xsmall"):
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
            )
        )
        st.button(
            "Cancel",
            key="cancel",
            disabled=job.stage == "stopping",
            on_click=engine.cancel,
            args=(job_id,),
        )
