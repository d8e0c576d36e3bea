"""What the Compare page is asked for: from the address, from the widgets, into the address."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace

import streamlit as st

from nsx_core import words
from nsx_core.engine import Engine, ExplainRequest
from nsx_core.errors import MissingModelError, NsxError, SettingsError
from nsx_core.views import address, phrase_list
from nsx_core.views.address import View
from nsx_core.views.compare_address import CompareView, compare_parameters, read_compare
from nsx_core.views.markup import encodable
from pages.explore.asking import examples

__all__ = ["Asked", "ask", "ask_as_set", "open_once", "usable", "wanted", "write_address"]

#: Widget and setting of ``address.View``.
_SETTINGS = {
    "cmp_infiller": "infiller",
    "cmp_budget": "budget",
    "cmp_seed": "seed",
    "cmp_threshold": "threshold",
}


@dataclass(frozen=True)
class Asked:
    """One or two texts, each with a request for each classifier, in the order of the classifiers.

    ``view``: the settings that the address holds, ids of texts aside.
    """

    requests: tuple[tuple[ExplainRequest, ...], ...]
    view: View

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(row[0].text for row in self.requests)

    @property
    def classifiers(self) -> tuple[str, ...]:
        return tuple(request.classifier for request in self.requests[0])


def usable(engine: Engine) -> list[str]:
    """Names of the classifiers that can be used; raises ``MissingModelError`` for none."""
    names = [c.name for c in engine.classifiers() if not c.problem]
    if not names or not engine.infillers():
        raise MissingModelError("No classifier or no infiller is installed. Run `make setup`.")
    return names


def open_once(engine: Engine) -> None:
    """At a session's first visit: what the address asks; without one, the first example."""
    state = st.session_state
    if state.get("cmp_opened"):
        return
    view, said = read_compare(
        st.query_params.to_dict(),
        _default(engine),
        usable(engine),
        [i.name for i in engine.infillers()],
    )
    texts: list[str] = []
    phrases: list[str] = []
    for at, (text_id, spans) in enumerate(
        ((view.shared.text, view.shared.phrases), (view.second, view.second_phrases))
    ):
        text = "" if text_id is None else engine.text(text_id)
        if text is None:
            said = (
                *said,
                "The link names a text that is not stored here. Texts stay where they were typed; "
                "ask for the text itself.",
            )
        text = encodable(text or "")
        if not text and not at:
            text = examples()[0]["text"]
        elif text:
            try:
                phrases += words.phrases_at(text, spans)
            except SettingsError as error:
                said = (*said, f"In the link: {error} No phrase is kept as one unit.")
        texts.append(text)
    state["cmp_text"], state["cmp_text2"] = texts
    state["cmp_phrases"] = phrase_list.written(tuple(dict.fromkeys(phrases)))
    for widget, name in _SETTINGS.items():
        state[widget] = getattr(view.shared, name)
    state["cmp_classifiers"] = list(view.classifiers)
    # None: the first that predicts its class, once that is known.
    state["cmp_methods"] = view.methods
    state["cmp_notices"] = said
    state.setdefault("visitor", secrets.token_hex(8))
    state["cmp_opened"] = True
    ask(engine, wanted(engine))


def wanted(engine: Engine) -> Asked | None:
    """What the widgets describe; None where no text is typed or no classifier is chosen.

    Raises ``SettingsError`` for phrases that stand in no text, and ``TextError``.
    """
    state = st.session_state
    texts = [t for t in (state["cmp_text"], state["cmp_text2"]) if (t or "").strip()]
    # In the list's order, whatever was clicked first, so that pages compare.
    chosen = [name for name in usable(engine) if name in state["cmp_classifiers"]]
    if not texts or not chosen:
        return None
    phrases = phrase_list.listed(state["cmp_phrases"] or "")
    for phrase in phrases:
        if all(words.absent_phrases(text, [phrase]) for text in texts):
            words.check_phrases(texts[0], [phrase])
    base = _default(engine).shared
    view = replace(base, **{name: state[widget] for widget, name in _SETTINGS.items()})
    rows = []
    for text in dict.fromkeys(texts):
        absent = words.absent_phrases(text, phrases)
        standing = tuple(phrase for phrase in phrases if phrase not in absent)
        settings = address.settings_of(view, view.label, standing)
        rows.append(tuple(ExplainRequest(text, name, view.infiller, settings) for name in chosen))
    return Asked(tuple(rows), view)


def ask(engine: Engine, asked: Asked | None, *, anyway: bool = False) -> None:
    """Make it what the page shows; ``anyway``: though a text is long."""
    state = st.session_state
    for job in state.get("cmp_jobs", {}).values():
        engine.leave(job)
    if state.get("cmp_methods_job"):
        engine.leave(state["cmp_methods_job"])
    state["cmp_asked"], state["cmp_anyway"] = asked, anyway
    state["cmp_jobs"], state["cmp_stopped"] = {}, False
    state["cmp_methods_job"], state["cmp_methods_wanted"] = None, False
    state["cmp_text_ids"] = ()
    if asked is not None:
        state["cmp_text_ids"] = tuple(engine.remember_text(text) for text in asked.texts)


def ask_as_set(engine: Engine) -> None:
    """Ask for what the widgets hold."""
    st.session_state["cmp_notices"], st.session_state["cmp_error"] = (), None
    try:
        ask(engine, wanted(engine))
    except NsxError as error:
        st.session_state["cmp_error"] = error


def write_address() -> None:
    """Put the view shown into the address bar."""
    state = st.session_state
    asked: Asked | None = state["cmp_asked"]
    if asked is None:
        return
    ids = state["cmp_text_ids"]
    spans = [words.phrase_spans(row[0].text, row[0].settings.phrases) for row in asked.requests]
    view = CompareView(
        replace(asked.view, text=ids[0], phrases=spans[0], threshold=state["cmp_threshold"]),
        ids[1] if len(ids) > 1 else None,
        spans[1] if len(ids) > 1 else (),
        asked.classifiers,
        state["cmp_methods"] if state["cmp_methods"] in asked.classifiers else None,
    )
    parameters = compare_parameters(view)
    if st.query_params.to_dict() != parameters:
        st.query_params.from_dict(parameters)


def _default(engine: Engine) -> CompareView:
    names = usable(engine)
    labels = {c.name: c.explained_label for c in engine.classifiers()}
    view = View(names[0], labels[names[0]], engine.catalogue.default_infiller)
    return CompareView(view, None, (), tuple(names))
