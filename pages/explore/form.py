"""The upper part of the Explain page: text, examples, settings."""

from __future__ import annotations

import streamlit as st

from nsx_core.engine import Engine
from nsx_core.settings import BUDGET_MAX, BUDGET_MIN, SEED_MAX
from nsx_core.views import address
from pages.explore.asking import ask_as_set, examples
from pages.shared.notices import notice
from pages.shared.setting_widgets import temperature, text_box, top_p

__all__ = ["form"]


def form(engine: Engine) -> None:
    """The widgets; every value lives in the session under its own name."""
    text_box("text_box")
    with st.container(key="examples", horizontal=True, gap="small"):
        for number, example in enumerate(examples()):
            st.button(
                example["text"],
                key=f"example-{number}",
                help=example["note"],
                type="tertiary",
                on_click=_use_example,
                args=(engine, example["text"]),
            )
    with st.container(key="settings", horizontal=True, vertical_alignment="bottom"):
        cards = {c.name: c for c in engine.classifiers()}
        st.selectbox(
            "Classifier",
            list(cards),
            key="classifier",
            width=220,
            persist_state="session",
            format_func=lambda name: name if not cards[name].problem else f"{name} (missing)",
        )
        card = cards[st.session_state["classifier"]]
        if st.session_state["label"] not in card.labels:
            st.session_state["label"] = card.explained_label
        st.selectbox(
            "Explained class",
            card.labels or (card.explained_label,),
            key="label",
            width=130,
            persist_state="session",
            disabled=not card.labels,
        )
        st.slider(
            "Budget",
            BUDGET_MIN,
            BUDGET_MAX,
            step=10,
            key="budget",
            width=160,
            persist_state="session",
            help="Counterfactual texts to expect for each word and score. More texts, narrower "
            "intervals, longer wait; texts already written are used again.",
        )
        st.slider(
            "Decision threshold",
            address.THRESHOLD_MIN,
            address.THRESHOLD_MAX,
            step=0.01,
            key="threshold",
            width=160,
            persist_state="session",
            help="The class is predicted where its probability reaches this. Moving it judges "
            "the same texts again, at once.",
        )
        st.button("Explain", key="explain", type="primary", on_click=ask_as_set, args=(engine,))
    _more(engine)
    said = st.session_state["link_notices"]
    if said:
        notice("Parts of the link were put aside", "\n".join(said), key="link")


def _use_example(engine: Engine, text: str) -> None:
    st.session_state["text_box"] = text
    st.session_state["phrases"] = ""
    ask_as_set(engine)


def _more(engine: Engine) -> None:
    with (
        st.expander("More settings", key="more"),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        st.text_input(
            "Phrases kept as one unit",
            key="phrases",
            width=300,
            placeholder="black people; trans women",
            persist_state="session",
            help="Words of the text that are replaced or kept together and share one score, as "
            "where a group has a name of two words. A semicolon between two phrases; ;; for one "
            "within a phrase.",
        )
        st.number_input(
            "Seed",
            0,
            SEED_MAX,
            step=1,
            key="seed",
            width=140,
            persist_state="session",
            help="Equal seeds and settings give equal draws.",
        )
        st.selectbox(
            "Infiller",
            [i.name for i in engine.infillers()],
            key="infiller",
            width=220,
            persist_state="session",
        )
        st.selectbox(
            "Sampler",
            address.SAMPLER_NAMES,
            key="sampler",
            width=140,
            persist_state="session",
            help="balanced: each text counts for both scores, and numbers of replaced words come "
            "evenly; half the texts give the paper's precision. paper: as published, each score "
            "has texts of its own.",
        )
        temperature("temperature", 150)
        top_p("top_p", 150)
        st.toggle(
            "Count probabilities",
            key="scores",
            persist_state="session",
            help="Scores from the class's probability in place of predicted or not.",
        )
        st.toggle(
            "Stop when the first three are clear",
            key="early",
            persist_state="session",
            help="End before the budget once the order of the three most necessary words would stay "
            "the same in 95 of 100 resamples of the draws.",
        )
        st.toggle(
            "Redraw unchanged texts",
            key="redraw",
            persist_state="session",
            help="Draw again, at most 5 times, where the infiller wrote the replaced words back. "
            "The paper keeps such draws.",
        )
