"""Heatmap, tables and walk-through: what they show and what they say aloud."""

from __future__ import annotations

from dataclasses import replace

import made
import pandas as pd
import pytest
from made import having, nodes

from nsx_core.records import Estimate, Explanation, Side
from nsx_core.views import drilldown
from nsx_core.views.draws_table import draws_table
from nsx_core.views.drilldown import Selection
from nsx_core.views.heatmap import bar_floor, heatmap, interval_bar, shading
from nsx_core.views.markup import Node
from nsx_core.views.model_figures import card_body, figures_frame
from nsx_core.views.scores_table import scores_frame, scores_table
from nsx_core.views.walkthrough import examples, walkthrough


def test_each_word_is_a_button_with_both_numbers() -> None:
    blocks = having(heatmap(made.three_words(), 2), "block")
    assert [b.text for b in blocks] == ["I0.00−0.01", "hate1.000.99", "women.0.670.49"]
    assert [b.attributes["aria-pressed"] for b in blocks] == ["false", "false", "true"]
    assert blocks[2].attributes["aria-label"] == (
        "women.: necessity 0.67, interval 0.21–0.94, 3 draws; "
        "sufficiency 0.49, interval 0.08–0.89, 2 draws"
    )
    assert [b.attributes["data-value"] for b in blocks] == ["0", "1", "2"]


def test_the_whole_says_itself_aloud() -> None:
    (words,) = having(heatmap(made.three_words(), None), "words")
    assert words.attributes["role"] == "group"
    assert "The most necessary is “hate”" in words.attributes["aria-label"]


def test_undefined_is_neither_zero_nor_nan() -> None:
    tree = heatmap(made.explanation("women"), 0)
    assert len(having(tree, "undefined")) == 2
    assert "nan" not in tree.text.lower() and "0.00" not in tree.text
    assert "necessity undefined; sufficiency undefined" in tree.as_html()


def test_right_to_left_texts_flow_right_to_left() -> None:
    (words,) = having(heatmap(made.explanation("אני שונא"), 0), "words")
    assert words.attributes["dir"] == "rtl"


def test_line_breaks_of_the_text_break_the_heatmap() -> None:
    assert len(having(heatmap(made.explanation("I hate\nwomen\n\nnow"), 0), "break")) == 2


def test_a_long_word_does_not_stretch_the_page() -> None:
    tree = heatmap(made.explanation("x" * 10_000 + " y"), 0)
    assert len(tree.as_html()) < 10_000


def test_interval_bars_lie_where_the_numbers_are() -> None:
    bar = interval_bar(Estimate(0.5, 0.25, 0.75, 40))
    assert bar.properties["--left"] == "25.00%" and bar.properties["--width"] == "50.00%"
    shifted = interval_bar(Estimate(0.0, -0.5, 0.5, 40), floor=-1.0)
    assert shifted.properties["--at"] == "50.00%" and having(shifted, "zero")
    assert having(interval_bar(made.NOTHING), "empty")


def gained() -> Explanation:
    """Not predicted: every word's replacing gains the label, and bounds go below zero."""
    whole = made.three_words()
    words = tuple(
        replace(
            w, necessity=Estimate(-0.33, -0.65, -0.12, 9), sufficiency=Estimate(s, -0.012, 0.2, 9)
        )
        for w, s in zip(whole.words, (0.05, 0.1, -0.012), strict=True)
    )
    return replace(whole, predicted=False, probability=0.1, words=words)


def test_bars_below_zero_are_drawn_on_a_scale_that_holds_them() -> None:
    table = scores_table(gained())
    bar = having(table, "interval")[0]
    place = {k: float(v.rstrip("%")) for k, v in bar.properties.items()}
    assert place["--left"] == pytest.approx(100 * (0.75 - 0.65) / 1.75, abs=0.01)
    assert place["--width"] == pytest.approx(100 * 0.53 / 1.75, abs=0.01)
    assert having(bar, "zero")
    assert "from \u22120.75 to 1, and the thin upright marks 0" in table.text
    assert "from 0 to 1." in scores_table(made.three_words()).text
    # The value alone is not low, but its interval is.
    wide = replace(gained().words[0], necessity=Estimate(-0.1, -0.3, 0.0, 9))
    assert bar_floor([wide]) == -0.5 and bar_floor(made.three_words().words) == 0


def test_drill_down_marks_replaced_words() -> None:
    whole = made.three_words()
    rows = drilldown.rows(whole, 2, Side.NECESSITY)
    shown = drilldown.selected(rows, Selection(order="probability"))
    table = draws_table(whole, Side.NECESSITY, shown, Selection(order="probability"), len(rows))
    marks = [n.text for n in nodes(table) if n.tag == "mark"]
    assert marks == ["Marked words", "bread", "like tea", "They", "men."]
    sorts = {
        n.text.strip("▴▾"): n.attributes["aria-sort"]
        for n in nodes(table)
        if "aria-sort" in n.attributes
    }
    assert sorts["Probability"] == "ascending" and sorts["Draw"] == "none"
    assert "3 of 3" not in table.text and "2 of 3" in table.text


def test_drill_down_says_when_nothing_matches() -> None:
    whole = made.three_words()
    rows = drilldown.rows(whole, 2, Side.NECESSITY)
    shown = drilldown.selected(rows, Selection(search="nowhere"))
    table = draws_table(whole, Side.NECESSITY, shown, Selection(), len(rows))
    assert "No text matches these filters." in table.text
    empty = draws_table(
        made.explanation("a"), Side.SUFFICIENCY, drilldown.selected((), Selection()), Selection(), 0
    )
    assert "undefined" in empty.text


def test_unchanged_and_empty_texts_are_named() -> None:
    text = "a b"
    draws = (
        made.judged(text, Side.NECESSITY, 0, "10", ("A",), 0.9),
        made.judged(text, Side.NECESSITY, 1, "11", ("",), 0.1),
    )
    explanation = made.explanation(text, draws=draws)
    rows = drilldown.rows(explanation, 0, Side.NECESSITY)
    table = draws_table(
        explanation, Side.NECESSITY, drilldown.selected(rows, Selection()), Selection(), 2
    )
    assert "(unchanged)" in table.text and "(empty text)" in table.text
    steps = walkthrough(explanation, 0).text
    assert "A b (unchanged)" in steps and "(empty text)" in steps


def test_probabilities_shown_do_not_contradict_the_outcome() -> None:
    text = "a b"
    draws = (
        made.judged(text, Side.NECESSITY, 0, "10", ("x",), 0.968, 0.97),
        made.judged(text, Side.NECESSITY, 1, "10", ("y",), 0.971, 0.97),
    )
    whole = made.explanation(text, draws=draws, probability=0.9751, threshold=0.97)
    rows = drilldown.rows(whole, 0, Side.NECESSITY)
    shown = drilldown.selected(rows, Selection())
    table = draws_table(whole, Side.NECESSITY, shown, Selection(), 2)
    cells = [n.text for n in having(table, "probability") if n.tag == "td"]
    assert cells == ["0.98", "0.968", "0.97"]
    steps = walkthrough(whole, 0).text
    assert "= 0.968 flipped" in steps and "= 0.97 kept" in steps


def test_a_label_that_words_win_is_shaded_below_zero() -> None:
    whole = made.three_words()
    lost = replace(whole.words[2], necessity=Estimate(-0.8, -0.9, -0.6, 30))
    other = replace(whole, predicted=False, words=(*whole.words[:2], lost))
    tree = heatmap(other, 2)
    assert "necessity0−1label gained" in tree.text
    cells = [n for n in nodes(tree) if n.attributes.get("class") == "cell necessity"]
    assert cells[2].properties == shading(Side.NECESSITY, 0.8)
    assert "necessity01label lost" in heatmap(whole, 2).text


def test_walkthrough_uses_real_draws_and_adds_up() -> None:
    whole = made.three_words()
    tree = walkthrough(whole, 2)
    necessity, sufficiency = having(tree, "side")
    assert "2 / 3 = 0.67" in necessity.text
    assert "1 / 2 − 0.012 = 0.49" in sufficiency.text
    assert len(having(necessity, "dot")) == 3 and len(having(necessity, "full")) == 2
    assert [n.text for n in nodes(necessity) if n.tag == "s"] == [
        "women.",
        "hate",
        "women.",
        "I",
        "women.",
    ]
    drawn = {j.draw.text for j in whole.draws}
    for row in [n for n in nodes(tree) if n.tag == "tr"]:
        cells = [n for n in row.children if isinstance(n, Node) and n.tag == "td"]
        assert not cells or cells[1].text in drawn


def test_walkthrough_with_scores_and_without_the_prediction() -> None:
    whole = made.three_words()
    soft = replace(whole, settings=replace(whole.settings, use_scores=True))
    assert "0.90 − 0.37 = 0.67" in walkthrough(soft, 2).text
    other = replace(whole, predicted=False)
    assert "−1 / 3" in walkthrough(other, 2).text


def test_examples_cover_few_and_many_replaced_words() -> None:
    sizes = [sum(j.draw.replaced) for j in examples(made.three_words(), 2, Side.NECESSITY)]
    assert sizes == [1, 2, 2]


def test_scores_table_and_frame_agree() -> None:
    whole = made.three_words()
    assert "0.21–0.94" in scores_table(whole).text
    frame = scores_frame(whole)
    assert list(frame["word"]) == ["I", "hate", "women."]
    assert frame["necessity"].iloc[2] == 2 / 3 and frame["sufficiency_draws"].iloc[2] == 2
    assert scores_frame(made.explanation("a b"))["necessity"].isna().all()


def test_model_figures() -> None:
    class Card:
        def __init__(self, name: str, figures: dict[str, object]) -> None:
            self.name, self.figures = name, figures

    frame = figures_frame(
        [
            Card("a", {"macro_f1": 0.6712, "baseline_rate": 0.0123, "test_n": 5307}),
            Card("b", {"quality": {"unchanged_share": 0.021}, "note": "x"}),
        ]
    )
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == [
        "Macro F1",
        "Neutral baseline",
        "Test texts",
        "Quality unchanged share",
        "Note",
    ]
    assert list(frame.loc["a"]) == ["0.671", "1.2 %", "5,307", "–", "–"]
    assert frame.loc["b"].iloc[3] == "2.1 %"


def test_card_body_drops_its_title() -> None:
    assert card_body("# Name\n\n## Data\n") == "## Data\n"
    assert card_body("No title") == "No title"
