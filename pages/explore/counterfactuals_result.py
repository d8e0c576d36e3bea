"""The lower part of the Counterfactuals page: a card a method, whether they agree, all texts."""

from __future__ import annotations

import streamlit as st

from nsx_core.counterfactual_records import Findings, MethodFound
from nsx_core.engine import Engine
from nsx_core.views.counterfactual_agreement import agreement_sentence, agreement_table
from nsx_core.views.counterfactual_cards import breakers, card, word_sets
from nsx_core.views.counterfactual_sentences import criteria_sentence, goal_sentence
from pages.explore.asking import open_explanation
from pages.explore.counterfactuals_asking import Asked
from pages.explore.counterfactuals_texts import all_texts
from pages.explore.editing import edit_box
from pages.shared.engine import complete
from pages.shared.figure import figure

__all__ = ["result"]


def result(engine: Engine, asked: Asked, found: Findings) -> None:
    """The findings, from top to bottom."""
    with st.container(key="cf_said"):
        st.text(goal_sentence(found))
    with st.container(key="cf_cards"):
        for one in found.found:
            with st.container(key=f"cf_card_{one.method}", gap="small"):
                _card(one, found)
    st.caption(criteria_sentence())
    _agreement(engine, asked, found)
    st.header("All texts")
    all_texts(engine, found)
    st.header("Change the text yourself")
    edit_box(engine, found.text, found.classifier, found.label, found.goal.threshold, "cf_edit")


@st.fragment
def _card(one: MethodFound, found: Findings) -> None:
    """One method's answer, and the way to its other ones; a fragment, so that only it moves."""
    key = f"{one.method}-{found.key[:12]}"
    count = len(one.listed)
    shown: int = st.session_state["cf_browsed"].get(one.method, 0)
    figure(card(one, found, shown), f"cf-card-{key}")
    if count > 1:
        with st.container(
            key=f"cf_browse_{one.method}", horizontal=True, vertical_alignment="center"
        ):
            for name, title, to in (
                ("previous", "Previous", shown - 1),
                ("next", "Next answer", shown + 1),
            ):
                st.button(
                    title,
                    key=f"cf_{name}_{one.method}",
                    type="tertiary",
                    disabled=not 0 <= to < count,
                    on_click=_browse,
                    args=(one, to),
                )
            st.text(f"answer {shown + 1} of {count}")
    sets = word_sets(one, found)
    if sets is not None:
        with st.expander("Its word sets", key=f"cf_sets_{one.method}"):
            figure(sets, f"cf-sets-{key}")
    broken = breakers(one, found)
    if broken is not None:
        with st.expander("Texts that broke it", key=f"cf_broken_{one.method}"):
            figure(broken, f"cf-breakers-{key}")


def _browse(one: MethodFound, to: int) -> None:
    st.session_state["cf_browsed"][one.method] = to


def _agreement(engine: Engine, asked: Asked, found: Findings) -> None:
    """The word sets beside necessity and sufficiency, and the way to them."""
    explain = asked.request.explain
    explanation = complete(engine, explain)
    st.header("Do they agree?")
    if explanation is None:
        st.text("The explanation is not in the store any more. Search again to compare.")
        return
    st.text(agreement_sentence(found, explanation))
    figure(agreement_table(found, explanation), f"cf-agreement-{found.key[:12]}")
    if st.button("See the explanation of each word", key="cf_explain", type="tertiary"):
        open_explanation(engine, explain, explain.settings.threshold, None)
