"""Edits kept as notes: what is checked, what is recorded, whom a note belongs to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from nsx_core.classifying.fakes import KeywordClassifier
from nsx_core.errors import SettingsError, TextError, UnknownNameError
from nsx_core.fake_catalogue import fake_catalogue
from nsx_core.noting import COMMENT_MAX, Notes
from nsx_core.records import NoteKind, NoteSubject, text_hash
from nsx_core.store import Store

TEXT, EDITED = "I hate all of them.", "I like all of them."


@pytest.fixture
def model() -> KeywordClassifier:
    return KeywordClassifier(["hate"], name="hate", labels=("fine", "hateful"))


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.open(":memory:") as opened:
        opened.audits.keep_audit("a1", "The first", "{}")
        yield opened


@pytest.fixture
def notes(store: Store, model: KeywordClassifier) -> Notes:
    return Notes(store, fake_catalogue(model))


def test_a_note_says_all_that_is_needed_to_judge_it_later(
    notes: Notes, store: Store, model: KeywordClassifier
) -> None:
    note = notes.keep(TEXT, EDITED, "hate", None, 0.4, "  less strong ")
    assert (note.kind, note.subject, note.subject_id) == (
        NoteKind.EDIT,
        NoteSubject.TEXT,
        text_hash(TEXT),
    )
    assert (note.text, note.edited, note.comment) == (TEXT, EDITED, "less strong")
    assert (note.classifier, note.fingerprint) == ("hate", model.fingerprint)
    assert (note.label, note.threshold) == ("hateful", 0.4)
    assert (note.before, note.after) == pytest.approx((0.9, 0.1))
    assert note.created > 1e9 and not note.withdrawn
    assert notes.of_text(TEXT) == [note]
    assert store.text(note.subject_id) == TEXT


def test_another_label_has_its_own_probabilities(notes: Notes) -> None:
    note = notes.keep(TEXT, EDITED, "hate", "fine", 0.5)
    assert (note.label, note.comment) == ("fine", "")
    assert (note.before, note.after) == pytest.approx((0.1, 0.9))


def test_what_was_classified_before_is_not_classified_again(
    notes: Notes, model: KeywordClassifier
) -> None:
    notes.keep(TEXT, EDITED, "hate", None, 0.5)
    notes.keep(TEXT, EDITED, "hate", None, 0.6)
    assert model.judged == 2


def test_the_same_edit_is_one_note_and_anything_else_another(notes: Notes) -> None:
    first = notes.keep(TEXT, EDITED, "hate", None, 0.5)
    assert notes.keep(TEXT, EDITED, "hate", None, 0.5) == first
    notes.keep(TEXT, EDITED, "hate", None, 0.5, "why")
    notes.keep(TEXT, EDITED, "hate", None, 0.6)
    notes.keep(TEXT, EDITED + "!", "hate", None, 0.5)
    notes.keep(TEXT, EDITED, "hate", None, 0.5, audit="a1")
    assert len({note.id for note in notes.of_text(TEXT)}) == 5


def test_a_note_kept_with_an_audit_is_found_by_it_and_by_its_text(notes: Notes) -> None:
    note = notes.keep(TEXT, EDITED, "hate", None, 0.5, audit="a1")
    assert (note.subject, note.subject_id) == (NoteSubject.AUDIT, "a1")
    assert notes.of_audit("a1") == notes.of_text(TEXT) == [note]


def test_a_withdrawn_note_stays_and_can_be_kept_again(notes: Notes) -> None:
    note = notes.keep(TEXT, EDITED, "hate", None, 0.5)
    notes.withdraw(note.id)
    assert [n.withdrawn for n in notes.of_text(TEXT)] == [True]
    notes.keep(TEXT, EDITED, "hate", None, 0.5)
    assert [n.withdrawn for n in notes.of_text(TEXT)] == [False]


@pytest.mark.parametrize(
    ("edited", "threshold", "comment", "error", "said"),
    [
        ("", 0.5, "", TextError, "this one is empty"),
        ("word " * 2_001, 0.5, "", TextError, "at most 2,000 words, and 2,001 came"),
        (TEXT, 0.5, "", SettingsError, "this one is the text itself"),
        (EDITED, 1.0, "", SettingsError, "strictly between 0 and 1, and 1.0 came"),
        (EDITED, float("nan"), "", SettingsError, "and nan came"),
        (EDITED, 0.5, "x" * (COMMENT_MAX + 1), SettingsError, "at most 500 characters, and 501"),
    ],
)
def test_bad_input_keeps_nothing(
    notes: Notes, edited: str, threshold: float, comment: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        notes.keep(TEXT, edited, "hate", None, threshold, comment)
    assert notes.of_text(TEXT) == []


@pytest.mark.parametrize(
    ("classifier", "label", "audit"),
    [("none", None, None), ("hate", "none", None), ("hate", None, "none")],
)
def test_unknown_names_keep_nothing(
    notes: Notes, classifier: str, label: str | None, audit: str | None
) -> None:
    with pytest.raises(UnknownNameError, match="none"):
        notes.keep(TEXT, EDITED, classifier, label, 0.5, audit=audit)
    assert notes.of_text(TEXT) == []


def test_a_comment_may_be_as_long_as_it_says(notes: Notes) -> None:
    assert notes.keep(TEXT, EDITED, "hate", None, 0.5, "x" * COMMENT_MAX).comment == "x" * 500
