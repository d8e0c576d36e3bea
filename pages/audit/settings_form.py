"""What to ask of a suite: classifiers, groups, draws, parts, extra tables, a name."""

from __future__ import annotations

import time

import streamlit as st

from nsx_core.audit.columns import Functionalities
from nsx_core.auditing import AuditRequest
from nsx_core.engine import Engine
from nsx_core.records import ExplainSettings
from nsx_core.settings import (
    AUDIT_NAME_MAX,
    BUDGET_DEFAULT,
    BUDGET_MAX,
    BUDGET_MIN,
    SAMPLER_DEFAULT,
    SEED_MAX,
    THRESHOLD_DEFAULT,
)
from nsx_core.suites import Suite
from nsx_core.views.address import SAMPLER_NAMES, THRESHOLD_MAX, THRESHOLD_MIN
from nsx_core.views.audit_progress import preset_name
from nsx_core.views.suite_parts import derived_note, in_doubt, likely_parts, shortcomings
from pages.shared.notices import notice

__all__ = ["audit_name", "audit_request"]


def audit_request(engine: Engine, suite: Suite, key: str) -> AuditRequest | None:
    """What the widgets describe; None, which is said, where no classifier is chosen.

    ``key`` is the suite's id: what is chosen of a suite is kept apart from other suites.
    """
    _presets(engine)
    classifiers = _models(engine, suite, key)
    with st.container(key="audit-settings", horizontal=True, vertical_alignment="bottom"):
        _draws(engine)
    parts = _parts(suite, key)
    groups = tuple(st.session_state[f"audit-groups-{key}"])
    with st.container(key="audit-extras", horizontal=True, gap="medium"):
        st.toggle(
            "Also with a mask token (Table B.3)",
            key="audit_masking",
            persist_state="session",
            help="The same scores from texts in which a mask token stands for the replaced words: "
            "classified, not written, so it is quick.",
        )
        st.toggle(
            "Also SHAP and LIME (Table 4)",
            key="audit_attributions",
            persist_state="session",
            help="Two usual methods on the same phrases, to compare with. Each case is classified up to "
            "a few thousand times more, some seconds for each classifier.",
        )
    if said := shortcomings(suite, parts, groups):
        notice("What this audit cannot say", "\n".join(said), key="audit-shortcomings")
    if not classifiers:
        notice("No classifier is chosen", "Choose at least one above.", key="audit-none")
        return None
    state = st.session_state
    return AuditRequest(
        suite,
        tuple(classifiers),
        state["audit_infiller"],
        ExplainSettings(
            budget=state["audit_budget"],
            seed=state["audit_seed"],
            threshold=state["audit_threshold"],
            sampler=state["audit_sampler"],
        ),
        groups,
        parts,
        masking=state["audit_masking"],
        attributions=state["audit_attributions"],
    )


def audit_name(suite: Suite, key: str) -> str:
    """What the audit is to be called."""
    return st.text_input(
        "Name of the audit",
        preset_name(suite.name, time.time()),
        max_chars=AUDIT_NAME_MAX,
        key=f"audit-name-{key}",
        width=420,
        persist_state="session",
    )


def _presets(engine: Engine) -> None:
    infillers = engine.infillers()
    first = next((i for i in infillers if not i.problem), infillers[0])
    for name, value in (
        ("audit_classifiers", [c.name for c in engine.classifiers() if not c.problem]),
        ("audit_infiller", first.name),
        ("audit_budget", BUDGET_DEFAULT),
        ("audit_sampler", SAMPLER_DEFAULT),
        ("audit_seed", 0),
        ("audit_threshold", THRESHOLD_DEFAULT),
        ("audit_masking", False),
        ("audit_attributions", False),
    ):
        st.session_state.setdefault(name, value)


def _models(engine: Engine, suite: Suite, key: str) -> list[str]:
    missing = {c.name for c in engine.classifiers() if c.problem}
    chosen = st.multiselect(
        "Classifiers",
        [c.name for c in engine.classifiers() if not c.problem],
        key="audit_classifiers",
        persist_state="session",
        help=f"Not usable now: {', '.join(sorted(missing))}. See Classifiers." if missing else None,
    )
    st.multiselect(
        "Groups",
        suite.groups,
        key=f"audit-groups-{key}",
        placeholder="All groups of the suite",
        persist_state="session",
        help="Phrases of these groups are scored. All texts are classified in any case.",
    )
    return chosen


def _draws(engine: Engine) -> None:
    st.slider(
        "Budget",
        BUDGET_MIN,
        BUDGET_MAX,
        step=10,
        key="audit_budget",
        width=180,
        persist_state="session",
        help="Counterfactual texts to expect for each word and score. More texts, narrower "
        "intervals, longer wait; texts already written are used again.",
    )
    st.slider(
        "Decision threshold",
        THRESHOLD_MIN,
        THRESHOLD_MAX,
        step=0.01,
        key="audit_threshold",
        width=180,
        persist_state="session",
        help="The class is predicted where its probability reaches this. It decides which cases "
        "are found rightly, and so explained.",
    )
    st.selectbox(
        "Infiller",
        [i.name for i in engine.infillers() if not i.problem],
        key="audit_infiller",
        width=200,
        persist_state="session",
    )
    st.selectbox(
        "Sampler",
        SAMPLER_NAMES,
        key="audit_sampler",
        width=130,
        persist_state="session",
        help="balanced: each text counts for both scores; half the texts give the paper's "
        "precision. paper: as published, each score has texts of its own.",
    )
    st.number_input(
        "Seed",
        0,
        SEED_MAX,
        step=1,
        key="audit_seed",
        width=120,
        persist_state="session",
        help="Equal seeds and settings give equal draws.",
    )


def _parts(suite: Suite, key: str) -> Functionalities:
    """Which functionalities play which part; asked for where their names do not tell."""
    names = suite.functionalities
    likely = likely_parts(names)
    if note := derived_note(names):
        notice("No functionalities", note, key="audit-derived")
        return likely
    if not names:
        return likely
    asked = in_doubt(names)
    with st.expander("Which functionalities play which part", expanded=asked, key="audit-parts"):
        chosen = [
            st.multiselect(
                label,
                names,
                default=preset,
                key=f"audit-part-{number}-{key}",
                persist_state="session",
                help=said,
            )
            for number, (label, preset, said) in enumerate(
                (
                    (
                        "Explained",
                        likely.explained,
                        "Hateful cases whose phrase is scored: F1 to F3 of HateCheck.",
                    ),
                    (
                        "Harmless mentions of a group",
                        likely.mentions,
                        "Neutral and positive texts that name a group: F18 and F19 of HateCheck. "
                        "How often are they flagged by mistake?",
                    ),
                    (
                        "Abuse of other targets",
                        likely.non_protected,
                        "Abuse that is not of a protected group: F22 to F24 of HateCheck.",
                    ),
                )
            )
        ]
    return Functionalities(*map(tuple, chosen))
