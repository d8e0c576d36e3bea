"""The upper part of the Explain page: text, examples, settings; and what they ask for."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import streamlit as st

from nsx_core.errors import NsxError
from nsx_core.jobs import Engine, ExplainRequest
from nsx_core.settings import BUDGET_MAX, BUDGET_MIN, SEED_MAX
from nsx_core.views import address
from nsx_core.views.address import View
from pages.shared.notices import notice

__all__ = ["ask", "asked_label", "current_request", "form", "open_once", "write_address"]

_EXAMPLES = Path(__file__).resolve().parents[2] / "assets" / "examples.json"
_SETTINGS = (
    "classifier", "label", "infiller", "budget", "seed", "threshold",
    "scores", "temperature", "top_p", "redraw",
)


def open_once(engine: Engine) -> None:
    """At a session's first run: the view that the address asks for, or the first example."""
    state = st.session_state
    if state.get("opened"):
        return
    default = _default_view(engine)
    cards = engine.classifiers()
    view, said = address.read_view(
        st.query_params.to_dict(), default,
        {c.name: c.labels for c in cards}, {c.name: c.explained_label for c in cards},
        [i.name for i in engine.infillers()],
    )
    text = examples()[0]["text"]
    if view.text is not None:
        known = engine.text(view.text)
        if known is None:
            said = (*said, "The link names a text that is not stored here. Texts stay where "
                    "they were typed; ask for the text itself. An example is shown.")
            view = replace(view, text=None, word=None)
        else:
            text = known
    state["text_box"] = text
    for name in _SETTINGS:
        state[name] = getattr(view, name)
    state["link_notices"] = said
    state["word"] = None if view.word is None else view.word - 1
    state["opened"] = True
    _ask(engine, keep_word=True)


def form(engine: Engine) -> None:
    """The widgets; every value lives in the session under its own name."""
    _warn_once()
    st.text_area(
        "Text", key="text_box", height=76, persist_state="session",
        help="At most 2,000 words. The text is stored on this computer under an id, and links "
        "carry the id only.",
    )
    with st.container(key="examples", horizontal=True, gap="small"):
        for number, example in enumerate(examples()):
            st.button(
                example["text"], key=f"example-{number}", help=example["note"], type="tertiary",
                on_click=_use_example, args=(engine, example["text"]),
            )
    with st.container(key="settings", horizontal=True, vertical_alignment="bottom"):
        cards = {c.name: c for c in engine.classifiers()}
        st.selectbox(
            "Classifier", list(cards), key="classifier", width=220, persist_state="session",
            format_func=lambda name: name if not cards[name].problem else f"{name} (missing)",
        )
        card = cards[st.session_state["classifier"]]
        if st.session_state["label"] not in card.labels:
            st.session_state["label"] = card.explained_label
        st.selectbox(
            "Explained class", card.labels or (card.explained_label,), key="label", width=130,
            persist_state="session", disabled=not card.labels,
        )
        st.slider(
            "Budget", BUDGET_MIN, BUDGET_MAX, step=10, key="budget", width=160,
            persist_state="session",
            help="Counterfactual texts to expect for each word and score. More texts, narrower "
            "intervals, longer wait; texts already written are used again.",
        )
        st.slider(
            "Decision threshold", address.THRESHOLD_MIN, address.THRESHOLD_MAX, step=0.01,
            key="threshold", width=160, persist_state="session",
            help="The class is predicted where its probability reaches this. Moving it judges "
            "the same texts again, at once.",
        )
        st.button("Explain", key="explain", type="primary", on_click=_ask, args=(engine,))
    _more(engine)
    for number, said in enumerate(st.session_state["link_notices"]):
        notice("The link could not be followed to the letter", said, key=f"link-{number}")


def current_request(engine: Engine) -> ExplainRequest:
    """The request that the widgets describe, at the default threshold."""
    state = st.session_state
    view = View(**{name: state[name] for name in _SETTINGS})
    return ExplainRequest(
        text=state["text_box"] or "",
        classifier=view.classifier,
        infiller=view.infiller,
        settings=address.settings_of(view, _explained(engine, view.classifier)),
    )


def asked_label(engine: Engine, asked: ExplainRequest) -> str:
    """The class that the request explains."""
    return asked.settings.label or _explained(engine, asked.classifier)


def ask(engine: Engine, request: ExplainRequest, *, anyway: bool = False) -> None:
    """Make the request the one that the page shows."""
    state = st.session_state
    state["asked"] = request
    state["anyway"] = anyway
    state["job"] = None
    state["text_id"], state["text_error"] = None, None
    if request.text.strip():
        try:
            state["text_id"] = engine.remember_text(request.text)
        except NsxError as error:
            state["text_error"] = error


def write_address(engine: Engine) -> None:
    """Put the view shown into the address bar."""
    state = st.session_state
    asked: ExplainRequest = state["asked"]
    view = address.view_of(
        state["text_id"], asked.classifier, asked.infiller, asked.settings,
        _explained(engine, asked.classifier), state["threshold"], state["word"],
    )
    wanted = address.parameters(view)
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


@st.cache_data(max_entries=1)
def examples() -> list[dict[str, str]]:
    """Texts to begin with."""
    found: list[dict[str, str]] = json.loads(_EXAMPLES.read_text(encoding="utf-8"))
    return found


def _ask(engine: Engine, keep_word: bool = False) -> None:
    if not keep_word:
        st.session_state["word"] = None
        st.session_state["link_notices"] = ()
    ask(engine, current_request(engine))


def _use_example(engine: Engine, text: str) -> None:
    st.session_state["text_box"] = text
    _ask(engine)


def _explained(engine: Engine, classifier: str) -> str:
    return {c.name: c.explained_label for c in engine.classifiers()}[classifier]


def _default_view(engine: Engine) -> View:
    cards = engine.classifiers()
    usable = [c for c in cards if not c.problem] or cards
    card = next((c for c in usable if c.name == "Vidgen2021-hate"), usable[0])
    infillers = engine.infillers()
    infiller = next((i for i in infillers if not i.problem), infillers[0])
    return View(classifier=card.name, label=card.explained_label, infiller=infiller.name)


def _more(engine: Engine) -> None:
    with (
        st.expander("More settings", key="more"),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        st.number_input(
            "Seed", 0, SEED_MAX, step=1, key="seed", width=140, persist_state="session",
            help="Equal seeds and settings give equal draws.",
        )
        st.selectbox(
            "Infiller", [i.name for i in engine.infillers()], key="infiller", width=220,
            persist_state="session",
        )
        st.slider(
            "Temperature", address.TEMPERATURE_MIN, address.TEMPERATURE_MAX, step=0.05,
            key="temperature", width=150, persist_state="session",
            help="How freely the infiller chooses its words.",
        )
        st.slider(
            "Top-p", address.TOP_P_MIN, address.TOP_P_MAX, step=0.05, key="top_p", width=150,
            persist_state="session", help="The share of likely words that the infiller picks from.",
        )
        st.toggle(
            "Count probabilities", key="scores", persist_state="session",
            help="Scores from the class's probability in place of predicted or not.",
        )
        st.toggle(
            "Redraw unchanged texts", key="redraw", persist_state="session",
            help="Draw again, at most 5 times, where the infiller wrote the replaced words back. "
            "The paper keeps such draws.",
        )


def _warn_once() -> None:
    if st.session_state.get("warned"):
        return
    with st.container(key="warning", horizontal=True, vertical_alignment="center"):
        st.markdown(
            "This page shows hateful text, and texts that a model wrote around it."
        )
        st.button("Understood", key="understood", type="tertiary", on_click=_understood)


def _understood() -> None:
    st.session_state["warned"] = True
