"""Infillers: what writes the counterfactual texts."""

from __future__ import annotations

import streamlit as st

from nsx_core.views.model_figures import card_body, infiller_figures
from pages.shared.engine import the_engine
from pages.shared.notices import notice

cards = the_engine().infillers()

st.title("Infillers")
st.markdown(
    "An infiller writes what replaces a word. A language model for it has seen neutral text only, "
    "so that a word is rarely replaced by another one that the classifier reacts to."
)
figures = infiller_figures(cards)
if len(figures):
    st.table(figures, border="horizontal")
for card in cards:
    st.header(card.name)
    if card.problem:
        notice("This infiller cannot be used now", card.problem, key=f"problem-{card.name}")
    st.text(card.description)
    if card.card:
        with st.expander("Model card", key=f"card-{card.name}"):
            st.markdown(card_body(card.card))
