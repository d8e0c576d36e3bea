"""Draws that count on both sides, weighted by size: what is said and shown of them."""

from __future__ import annotations

import made
import pytest
from made import having

from nsx_core.records import DrawSide, Estimate, Side
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


def test_where_a_size_has_no_draw_the_tally_states_the_weighted_share() -> None:
    tree = tally(both(drop=("010",)), 1, Side.NECESSITY)
    assert not having(tree, "size")
    assert having(tree, "formula")[0].text == "0.333 = 0.67"
