"""Strike counterfactual texts out: the form that asks for a reason, and taking a strike back."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from nsx_core.engine import Engine
from nsx_core.errors import NsxError
from nsx_core.records import Draw, DrawSide, Explanation
from nsx_core.settings import STRIKE_REASON_MAX
from nsx_core.views.markup import encodable
from nsx_core.views.struck import Struck
from pages.shared.engine import without
from pages.shared.notices import error_notice, notice

__all__ = ["heard_strikes", "strike_form", "struck_of"]


def struck_of(engine: Engine, explanation: Explanation) -> Struck | None:
    """What is struck out of the explanation's draws, None where nothing is."""
    try:
        found = engine.struck(explanation)
    except NsxError as error:
        error_notice(error, key="struck")
        return None
    if not found:
        return None
    reasons = {(s.side, s.number): encodable(s.reason) for s in found}
    return Struck(reasons, without(engine, explanation, frozenset(reasons)))


def heard_strikes(engine: Engine, explanation: Explanation) -> dict[str, Callable[[str], None]]:
    """What the buttons of a table of draws do."""

    def begin(value: str) -> None:
        st.session_state["striking"] = (explanation.draw_set, *_named(value))
        st.session_state["strike_error"] = None

    def back(value: str) -> None:
        st.session_state["strike_error"] = None
        try:
            engine.take_back(explanation, *_named(value))
        except NsxError as error:
            st.session_state["strike_error"] = error

    return {"strike": begin, "take_back": back}


def strike_form(engine: Engine, explanation: Explanation) -> None:
    """The draw to strike out and a reason to type, where one was chosen."""
    # Always there, so that what stands below it keeps its place.
    with st.container(key="striking"):
        draw = _chosen(explanation)
        if draw is not None:
            _form(engine, explanation, draw)
        error = st.session_state.get("strike_error")
        if error is not None:
            notice("Nothing was changed", str(error), key="strike")


def _form(engine: Engine, explanation: Explanation, draw: Draw) -> None:
    with st.form("strike-form", border=False):
        st.text(f"Strike out draw {draw.number + 1}: {encodable(draw.text)}")
        st.text_input(
            "What is implausible about it?",
            key="strike_reason",
            max_chars=STRIKE_REASON_MAX,
            placeholder="not a sentence; another meaning; cut off",
            persist_state="session",
            help="It stays in the list, crossed out, with this reason. Every score is shown with "
            "it and without it.",
        )
        with st.container(horizontal=True):
            st.form_submit_button(
                "Strike out",
                key="strike-confirm",
                type="primary",
                on_click=_strike,
                args=(engine, explanation, draw),
            )
            st.form_submit_button("Cancel", key="strike-cancel", on_click=_end)


def _strike(engine: Engine, explanation: Explanation, draw: Draw) -> None:
    state = st.session_state
    try:
        engine.strike(explanation, draw.side, draw.number, state["strike_reason"] or "")
    except NsxError as error:
        # What was typed stays.
        state["strike_error"] = error
    else:
        _end()


def _end() -> None:
    state = st.session_state
    state["striking"], state["strike_error"], state["strike_reason"] = None, None, ""


def _chosen(explanation: Explanation) -> Draw | None:
    """The draw that is to be struck out, where this explanation has it."""
    asked = st.session_state.get("striking")
    for judged in explanation.draws if asked else ():
        draw = judged.draw
        if asked == (explanation.draw_set, draw.side, draw.number):
            return draw
    return None


def _named(value: str) -> tuple[DrawSide, int]:
    """(side, number) from a button's value."""
    side, _, number = value.partition(":")
    return DrawSide(side), int(number)
