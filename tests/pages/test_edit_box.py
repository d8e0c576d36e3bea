"""The edit box on a page of its own: what typed text does, and edits kept, withdrawn and listed."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from app_server import ROOT, served
from streamlit.testing.v1 import AppTest
from test_browser import browser, visitor
from test_browser import pytestmark as in_browser
from visiting import texts

from nsx_core.errors import StoreError
from nsx_core.records import Note, NoteSubject, text_hash
from nsx_core.store import Store
from pages.explore.editing import Box
from pages.shared.engine import the_engine

__all__ = ["browser", "visitor"]

TEXT, EDITED = "These women disgust me so much.", "These people disgust me so much."
PAGE = f"""
import streamlit as st
from pages.explore.editing import edit_box
from pages.shared.engine import the_engine
st.button("Elsewhere")
edit_box(the_engine(), st.query_params.get("text", {TEXT!r}), "fake-hate", None, 0.5, "edit")
"""
AUDIT_PAGE = """
from pages.audit.results_notes import notes_of_audit
from pages.shared.engine import the_engine
notes_of_audit(the_engine(), "a1")
"""
REQUEST = {
    "suite_name": "Starter", "suite_cases": 3, "classifiers": ["fake-hate"],
    "groups_explained": ["women"], "infiller": "word-list",
    "settings": {"budget": 10, "threshold": 0.5},
}  # fmt: skip


@pytest.fixture
def page(home: Path) -> Iterator[AppTest]:
    """The box on an empty store, not yet run."""
    yield AppTest.from_string(PAGE, default_timeout=60)
    st.cache_resource.clear()
    assert not [t.name for t in threading.enumerate() if t.name.startswith("nsx-")]


def typed(page: AppTest, text: str, turn: int = 0) -> AppTest:
    """Run with this text in the box, as the browser would have sent it."""
    page.session_state["edit-box"] = Box(text_hash(TEXT), turn, text)
    page.run()
    assert not page.exception
    return page


def sent(page: AppTest) -> list[dict[str, Any]]:
    """What the browser is given, in order."""
    return [json.loads(e.proto.json) for e in page.get("bidi_component")]


def kept(page: AppTest, text: str, comment: str = "", audit: str = "") -> AppTest:
    typed(page, text)
    page.text_input(key="edit-comment").set_value(comment)
    page.selectbox(key="edit-with").set_value(audit)
    page.button(key="edit-keep").click().run()
    assert not page.exception
    return page


def of_text() -> list[Note]:
    return the_engine().notes.of_text(TEXT)


def test_the_text_itself_comes_first(page: AppTest) -> None:
    page.run()
    box = sent(page)[0]
    assert (box["text"], box["turn"], box["wrong"]) == (TEXT, 0, False)
    assert box["said"].startswith("Nothing is changed yet. The probability of hate is 0.90")
    assert page.button(key="edit-anew").disabled
    assert "kept." not in texts(page)


def test_an_edit_moves_the_probability_and_is_begun_anew(page: AppTest) -> None:
    typed(page, EDITED)
    box, result = sent(page)
    assert box["said"] == (
        "With “people” in place of “women”, the probability of hate falls from 0.90 to 0.10: "
        "no longer predicted."
    )
    assert "not predicted" in json.dumps(result) and "threshold 0.50" in json.dumps(result)
    page.button(key="edit-anew").click().run()
    box = sent(page)[0]
    # Another turn, so that the browser takes the text over what stands in the box.
    assert (box["text"], box["turn"]) == (TEXT, 1)


def test_another_text_begins_with_itself(page: AppTest) -> None:
    typed(page, EDITED)
    page.query_params["text"] = "Another text."
    page.run()
    box = sent(page)[0]
    assert (box["text"], box["text_id"]) == ("Another text.", text_hash("Another text."))


@pytest.mark.parametrize(
    ("text", "said"), [("", "this one is empty"), ("so " * 2_001, "at most 2,000 words")]
)
def test_a_text_that_cannot_be_judged_stays_in_the_box(page: AppTest, text: str, said: str) -> None:
    typed(page, text)
    (box,) = sent(page)
    assert (box["text"], box["said"], box["wrong"]) == (text, "", True)
    assert "This text cannot be classified" in texts(page) and said in texts(page)
    page.button(key="edit-keep").click().run()
    assert "Nothing was kept" in texts(page) and of_text() == []


def test_words_that_the_classifier_does_not_read_are_said(page: AppTest) -> None:
    typed(page, TEXT + " and" * 200)
    assert "6 words unseen by the model" in texts(page)


def test_an_edit_is_kept_with_a_comment_that_is_no_markup(page: AppTest) -> None:
    kept(page, EDITED, "**odd** <b>")
    (note,) = of_text()
    assert (note.edited, note.comment, note.subject) == (EDITED, "**odd** <b>", NoteSubject.TEXT)
    assert "1 edit is kept." in texts(page)
    assert "**odd** <b>" in json.dumps(sent(page)[2])
    assert not any("odd" in m.value for m in page.markdown)
    assert page.text_input(key="edit-comment").value == ""


def test_the_text_itself_is_not_kept(page: AppTest) -> None:
    kept(page, TEXT, "why")
    assert "Nothing was kept" in texts(page) and "this one is the text itself" in texts(page)
    assert of_text() == []
    assert page.text_input(key="edit-comment").value == "why"


def test_what_was_typed_stays_where_the_store_fails(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> Note:
        raise StoreError("The disk is full.")

    monkeypatch.setattr(Store, "write_note", full)
    kept(page, EDITED, "why")
    assert "Nothing was kept" in texts(page) and "The disk is full." in texts(page)
    assert page.text_input(key="edit-comment").value == "why"
    assert sent(page)[0]["text"] == EDITED


def test_an_edit_is_withdrawn_and_counted(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: dict[str, Callable[[str], None]] = {}
    monkeypatch.setattr(
        "pages.shared.kept_notes.figure", lambda _tree, key, **given: heard.update(given)
    )
    kept(page, EDITED)
    state = SimpleNamespace(session_state=page.session_state)
    for note, said in (
        (of_text()[0].id, "0 edits are kept. 1 edit was withdrawn"),
        ("n9", "Nothing was withdrawn"),
    ):
        # What the figure's callback does with the button's value.
        with monkeypatch.context() as patch:
            patch.setattr("pages.shared.kept_notes.st", state)
            heard["withdraw"](note)
        page.run()
        assert not page.exception and said in texts(page)


def test_an_edit_kept_with_an_audit_is_shown_with_its_results(page: AppTest) -> None:
    page.run()
    the_engine().store.audits.keep_audit("a1", "Spring", json.dumps(REQUEST))
    other = AppTest.from_string(AUDIT_PAGE, default_timeout=60).run()
    assert not other.exception and not other.subheader
    kept(page, EDITED, "see", audit="a1")
    assert "Kept with the audit Spring" in json.dumps(sent(page)[2])
    other.run()
    assert [s.value for s in other.subheader] == ["Notes kept with this audit"]
    assert "1 edit is kept." in texts(other) and EDITED.split()[1] in json.dumps(sent(other))


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page on a free port."""
    folder = tmp_path_factory.mktemp("edit")
    (folder / "page.py").write_text(PAGE, encoding="utf-8")
    with served(str(folder / "page.py"), folder, PYTHONPATH=str(ROOT)) as base:
        yield base


@pytest.mark.browser
@in_browser[1]
def test_the_probability_moves_while_one_types(address: str, visitor: Callable[..., Any]) -> None:
    page = visitor()
    page.goto(address)
    box = page.get_by_label("Change the text by hand")
    page.get_by_text("Nothing is changed yet").first.wait_for()
    box.evaluate("area => { area.focus(); area.setSelectionRange(6, 11); }")
    page.keyboard.type("<b>\u202emen", delay=20)
    page.get_by_text("no longer predicted").first.wait_for()
    # Typing goes on where it was: neither the focus nor the cursor has moved.
    page.keyboard.type(" & women", delay=20)
    page.get_by_text("still predicted").first.wait_for()
    now = "These <b>\u202emen & women disgust me so much."
    assert box.input_value() == now
    assert box.evaluate("area => area.getRootNode().activeElement === area")
    # Keys of a moment ago count, though the pause was not over.
    page.keyboard.type("!")
    page.get_by_role("button", name="Keep this edit as a note").click()
    page.get_by_text("1 edit is kept.").wait_for()
    assert "[U+202E]men & women!" in page.locator(".notes mark").inner_text()
    # A run of the whole page leaves the box as it is.
    page.get_by_role("button", name="Elsewhere").click()
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    assert box.input_value() == now.replace("women", "women!")
    page.get_by_role("button", name="Start again").click()
    page.get_by_text("Nothing is changed yet").first.wait_for()
    assert box.input_value() == TEXT
    page.get_by_role("button", name="Withdraw").click()
    page.get_by_text("0 edits are kept.").wait_for()
    page.locator(".notes").wait_for(state="detached")
