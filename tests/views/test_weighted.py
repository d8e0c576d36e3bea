"""Draws that count on both sides, weighted by size: what is said and shown of them."""

from __future__ import annotations

from dataclasses import replace

import made
import pytest
from made import having

from nsx_core.records import DrawSide, Estimate, JudgedDraw, Side
from nsx_core.views import drilldown, files, sentences
from nsx_core.views.tally import tally
from nsx_core.views.walkthrough import walkthrough

TEXT = "I hate women."


def both(use_scores: bool = False, drop: tuple[str, ...] = ()):  # type: ignore[no-untyped-def]
    """Of 'hate': one draw of size 1 (flipped), three of size 2 (one flipped): (1 + 1/3) / 2."""
    given = [
        ("010", ("like",), 0.1), ("110", ("We love",), 0.2), ("011", ("am home",), 0.9),
        ("110", ("They see",), 0.8), ("100", ("You",), 0.7), ("001", ("tea.",), 0.3),
    ]  # fmt: skip
    draws = tuple(
        made.judged(TEXT, DrawSide.BOTH, i, bits, answers, p)
        for i, (bits, answers, p) in enumerate(given)
        if bits not in drop
    )
    score = Estimate(2 / 3, 0.3, 0.9, 4)
    return made.explanation(TEXT, [(score, score)] * 3, draws, use_scores=use_scores)


def test_a_draw_counts_on_both_sides() -> None:
    numbers = {side: [j.draw.number for j in drilldown.counted(both(), 1, side)] for side in Side}
    assert numbers == {Side.NECESSITY: [0, 1, 2, 3], Side.SUFFICIENCY: [4, 5]}


def test_each_size_weighs_the_same() -> None:
    rows = drilldown.rows(both(), 1, Side.NECESSITY)
    assert [r.weight for r in rows] == pytest.approx([1 / 2, 1 / 6, 1 / 6, 1 / 6])
    assert drilldown.kept_share(drilldown.counted(both(), 1, Side.NECESSITY)) == pytest.approx(
        1 / 3
    )
    plain = drilldown.rows(made.three_words(), 2, Side.NECESSITY)
    assert [r.weight for r in plain] == pytest.approx([1 / 3] * 3)


def test_a_file_holds_what_the_score_is_counted_from() -> None:
    rows = drilldown.rows(both(), 1, Side.NECESSITY)
    frame = files.rows_frame(both(), 1, Side.NECESSITY, rows)
    assert frame["weight"][frame["outcome"] == "flipped"].sum() == pytest.approx(2 / 3)
    assert set(frame["sampler"]) == {"balanced"}


def test_sentences_say_how_draws_are_averaged() -> None:
    said = sentences.word_sentence(both(), 1, Side.NECESSITY)
    assert (
        "2 of 4 texts lose the label hate (every number of replaced words counted alike: " in said
    )
    said = sentences.word_sentence(both(), 0, Side.SUFFICIENCY)
    assert "1 of 3 texts keeps the label hate (every number of replaced words" in said
    assert ": 50 %);" in said
    # One size alone needs no such words.
    assert "counted alike" not in sentences.word_sentence(both(), 1, Side.SUFFICIENCY)
    assert "counted alike" not in sentences.word_sentence(made.three_words(), 2, Side.NECESSITY)
    said = sentences.word_sentence(both(use_scores=True), 1, Side.NECESSITY)
    assert "over 4 texts goes from 0.90 to 0.37" in said  # (0.1 + (0.2 + 0.9 + 0.8) / 3) / 2


def test_the_tally_shows_each_size_and_counts_alike() -> None:
    tree = tally(both(), 1, Side.NECESSITY)
    assert [n.text for n in having(tree, "share")] == ["1 / 1", "1 / 3"]
    assert [n.text for n in having(tree, "size")] == ["1 replaced", "2 replaced"]
    assert having(tree, "formula")[0].text == "(1/1 + 1/3) / 2 = 0.67"
    (formula,) = having(tally(both(use_scores=True), 1, Side.NECESSITY), "formula")
    assert formula.text == "0.90 \u2212 (0.10 + 0.63) / 2 = 0.67"
    assert "in turn" in walkthrough(both(), 1).text


def test_one_number_of_replaced_words_alone_needs_no_rows() -> None:
    tree = tally(both(drop=("010",)), 1, Side.NECESSITY)
    assert not having(tree, "size")
    assert having(tree, "formula")[0].text == "1 / 3 = 0.67"


def long(draws: dict[int, tuple[int, int]], words: int, use_scores: bool = False):  # type: ignore[no-untyped-def]
    """Of the first word: of so many words replaced, (draws, of them flipped)."""
    text = " ".join(f"w{i}" for i in range(words))
    made_draws: list[JudgedDraw] = []
    for size, (count, flipped) in draws.items():
        bits = "1" * size + "0" * (words - size)
        made_draws += [
            made.judged(
                text, DrawSide.BOTH, len(made_draws) + i, bits, ("x",), 0.1 if i < flipped else 0.9
            )
            for i in range(count)
        ]
    shares = drilldown.kept_share(made_draws)
    score = Estimate(1 - shares, 0.3, 0.9, len(made_draws))
    return made.explanation(
        text, [(score, score)] * words, tuple(made_draws), use_scores=use_scores
    )


def test_a_number_without_a_draw_lends_its_weight_and_it_is_said() -> None:
    tree = tally(long({1: (1, 1), 2: (3, 1), 4: (2, 1)}, 5), 0, Side.NECESSITY)
    assert having(tree, "formula")[0].text == "(1/1 + 1.5 \u00d7 1/3 + 1.5 \u00d7 1/2) / 4 = 0.56"
    assert "takes the share of the nearest" in tree.text


def test_a_long_text_can_be_followed_from_squares_to_score() -> None:
    whole = long({size: (size, max(1, size - 1)) for size in range(1, 33)}, 33)
    tree = tally(whole, 0, Side.NECESSITY)
    assert [n.text for n in having(tree, "size")][:2] == ["1\u20134 replaced", "5\u20138 replaced"]
    assert len(having(tree, "bunch")) == 32 and len(having(tree, "dot")) == 528
    assert having(tree, "bunch")[2].attributes["title"] == "3 replaced: 2 of 3 squares are filled"
    means = [n.text for n in having(tree, "share")]
    assert means[0] == f"mean {(1 + 1 / 2 + 2 / 3 + 3 / 4) / 4:.3f}"
    # What the reader is told to count gives the score that stands at the end.
    formula = having(tree, "formula")[0].text
    assert formula.startswith(f"({means[0].removeprefix('mean ')} + ")
    assert eval(formula.split(" = ")[0]) == pytest.approx(  # noqa: S307
        whole.words[0].necessity.value, abs=0.001
    )
    assert formula.endswith(f") / 8 = {whole.words[0].necessity.value:.2f}")
    assert "every number counts alike" in tree.text
    assert "497 / 528 are filled, which is 0.941; with every number" in tree.text


def test_a_long_text_whose_probabilities_are_counted() -> None:
    tree = tally(long({s: (s, 1) for s in range(1, 17)}, 17, True), 0, Side.NECESSITY)
    assert len(having(tree, "share")) == 8
    assert having(tree, "formula")[0].text.startswith("0.90 \u2212 (0.300 + ")
    assert "The plain mean of all 136 probabilities is" in tree.text


def test_no_negative_zero_in_a_formula() -> None:
    lost = replace(both(), predicted=False, draws=tuple(
        replace(j, kept=False) for j in both().draws
    ), words=tuple(replace(w, necessity=Estimate(0.0, 0.0, 0.1, 4)) for w in both().words))  # fmt: skip
    assert having(tally(lost, 1, Side.NECESSITY), "formula")[0].text == "(0/1 + 0/3) / 2 = 0.00"
    one = made.judged("Hello", DrawSide.BOTH, 0, "1", ("tea",), 0.1)
    alone = made.explanation("Hello", [(Estimate(0.0, 0.0, 0.1, 1), made.NOTHING)], (one,), 0.2)
    assert having(tally(alone, 0, Side.NECESSITY), "formula")[0].text == "0 / 1 = 0.00"
