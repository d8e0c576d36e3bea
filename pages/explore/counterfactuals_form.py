"""The upper part of the Counterfactuals page: text, classifier, goal, what it may cost."""

from __future__ import annotations

import streamlit as st

from nsx_core.counterfactual_records import Method, Removal
from nsx_core.engine import Engine
from nsx_core.settings import BUDGET_MAX, BUDGET_MIN, CALLS_MAX, SEED_MAX
from nsx_core.views import address
from nsx_core.views.counterfactual_address import (
    DELTA_MAX,
    DELTA_MIN,
    PRECISION_MAX,
    PRECISION_MIN,
)
from nsx_core.views.counterfactual_marks import method_name
from pages.explore.asking import examples
from pages.explore.counterfactuals_asking import FLIP, WANTED, ask_as_set, usable
from pages.shared.notices import notice
from pages.shared.setting_widgets import temperature, text_box, top_p

__all__ = ["form"]

_GOALS = {FLIP: "The other prediction", WANTED: "A wanted probability"}
_REMOVALS = {
    Removal.INFILL: "other words",
    Removal.MASK: "a mask",
    Removal.DELETION: "nothing",
}


def form(engine: Engine) -> None:
    """The widgets; every value lives in the session under its own name."""
    text_box("cf_text")
    with st.container(key="cf_examples", horizontal=True, gap="small"):
        for number, example in enumerate(examples()):
            st.button(
                example["text"],
                key=f"cf_example_{number}",
                help=example["note"],
                type="tertiary",
                on_click=_use_example,
                args=(engine, example["text"]),
            )
    with st.container(key="cf_settings", horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Classifier", usable(engine), key="cf_classifier", width=200, persist_state="session"
        )
        card = next(c for c in engine.classifiers() if c.name == st.session_state["cf_classifier"])
        if st.session_state["cf_label"] not in card.labels:
            st.session_state["cf_label"] = card.explained_label
        st.selectbox("Class", card.labels, key="cf_label", width=120, persist_state="session")
        _goal()
        st.number_input(
            "Budget of a method",
            1,
            CALLS_MAX,
            step=100,
            key="cf_calls",
            width=150,
            persist_state="session",
            help="Changed texts that each method may have the classifier judge, the same for all. "
            "Those that necessity and sufficiency paid for are free.",
        )
        st.button(
            "Find the smallest change",
            key="cf_find",
            type="primary",
            on_click=ask_as_set,
            args=(engine,),
        )
    with st.expander("More settings", key="cf_more"):
        _of_methods()
        _of_explanation(engine)
    if said := st.session_state["cf_notices"]:
        notice("Parts of the link were put aside", "\n".join(said), key="link")


def _goal() -> None:
    st.selectbox(
        "Goal",
        list(_GOALS),
        key="cf_goal",
        format_func=_GOALS.__getitem__,
        width=190,
        persist_state="session",
        help="The other prediction: any text on the other side of the decision threshold. A wanted "
        "probability: any text whose probability of the class is near enough to it.",
    )
    if st.session_state["cf_goal"] != WANTED:
        return
    st.slider(
        "Wanted probability",
        0.0,
        1.0,
        step=0.01,
        key="cf_target",
        width=150,
        persist_state="session",
        help="Of the class.",
    )
    st.slider(
        "Tolerance (epsilon)",
        0.0,
        1.0,
        step=0.01,
        key="cf_epsilon",
        width=150,
        persist_state="session",
        help="How far from the wanted probability still counts. 0: exactly this probability, which "
        "hardly any text has.",
    )


def _of_methods() -> None:
    st.multiselect(
        "Methods",
        list(Method),
        key="cf_methods",
        format_func=method_name,
        persist_state="session",
    )
    with st.container(key="cf_of_methods", horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "SEDC replaces words by",
            list(Removal),
            key="cf_removal",
            format_func=_REMOVALS.__getitem__,
            width=180,
            persist_state="session",
            help="Other words: several answers of the infiller, so that a text stays a text. A mask "
            "and nothing: as published, one text a set, which nobody would write.",
        )
        st.slider(
            "Precision of an anchor (tau)",
            PRECISION_MIN,
            PRECISION_MAX,
            step=0.01,
            key="cf_precision",
            width=190,
            persist_state="session",
            help="The share of texts that must hold the prediction while the anchor stands.",
        )
        st.slider(
            "Its bounds may fail (delta)",
            DELTA_MIN,
            DELTA_MAX,
            step=0.01,
            key="cf_delta",
            width=180,
            persist_state="session",
            help="How often the bounds on a precision may be wrong. Smaller: safer, and more calls.",
        )
        st.slider(
            "Decision threshold",
            address.THRESHOLD_MIN,
            address.THRESHOLD_MAX,
            step=0.01,
            key="cf_threshold",
            width=160,
            persist_state="session",
            help="The class is predicted where its probability reaches this.",
        )


def _of_explanation(engine: Engine) -> None:
    st.caption("Of the explanation that every method starts from")
    with st.container(key="cf_of_explanation", horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            "Phrases kept as one unit",
            key="cf_phrases",
            width=300,
            placeholder="black people; trans women",
            persist_state="session",
            help="Words of the text that are replaced or kept together. A semicolon between two "
            "phrases; ;; for one within a phrase.",
        )
        st.slider(
            "Its budget",
            BUDGET_MIN,
            BUDGET_MAX,
            step=10,
            key="cf_budget",
            width=150,
            persist_state="session",
            help="Counterfactual texts to expect for each word and score of necessity and "
            "sufficiency.",
        )
        st.number_input(
            "Seed",
            0,
            SEED_MAX,
            step=1,
            key="cf_seed",
            width=120,
            persist_state="session",
            help="Equal seeds and settings give equal answers.",
        )
        st.selectbox(
            "Infiller",
            [i.name for i in engine.infillers()],
            key="cf_infiller",
            width=200,
            persist_state="session",
        )
        st.selectbox(
            "Sampler",
            address.SAMPLER_NAMES,
            key="cf_sampler",
            width=130,
            persist_state="session",
        )
        temperature("cf_temperature", 140)
        top_p("cf_top_p", 140)
        st.toggle("Count probabilities", key="cf_scores", persist_state="session")
        st.toggle("Redraw unchanged texts", key="cf_redraw", persist_state="session")


def _use_example(engine: Engine, text: str) -> None:
    st.session_state["cf_text"], st.session_state["cf_phrases"] = text, ""
    ask_as_set(engine)
