"""Compare: one or two texts, several classifiers on the same draws, four methods."""

from __future__ import annotations

import streamlit as st

from nsx_core.engine import Engine
from nsx_core.errors import NsxError
from nsx_core.settings import BUDGET_MAX, BUDGET_MIN, SEED_MAX
from nsx_core.views import address
from nsx_core.views.sentences import long_sentence
from pages.explore.asking import open_explanation
from pages.explore.compare_asking import (
    Asked,
    ask,
    ask_as_set,
    open_once,
    usable,
    wanted,
    write_address,
)
from pages.explore.compare_classifiers import all_there, classifiers_compared
from pages.explore.compare_methods import methods_compared
from pages.shared.engine import the_engine
from pages.shared.notices import error_notice, notice
from pages.shared.setting_widgets import text_box
from pages.shared.warned import warn_once

#: The facts of the paper's Figure 2.
PAPERS_PAIR = ("These women disgust me so much.", "These Muslims disgust me so much.")


def page() -> None:
    """The whole page, from top to bottom."""
    engine = the_engine()
    st.title("Do classifiers and methods agree?")
    warn_once()
    try:
        usable(engine)
        open_once(engine)
        _go_where_asked(engine)
        _form(engine)
        if st.session_state.get("cmp_error"):
            error_notice(st.session_state["cmp_error"], key="compare-text")
            return
        _follow_the_widgets(engine)
        asked: Asked | None = st.session_state["cmp_asked"]
        if asked is None:
            notice("Nothing to compare", "Type a text and choose a classifier.", key="nothing")
            return
        write_address()
        if _may_start(engine, asked):
            classifiers_compared(engine, asked)
            if all_there(engine, asked):
                methods_compared(engine, asked)
    except NsxError as error:
        error_notice(error, key="compare")


def _form(engine: Engine) -> None:
    """The widgets; every value lives in the session under its own name."""
    first, second = st.columns(2)
    with first:
        text_box("cmp_text")
    second.text_area(
        "A second text (may stay empty)",
        key="cmp_text2",
        height=76,
        persist_state="session",
        help="Another group in the same sentence, say: both are shown over one another.",
    )
    with st.container(key="cmp_pair_row"):
        st.button(
            "The paper\u2019s pair: women and Muslims",
            key="cmp_pair",
            type="tertiary",
            help="The two sentences of the paper\u2019s Figure 2.",
            on_click=_use_pair,
            args=(engine,),
        )
    names = usable(engine)
    st.multiselect("Classifiers", names, key="cmp_classifiers", persist_state="session")
    with st.container(key="cmp_settings", horizontal=True, vertical_alignment="bottom"):
        st.slider(
            "Budget",
            BUDGET_MIN,
            BUDGET_MAX,
            step=10,
            key="cmp_budget",
            width=160,
            persist_state="session",
            help="Counterfactual texts to expect for each word and score. They are written once "
            "and judged by every classifier.",
        )
        st.slider(
            "Decision threshold",
            address.THRESHOLD_MIN,
            address.THRESHOLD_MAX,
            step=0.01,
            key="cmp_threshold",
            width=160,
            persist_state="session",
            help="A class is predicted where its probability reaches this. Moving it judges the "
            "same texts again, at once.",
        )
        st.selectbox(
            "Infiller",
            [i.name for i in engine.infillers() if not i.problem],
            key="cmp_infiller",
            width=190,
            persist_state="session",
        )
        st.number_input(
            "Seed",
            0,
            SEED_MAX,
            step=1,
            key="cmp_seed",
            width=120,
            persist_state="session",
            help="Equal seeds and settings give equal draws.",
        )
        st.button("Compare", key="cmp_compare", type="primary", on_click=ask_as_set, args=(engine,))
    with st.expander("More settings", key="more"):
        st.text_input(
            "Phrases kept as one unit",
            key="cmp_phrases",
            width=300,
            placeholder="black people; trans women",
            persist_state="session",
            help="Words that are replaced or kept together and share one score, in every text "
            "where they stand. A semicolon between two phrases; ;; for one within a phrase.",
        )
    if said := st.session_state["cmp_notices"]:
        notice("Parts of the link were put aside", "\n".join(said), key="link")


def _use_pair(engine: Engine) -> None:
    st.session_state["cmp_text"], st.session_state["cmp_text2"] = PAPERS_PAIR
    st.session_state["cmp_phrases"] = ""
    ask_as_set(engine)


def _follow_the_widgets(engine: Engine) -> None:
    """Show at once what is complete already; say so where something must be computed."""
    # Always there, so that an old message goes as soon as the page is run again.
    place = st.empty()
    asked: Asked | None = st.session_state["cmp_asked"]
    try:
        now = wanted(engine)
        if now is None or now.requests == (asked and asked.requests):
            return
        if all_there(engine, now):
            ask(engine, now)
            return
    except NsxError as error:
        with place:
            error_notice(error, key="compare-settings")
        return
    with place:
        notice("Changed since the last comparison", "Press Compare to compute it.", key="changed")


def _may_start(engine: Engine, asked: Asked) -> bool:
    """Whether to compute: for texts that are not long, or on request."""
    if st.session_state["cmp_anyway"] or all_there(engine, asked):
        return True
    costs = [engine.cost(row[0]) for row in asked.requests]
    if not any(cost.long for cost in costs):
        return True
    for number, cost in enumerate(costs):
        if cost.long:
            notice("A long text", long_sentence(cost.words, cost.draws), key=f"long-{number}")
    st.button(
        "Compare anyway",
        key="cmp_anyway_button",
        on_click=ask,
        args=(engine, asked),
        kwargs={"anyway": True},
    )
    return False


def _go_where_asked(engine: Engine) -> None:
    """Open the Explain page where a word or 'Details' was chosen."""
    value = st.session_state.pop("cmp_open", None)
    asked: Asked | None = st.session_state["cmp_asked"]
    if value is None or asked is None:
        return
    text, row, word = value.split(":")
    open_explanation(
        engine,
        asked.requests[int(text)][int(row)],
        st.session_state["cmp_threshold"],
        int(word) if word else None,
    )


page()
