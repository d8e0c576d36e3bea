"""Notes as a table with a button to withdraw each, and as files that hold the withdrawn too."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pandas as pd

from nsx_core.records import Note, NoteSubject
from nsx_core.views import numbers
from nsx_core.views.edited import differences, marked, moved
from nsx_core.views.markup import Node, direction, node, printable

__all__ = ["NOTES_SHOWN", "notes_frame", "notes_json", "notes_sentence", "notes_table", "standing"]

#: Rows of the table; the files hold all.
NOTES_SHOWN = 50


def standing(notes: Sequence[Note]) -> list[Note]:
    """Those that are not withdrawn, in the same order."""
    return [note for note in notes if not note.withdrawn]


def notes_sentence(notes: Sequence[Note]) -> str | None:
    """How many stand and how many were withdrawn; None where there is none at all."""
    if not notes:
        return None
    left = len(standing(notes))
    said = f"{numbers.counted(left, 'edit is', 'edits are')} kept."
    if left > NOTES_SHOWN:
        said += f" The latest {NOTES_SHOWN} are shown; the files hold all."
    if gone := len(notes) - left:
        them = numbers.counted(gone, "edit was", "edits were")
        said += f" {them} withdrawn: not shown here, but still in the files, and marked there."
    return said


def notes_table(notes: Sequence[Note], audits: Mapping[str, str]) -> Node:
    """The latest standing notes, a row each; audits: id -> name of those that are listed."""
    titles = ("Edit", "Probability", "Kept", "")
    head = [node("th", title, scope="col") for title in titles]
    rows = [_row(note, audits) for note in standing(notes)[:NOTES_SHOWN]]
    table = node("table", node("thead", node("tr", *head)), node("tbody", *rows), cls="draws")
    return node("div", table, cls="notes wide")


def notes_frame(notes: Sequence[Note]) -> pd.DataFrame:
    """A row a note, withdrawn ones included; invisible characters are spelled out."""
    rows = [_fields(note) for note in notes]
    return pd.DataFrame(rows, columns=list(_fields(notes[0])) if notes else None)


def notes_json(notes: Sequence[Note]) -> bytes:
    """A list of objects, texts exactly as they are; ``created`` in Unix seconds."""
    written = [dataclasses.asdict(note) for note in notes]
    return json.dumps(written, indent=2).encode("ascii")


def _row(note: Note, audits: Mapping[str, str]) -> Node:
    inside = marked(differences(note.text, note.edited))
    limit = note.threshold
    first, second = (numbers.probability(p, limit) for p in (note.before, note.after))
    lines = []
    if note.comment:
        comment = node("span", note.comment, cls="reason", dir=direction(note.comment))
        lines.append(node("div", node("small", "Comment: ", comment)))
    if note.subject is NoteSubject.AUDIT:
        name = audits.get(note.subject_id, note.subject_id)
        lines.append(node("div", node("small", f"Kept with the audit {name}")))
    return node(
        "tr",
        node(
            "td", node("div", *inside, cls="tall", dir=direction(note.edited)), *lines, cls="text"
        ),
        node(
            "td",
            node("div", f"{first} \u2192 {second}, {moved(note.before, note.after, limit)}"),
            node("div", node("small", f"{note.label}, threshold {numbers.threshold(limit)}")),
            node("div", node("small", note.classifier)),
            cls="outcome",
        ),
        node("td", _moment(note.created), cls="outcome"),
        node(
            "td",
            node("button", "Withdraw", type="button", data_event="withdraw", data_value=note.id),
            cls="strike",
        ),
    )


def _fields(note: Note) -> dict[str, str | float | bool]:
    return {
        "note": note.id,
        "kind": str(note.kind),
        "kept_with": str(note.subject),
        "kept_with_id": note.subject_id,
        "original_text": printable(note.text),
        "edited_text": printable(note.edited),
        "classifier": note.classifier,
        "classifier_fingerprint": note.fingerprint,
        "label": note.label,
        "threshold": note.threshold,
        "probability_before": note.before,
        "probability_after": note.after,
        "comment": printable(note.comment),
        "created": datetime.fromtimestamp(note.created, UTC).isoformat(timespec="seconds"),
        "withdrawn": note.withdrawn,
    }


def _moment(created: float) -> str:
    when = datetime.fromtimestamp(created, UTC)
    return f"{when.day} {when:%b %Y %H:%M} UTC"
