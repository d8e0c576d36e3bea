"""Kept edits: the table with its buttons, and the files."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from nsx_core.engine import Engine
from nsx_core.errors import NsxError
from nsx_core.records import Note
from nsx_core.views.audit_sentences import audit_name
from nsx_core.views.files import csv_bytes
from nsx_core.views.kept_notes import (
    notes_frame,
    notes_json,
    notes_sentence,
    notes_table,
    standing,
)
from pages.shared.figure import figure
from pages.shared.notices import notice

__all__ = ["kept_notes"]


def kept_notes(engine: Engine, notes: Sequence[Note], stem: str, key: str) -> None:
    """The notes that stand, and files of all; nothing where there never was one.

    stem: how the files' names begin; key: of what is shown, on its page.
    """
    problem = f"{key}-problem"

    def withdraw(note: str) -> None:
        st.session_state[problem] = None
        try:
            engine.notes.withdraw(note)
        except NsxError as error:
            st.session_state[problem] = error

    said = notes_sentence(notes)
    if said is None:
        return
    st.text(said)
    error = st.session_state.get(problem)
    if error is not None:
        notice("Nothing was withdrawn", str(error), key=problem)
    if standing(notes):
        audits = {card.id: audit_name(card) for card in engine.audits.listed()}
        figure(notes_table(notes, audits), key=f"{key}-table", withdraw=withdraw)
    with st.container(horizontal=True):
        st.download_button(
            "CSV",
            lambda: csv_bytes(notes_frame(notes)),
            f"{stem}-notes.csv",
            "text/csv",
            key=f"{key}-csv",
            on_click="ignore",
        )
        st.download_button(
            "JSON",
            lambda: notes_json(notes),
            f"{stem}-notes.json",
            "application/json",
            key=f"{key}-json",
            on_click="ignore",
        )
