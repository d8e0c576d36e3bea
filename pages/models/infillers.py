"""Infillers: the language models that write the counterfactual texts."""

from __future__ import annotations

import streamlit as st

from nsx_core.views.model_figures import card_body, figures_frame
from pages.shared.engine import the_engine
from pages.shared.notices import notice

cards = the_engine().infillers()

st.title("Infillers")
st.markdown(
    "An infiller writes what replaces a word. It saw neutral text only, so that a replaced word "
    "is rarely replaced by another one that the classifier reacts to."
)
st.table(figures_frame(cards), border="horizontal")
for card in cards:
    st.header(card.name)
    if card.problem:
        notice("This infiller cannot be used now", card.problem, key=f"problem-{card.name}")
    st.text(card.description)
    if card.card:
        with st.expander("Model card", key=f"card-{card.name}"):
            st.markdown(card_body(card.card))
