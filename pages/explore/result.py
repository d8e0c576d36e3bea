"""The lower part of the Explain page: the heatmap, and what lies behind each score."""

from __future__ import annotations

from typing import Any, get_args

import streamlit as st

from nsx_core.engine import Engine
from nsx_core.records import Explanation, Side
from nsx_core.views import drilldown, files, sentences
from nsx_core.views.draws_table import draws_table
from nsx_core.views.drilldown import Order, Row, Selection
from nsx_core.views.growth_chart import followed, growth_chart, growth_sentence
from nsx_core.views.heatmap import heatmap
from nsx_core.views.scatter import scatter, scatter_sentence
from nsx_core.views.scores_table import scores_frame, scores_table
from nsx_core.views.struck import Struck
from nsx_core.views.walkthrough import walkthrough
from pages.explore.asking import write_address
from pages.explore.counterfactuals_asking import open_counterfactuals
from pages.explore.quality import quality
from pages.explore.striking import heard_strikes, strike_form, struck_of
from pages.shared.figure import figure
from pages.shared.notices import notice

__all__ = ["result"]

# No number of replaced words: a choice of None would be shown as no choice.
_ANY = 0
_VIEWS = {
    "necessity": "Necessity: texts",
    "sufficiency": "Sufficiency: texts",
    "computed": "How this is computed",
    "scores": "All scores",
    "quality": "Infill quality",
}


@st.fragment
def result(engine: Engine, explanation: Explanation, *, growing: bool = False) -> None:
    """The explanation; without downloads while it grows."""
    # Names the draws asked for: the same while they come and when the threshold moves.
    key = explanation.key[:12]
    index = _chosen(explanation)
    st.text(sentences.prediction_sentence(explanation))
    unseen = sentences.unseen_sentence(explanation.unseen_words, explanation.classifier)
    if unseen:
        notice("The model does not see the whole text", unseen, key="unseen")
    hidden = sentences.hidden_sentence(explanation)
    if hidden:
        notice("Characters that cannot be seen", hidden, key="hidden")
    struck = struck_of(engine, explanation)
    # Always there: at its place a figure would move when the first text is struck out.
    with st.container(key="struck"):
        if struck:
            st.text(sentences.struck_sentence(explanation, struck))
    figure(heatmap(explanation, index, struck), f"heatmap-{key}", word=_choose)
    with st.container(key="said", gap="xxsmall"):
        for side in Side:
            st.text(sentences.word_sentence(explanation, index, side))
            if struck:
                st.text(sentences.without_sentence(struck, index, side))
    # There while it grows, too, so that what stands below does not move.
    if st.button(
        "Find the smallest change",
        key="smallest",
        type="tertiary",
        disabled=growing,
        help="The least that would have to change for another prediction, and the least that "
        "suffices for this one, by four methods on the Counterfactuals page.",
    ):
        open_counterfactuals(engine, st.session_state["asked"], explanation.settings.threshold)
    view = st.segmented_control(
        "Show",
        list(_VIEWS),
        key="view",
        format_func=_VIEWS.__getitem__,
        required=True,
        default="necessity",
        label_visibility="collapsed",
        persist_state="session",
    )
    if view == "scores":
        _scores(engine, explanation, index, struck, key, growing)
    elif view == "quality":
        quality(engine, explanation, struck, key, growing)
    elif view == "computed":
        if struck:
            st.text(sentences.struck_count_sentence(struck, "What follows"))
        figure(walkthrough(explanation, index), f"walkthrough-{key}")
    else:
        _drilldown(engine, explanation, index, Side(view or "necessity"), struck, key, growing)
    write_address(engine)


def _chosen(explanation: Explanation) -> int:
    """The chosen word; without one, or with one that is not there, the most necessary."""
    index = st.session_state["word"]
    count = len(explanation.words)
    if index is not None and not 0 <= index < count:
        st.session_state["link_notices"] = ()
        notice(
            "Parts of the link were put aside",
            f"It asks for word {index + 1}, and the text has {count}. The most necessary word "
            "is chosen.",
            key="word",
        )
        index = None
    if index is None:
        index = sentences.most_necessary(explanation)
        st.session_state["word"] = index
    return int(index)


def _choose(value: str) -> None:
    st.session_state["word"] = int(value)
    _turn_to("0")


def _drilldown(
    engine: Engine,
    explanation: Explanation,
    index: int,
    side: Side,
    struck: Struck | None,
    key: str,
    growing: bool,
) -> None:
    rows = drilldown.rows(explanation, index, side, struck)
    selection = _selection(rows)
    strike_form(engine, explanation)
    shown = drilldown.selected(rows, selection)
    figure(
        draws_table(explanation, side, shown, selection, len(rows)),
        f"draws-{key}",
        sort=_sort,
        page=_turn_to,
        **heard_strikes(engine, explanation),
    )
    if growing:
        return
    _downloads(
        files.rows_frame(explanation, index, side, shown.matching, struck),
        f"{side}-word-{index + 1}" + ("-filtered" if len(shown.matching) < len(rows) else ""),
        explanation,
        struck,
    )


def _selection(rows: tuple[Row, ...]) -> Selection:
    order: dict[str, Any] = st.session_state.setdefault(
        "order", {"order": "number", "descending": False, "page": 0}
    )
    with st.container(key="filters", horizontal=True, vertical_alignment="bottom"):
        search = st.text_input(
            "Search",
            key="search",
            width=220,
            placeholder="words in the texts",
            on_change=_turn_to,
            args=("0",),
            persist_state="session",
        )
        replaced = st.selectbox(
            "Words replaced",
            [_ANY, *drilldown.replaced_counts(rows)],
            key="replaced",
            width=130,
            format_func=lambda n: "any" if n == _ANY else str(n),
            on_change=_turn_to,
            args=("0",),
        )
        flips_only = st.toggle(
            "Flips only",
            key="flips_only",
            on_change=_turn_to,
            args=("0",),
            persist_state="session",
        )
        struck_only = st.toggle(
            "Struck only",
            key="struck_only",
            on_change=_turn_to,
            args=("0",),
            persist_state="session",
        )
    return Selection(
        flips_only,
        None if replaced == _ANY else replaced,
        search or "",
        struck_only=struck_only,
        **order,
    )


def _sort(value: str) -> None:
    if value in get_args(Order):
        order = st.session_state["order"]
        descending = order["order"] == value and not order["descending"]
        order.update(order=value, descending=descending, page=0)


def _turn_to(page: str) -> None:
    if "order" in st.session_state:
        st.session_state["order"]["page"] = int(page)


def _scores(
    engine: Engine,
    explanation: Explanation,
    index: int,
    struck: Struck | None,
    key: str,
    growing: bool,
) -> None:
    st.text(sentences.baseline_sentence(explanation))
    points = scatter(explanation, index)
    if points is not None:
        st.plotly_chart(points, key=f"scatter-{key}", config={"displayModeBar": False})
    st.text(scatter_sentence(explanation, index))
    if struck:
        st.text(sentences.struck_count_sentence(struck, "The chart"))
    figure(scores_table(explanation, struck), f"scores-{key}")
    if not growing:
        frame = files.with_settings(scores_frame(explanation, struck), explanation, struck)
        _downloads(frame, "scores", explanation, struck)
    grown = engine.growth(explanation, followed(explanation, index))
    chart = growth_chart(explanation, grown)
    if chart is not None:
        st.plotly_chart(chart, key=f"growth-{key}", config={"displayModeBar": False})
        st.text(growth_sentence(explanation, index))
        if struck:
            st.text(sentences.struck_count_sentence(struck, "The chart"))


def _downloads(frame: Any, name: str, explanation: Explanation, struck: Struck | None) -> None:
    about = files.about(explanation, struck)
    stem = files.file_stem(name, explanation)
    with st.container(key="downloads", horizontal=True):
        st.download_button(
            "Download CSV",
            lambda: files.csv_bytes(frame),
            f"{stem}.csv",
            "text/csv",
            key="csv",
            on_click="ignore",
        )
        st.download_button(
            "Download Parquet",
            lambda: files.parquet_bytes(frame, about),
            f"{stem}.parquet",
            "application/vnd.apache.parquet",
            key="parquet",
            on_click="ignore",
        )
