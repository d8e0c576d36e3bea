"""The app: opens the engine, then shows the page that was asked for."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from nsx_core.errors import NsxError, StoreBusyError, StoreCorruptError
from pages.shared.engine import the_engine
from pages.shared.notices import error_notice, notice

_ROOT = Path(__file__).resolve().parent
_WHAT_TO_DO = (
    (
        StoreBusyError,
        "Only one program can hold the store. Close the other window or command that runs this "
        "app, or set NSX_HOME to another folder and start again.",
    ),
    (
        StoreCorruptError,
        "Stop the app, move the file aside, and start again: infills and predictions are made "
        "anew as they are needed.",
    ),
)


def main() -> None:
    """Set the page up, open the engine, and go where the address says."""
    st.set_page_config(
        page_title="Necessity and sufficiency", layout="wide", initial_sidebar_state=208
    )
    st.html(_ROOT / "assets" / "style" / "app.css")
    try:
        engine = the_engine()
    except NsxError as error:
        failed = error
        st.navigation(
            [st.Page(lambda: _cannot_start(failed), title="Start")], position="hidden"
        ).run()
        return
    page = st.navigation(
        {
            "Explore": [
                st.Page("pages/explore/explain.py", title="Explain", default=True),
                st.Page("pages/explore/compare.py", title="Compare"),
                st.Page("pages/explore/counterfactuals.py", title="Counterfactuals"),
            ],
            "Audit": [
                st.Page("pages/audit/run.py", title="Run"),
                st.Page("pages/audit/results.py", title="Results"),
            ],
            "Models": [
                st.Page("pages/models/classifiers.py", title="Classifiers"),
                st.Page("pages/models/infillers.py", title="Infillers"),
            ],
            "Method": [st.Page("pages/method/method.py", title="What the scores mean")],
        },
        expanded=True,
    )
    if engine.note:
        notice("About the models", engine.note, key="models")
    for number, warning in enumerate(engine.warnings):
        notice("The store was repaired", warning, key=f"start-{number}")
    page.run()


def _cannot_start(error: NsxError) -> None:
    st.title("The app could not start")
    error_notice(error, key="start")
    for kind, what_to_do in _WHAT_TO_DO:
        if isinstance(error, kind):
            st.text(what_to_do)
    st.button("Try again", type="primary")


main()
