"""Struck draws: every score twice, the count in words, reasons as text only."""

from __future__ import annotations

from dataclasses import replace

import made
import pytest
from made import having, nodes

from nsx_core.records import DrawSide, Estimate, Explanation, Side, WordScore
from nsx_core.views import drilldown, files, sentences
from nsx_core.views.draws_table import draws_table
from nsx_core.views.drilldown import Row, Selection
from nsx_core.views.heatmap import heatmap
from nsx_core.views.markup import Node
from nsx_core.views.scores_table import scores_frame, scores_table
from nsx_core.views.struck import Struck

N = DrawSide.NECESSITY


def struck(whole: Explanation, *numbers: int, reason: str = "not a sentence") -> Struck:
    """Necessity draws struck out of ``made.three_words``; the scores without are made up."""
    left = tuple(j for j in whole.draws if j.draw.side is not N or j.draw.number not in numbers)
    other = Estimate(0.25, 0.1, 0.4, 7)
    words = tuple(WordScore(w.word, other, w.sufficiency) for w in whole.words)
    words = (*words[:2], replace(words[2], necessity=made.NOTHING))
    return Struck(
        dict.fromkeys(((N, n) for n in numbers), reason), replace(whole, draws=left, words=words)
    )


def test_the_count_is_said_for_one_and_for_many() -> None:
    whole = made.three_words()
    assert sentences.struck_sentence(whole, struck(whole, 0)) == (
        "1 of 8 counterfactual texts is struck out. Scores: with it, and without it."
    )
    assert sentences.struck_sentence(whole, struck(whole, 0, 2)) == (
        "2 of 8 counterfactual texts are struck out. Scores: with them, and without them."
    )
    said = sentences.struck_count_sentence(struck(whole, 0), "The chart")
    assert said == "The chart counts all draws, the one struck out as well."


def test_a_score_is_said_again_without_the_struck_texts() -> None:
    whole = made.three_words()
    said = sentences.without_sentence(struck(whole, 0, 1, 2), 1, Side.NECESSITY)
    assert said.startswith("Without the 3 struck out: No draw replaces \u201chate\u201d")
    said = sentences.without_sentence(struck(whole, 0), 2, Side.NECESSITY)
    assert said.startswith(
        "Without the one struck out: When \u201cwomen.\u201d is replaced, 1 of 2"
    )
    assert "3 texts" in sentences.word_sentence(whole, 2, Side.NECESSITY)


def test_cells_show_both_numbers_only_where_draws_are_struck_out() -> None:
    whole = made.three_words()
    assert not having(heatmap(whole, 2), "without")
    tree = heatmap(whole, 2, struck(whole, 0))
    assert [n.text for n in having(tree, "without")] == [
        "without: 0.25", "without: \u22120.01", "without: 0.25", "without: 0.99",
        "without: \u2013", "without: 0.49",
    ]  # fmt: skip
    assert [n.text for n in having(tree, "number")][:2] == ["0.00", "\u22120.01"]
    label = having(tree, "block")[0].attributes["aria-label"]
    assert "necessity 0.00" in label and "without the struck texts necessity 0.25" in label


def test_the_table_and_its_file_have_both() -> None:
    whole = made.three_words()
    assert not having(scores_table(whole), "without")
    found = struck(whole, 0)
    said = [n.text for n in having(scores_table(whole, found), "without")]
    assert said[:3] == ["without: 0.25", "0.10\u20130.40", "7"] and len(said) == 18
    frame = scores_frame(whole, found)
    assert frame["necessity"].tolist() == pytest.approx([0, 1, 2 / 3])
    assert frame["necessity_without_struck"].tolist()[:2] == [0.25, 0.25]
    assert frame["necessity_without_struck"].isna().tolist() == [False, False, True]
    assert frame["necessity_without_struck_draws"].tolist() == [7, 7, 0]
    plain = scores_frame(whole)
    assert list(plain) == list(frame)
    assert plain["necessity_without_struck"].equals(plain["necessity"].rename(None))


def rows(whole: Explanation, found: Struck | None) -> tuple[Row, ...]:
    return drilldown.rows(whole, 2, Side.NECESSITY, found)


def test_struck_rows_stay_and_weigh_nothing_without() -> None:
    whole = made.three_words()
    found = struck(whole, 1)
    assert [(r.number, r.struck, r.weight_without) for r in rows(whole, found)] == [
        (0, None, 0.5), (1, "not a sentence", 0.0), (2, None, 0.5),
    ]  # fmt: skip
    assert all(r.weight == pytest.approx(1 / 3) for r in rows(whole, found))
    assert all(r.weight_without == r.weight for r in rows(whole, None))
    everything = struck(whole, 0, 1, 2)
    assert [r.weight_without for r in rows(whole, everything)] == [0.0] * 3


def table(whole: Explanation, found: Struck | None, selection: Selection) -> Node:
    all_rows = rows(whole, found)
    shown = drilldown.selected(all_rows, selection)
    return draws_table(whole, Side.NECESSITY, shown, selection, len(all_rows))


def test_rows_can_be_struck_out_and_taken_back() -> None:
    whole = made.three_words()
    tree = table(whole, struck(whole, 1), Selection())
    buttons = [n for n in nodes(tree) if n.attributes.get("data-event") in ("strike", "take_back")]
    assert [(b.attributes["data-event"], b.attributes["data-value"]) for b in buttons] == [
        ("strike", "necessity:0"), ("take_back", "necessity:1"), ("strike", "necessity:2"),
    ]  # fmt: skip
    (row,) = having(tree, "struck")
    (crossed,) = [n for n in nodes(row) if n.tag == "s"]
    assert crossed.text == "I like tea"
    assert having(row, "reason")[0].text == "Struck out: not a sentence"
    assert "All 3 texts, 1 of them struck out." in tree.text


def test_struck_only() -> None:
    whole = made.three_words()
    tree = table(whole, struck(whole, 1), Selection(struck_only=True))
    assert "1 of 3 texts, 1 of them struck out." in tree.text and len(having(tree, "struck")) == 1
    none = table(whole, None, Selection(struck_only=True))
    assert "No text matches these filters." in none.text


@pytest.mark.parametrize("reason", made.HOSTILE)
def test_a_reason_is_text_and_nothing_else(reason: str) -> None:
    whole = made.three_words()
    found = struck(whole, 1, reason=reason)
    tree = table(whole, found, Selection())
    assert having(tree, "reason")[0].children == (f"Struck out: {reason}",)
    assert "<script" not in tree.as_html() and "<img" not in tree.as_html()


def test_files_of_rows_say_what_is_struck_out_and_why() -> None:
    whole = made.three_words()
    found = struck(whole, 1, reason="=SUM(1)")
    frame = files.rows_frame(whole, 2, Side.NECESSITY, rows(whole, found), found)
    assert frame["struck"].tolist() == [False, True, False]
    assert frame["strike_reason"].tolist() == ["", "=SUM(1)", ""]
    assert frame["weight_without_struck"].tolist() == [0.5, 0, 0.5]
    assert set(frame["struck_draws"]) == {1} and set(frame["draws"]) == {8}
    assert b",'=SUM(1)," in files.csv_bytes(frame)
    plain = files.rows_frame(whole, 2, Side.NECESSITY, rows(whole, None))
    assert list(plain) == list(frame) and not plain["struck"].any()
    assert set(plain["struck_draws"]) == {0}


def test_files_name_phrases_that_were_one_unit() -> None:
    about = files.about(made.explanation("I hate women.", phrases=("hate women.", "a;b")))
    assert about["phrases_as_units"] == "hate women.; a;;b"
