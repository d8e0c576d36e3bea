"""The edit box: change a text by hand, see the probability move while typing, keep the edit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from nsx_core.engine import Engine
from nsx_core.errors import NsxError, TextError
from nsx_core.noting import COMMENT_MAX
from nsx_core.records import text_hash
from nsx_core.views.audit_sentences import audit_name
from nsx_core.views.edited import differences, edit_sentence, edit_view
from nsx_core.views.sentences import unseen_sentence
from pages.shared.kept_notes import kept_notes
from pages.shared.notices import error_notice, notice, title_of

__all__ = ["Box", "edit_box"]

_STYLE = Path(__file__).resolve().parents[2] / "assets" / "style"
_BOX_CSS = (_STYLE / "edit_box.css").read_text(encoding="utf-8")
_BOX = st.components.v2.component(
    "nsx_edit_box",
    js=(_STYLE / "edit_box.js").read_text(encoding="utf-8"),
    css=_BOX_CSS,
)
_RESULT = st.components.v2.component(
    "nsx_edit_result",
    js=(_STYLE / "figure.js").read_text(encoding="utf-8"),
    css=(_STYLE / "figure.css").read_text(encoding="utf-8") + _BOX_CSS,
)
#: In place of an audit's id: nothing but the text.
_ALONE = ""


@dataclass(frozen=True, slots=True)
class Box:
    """What stands in the box of one text; ``turn`` counts how often it was begun anew."""

    text_id: str
    turn: int
    typed: str


@dataclass(frozen=True, slots=True)
class _Asked:
    text: str
    classifier: str
    label: str
    threshold: float
    key: str

    def named(self, name: str) -> str:
        return f"{self.key}-{name}"


def edit_box(
    engine: Engine, text: str, classifier: str, label: str | None, threshold: float, key: str
) -> None:
    """The box, what the typed text does to P(label), and the edits of this text that were kept.

    label: None = the class that the classifier explains; threshold: strictly between 0 and 1;
    key: of the box on its page, which keeps what was typed for this text.
    """
    try:
        entry = engine.catalogue.classifier_entry(classifier)
        asked = _Asked(text, classifier, label or entry.explained_label, threshold, key)
        # Two fragments, so that a key typed above does not read the notes again.
        _typing(engine, asked)
        _keeping(engine, asked)
    except NsxError as error:
        error_notice(error, key=f"{key}-edit")


@st.fragment
def _typing(engine: Engine, asked: _Asked) -> None:
    box = _box(asked)
    same = box.typed == asked.text
    said, shown, problem, unseen = "", None, None, None
    try:
        now = engine.classify(box.typed, asked.classifier)
        before, after = engine.probabilities([asked.text, box.typed], asked.classifier, asked.label)
        steps = differences(asked.text, box.typed)
        said = edit_sentence(steps, same, asked.label, before, after, asked.threshold)
        shown = edit_view(steps, box.typed, asked.label, before, after, asked.threshold)
        unseen = unseen_sentence(now.unseen_words, asked.classifier)
    except NsxError as error:
        problem = error
    _BOX(
        key=asked.key,
        data={
            "label": "Change the text by hand",
            "text": box.typed,
            "text_id": box.text_id,
            "turn": box.turn,
            "said": said,
            "wrong": problem is not None,
        },
        on_edit_change=lambda: None,
    )
    if problem is not None:
        wrong_text = isinstance(problem, TextError)
        title = "This text cannot be classified" if wrong_text else title_of(problem)
        notice(title, str(problem), key=asked.named("typed"))
    if unseen is not None:
        notice("Longer than the classifier reads", unseen, key=asked.named("unseen"))
    if shown is not None:
        _RESULT(key=asked.named("result"), data=shown.as_data())
    st.button(
        "Start again",
        key=asked.named("anew"),
        disabled=same,
        help="Put the original text back into the box.",
        on_click=_begin_anew,
        args=(asked,),
    )


@st.fragment
def _keeping(engine: Engine, asked: _Asked) -> None:
    state = st.session_state
    try:
        audits = {card.id: audit_name(card) for card in engine.audits.listed()}
        with st.form(asked.named("form"), border=False):
            with st.container(horizontal=True, vertical_alignment="bottom"):
                st.text_input(
                    "Comment (may stay empty)",
                    key=asked.named("comment"),
                    max_chars=COMMENT_MAX,
                    persist_state="session",
                )
                st.selectbox(
                    "Keep it with",
                    [_ALONE, *audits],
                    key=asked.named("with"),
                    format_func=lambda audit: audits.get(audit, "this text alone"),
                    persist_state="session",
                )
            st.form_submit_button(
                "Keep this edit as a note",
                key=asked.named("keep"),
                on_click=_keep,
                args=(engine, asked),
            )
        error = state.get(asked.named("problem"))
        if error is not None:
            notice("Nothing was kept", str(error), key=asked.named("problem"))
        notes = engine.notes.of_text(asked.text)
        kept_notes(engine, notes, f"text-{text_hash(asked.text)[:12]}", asked.named("notes"))
    except NsxError as error:
        error_notice(error, key=asked.named("notes"))


def _box(asked: _Asked) -> Box:
    """What stands in the box, as the browser said last; the text itself where it said nothing."""
    state, name = st.session_state, asked.named("box")
    found = state.get(name)
    if found is None or found.text_id != text_hash(asked.text):
        found = Box(text_hash(asked.text), 0, asked.text)
    sent = (state.get(asked.key) or {}).get("edit")
    match sent:
        # Of a turn before this one: it was on its way when the box was begun anew.
        case {"text_id": found.text_id, "turn": int(turn), "text": str(typed)} if (
            turn >= found.turn
        ):
            # A browser makes one kind of line break of all, which is no edit.
            plain = asked.text.replace("\r\n", "\n").replace("\r", "\n")
            found = Box(found.text_id, turn, asked.text if typed == plain else typed)
    state[name] = found
    return found


def _begin_anew(asked: _Asked) -> None:
    box = _box(asked)
    st.session_state[asked.named("box")] = replace(box, turn=box.turn + 1, typed=asked.text)


def _keep(engine: Engine, asked: _Asked) -> None:
    state = st.session_state
    state[asked.named("problem")] = None
    try:
        engine.notes.keep(
            asked.text,
            _box(asked).typed,
            asked.classifier,
            asked.label,
            asked.threshold,
            state[asked.named("comment")] or "",
            state[asked.named("with")] or None,
        )
    except NsxError as error:
        # What was typed stays.
        state[asked.named("problem")] = error
    else:
        state[asked.named("comment")] = ""
