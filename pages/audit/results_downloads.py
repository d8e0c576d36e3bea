"""The view Downloads: every table as CSV and as Parquet."""

from __future__ import annotations

import streamlit as st

from nsx_core.audit_records import AuditFound
from nsx_core.views.audit_files import FILES, audit_about, audit_stem, audit_table
from nsx_core.views.files import csv_bytes, parquet_bytes

__all__ = ["downloads"]


def downloads(found: AuditFound) -> None:
    """A row a table; tables without rows are named and have no file."""
    st.text(
        "Every file says in its columns which audit, threshold and settings it came from, and its "
        "name ends in a token of them: other settings, another token. "
        f"Here: {audit_about(found)['token']}."
    )
    empty = []
    for name, title in FILES.items():
        frame = audit_table(found, name)
        if frame.empty:
            empty.append(title)
            continue
        with st.container(horizontal=True, vertical_alignment="center", key=f"file-{name}"):
            st.text(f"{title} ({len(frame):,} rows)", width="stretch")
            st.download_button(
                "CSV",
                lambda frame=frame: csv_bytes(frame),
                f"{audit_stem(found, name)}.csv",
                "text/csv",
                key=f"csv-{name}",
                on_click="ignore",
            )
            st.download_button(
                "Parquet",
                lambda frame=frame: parquet_bytes(frame, audit_about(found)),
                f"{audit_stem(found, name)}.parquet",
                "application/vnd.apache.parquet",
                key=f"parquet-{name}",
                on_click="ignore",
            )
    if empty:
        st.text(f"Without rows in this audit, so without a file: {'; '.join(empty)}.")
