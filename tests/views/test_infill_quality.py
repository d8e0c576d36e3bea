"""What an explanation's counterfactual texts are like: counted by hand."""

from __future__ import annotations

from dataclasses import replace

import made
import pytest
from made import having, nodes

from nsx_core.infilling import is_unchanged
from nsx_core.quality import infilled, infiller_quality
from nsx_core.records import DrawSide, Explanation, Word, WordScore
from nsx_core.views import infill_quality
from nsx_core.views.draws_table import sample_table
from nsx_core.views.struck import Struck

TEXT = "I hate women."


def four() -> Explanation:
    """Four texts: one the original again, one twice; 2 + 1 + 1 + 2 words for 1 + 1 + 1 + 2."""
    given = [
        ("001", ("green bread",)), ("001", ("women.",)), ("010", ("like",)), ("110", ("We see",)),
        ("010", ("like",)),
    ]  # fmt: skip
    draws = tuple(
        made.judged(TEXT, DrawSide.BOTH, i, bits, answers, 0.2)
        for i, (bits, answers) in enumerate(given)
    )
    return made.explanation(TEXT, draws=draws)


def cells(explanation: Explanation, report: dict[str, float], other: object = None) -> list[str]:
    tree = infill_quality.quality_table(explanation, report, other)  # type: ignore[arg-type]
    return [
        n.text for n in nodes(tree) if n.tag == "td" and "number" in n.attributes.get("class", "")
    ]


def test_the_figures_are_those_of_the_texts() -> None:
    assert cells(four(), {"unchanged_share": 0.008, "duplicate_share": 0.009}) == [
        "20.0 %", "0.8 %", "20.0 %", "0.9 %", "1.07", "\u2013", "1.17", "\u2013",
    ]  # fmt: skip
    assert is_unchanged(TEXT, four().draws[1].draw.text)


def test_the_report_counts_the_same() -> None:
    """The report finds answers in the text; here they are known, and come out the same."""
    own = infill_quality._measured(four())
    found = infiller_quality(
        [infilled(TEXT, j.draw.replaced, j.draw.text, j.draw.redraws) for j in four().draws]
    )
    assert own == found


def test_a_phrase_counts_as_the_words_it_holds() -> None:
    words = (Word("I", 0, 1), Word("hate women.", 2, 13))
    draw = replace(made.judged(TEXT, DrawSide.BOTH, 0, "011", ("like",), 0.2).draw)
    judged = replace(four().draws[0], draw=replace(draw, replaced=(False, True)))
    whole = replace(
        four(),
        words=tuple(WordScore(w, made.NOTHING, made.NOTHING) for w in words),
        draws=(judged,),
    )
    assert cells(whole, {})[6] == "0.50"


def test_the_sentence_says_counts_and_that_few_are_few() -> None:
    whole = four()
    said = infill_quality.quality_sentence(whole)
    assert said == (
        "Of the 5 counterfactual texts, 1 came out as the original and 1 repeats an earlier text "
        "with the same words replaced. For each replaced word 1.17 words were written on average. "
        "5 texts are few: a share may be several points off by chance."
    )
    many = replace(whole, draws=whole.draws * 20)
    assert "few" not in infill_quality.quality_sentence(many)
    struck = Struck({(DrawSide.BOTH, 0): "odd"}, whole)
    assert "the one struck out as well." in infill_quality.quality_sentence(whole, struck)


def test_another_classifier_is_asked_for_texts_and_for_infilled_words_alone() -> None:
    whole = four()
    asked = infill_quality.texts_to_judge(whole)
    assert asked[:2] == ["I hate green bread", "I hate women."]
    assert asked[5:] == ["green bread", "women.", "like", "We see", "like"]
    other = infill_quality.judgement(
        whole, "other", "abuse", [0.5] + [0.1] * 4 + [0.9] * 2 + [0] * 3
    )
    assert (other.texts, other.written) == (0.2, 0.4)
    assert cells(whole, {"positive_share": 0.083}, other)[8:] == [
        "20.0 %",
        "\u2013",
        "40.0 %",
        "8.3 %",
    ]
    tree = infill_quality.quality_table(whole, {}, other)
    assert "other gives the label abuse" in tree.text and "Davidson2017-abuse" in tree.text


def test_where_nothing_was_written_there_is_nothing_to_judge() -> None:
    draw = made.judged(TEXT, DrawSide.BOTH, 0, "001", ("",), 0.2)
    whole = made.explanation(TEXT, draws=(draw,))
    assert infill_quality.texts_to_judge(whole) == [draw.draw.text]
    assert infill_quality.judgement(whole, "o", "abuse", [0.9]).written is None
    assert "Of the one counterfactual text, 0 came" in infill_quality.quality_sentence(whole)


@pytest.mark.parametrize("words", [4, 30])
def test_the_sample_is_spread_over_the_numbers_of_replaced_words(words: int) -> None:
    text = " ".join(f"w{i}" for i in range(words))
    draws = tuple(
        made.judged(text, DrawSide.BOTH, i, "1" * k + "0" * (words - k), (f"x{i}",), 0.2)
        for i, k in enumerate([*range(1, words)] * 6)
    )
    whole = made.explanation(text, draws=draws)
    rows = infill_quality.sample(whole)
    sizes = [r.replaced for r in rows]
    assert len({r.number for r in rows}) == 10 and sizes == sorted(sizes)
    assert sizes[0] == 1 and sizes[-1] == words - 1
    if words == 4:
        assert [sizes.count(k) for k in (1, 2, 3)] == [4, 3, 3]
    else:
        assert len(set(sizes)) == 10
    assert f"10 of the {len(draws)} counterfactual" in infill_quality.sample_caption(whole, rows)


def test_few_texts_are_all_in_the_sample_with_buttons() -> None:
    whole = four()
    struck = Struck({(DrawSide.BOTH, 0): "odd"}, whole)
    rows = infill_quality.sample(whole, struck)
    assert len(rows) == 5
    tree = sample_table(whole, rows, infill_quality.sample_caption(whole, rows))
    assert tree.text.startswith("All of the counterfactual texts")
    assert len(having(tree, "struck")) == 1 and "Struck out: odd" in tree.text
    events = [n.attributes.get("data-event") for n in nodes(tree)]
    assert events.count("strike") == 4 and events.count("take_back") == 1
    assert "sort" not in events
