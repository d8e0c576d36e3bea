"""Notes: what a person kept of a text or an audit, which nothing can compute again.

A note's row is never changed. To withdraw it is to add a row under the same id, and the row that
was added last says how the note stands. ``subject`` is a path, such as ``audit/ID/text/ID``, so
that a note kept with an audit is also found by its text.
"""

from __future__ import annotations

import dataclasses
import json
import time

from nsx_core.errors import UnknownNameError
from nsx_core.records import Note, NoteKind, NoteSubject, text_hash
from nsx_core.store.connection import first_row
from nsx_core.store.opening import Cursor
from nsx_core.store.rows import from_blob, to_blob

__all__ = ["notes_of", "withdraw_note", "write_note"]

#: The last row about each note, by the order in which rows came: a clock can be set back.
_LATEST = (
    "SELECT rowid AS place, id, subject, body FROM notes "
    "QUALIFY row_number() OVER (PARTITION BY id ORDER BY rowid DESC) = 1"
)


def write_note(cursor: Cursor, note: Note) -> Note:
    """Add a note unless it stands already; returns the one that stands."""
    standing = _note(cursor, note.id)
    if standing is not None and not standing.withdrawn:
        return standing
    _add(cursor, note)
    return note


def withdraw_note(cursor: Cursor, note_id: str) -> None:
    """Add the row that withdraws a note; nothing to do for one that is withdrawn."""
    standing = _note(cursor, note_id)
    if standing is None:
        raise UnknownNameError("note", note_id, [])
    if not standing.withdrawn:
        _add(cursor, dataclasses.replace(standing, withdrawn=True))


def notes_of(cursor: Cursor, subject: NoteSubject, subject_id: str) -> list[Note]:
    """The last row about each note of the subject, those first that were added last."""
    rows = cursor.execute(
        f"SELECT body FROM ({_LATEST}) WHERE contains('/' || subject || '/', ?) "
        "ORDER BY place DESC",
        [f"/{subject}/{subject_id}/"],
    ).fetchall()
    return [_from_body(body) for (body,) in rows]


def _note(cursor: Cursor, note_id: str) -> Note | None:
    row = first_row(
        cursor, "SELECT body FROM notes WHERE id = ? ORDER BY rowid DESC LIMIT 1", [note_id]
    )
    return _from_body(row[0]) if row else None


def _add(cursor: Cursor, note: Note) -> None:
    subject = f"{NoteSubject.TEXT}/{text_hash(note.text)}"
    if note.subject is not NoteSubject.TEXT:
        subject = f"{note.subject}/{note.subject_id}/{subject}"
    cursor.execute(
        "INSERT INTO notes VALUES (?, ?, ?, ?)",
        [note.id, subject, to_blob(json.dumps(dataclasses.asdict(note))), time.time()],
    )


def _from_body(body: bytes) -> Note:
    said = json.loads(from_blob(body))
    said["kind"], said["subject"] = NoteKind(said["kind"]), NoteSubject(said["subject"])
    return Note(**said)
