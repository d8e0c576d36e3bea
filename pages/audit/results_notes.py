"""The notes that were kept with an audit."""

from __future__ import annotations

import streamlit as st

from nsx_core.engine import Engine
from nsx_core.errors import NsxError
from pages.shared.kept_notes import kept_notes
from pages.shared.notices import error_notice

__all__ = ["notes_of_audit"]


@st.fragment
def notes_of_audit(engine: Engine, audit: str) -> None:
    """A section under the results; nothing where no note was ever kept with the audit."""
    try:
        notes = engine.notes.of_audit(audit)
        if notes:
            st.subheader("Notes kept with this audit")
            kept_notes(engine, notes, f"audit-{audit[:12]}", key="audit-notes")
    except NsxError as error:
        error_notice(error, key="audit-notes")
