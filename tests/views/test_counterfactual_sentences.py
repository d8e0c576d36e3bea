"""What the methods found, in sentences."""

from __future__ import annotations

from dataclasses import replace

import findings_made as fm
import pytest

from nsx_core.counterfactual_records import Ended, Goal, Method, MethodFound, Share, WordSet
from nsx_core.views.counterfactual_sentences import (
    answer_sentence,
    change_sentence,
    criteria_sentence,
    ended_sentence,
    goal_sentence,
    method_sentence,
    words_named,
)


def said(
    method: Method, *sets: WordSet, ended: Ended = Ended.COMPLETE, goal: Goal = fm.GOAL
) -> str:
    """The sentence of a method that found these sets and no text."""
    one = fm.method_found(method, sets=sets, ended=ended)
    return method_sentence(one, fm.findings((one,), goal))


def changed(bits: str, answers: tuple[str, ...], after: float, goal: Goal = fm.GOAL) -> str:
    """The sentence of one changed text."""
    text = fm.counterfactual(Method.WACHTER, bits, answers, after, goal=goal)
    return change_sentence(text, fm.findings((), goal))


def test_the_four_methods_say_what_they_found() -> None:
    found = fm.four()
    assert [method_sentence(one, found) for one in found.found] == [
        "If “disgust” were “impress”, the probability would fall from 0.93 to 0.08.",
        "If “Muslims disgust” were not there, the prediction would be lost in 7 of 8 texts "
        "(0.53 to 0.98). There is 1 more such set of words.",
        "If “disgust” were “puzzle” and “much.” were “often.”, the probability would fall from "
        "0.93 to 0.31.",
        "Keeping “Muslims disgust” is enough: the prediction held in 118 of 120 draws (at least "
        "0.95 with these bounds). They stand together in 12 % of perturbed texts.",
    ]


def test_nothing_found_is_an_answer() -> None:
    found = fm.nothing()
    wachter, sedc, _, anchors = (method_sentence(one, found) for one in found.found)
    assert wachter == "No counterfactual found within 1,000 calls; the nearest reached 0.61."
    assert sedc == (
        "No counterfactual found within 1,000 calls; there was no changed text to judge."
    )
    assert anchors.startswith(
        "Best within the budget, not proven: keeping “Muslims disgust”, the prediction held in "
        "80 of 100 draws (at least 0.71 with these bounds)."
    )


def test_a_text_that_is_not_predicted_rises() -> None:
    found = fm.not_predicted()
    assert [method_sentence(one, found) for one in found.found] == [
        "If “disgust” were “sicken”, the probability would rise from 0.12 to 0.77.",
        "If “Muslims disgust” were not there, hate would be predicted in 7 of 8 texts "
        "(0.53 to 0.98).",
        "The prediction holds whatever is replaced: hate stayed not predicted in 60 of 60 draws "
        "(at least 0.96 with these bounds).",
    ]


def test_words_left_out_and_words_written_back() -> None:
    assert changed("000010", ("",), 0.3).startswith("If “so” were left out, the probability")
    # An answer that repeats the first word of its run changes the second alone.
    assert changed("011000", ("Muslims amaze",), 0.3).startswith("If “disgust” were “amaze”, ")
    assert changed("011000", ("Muslims",), 0.3).startswith("If “disgust” were left out, ")
    assert changed("001000", ("disgust",), 0.93) == (
        "The text stays as it is, with a probability of 0.93."
    )


def test_the_same_probability_stays() -> None:
    assert changed("001000", ("bore",), 0.9301).endswith("the probability would stay at 0.93.")


def test_only_the_first_changes_are_told() -> None:
    text = "a b c d e f g h i j k"
    answers = ("z",) * 6
    one = fm.counterfactual(Method.WACHTER, "10101010101", answers, 0.2, text=text)
    found = fm.findings((), text=text)
    assert change_sentence(one, found).startswith(
        "If “a” were “z”, “c” were “z”, “e” were “z”, “g” were “z” and 2 more places were changed,"
    )


def test_a_probability_keeps_to_its_side_of_the_threshold() -> None:
    assert changed("001000", ("bore",), 0.4999).endswith("to 0.4999.")


def test_a_wanted_probability() -> None:
    goal = Goal(0.12, 0.5, 0.3, 0.1)
    sentence = said(Method.SEDC, fm.REMOVED, goal=goal)
    assert "the wanted probability would be reached in 7 of 8 texts" in sentence
    asked = goal_sentence(fm.findings((), goal))
    assert "its probability is 0.30, give or take 0.10." in asked
    assert "on the other side of the threshold" not in asked


def test_the_goal_names_verdict_threshold_and_cost() -> None:
    asked = goal_sentence(fm.four())
    assert "a probability of 0.93: predicted at a threshold of 0.50." in asked
    assert "after which hate is no longer predicted." in asked
    assert "274 changed texts behind necessity and sufficiency are there already" in asked
    assert asked.endswith("about 1,000 texts.")
    assert "after which hate is predicted." in goal_sentence(fm.not_predicted())
    crossing = Goal(0.93, 0.5, 0.4, 0.2)
    assert "on the other side of the threshold" in goal_sentence(fm.findings((), crossing))


def test_anchors_at_their_ends() -> None:
    whole = replace(fm.KEPT, words=tuple(range(6)), share=Share(0, 0, 1.0, 1.0), coverage=0.0)
    assert said(Method.ANCHORS, whole) == "Only the whole text holds the prediction."
    untried = replace(fm.KEPT, words=(), share=Share(0, 0, 0.0, 1.0), proven=False)
    assert said(Method.ANCHORS, untried, ended=Ended.BUDGET) == (
        "No words to keep could be tested within 1,000 calls."
    )
    assert said(Method.ANCHORS) == "No words to keep were tested within 1,000 calls."
    one = replace(fm.KEPT, words=(1,))
    assert said(Method.ANCHORS, one).endswith("It stands in 12 % of perturbed texts.")
    empty = replace(fm.KEPT, words=(), proven=False)
    assert said(Method.ANCHORS, empty, ended=Ended.BUDGET).startswith(
        "Best within the budget, not proven: without keeping any word, the prediction held in"
    )


@pytest.mark.parametrize(
    ("ended", "begins"),
    [
        (Ended.BUDGET, "Best within the budget, not proven: if “disgust” and “much.” were not"),
        (Ended.TIME, "Best within the time, not proven: if"),
        (Ended.SIZE, "Best of what was tried, not proven: if"),
    ],
)
def test_what_is_not_proven_is_said_first(ended: Ended, begins: str) -> None:
    assert said(Method.SEDC, fm.LESSER, ended=ended).startswith(begins)


def test_sedc_without_a_set_tells_of_a_text() -> None:
    one = fm.method_found(Method.SEDC, (fm.WOMEN, fm.IMPRESS))
    found = fm.findings((one,))
    first, second = (answer_sentence(one, found, at) for at in (0, 1))
    assert first.startswith("No words were found without which most texts reach the goal, ")
    assert first.endswith("from 0.93 to 0.11.")
    assert second.endswith("from 0.93 to 0.08.")


def test_each_end_is_told_with_its_calls() -> None:
    found = fm.four()
    told = [
        ended_sentence(replace(fm.method_found(Method.WACHTER), ended=ended), found)
        for ended in Ended
    ]
    assert len(set(told)) == len(Ended)
    assert all("212 of 1,000 calls" in sentence for sentence in told)


def test_one_call_is_one_call() -> None:
    one = MethodFound(Method.WACHTER, (), None, (), 1, 1, 0.0, Ended.BUDGET)
    found = replace(fm.findings((one,)), budget=1, free=1)
    assert "within 1 call;" in method_sentence(one, found)
    assert "1 of 1 call." in ended_sentence(one, found)
    assert "1 changed text behind necessity and sufficiency is there already; beyond it " in (
        goal_sentence(found)
    )


def test_the_criteria_are_explained() -> None:
    for word in ("valid", "words changed", "edit distance", "cosine", "fluency"):
        assert word in criteria_sentence()


def test_neighbours_are_named_together() -> None:
    found = fm.four()
    assert words_named(found.text, found.words, (0, 1, 3)) == "“These Muslims” and “me”"
    assert words_named(found.text, found.words, ()) == "no word"


def test_right_to_left_words_keep_to_themselves() -> None:
    text = "הם שונאים me"
    one = fm.counterfactual(Method.WACHTER, "010", ("אוהבים",), 0.2, text=text)
    sentence = change_sentence(one, fm.findings((), text=text))
    assert sentence.startswith("If “\u2067שונאים\u2069” were “\u2067אוהבים\u2069”, ")
