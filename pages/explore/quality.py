"""Infill quality: what this explanation's counterfactual texts are like, and ten of them."""

from __future__ import annotations

import streamlit as st

from nsx_core.engine import Engine
from nsx_core.errors import NsxError
from nsx_core.records import Explanation
from nsx_core.views import infill_quality
from nsx_core.views.draws_table import sample_table
from nsx_core.views.infill_quality import Judgement
from nsx_core.views.struck import Struck
from pages.explore.striking import heard_strikes, strike_form
from pages.shared.figure import figure
from pages.shared.notices import error_notice

__all__ = ["quality"]


def quality(
    engine: Engine, explanation: Explanation, struck: Struck | None, key: str, growing: bool
) -> None:
    """The figures, beside the infiller's own report, and a sample to strike from."""
    st.text(infill_quality.quality_sentence(explanation, struck))
    if growing:
        st.text("Another classifier is asked once all texts are there.")
        other = None
    else:
        other = _judged(engine, explanation)
    report = {i.name: i.figures for i in engine.infillers()}[explanation.infiller]
    figure(infill_quality.quality_table(explanation, report, other), f"quality-{key}")
    strike_form(engine, explanation)
    rows = infill_quality.sample(explanation, struck)
    caption = infill_quality.sample_caption(explanation, rows)
    figure(
        sample_table(explanation, rows, caption),
        f"sample-{key}",
        **heard_strikes(engine, explanation),
    )


def _judged(engine: Engine, explanation: Explanation) -> Judgement | None:
    others = {
        c.name: c.explained_label
        for c in engine.classifiers()
        if not c.problem and c.name != explanation.classifier
    }
    if not others:
        st.text("There is no other classifier to ask about these texts.")
        return None
    if st.session_state.get("other_classifier") not in others:
        st.session_state["other_classifier"] = next(iter(others))
    name = st.selectbox(
        "Another classifier",
        list(others),
        key="other_classifier",
        width=220,
        persist_state="session",
        help="It says how often it gives its own label to these texts, at 0.5. Neutral words in "
        "place of the replaced ones should rarely get it.",
    )
    try:
        with st.spinner(f"Asking {name}"):
            found = engine.probabilities(infill_quality.texts_to_judge(explanation), name)
    except NsxError as error:
        error_notice(error, key="other-classifier")
        return None
    return infill_quality.judgement(explanation, name, others[name], found)
