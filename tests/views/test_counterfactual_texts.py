"""All judged texts: the table, the chart of proximity and plausibility, and the files."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import findings_made as fm
import made
import pandas as pd
import pytest

from nsx_core.counterfactual_records import Counterfactual, CounterfactualRequest, Method
from nsx_core.records import ExplainRequest, ExplainSettings
from nsx_core.views.counterfactual_files import about, file_stem, findings_json, texts_frame
from nsx_core.views.counterfactual_scatter import POINTS_MAX, scatter, scatter_sentence
from nsx_core.views.counterfactual_table import (
    ORDERS,
    PAGE_ROWS,
    Order,
    Selection,
    all_texts,
    rows,
    selected,
    words_changed,
)
from nsx_core.views.files import csv_bytes, parquet_bytes

FOUR = fm.four()
ROWS = rows(FOUR.table)
REQUEST = CounterfactualRequest(
    ExplainRequest(fm.TEXT, "Vidgen2021-hate", "neutral", ExplainSettings())
)
ABOUT = about(FOUR, REQUEST, 10.0, 0.5)


def test_every_text_has_its_rank_and_all_criteria() -> None:
    assert [row.rank for row in ROWS] == [1, 2, 3, 4, 5, 6]
    tree = all_texts(FOUR, selected(ROWS, Selection()), Selection(), len(ROWS))
    body = next(n for n in made.nodes(tree) if n.tag == "tbody")
    cells = [[c.text for c in line.children] for line in body.children]  # type: ignore[union-attr]
    assert cells[0][1] == f"{fm.TEXT} (original)" and cells[0][3] == "0.93"
    assert cells[1] == [
        "1", "These Muslims impress me so much.", "Wachter", "0.08", "yes", "1", "2", "0.80",
        "−0.10",
    ]  # fmt: skip
    assert "All 6 texts, 5 of them valid." in tree.text


def test_what_was_not_measured_is_a_dash_and_comes_last_either_way() -> None:
    for descending in (False, True):
        chosen = Selection(order="fluency", descending=descending)
        shown = selected(ROWS, chosen)
        known = [row.text.fluency for row in shown.rows]
        assert known[-2:] == [None, None] and None not in known[:-2]
    tree = all_texts(FOUR, shown, chosen, len(ROWS))
    assert "–" in tree.text


@pytest.mark.parametrize("order", ORDERS)
def test_sorting_by_a_heading_sorts_by_its_numbers(order: Order) -> None:
    up = selected(ROWS, Selection(order=order)).rows
    down = selected(ROWS, Selection(order=order, descending=True)).rows
    assert sorted(r.rank for r in up) == sorted(r.rank for r in down)
    assert up[0].rank != down[0].rank or order == "edits"


def test_filters_meet() -> None:
    assert words_changed(ROWS) == (1, 2, 6)
    assert [r.text.valid for r in selected(ROWS, Selection(valid_only=True)).rows] == [True] * 5
    wachter = selected(ROWS, Selection(finder="Wachter", most=1)).rows
    assert [r.text.after for r in wachter] == [0.08]
    assert [r.text.method for r in selected(ROWS, Selection(finder="Draws")).rows] == [None, None]
    assert [r.rank for r in selected(ROWS, Selection(search=" IMPRESS ")).rows] == [1]
    none = selected(ROWS, Selection(search="nowhere"))
    assert "No text matches" in all_texts(FOUR, none, Selection(), len(ROWS)).text


def many(count: int) -> tuple[Counterfactual, ...]:
    return tuple(
        fm.counterfactual(None, "001000", (f"w{i}",), 0.1, cosine=0.5, fluency=-i / count)
        for i in range(count)
    )


def test_a_page_too_far_is_the_last_one() -> None:
    shown = selected(rows(many(PAGE_ROWS + 3)), Selection(page=7))
    assert (shown.page, shown.pages, len(shown.rows), shown.first) == (1, 2, 3, PAGE_ROWS)


def test_points_are_the_measured_texts_and_say_who_found_them() -> None:
    figure = scatter(FOUR, ROWS, "cosine")
    assert figure is not None
    points = sorted((x, y) for t in figure.data for x, y in zip(t.x, t.y, strict=True))
    assert points == [(0.55, -0.1), (0.7, -0.1), (0.8, -0.1), (0.99, 0.02)]
    symbols = {t.name: t.marker.symbol for t in figure.data}
    assert symbols == {
        "Wachter, valid": "circle", "SEDC, valid": "square", "Draws, not valid": "cross-open",
    }  # fmt: skip


def test_words_changed_are_spread_by_less_than_half_a_word() -> None:
    figure = scatter(FOUR, ROWS, "words")
    assert figure is not None
    for trace in figure.data:
        for x, known in zip(trace.x, trace.customdata, strict=True):
            assert abs(x - known[3]) < 0.5


def test_the_chart_is_said_in_words() -> None:
    said = scatter_sentence(FOUR, ROWS, "cosine")
    assert "2 texts are missing here" in said and "3 points are valid" in said
    assert "the best to read is rank" in said
    worse = tuple(replace(r, text=replace(r.text, valid=False)) for r in ROWS)
    assert scatter_sentence(FOUR, worse, "words").endswith("None of them is valid.")


def test_without_fluency_there_is_no_chart_and_the_reason_is_said() -> None:
    silent = tuple(replace(text, fluency=None) for text in FOUR.table)
    found = replace(FOUR, table=silent, fluency_note="The word list has no model of fluency.")
    assert scatter(found, rows(silent), "words") is None
    assert "The word list has no model" in scatter_sentence(found, rows(silent), "words")


def test_too_many_points_are_cut_by_rank_and_that_is_said() -> None:
    listed = rows(many(POINTS_MAX + 5))
    figure = scatter(FOUR, listed, "cosine")
    assert figure is not None and sum(len(t.x) for t in figure.data) == POINTS_MAX
    assert f"The first {POINTS_MAX:,} in rank are drawn" in scatter_sentence(FOUR, listed, "cosine")


def test_labels_of_points_are_escaped() -> None:
    change = fm.counterfactual(Method.SEDC, "001000", ("<b>x</b>",), 0.1)
    figure = scatter(FOUR, rows((change,)), "cosine")
    assert figure is not None and "&lt;b&gt;" in figure.data[0].customdata[0][1]


def test_the_csv_will_not_run_and_missing_is_missing() -> None:
    change = fm.counterfactual(Method.SEDC, "111111", ("=1+1",), 0.1, cosine=None, fluency=None)
    frame = texts_frame(rows((change,)), ABOUT)
    written = csv_bytes(frame)
    read = pd.read_csv(io.BytesIO(written))
    assert read["counterfactual_text"][0] == "'=1+1" and read["mask"][0] == "rrrrrr"
    assert pd.isna(read["fluency"][0]) and pd.isna(read["cosine"][0])
    assert read["lambda"][0] == 10.0 and read["found_by"][0] == "sedc"


def test_parquet_and_json_hold_the_same_texts() -> None:
    frame = pd.read_parquet(io.BytesIO(parquet_bytes(texts_frame(ROWS, ABOUT), ABOUT)))
    told = json.loads(findings_json(FOUR, ROWS, ABOUT))
    assert [t["text"] for t in told["texts"]] == list(frame["counterfactual_text"])
    assert told["texts"][5]["fluency"] is None
    assert [m["method"] for m in told["methods"]] == list(map(str, Method))
    anchor = told["methods"][3]["sets"][0]
    assert anchor["words"] == ["Muslims", "disgust"] and anchor["positions"] == [2, 3]
    assert anchor["breakers"][0]["probability"] == 0.4
    assert file_stem(FOUR) == "counterfactuals-Vidgen2021-hate-ffffffff"
