"""What the Explain page is asked for: from the address, from the widgets, into the address."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import streamlit as st

from nsx_core import words
from nsx_core.engine import Engine, ExplainRequest
from nsx_core.errors import NsxError, SettingsError
from nsx_core.records import ExplainSettings
from nsx_core.views import address, phrase_list
from nsx_core.views.address import View
from nsx_core.views.markup import encodable

__all__ = [
    "ask",
    "ask_as_set",
    "asked_label",
    "current_request",
    "examples",
    "open_explanation",
    "open_once",
    "phrase_problem",
    "write_address",
]

_PAGE = "pages/explore/explain.py"
_EXAMPLES = Path(__file__).resolve().parents[2] / "assets" / "examples.json"
_SETTINGS = (
    "classifier",
    "label",
    "infiller",
    "budget",
    "seed",
    "threshold",
    "scores",
    "temperature",
    "top_p",
    "redraw",
    "sampler",
    "early",
)


def open_once(engine: Engine) -> None:
    """At a session's first run, and when another page sends a view here: what the address asks.

    Without one, the first example.
    """
    state = st.session_state
    if state.get("opened"):
        return
    default = _default_view(engine)
    cards = engine.classifiers()
    view, said = address.read_view(
        st.query_params.to_dict(),
        default,
        {c.name: c.labels for c in cards},
        {c.name: c.explained_label for c in cards},
        [i.name for i in engine.infillers()],
    )
    text = examples()[0]["text"]
    if view.text is not None:
        known = engine.text(view.text)
        if known is None:
            said = (
                *said,
                "The link names a text that is not stored here. Texts stay where "
                "they were typed; ask for the text itself. An example is shown.",
            )
            view = replace(view, text=None, word=None, phrases=())
        else:
            text = encodable(known)
            if text != known:
                said = (
                    *said,
                    "The text holds halves of characters (lone surrogates), which no browser can "
                    "show. Each is shown and explained as \ufffd.",
                )
    phrases: tuple[str, ...] = ()
    try:
        phrases = words.phrases_at(text, view.phrases)
    except SettingsError as error:
        said = (*said, f"In the link: {error} No phrase is kept as one unit.")
    state["text_box"] = text
    state["phrases"] = phrase_list.written(phrases)
    for name in _SETTINGS:
        state[name] = getattr(view, name)
    state["link_notices"] = said
    state["word"] = None if view.word is None else view.word - 1
    state.setdefault("visitor", secrets.token_hex(8))
    state["opened"] = True
    ask_as_set(engine, keep_word=True)
    # A text other than the one before leaves its chosen word; this one comes with its own.
    state["word"] = None if view.word is None else view.word - 1


def open_explanation(
    engine: Engine, request: ExplainRequest, threshold: float, word: int | None
) -> NoReturn:
    """Leave any page for Explain, and show this request there; ``word`` counts from 0.

    Called from the body of a page, never from a callback. Raises ``TextError``, or
    ``SettingsError`` for what the page cannot show.
    """
    settings = request.settings
    if settings.splitter != ExplainSettings().splitter:
        raise SettingsError(
            f"The Explain page splits texts by {ExplainSettings().splitter}, and "
            f"{settings.splitter!r} came. Explain this text from the command line."
        )
    words.check_phrases(request.text, settings.phrases)
    view = address.view_of(
        engine.remember_text(request.text),
        request.classifier,
        request.infiller,
        settings,
        _explained(engine, request.classifier),
        threshold,
        word,
        phrases=words.phrase_spans(request.text, settings.phrases),
    )
    st.session_state["opened"] = False
    st.switch_page(_PAGE, query_params=address.parameters(view))


def current_request(engine: Engine) -> ExplainRequest:
    """The request that the widgets describe, at the default threshold."""
    state = st.session_state
    view = View(**{name: state[name] for name in _SETTINGS})
    return ExplainRequest(
        text=state["text_box"] or "",
        classifier=view.classifier,
        infiller=view.infiller,
        settings=address.settings_of(
            view, _explained(engine, view.classifier), phrase_list.listed(state["phrases"] or "")
        ),
    )


def phrase_problem(request: ExplainRequest) -> SettingsError | None:
    """Why the request's phrases cannot be units of its text; None where they can."""
    try:
        words.check_phrases(request.text, request.settings.phrases)
    except SettingsError as error:
        return error
    return None


def asked_label(engine: Engine, asked: ExplainRequest) -> str:
    """The class that the request explains."""
    return asked.settings.label or _explained(engine, asked.classifier)


def ask(
    engine: Engine, request: ExplainRequest, *, anyway: bool = False, whole: bool = False
) -> None:
    """Make the request the one that the page shows.

    ``anyway``: though it is not predicted, or long; ``whole``: to the budget, though it may stop.
    """
    state = st.session_state
    if "asked" in state and state["asked"].text != request.text:
        state["word"] = None
    state["asked"] = request
    state["anyway"], state["whole"] = anyway, whole
    if state.get("job"):
        engine.leave(state["job"])
    state["job"] = None
    state["text_id"], state["text_error"] = None, None
    if request.text.strip():
        try:
            state["text_id"] = engine.remember_text(request.text)
            state["text_error"] = phrase_problem(request)
        except NsxError as error:
            state["text_error"] = error


def ask_as_set(engine: Engine, keep_word: bool = False) -> None:
    """Ask for what the widgets hold."""
    if not keep_word:
        st.session_state["word"] = None
        st.session_state["link_notices"] = ()
    ask(engine, current_request(engine))


def write_address(engine: Engine) -> None:
    """Put the view shown into the address bar."""
    state = st.session_state
    asked: ExplainRequest = state["asked"]
    view = address.view_of(
        state["text_id"],
        asked.classifier,
        asked.infiller,
        asked.settings,
        _explained(engine, asked.classifier),
        state["threshold"],
        state["word"],
        state["early"],
        () if state["text_error"] else words.phrase_spans(asked.text, asked.settings.phrases),
    )
    wanted = address.parameters(view)
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


@st.cache_data(max_entries=1)
def examples() -> list[dict[str, str]]:
    """Texts to begin with."""
    found: list[dict[str, str]] = json.loads(_EXAMPLES.read_text(encoding="utf-8"))
    return found


def _explained(engine: Engine, classifier: str) -> str:
    return {c.name: c.explained_label for c in engine.classifiers()}[classifier]


def _default_view(engine: Engine) -> View:
    cards = engine.classifiers()
    usable = [c for c in cards if not c.problem] or cards
    card = next((c for c in usable if c.name == "Vidgen2021-hate"), usable[0])
    infillers = engine.infillers()
    infiller = next((i for i in infillers if not i.problem), infillers[0])
    return View(classifier=card.name, label=card.explained_label, infiller=infiller.name)
