"""Words that differ between two texts, sentences on them, and kept notes as table and files."""

from __future__ import annotations

import dataclasses
import json

import pytest

from nsx_core.errors import TextError
from nsx_core.records import Note, NoteKind, NoteSubject
from nsx_core.spreadsheet import csv_bytes
from nsx_core.views.edited import (
    changes_sentence,
    differences,
    edit_sentence,
    edit_view,
    marked,
)
from nsx_core.views.kept_notes import (
    NOTES_SHOWN,
    notes_frame,
    notes_json,
    notes_sentence,
    notes_table,
)
from nsx_core.views.markup import Node

TEXT = "These Muslims disgust me so much."
WOMEN = "These women disgust me so much."


def shown(text: str, edited: str) -> str:
    """The marked text with + around written words and - around those that are gone."""
    made = marked(differences(text, edited))
    signs = {"mark": "+", "s": "-"}
    return "".join(
        f"{signs[m.tag]}{m.text}{signs[m.tag]}" if isinstance(m, Node) else m for m in made
    )


@pytest.mark.parametrize(
    ("edited", "found"),
    [
        (TEXT, TEXT),
        (WOMEN, "These -Muslims- +women+ disgust me so much."),
        ("These Muslims disgust me much.", "These Muslims disgust me -so- much."),
        (
            "All these Muslims disgust me so much.",
            "-These- +All these+ Muslims disgust me so much.",
        ),
        ("These Muslims disgust me so much. Not!", TEXT + " +Not!+"),
        ("Other words", f"-{TEXT}- +Other words+"),
        ("These  women\ndisgust me so much.", "These  -Muslims- +women+\ndisgust me so much."),
    ],
)
def test_words_that_differ_are_marked(edited: str, found: str) -> None:
    assert shown(TEXT, edited) == found


def test_the_steps_give_both_texts_back() -> None:
    old, new = "a b a b c d e a b", "b a b x c e y a b b"
    steps = differences(old, new)
    assert " ".join(s.before for s in steps if s.before) == old
    assert " ".join(s.after for s in steps if s.after) == new
    assert sum(s.words_before for s in steps) == 9 and sum(s.words_after for s in steps) == 10


def test_a_change_in_a_long_text_is_found_in_its_place() -> None:
    old = ["the"] * 1_500
    new = [*old[:700], "odd", *old[701:]]
    steps = differences(" ".join(old), " ".join(new))
    assert [(s.kept, s.words_before, s.words_after) for s in steps] == [
        (True, 700, 700),
        (False, 1, 1),
        (True, 799, 799),
    ]


def test_an_empty_text_has_no_differences() -> None:
    with pytest.raises(TextError, match="is empty"):
        differences(TEXT, "")


@pytest.mark.parametrize(
    ("edited", "before", "after", "said"),
    [
        (
            WOMEN, 0.93, 0.41,
            "With “women” in place of “Muslims”, the probability of hate falls from 0.93 to 0.41: "
            "no longer predicted.",
        ),
        (
            "These disgust me so very much.", 0.2, 0.6,
            "With “Muslims” left out and “very” added, the probability of hate rises from 0.20 to "
            "0.60: now predicted.",
        ),
        (
            TEXT.replace(" ", "  "), 0.7, 0.702,
            "With other white space, the probability of hate stays at 0.70: still predicted.",
        ),
        (
            "They Muslims annoy me not much. Ha", 0.1, 0.3,
            "With changes in 4 places, the probability of hate rises from 0.10 to 0.30: still not "
            "predicted.",
        ),
        (
            TEXT, 0.4999, 0.4999,
            "Nothing is changed yet. The probability of hate is 0.4999, which stays below the "
            "threshold of 0.50: not predicted.",
        ),
    ],
)  # fmt: skip
def test_one_sentence_says_what_the_edit_did(
    edited: str, before: float, after: float, said: str
) -> None:
    steps = differences(TEXT, edited)
    assert edit_sentence(steps, edited == TEXT, "hate", before, after, 0.5) == said


@pytest.mark.parametrize(
    ("edited", "said"),
    [
        ("a b c", "No word is changed."),
        ("a x c", "1 word exchanged."),
        ("x y c d", "2 words exchanged, 1 added."),
        ("a x y z c", "1 word exchanged, 2 added."),
        ("a b c d e", "2 words added."),
        ("b", "2 words left out."),
    ],
)
def test_changed_words_are_counted(edited: str, said: str) -> None:
    assert changes_sentence(differences("a b c", edited)) == said


def test_the_bars_say_in_words_what_they_show() -> None:
    view = edit_view(differences(TEXT, WOMEN), WOMEN, "hate", 0.93, 0.41, 0.55)
    assert "before0.93predicted" in view.text and "now0.41not predicted" in view.text
    assert "threshold 0.55" in view.text
    written = json.dumps(view.as_data())
    assert '"--share": "93.00%"' in written and '"--limit": "55.00%"' in written
    assert written.count("edit-bar reaches") == 1


def test_hostile_words_stay_text() -> None:
    edited = "These <img src=x> \u202edisgust\x00 me so much."
    view = edit_view(differences(TEXT, edited), edited, "hate", 0.9, 0.1, 0.5)
    assert "&lt;img src=x&gt;" in view.as_html() and "<img" not in view.as_html()
    assert "[U+202E]disgust\u2400" in view.as_html()


def a_note(number: int = 1, **changes: object) -> Note:
    made = Note(
        f"n{number}", NoteKind.EDIT, NoteSubject.TEXT, "t1", TEXT, WOMEN, "clf", "print-1", "hate",
        0.5, 0.93, 0.41, "", 1_700_000_000.0,
    )  # fmt: skip
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]


def rows_of(table: Node) -> list[Node]:
    inner = table.children[0]
    assert isinstance(inner, Node) and isinstance(inner.children[1], Node)
    return [row for row in inner.children[1].children if isinstance(row, Node)]


def test_the_table_shows_standing_notes_with_a_button_each() -> None:
    notes = [
        a_note(1, subject=NoteSubject.AUDIT, subject_id="a1", comment="<b>so</b>"),
        a_note(2, withdrawn=True),
        a_note(3, subject=NoteSubject.AUDIT, subject_id="gone"),
    ]
    first, second = rows_of(notes_table(notes, {"a1": "The first audit"}))
    for part in ("Muslims women", "0.93 → 0.41, no longer predicted", "14 Nov 2023 22:13 UTC"):
        assert part in first.text
    assert "Kept with the audit The first audit" in first.text and "<b>so</b>" in first.text
    assert "Kept with the audit gone" in second.text
    assert '"data-value": "n3"' in json.dumps(second.as_data())
    assert notes_sentence(notes) == (
        "2 edits are kept. 1 edit was withdrawn: not shown here, but still in the files, and "
        "marked there."
    )


def test_a_long_list_shows_the_latest() -> None:
    notes = [a_note(number) for number in range(NOTES_SHOWN + 1)]
    assert len(rows_of(notes_table(notes, {}))) == NOTES_SHOWN
    assert notes_sentence(notes) == (
        "51 edits are kept. The latest 50 are shown; the files hold all."
    )
    assert notes_sentence([]) is None


def test_files_hold_every_note_and_no_formula() -> None:
    notes = [a_note(1, comment="=1+1", edited="@x \x00"), a_note(2, withdrawn=True)]
    first, second = csv_bytes(notes_frame(notes)).decode().splitlines()[1:]
    assert "'=1+1" in first and "'@x \u2400" in first and first.endswith("False")
    assert second.endswith("2023-11-14T22:13:20+00:00,True")
    written = json.loads(notes_json([a_note(comment="\ud800")]))
    assert written == [{**dataclasses.asdict(a_note()), "comment": "\ud800"}]
