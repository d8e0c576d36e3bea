"""What the Counterfactuals page is asked for: from the address, the widgets, another page."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import NoReturn

import streamlit as st

from nsx_core import words
from nsx_core.counterfactual_records import CounterfactualRequest
from nsx_core.engine import Engine, ExplainRequest
from nsx_core.errors import MissingModelError, NsxError, SettingsError
from nsx_core.views import address, phrase_list
from nsx_core.views.address import View
from nsx_core.views.counterfactual_address import (
    TARGET_DEFAULT,
    CounterfactualView,
    counterfactual_parameters,
    read_counterfactual,
)
from nsx_core.views.markup import encodable
from pages.explore.asking import examples

__all__ = [
    "FLIP",
    "WANTED",
    "Asked",
    "ask",
    "ask_as_set",
    "open_counterfactuals",
    "open_once",
    "usable",
    "wanted",
    "write_address",
]

_PAGE = "pages/explore/counterfactuals.py"
#: The two kinds of goal.
FLIP, WANTED = "flip", "wanted"
#: Settings of ``address.View`` and of ``CounterfactualView``; each has a widget cf_<name>.
_SHARED = (
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
)
_OWN = ("epsilon", "calls", "methods", "removal", "precision", "delta", "strength")


@dataclass(frozen=True)
class Asked:
    """What the page shows; ``view``: the same for the address, the text's id aside."""

    request: CounterfactualRequest
    view: CounterfactualView


def usable(engine: Engine) -> list[str]:
    """Names of the classifiers that can be used; raises ``MissingModelError`` for none."""
    names = [c.name for c in engine.classifiers() if not c.problem]
    if not names or not engine.infillers():
        raise MissingModelError("No classifier or no infiller is installed. Run `make setup`.")
    return names


def open_once(engine: Engine) -> None:
    """At a session's first visit, and when another page sends a view: what the address asks.

    Without one, the first example.
    """
    state = st.session_state
    if state.get("cf_opened"):
        return
    names = usable(engine)
    cards = [c for c in engine.classifiers() if c.name in names]
    view, said = read_counterfactual(
        st.query_params.to_dict(),
        _default(engine),
        {c.name: c.labels for c in cards},
        _labels(engine),
        [i.name for i in engine.infillers()],
    )
    text, known = examples()[0]["text"], None
    if view.shared.text is not None:
        known = engine.text(view.shared.text)
        if known is None:
            said = (
                *said,
                "The link names a text that is not stored here. Texts stay where they were typed; "
                "ask for the text itself. An example is shown.",
            )
            view = replace(view, shared=replace(view.shared, phrases=()))
    text = encodable(known or text)
    phrases: tuple[str, ...] = ()
    try:
        phrases = words.phrases_at(text, view.shared.phrases)
    except SettingsError as error:
        said = (*said, f"In the link: {error} No phrase is kept as one unit.")
    state["cf_text"], state["cf_phrases"] = text, phrase_list.written(phrases)
    for name in _SHARED:
        state[f"cf_{name}"] = getattr(view.shared, name)
    for name in _OWN:
        state[f"cf_{name}"] = getattr(view, name)
    state["cf_methods"] = list(view.methods)
    state["cf_goal"] = FLIP if view.target is None else WANTED
    state["cf_target"] = TARGET_DEFAULT if view.target is None else view.target
    state["cf_notices"], state["cf_error"] = said, None
    state.setdefault("visitor", secrets.token_hex(8))
    state["cf_opened"] = True
    try:
        ask(engine, wanted(engine), start=bool(state.pop("cf_start", False)))
    except NsxError as error:
        ask(engine, None)
        state["cf_error"] = error
    # After ``ask``, for which another goal leaves the ranks of the one before.
    state["cf_rank_target"], state["cf_rank_epsilon"] = view.rank_target, view.rank_epsilon


def open_counterfactuals(engine: Engine, request: ExplainRequest, threshold: float) -> NoReturn:
    """Leave any page for this one, and search on this request; from the body of a page only.

    Raises ``TextError``, or ``SettingsError`` for phrases that are not in the text.
    """
    words.check_phrases(request.text, request.settings.phrases)
    shared = address.view_of(
        engine.remember_text(request.text),
        request.classifier,
        request.infiller,
        request.settings,
        _labels(engine)[request.classifier],
        threshold,
        None,
        phrases=words.phrase_spans(request.text, request.settings.phrases),
    )
    st.session_state["cf_opened"], st.session_state["cf_start"] = False, True
    st.switch_page(_PAGE, query_params=counterfactual_parameters(CounterfactualView(shared)))


def wanted(engine: Engine) -> Asked | None:
    """What the widgets describe; None where no text is typed.

    Raises ``SettingsError`` for phrases that do not stand in the text or a number out of its
    range, and ``TextError``.
    """
    state = st.session_state
    text = state["cf_text"] or ""
    if not text.strip():
        return None
    phrases = phrase_list.listed(state["cf_phrases"] or "")
    words.check_phrases(text, phrases)
    shared = View(
        **{name: state[f"cf_{name}"] for name in _SHARED},
        phrases=words.phrase_spans(text, phrases),
    )
    methods = tuple(m for m in CounterfactualView(shared).methods if m in state["cf_methods"])
    own = {name: state[f"cf_{name}"] for name in _OWN} | {"methods": methods}
    target = state["cf_target"] if state["cf_goal"] == WANTED else None
    view = CounterfactualView(shared, target=target, **own)
    settings = address.settings_of(shared, _labels(engine)[shared.classifier], phrases)
    request = CounterfactualRequest(
        ExplainRequest(
            text, shared.classifier, shared.infiller, replace(settings, threshold=shared.threshold)
        ),
        target,
        None if target is None else view.epsilon,
        view.calls,
        methods,
        view.removal,
        view.precision,
        view.delta,
    )
    # What is out of its range is said now, not when it is searched.
    engine.found_counterfactuals(request)
    return Asked(request, view)


def ask(engine: Engine, asked: Asked | None, *, start: bool = False, anyway: bool = False) -> None:
    """Make it what the page shows; ``start``: search for it; ``anyway``: though it is long."""
    state = st.session_state
    if state.get("cf_job"):
        engine.leave(state["cf_job"])
    state["cf_asked"], state["cf_job"] = asked, None
    state["cf_start_wanted"], state["cf_anyway"] = start, anyway
    state["cf_rank_target"], state["cf_rank_epsilon"] = None, None
    state["cf_rank_own"] = (None, None)
    state["cf_text_id"], state["cf_browsed"] = None, {}
    if asked is not None:
        state["cf_text_id"] = engine.remember_text(asked.request.explain.text)


def ask_as_set(engine: Engine) -> None:
    """Search for what the widgets hold."""
    st.session_state["cf_notices"], st.session_state["cf_error"] = (), None
    try:
        ask(engine, wanted(engine), start=True)
    except NsxError as error:
        st.session_state["cf_error"] = error


def write_address() -> None:
    """Put the view shown into the address bar."""
    state = st.session_state
    asked: Asked | None = state["cf_asked"]
    if asked is None:
        return
    own_target, own_epsilon = state["cf_rank_own"]
    view = replace(
        asked.view,
        shared=replace(asked.view.shared, text=state["cf_text_id"]),
        strength=state["cf_strength"],
        rank_target=_unless(state["cf_rank_target"], own_target),
        rank_epsilon=_unless(state["cf_rank_epsilon"], own_epsilon),
    )
    parameters = counterfactual_parameters(view)
    if st.query_params.to_dict() != parameters:
        st.query_params.from_dict(parameters)


def _unless(value: float | None, own: float | None) -> float | None:
    return None if value == own else value


def _labels(engine: Engine) -> dict[str, str]:
    return {c.name: c.explained_label for c in engine.classifiers()}


def _default(engine: Engine) -> View:
    names = usable(engine)
    name = "Vidgen2021-hate" if "Vidgen2021-hate" in names else names[0]
    return View(name, _labels(engine)[name], engine.catalogue.default_infiller)
