"""Notes in the store: immutable rows, the last of which says how a note stands."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import pytest
from store_cases import python

from nsx_core.errors import StoreError, UnknownNameError
from nsx_core.records import Note, NoteKind, NoteSubject, text_hash
from nsx_core.store import Store

TEXT, AUDIT = NoteSubject.TEXT, NoteSubject.AUDIT
HOSTILE = "a \ud800 <b>\x00\u202e"
KEEP = """
import sys
from nsx_core.records import Note, NoteKind, NoteSubject, text_hash
from nsx_core.store import Store
store, number = Store.open(sys.argv[1]), 0
while True:
    store.write_note(Note(
        f"n{number}", NoteKind.EDIT, NoteSubject.TEXT, text_hash("a b"), "a b", f"a {number}",
        "clf", "print", "hate", 0.5, 0.9, 0.1, "", 1.0))
    print(number, flush=True)
    number += 1
"""


def a_note(identity: str = "n1", text: str = "a b", **changes: object) -> Note:
    made = Note(
        identity, NoteKind.EDIT, TEXT, text_hash(text), text, "a c", "clf", "print-1", "hate",
        0.5, 0.9, 0.1, "why", 5.0,
    )  # fmt: skip
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]


def test_a_note_comes_back_as_it_was_kept() -> None:
    with Store.open(":memory:") as store:
        note = a_note(text=HOSTILE, edited=HOSTILE + "!", comment=HOSTILE)
        assert store.write_note(note) == note
        assert store.notes(TEXT, text_hash(HOSTILE)) == [note]
        assert store.notes(TEXT, text_hash("another")) == []


def test_a_note_with_an_audit_is_found_by_both_and_the_latest_comes_first() -> None:
    with Store.open(":memory:") as store:
        with_text = store.write_note(a_note("n1", created=9.0))
        with_audit = store.write_note(a_note("n2", subject=AUDIT, subject_id="a1", created=5.0))
        store.write_note(a_note("n3", subject=AUDIT, subject_id="a11", text="other"))
        assert store.notes(TEXT, text_hash("a b")) == [with_audit, with_text]
        assert store.notes(AUDIT, "a1") == [with_audit]
        assert store.notes(AUDIT, text_hash("a b")) == []


def test_a_note_that_stands_is_left_as_it_is() -> None:
    with Store.open(":memory:") as store:
        first = store.write_note(a_note())
        assert store.write_note(a_note(created=8.0)) == first
        assert store.notes(TEXT, first.subject_id) == [first]


def test_withdrawing_adds_a_row_and_loses_none() -> None:
    with Store.open(":memory:") as store:
        note = store.write_note(a_note())
        store.withdraw_note("n1")
        store.withdraw_note("n1")
        gone = dataclasses.replace(note, withdrawn=True)
        assert store.notes(TEXT, note.subject_id) == [gone]
        again = store.write_note(a_note(created=9.0))
        assert store.notes(TEXT, note.subject_id) == [again]
        count = "SELECT count(*) FROM notes"
        rows = store._database.read(lambda cursor: cursor.execute(count).fetchall())
        assert rows == [(3,)]


def test_an_unknown_note_cannot_be_withdrawn() -> None:
    with Store.open(":memory:") as store, pytest.raises(UnknownNameError, match="note"):
        store.withdraw_note("n9")


def test_notes_and_withdrawals_are_in_the_file_itself_when_they_return(tmp_path: Path) -> None:
    # The log is left out of each copy, as if it were lost.
    with Store.open(tmp_path / "nsx.duckdb") as store:
        note = store.write_note(a_note())
        shutil.copyfile(tmp_path / "nsx.duckdb", tmp_path / "kept.duckdb")
        store.withdraw_note("n1")
        shutil.copyfile(tmp_path / "nsx.duckdb", tmp_path / "gone.duckdb")
    for name, withdrawn in (("kept", False), ("gone", True)):
        with Store.open(tmp_path / f"{name}.duckdb") as copy:
            (found,) = copy.notes(TEXT, note.subject_id)
            assert found.withdrawn is withdrawn


def test_a_killed_process_loses_no_note_that_was_kept(tmp_path: Path) -> None:
    process = python(KEEP, tmp_path / "nsx.duckdb")
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(5)]
    process.kill()
    rest, errors = process.communicate(timeout=30)
    # A line that the kill has cut short was not acknowledged.
    acknowledged = ("".join(said) + rest).split("\n")[:-1]
    assert len(acknowledged) >= 5, errors
    with Store.open(tmp_path / "nsx.duckdb") as store:
        found = {note.id for note in store.notes(TEXT, text_hash("a b"))}
        assert {f"n{number}" for number in acknowledged} <= found
        assert len(found) <= len(acknowledged) + 1


def test_a_closed_store_says_what_is_lost() -> None:
    store = Store.open(":memory:")
    store.close()
    with pytest.raises(StoreError, match="The note could not be saved"):
        store.write_note(a_note())
