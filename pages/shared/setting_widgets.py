"""Widgets of settings that several pages ask alike; each value lives in the session under ``key``."""

from __future__ import annotations

import streamlit as st

from nsx_core.views import address

__all__ = ["temperature", "text_box", "top_p"]


def text_box(key: str) -> None:
    """The text that a page is about."""
    st.text_area(
        "Text",
        key=key,
        height=76,
        persist_state="session",
        help="At most 2,000 words. The text is stored on this computer under an id, and links "
        "carry the id only.",
    )


def temperature(key: str, width: int) -> None:
    """The infiller's temperature."""
    st.slider(
        "Temperature",
        address.TEMPERATURE_MIN,
        address.TEMPERATURE_MAX,
        step=0.05,
        key=key,
        width=width,
        persist_state="session",
        help="How freely the infiller chooses its words.",
    )


def top_p(key: str, width: int) -> None:
    """The infiller's top-p."""
    st.slider(
        "Top-p",
        address.TOP_P_MIN,
        address.TOP_P_MAX,
        step=0.01,
        key=key,
        width=width,
        persist_state="session",
        help="The share of likely words that the infiller picks from.",
    )
