"""Proximity against fluency: points, looks, sentences."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import findings_made as fm
import made
import plotly.graph_objects as go
import pytest

from nsx_core.counterfactual_records import Counterfactual, Method
from nsx_core.views.colours import contrast
from nsx_core.views.counterfactual_scatter import (
    AGAINST,
    Against,
    scatter,
    scatter_alt,
    scatter_sentence,
)

FOUND = fm.four()
ROWS = FOUND.table


def traces(figure: go.Figure) -> list[Any]:
    """Those with points, without the legend's."""
    return [t for t in figure.data if t.showlegend is False]


def points(figure: go.Figure) -> list[tuple[float, float]]:
    return [(x, y) for t in traces(figure) for x, y in zip(t.x, t.y, strict=True)]


def test_one_point_a_text_of_measured_fluency() -> None:
    measured = [row for row in ROWS if row.fluency is not None]
    assert sorted(points(scatter(ROWS, FOUND, "cosine"))) == sorted(
        (row.cosine, row.fluency) for row in measured
    )


def test_numbers_of_words_are_spread_but_stay_apart() -> None:
    rows = [replace(fm.IMPRESS, words_changed=1 + at % 3) for at in range(60)]
    found = replace(FOUND, table=tuple(rows))
    across = [x for x, _ in points(scatter(rows, found, "words changed"))]
    assert sorted(round(x) for x in across) == sorted(row.words_changed for row in rows)
    assert all(abs(x - round(x)) <= 0.25 for x in across)
    assert len(set(across)) == 60


def test_a_symbol_a_method_and_full_for_valid() -> None:
    looks = {
        (t.customdata[0][1], t.customdata[0][2]): t.marker.symbol
        for t in traces(scatter(ROWS, FOUND, "cosine"))
    }
    assert looks == {
        ("Wachter", "valid"): "circle",
        ("SEDC", "valid"): "square",
        ("draw of the explanation", "not valid"): "cross-open",
    }
    colours = {t.customdata[0][2]: t.marker.color for t in traces(scatter(ROWS, FOUND, "cosine"))}
    assert len(set(colours.values())) == 2


@pytest.mark.parametrize("page", ["#fdfdfb", "#14171a"])
def test_points_are_seen_on_light_and_dark_pages(page: str) -> None:
    for trace in traces(scatter(ROWS, FOUND, "cosine")):
        assert contrast(trace.marker.color, page) >= 3


def test_the_legend_names_what_is_drawn_only() -> None:
    names = [t.name for t in scatter(ROWS, FOUND, "cosine").data if t.showlegend is None]
    assert names == [
        "Wachter", "SEDC", "draw of the explanation", "valid: full", "not valid: hollow",
    ]  # fmt: skip


@pytest.mark.parametrize("against", list(AGAINST))
@pytest.mark.parametrize("rows", [(), (fm.SPHERE,)])
def test_without_a_point_there_are_axes_and_a_reason(
    rows: tuple[Counterfactual, ...], against: Against
) -> None:
    assert points(scatter(rows, FOUND, against)) == []
    assert scatter_sentence(rows, against) in (
        "There is no text to draw.",
        "The fluency of none of these texts was measured, so the chart has no point.",
    )
    assert scatter_alt(rows) == "A chart of proximity against fluency with 0 points."


@pytest.mark.parametrize("answer", [*made.HOSTILE, "a\u202eb"])
def test_texts_are_escaped_where_they_are_pointed_at(answer: str) -> None:
    row = fm.counterfactual(Method.WACHTER, "001000", (answer,), 0.1)
    (trace,) = traces(scatter((row,), FOUND, "cosine"))
    shown = trace.customdata[0][0]
    assert "<" not in shown
    assert "\u202e" not in shown


def test_the_sentence_says_how_many_are_left_out() -> None:
    assert scatter_sentence(ROWS, "cosine").endswith(
        "2 texts are left out, since their fluency was not measured."
    )
    assert scatter_sentence(ROWS[:4], "cosine").endswith(
        "1 text is left out, since its fluency was not measured."
    )
    assert "left out" not in scatter_sentence(ROWS[:2], "cosine")


def test_the_sentence_says_that_points_are_spread() -> None:
    assert "spread" not in scatter_sentence(ROWS, "cosine")
    assert "are spread a little to either side" in scatter_sentence(ROWS, "words changed")


def test_a_text_of_several_methods_has_the_first_ones_symbol_and_all_names() -> None:
    row = replace(fm.IMPRESS, methods=(Method.SEDC, Method.ANCHORS))
    (trace,) = traces(scatter((row,), FOUND, "cosine"))
    assert (trace.marker.symbol, trace.customdata[0][1]) == ("square", "SEDC, Anchors")
    assert "has the first one's symbol" in scatter_sentence((row,), "cosine")
    assert "symbol" not in scatter_sentence((fm.IMPRESS,), "cosine")


def test_the_chart_in_words() -> None:
    assert scatter_alt(ROWS) == (
        "A chart of proximity against fluency with 4 points, 3 of them valid. The valid text that "
        "reads best is also nearest in meaning: fluency −0.10, cosine 0.80, 1 word changed."
    )
    fluent = replace(fm.WOMEN, fluency=0.4)
    assert scatter_alt((fm.IMPRESS, fluent)).endswith(
        "reads best: fluency 0.40, cosine 0.70, 2 words changed. The one nearest in meaning: "
        "fluency −0.10, cosine 0.80, 1 word changed."
    )
    assert scatter_alt(tuple(row for row in ROWS if not row.valid)).endswith(
        "with 1 point, none of them valid."
    )
