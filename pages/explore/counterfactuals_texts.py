"""All texts that were judged: ranked anew by lambda and epsilon, drawn, filtered, downloaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from nsx_core.counterfactual_records import Counterfactual, Findings, Method
from nsx_core.engine import Engine
from nsx_core.views import counterfactual_files as files
from nsx_core.views.counterfactual_address import LAMBDAS
from nsx_core.views.counterfactual_marks import method_name
from nsx_core.views.counterfactual_scatter import AGAINST, scatter, scatter_alt, scatter_sentence
from nsx_core.views.counterfactual_table import filtered, summary_sentence, table_frame
from pages.explore.counterfactuals_asking import write_address

__all__ = ["all_texts"]

#: Among the methods to filter by: the texts behind necessity and sufficiency, which none found.
_DRAWS = "draws"
#: What differs most from row to row first, for a narrow window.
_COLUMNS = ("Text", "P after", "Valid", "Words changed", "Edit distance", "Cosine", "Fluency")
_COLUMNS += ("Method", "P before")
_LOOKS = {
    "Text": st.column_config.TextColumn(width=330),
    "Method": st.column_config.TextColumn(width=160),
    **{name: st.column_config.NumberColumn(format="%.3f") for name in ("P after", "P before")},
    **{name: st.column_config.NumberColumn(format="%.2f") for name in ("Cosine", "Fluency")},
}


@st.fragment
def all_texts(engine: Engine, found: Findings) -> None:
    """The texts, ranked by what the sliders say; nothing is searched anew."""
    state = st.session_state
    _ranks(found)
    target, epsilon = state["cf_rank_target"], state["cf_rank_epsilon"]
    rows = engine.reranked(found, state["cf_strength"], target, epsilon)
    # The goal that decided what is valid here, which the sliders may have moved.
    judged = replace(found, goal=replace(found.goal, target=target, tolerance=epsilon))
    write_address()
    key = found.key[:12]
    _drawn(rows, judged, key)
    shown = _chosen(rows, judged)
    st.text(summary_sentence(shown, judged))
    st.dataframe(
        table_frame(shown),
        key=f"cf-table-{key}",
        hide_index=True,
        column_order=_COLUMNS,
        column_config=_LOOKS,
    )
    _downloads(shown, judged, found)


def _ranks(found: Findings) -> None:
    """What the texts are ranked by; the search's own goal until a slider is moved."""
    state, goal = st.session_state, found.goal
    # Sliders have two decimals, as the address has.
    state["cf_rank_own"] = (round(goal.target, 2), round(goal.tolerance, 2))
    for name, own in zip(("cf_rank_target", "cf_rank_epsilon"), state["cf_rank_own"], strict=True):
        if state[name] is None:
            state[name] = own
    with st.container(key="cf_ranks", horizontal=True, vertical_alignment="bottom"):
        st.select_slider(
            "Lambda",
            LAMBDAS,
            key="cf_strength",
            format_func=lambda value: f"{value:g}",
            width=240,
            persist_state="session",
            help="How much it counts that the probability is near to the wanted one, against how "
            "far the text is from the original: small, and the nearest texts come first.",
        )
        for label, name, said in (
            ("Wanted probability", "cf_rank_target", "Of the class."),
            ("Tolerance (epsilon)", "cf_rank_epsilon", "How far from it still counts as valid."),
        ):
            st.slider(
                label,
                0.0,
                1.0,
                step=0.01,
                key=name,
                width=190,
                persist_state="session",
                help=f"{said} The texts are ranked anew at once; none is searched for.",
            )


def _drawn(rows: Sequence[Counterfactual], found: Findings, key: str) -> None:
    """The scatter; by what proximity is measured is chosen."""
    against = st.segmented_control(
        "Proximity",
        list(AGAINST),
        key="cf_against",
        format_func=AGAINST.__getitem__,
        default="words changed",
        required=True,
        persist_state="session",
    )
    st.plotly_chart(
        scatter(rows, found, against),
        key=f"cf-scatter-{key}",
        config={"displayModeBar": False},
        alt=scatter_alt(rows),
    )
    st.text(scatter_sentence(rows, against))


def _chosen(rows: Sequence[Counterfactual], found: Findings) -> Sequence[Counterfactual]:
    """The rows that the filters leave."""
    names = {_DRAWS: method_name(None)}
    names |= {str(one.method): method_name(one.method) for one in found.found}
    count = len(found.words)
    with st.container(key="cf_filters", horizontal=True, vertical_alignment="bottom"):
        chosen = st.multiselect(
            "Found by",
            list(names),
            key="cf_found_by",
            format_func=names.__getitem__,
            placeholder="any method",
            width=300,
        )
        most = st.number_input(
            "Words changed, at most",
            1,
            count,
            value=count,
            key=f"cf-most-{found.key[:12]}",
            width=170,
        )
        valid_only = st.toggle("Valid only", key="cf_valid_only", persist_state="session")
    methods = tuple(None if name == _DRAWS else Method(name) for name in chosen or names)
    return filtered(rows, valid_only, methods, most)


def _downloads(rows: Sequence[Counterfactual], judged: Findings, found: Findings) -> None:
    """The rows shown as a table, by the sliders' goal; JSON holds all, by the search's own."""
    stem = files.file_stem(found)
    kinds = (
        ("CSV", partial(files.as_csv, rows, judged), "text/csv"),
        ("JSON", partial(files.as_json, found), "application/json"),
        ("Parquet", partial(files.as_parquet, rows, judged), "application/vnd.apache.parquet"),
    )
    with st.container(key="cf_downloads", horizontal=True):
        for name, made, kind in kinds:
            st.download_button(
                f"Download {name}",
                made,
                f"{stem}.{name.lower()}",
                kind,
                key=f"cf_{name.lower()}",
                on_click="ignore",
            )
