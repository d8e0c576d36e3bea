"""A file of one's own: which column is what, and which labels mean 'hateful'."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from nsx_core.errors import DataError, NsxError
from nsx_core.suites import Mapping, Suite, Table, guessed_mapping, read_table, suite_of
from nsx_core.suites.tables import ENDINGS
from nsx_core.views.suite_preview import LABELS_MAX, labels_of
from pages.shared.notices import error_notice, notice

__all__ = ["uploaded_suite"]

_PARTS = {
    "text": ("Text", "What is classified."),
    "label": ("Label", "Whether the text is hateful."),
    "group": ("Group", "Who is named. Results come by group."),
    "phrase": ("Phrase", "The words in the text that name the group: these are scored."),
    "template": (
        "Template",
        "What the text was made from, with a placeholder such as [IDENTITY_P] or {identity}. "
        "The phrase is what stands there in the text.",
    ),
    "functionality": ("Functionality", "What a case tests, such as a threat or a mention."),
    "id": ("Case id", "Without one, rows are numbered."),
    "template_id": ("Template id", "Cases of one template are counted together in intervals."),
}
_NEEDED = ("text", "label")


def uploaded_suite() -> tuple[str, Suite] | None:
    """The suite that the file and the columns chosen make, with a key for it, or None.

    What is wrong is said in place; the file and the columns chosen stay.
    """
    file = st.file_uploader(
        "A table with one text a row",
        type=[ending.lstrip(".") for ending in ENDINGS],
        key="suite_file",
        help="CSV, TSV, JSONL or Parquet, at most 10 MB. A larger file goes by the command line: "
        "`python -m nsx_core audit run --suite FILE`.",
    )
    st.caption(
        "Needed are columns for the text and the label; the rest says what can be computed. "
        "For a file above 10 MB: `python -m nsx_core audit run --suite FILE`."
    )
    if file is None:
        return None
    try:
        table = _table(file.getvalue(), file.name, file.file_id)
        mapping = _mapping(table, file.file_id)
        if mapping is None:
            return None
        key = f"{file.file_id}-{mapping!r}"
        return key, _made(table, mapping, key)
    except NsxError as error:
        error_notice(error, key="suite-file")
        return None


@st.cache_resource(max_entries=4, show_spinner="Reading the file")
def _table(_content: bytes, name: str, key: str) -> Table:
    return read_table(_content, name)


@st.cache_resource(max_entries=4, show_spinner="Looking for the phrases")
def _made(_table: Table, _mapping: Mapping, key: str) -> Suite:
    return suite_of(_table, _mapping)


def _mapping(table: Table, key: str) -> Mapping | None:
    """What the widgets say; they begin with what the columns' names tell."""
    guessed = guessed_mapping(table.columns)
    columns = [column for column in table.columns if column]
    chosen: dict[str, Any] = {}
    with st.container(key="mapping", horizontal=True, vertical_alignment="bottom"):
        for part, (label, said) in _PARTS.items():
            preset = getattr(guessed, part)
            chosen[part] = st.selectbox(
                label if part in _NEEDED else f"{label} (optional)",
                ["", *columns],
                index=1 + columns.index(preset) if preset else 0,
                key=f"map-{part}-{key}",
                format_func=partial(_column_said, part),
                help=said,
                width=210,
            )
    if missing := [_PARTS[part][0].lower() for part in _NEEDED if not chosen[part]]:
        notice(
            f"Which column is the {' and which is the '.join(missing)}?",
            "No column's name tells. Choose above.",
            key="needed",
        )
        return None
    mapping = Mapping(**chosen).checked(table.columns, table.name)
    labels = labels_of(table, mapping.label)
    if len(labels.values) > LABELS_MAX:
        raise DataError(
            f"A label says hateful or not, and the column {mapping.label!r} holds "
            f"{len(labels.values):,} different values. Choose another column for the label."
        )
    hateful = st.multiselect(
        "Labels that mean hateful",
        labels.values,
        default=labels.hateful,
        key=f"map-hateful-{key}-{mapping.label}",
        help="Every other label then means: not hateful.",
    )
    if not hateful:
        notice(
            "Which labels mean hateful?",
            "Choose at least one of the column's values above.",
            key="labels",
        )
        return None
    as_understood = labels.understood and set(hateful) == set(labels.hateful)
    return Mapping(**chosen, hateful=() if as_understood else tuple(hateful))


def _column_said(part: str, column: str) -> str:
    return column or ("choose a column" if part in _NEEDED else "none")
