"""Classifiers: what is shipped, how well each does, and where it must not be used."""

from __future__ import annotations

import streamlit as st

from nsx_core.views.model_figures import card_body, figures_frame
from pages.shared.engine import the_engine
from pages.shared.notices import notice

cards = the_engine().classifiers()

st.title("Classifiers")
st.markdown(
    "The scores explain these models, not language and not people. Each was trained once; "
    "another training run moves its figures by a point or more."
)
if not cards:
    notice("A model is missing", "No classifier is installed. Run `make setup`.", key="none")
    st.stop()
st.table(figures_frame(cards), border="horizontal")
for card in cards:
    st.header(card.name)
    if card.problem:
        notice("This classifier cannot be used now", card.problem, key=f"problem-{card.name}")
    st.text(card.description)
    if card.labels:
        st.text(
            f"Labels: {', '.join(card.labels)}. Explained unless you choose another: "
            f"{card.explained_label}."
        )
    if card.card:
        with st.expander("Model card", key=f"card-{card.name}"):
            st.markdown(card_body(card.card))
