"""The warning of hateful text, once a session, on whichever page shows such text first."""

from __future__ import annotations

import streamlit as st

__all__ = ["warn_once"]


def warn_once() -> None:
    """Warn until a person says that it is understood, here or on another page."""
    if st.session_state.get("warned"):
        return
    with st.container(key="warning", horizontal=True, vertical_alignment="center"):
        st.markdown("This page shows hateful text, and texts that a model wrote around it.")
        st.button("Understood", key="understood", type="tertiary", on_click=_understood)


def _understood() -> None:
    st.session_state["warned"] = True
