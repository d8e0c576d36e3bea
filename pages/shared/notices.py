"""Messages. Titles are our own words; details may hold what a person typed, so are text."""

from __future__ import annotations

import streamlit as st

from nsx_core.errors import (
    CancelledError,
    DataError,
    MissingModelError,
    ModelError,
    NsxError,
    SettingsError,
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    TextError,
    UnknownNameError,
)

__all__ = ["error_notice", "notice", "title_of"]

_TITLES: tuple[tuple[type[NsxError], str], ...] = (
    (TextError, "This text cannot be explained"),
    (SettingsError, "A setting is out of its range"),
    (DataError, "This file cannot be used"),
    (UnknownNameError, "That name is not known"),
    (MissingModelError, "A model is missing"),
    (ModelError, "A model could not answer"),
    (StoreBusyError, "The store is in use by another program"),
    (StoreCorruptError, "The store is damaged"),
    (StoreError, "The store cannot be used"),
    (CancelledError, "Stopped"),
)


def notice(title: str, detail: str = "", *, key: str) -> None:
    """A message with a rule at its side; ``key`` names it on the page."""
    with st.container(key=f"notice-{key}", gap="xxsmall"):
        st.markdown(f"**{title}**")
        if detail:
            st.text(detail)


def error_notice(error: NsxError, *, key: str) -> None:
    """The error's own words, under a title that says which kind it is."""
    notice(title_of(error), str(error), key=f"error-{key}")


def title_of(error: NsxError) -> str:
    """The title of the nearest kind."""
    return next((t for kind, t in _TITLES if isinstance(error, kind)), "This did not work")
