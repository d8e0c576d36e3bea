"""The counterfactual texts behind a score, their filters and their files."""

from __future__ import annotations

import csv
import io
import json

import made
import pyarrow.parquet as pq
import pytest

from nsx_core.records import Side
from nsx_core.views import drilldown, files
from nsx_core.views.draws_table import draws_table
from nsx_core.views.drilldown import Kind, Piece, Selection


def test_which_draws_count() -> None:
    whole = made.three_words()
    assert [j.draw.number for j in drilldown.counted(whole, 2, Side.NECESSITY)] == [0, 1, 2]
    assert [j.draw.number for j in drilldown.counted(whole, 2, Side.SUFFICIENCY)] == [0, 1]
    for index, word in enumerate(whole.words):
        for side in Side:
            estimate = getattr(word, str(side))
            assert len(drilldown.counted(whole, index, side)) == estimate.n


def test_rows_say_what_was_replaced_and_what_came_of_it() -> None:
    rows = drilldown.rows(made.three_words(), 2, Side.NECESSITY)
    assert [r.text for r in rows] == ["I hate bread", "I like tea", "They hate men."]
    assert [r.replaced for r in rows] == [1, 2, 2]
    assert [r.outcome for r in rows] == ["flipped", "flipped", "kept"]
    assert rows[1].pieces == (
        Piece("I", Kind.KEPT),
        Piece(" ", Kind.KEPT),
        Piece("like tea", Kind.WRITTEN),
    )


def test_the_kept_word_stands_out() -> None:
    row = drilldown.rows(made.three_words(), 2, Side.SUFFICIENCY)[0]
    assert [p for p in row.pieces if p.kind is Kind.CHOSEN] == [Piece("women.", Kind.CHOSEN)]


def test_pieces_give_the_text_back() -> None:
    whole = made.three_words()
    for judged in whole.draws:
        joined = "".join(p.text for p in drilldown.pieces(whole, judged, 0))
        assert joined == judged.draw.text


@pytest.mark.parametrize(
    ("selection", "numbers"),
    [
        (Selection(), [0, 1, 2]),
        (Selection(flips_only=True), [0, 1]),
        (Selection(replaced=2), [1, 2]),
        (Selection(search="  HATE "), [0, 2]),
        (Selection(order="probability", descending=True), [2, 1, 0]),
        (Selection(order="replaced", descending=True), [1, 2, 0]),
        (Selection(order="outcome"), [2, 0, 1]),
        (Selection(page=99), [0, 1, 2]),
        (Selection(search="nowhere"), []),
    ],
)
def test_filters_and_order(selection: Selection, numbers: list[int]) -> None:
    rows = drilldown.rows(made.three_words(), 2, Side.NECESSITY)
    assert [r.number for r in drilldown.selected(rows, selection).rows] == numbers


def test_pages() -> None:
    text = "a b"
    draws = tuple(made.judged(text, Side.NECESSITY, i, "10", (f"w{i}",), 0.1) for i in range(60))
    rows = drilldown.rows(made.explanation(text, draws=draws), 0, Side.NECESSITY)
    shown = drilldown.selected(rows, Selection(page=2))
    assert (shown.pages, shown.first, len(shown.rows)) == (3, 50, 10)
    table = draws_table(made.explanation(text, draws=draws), Side.NECESSITY, shown, Selection(), 60)
    assert "51–60 of 60" in table.text


def test_csv_runs_no_formula() -> None:
    text = "a b"
    answers = ('=HYPERLINK("http://x")', "+1", "-1", "@SUM(A1)", " =1", "plain", 'quo"te, comma')
    draws = tuple(
        made.judged(text, Side.NECESSITY, i, "10", (a,), 0.1) for i, a in enumerate(answers)
    )
    explanation = made.explanation(text, draws=draws)
    rows = drilldown.rows(explanation, 0, Side.NECESSITY)
    frame = files.rows_frame(explanation, 0, Side.NECESSITY, rows)
    written = files.csv_bytes(frame).decode("utf-8")
    cells = [r["counterfactual_text"] for r in csv.DictReader(io.StringIO(written, newline=""))]
    assert cells[:5] == ['\'=HYPERLINK("http://x") b', "'+1 b", "'-1 b", "'@SUM(A1) b", "' =1 b"]
    assert cells[5:] == ["plain b", 'quo"te, comma b']


def test_csv_keeps_line_breaks_and_numbers() -> None:
    text = "a\nb"
    draws = (made.judged(text, Side.SUFFICIENCY, 0, "10", ("x",), 0.125),)
    explanation = made.explanation(text, draws=draws)
    rows = drilldown.rows(explanation, 1, Side.SUFFICIENCY)
    written = files.csv_bytes(files.rows_frame(explanation, 1, Side.SUFFICIENCY, rows))
    (row,) = csv.DictReader(io.StringIO(written.decode("utf-8"), newline=""))
    assert row["counterfactual_text"] == "x\nb" and row["probability"] == "0.125"
    assert row["word_position"] == "2" and row["outcome"] == "flipped"
    assert (row["draw"], row["mask"]) == ("1", "rk")
    assert float(row["neutral_baseline"]) == explanation.baseline
    assert (row["classifier"], row["label"]) == (explanation.classifier, explanation.label)


def test_parquet_gives_the_rows_and_the_settings_back() -> None:
    whole = made.three_words()
    rows = drilldown.rows(whole, 2, Side.NECESSITY)
    frame = files.rows_frame(whole, 2, Side.NECESSITY, rows)
    written = files.parquet_bytes(frame, files.about(whole))
    table = pq.read_table(io.BytesIO(written))
    assert table.to_pylist() == frame.to_dict("records")
    about = json.loads(table.schema.metadata[b"nsx"])
    assert about["original_text"] == "I hate women." and about["seed"] == 0


def test_files_of_nothing_still_have_their_columns() -> None:
    empty = made.explanation("I hate")
    frame = files.rows_frame(empty, 0, Side.NECESSITY, ())
    assert files.csv_bytes(frame).startswith(b"score,word,word_position,draw,mask,")
    assert pq.read_table(io.BytesIO(files.parquet_bytes(frame))).num_rows == 0


def test_lone_surrogates_do_not_stop_a_file() -> None:
    text = "a\ud800 b"
    draws = (made.judged(text, Side.NECESSITY, 0, "01", ("x",), 0.1),)
    explanation = made.explanation(text, draws=draws)
    rows = drilldown.rows(explanation, 1, Side.NECESSITY)
    frame = files.rows_frame(explanation, 1, Side.NECESSITY, rows)
    assert "a\ufffd x" in files.csv_bytes(frame).decode("utf-8")
    assert files.parquet_bytes(frame, files.about(explanation))
