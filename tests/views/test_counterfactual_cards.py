"""Cards, word sets and breakers: what stands on them, and that no text becomes markup."""

from __future__ import annotations

from dataclasses import replace

import findings_made as fm
import made
import pytest

from nsx_core.counterfactual_records import Counterfactual, Findings, Method, MethodFound, SetKind
from nsx_core.views.counterfactual_cards import breakers, card, word_sets
from nsx_core.views.counterfactual_marks import change_marked, changed_words, set_marked
from nsx_core.views.markup import Node, node


def figures(tree: Node) -> dict[str, str]:
    """The small figures by name."""
    pairs = [f.children for f in made.having(tree, "cf-figure")]
    return {name.text: value.text for name, value in pairs}  # type: ignore[union-attr]


def of(method: Method, found: Findings) -> MethodFound:
    return next(one for one in found.found if one.method is method)


def marked(tree: Node, cls: str) -> list[str]:
    return [n.text for n in made.having(tree, cls)]


def test_a_card_has_sentence_text_criteria_and_cost() -> None:
    found = fm.four()
    tree = card(of(Method.WACHTER, found), found, 0)
    assert tree.attributes["aria-label"] == "Wachter"
    assert marked(tree, "cf-said") == [
        "If “disgust” were “impress”, the probability would fall from 0.93 to 0.08."
    ]
    assert marked(tree, "cf-text") == ["These Muslims disgust impress me so much."]
    assert marked(tree, "gone") == ["disgust"]
    assert marked(tree, "written") == ["impress"]
    assert figures(tree) == {
        "P before": "0.93",
        "P after": "0.08",
        "Valid": "yes",
        "Words changed": "1 of 6",
        "Edit distance": "2",
        "Cosine": "0.80",
        "Fluency": "−0.10",
        "Calls": "212 of 1,000",
        "Infills": "300",
        "Seconds": "2.4",
    }


def test_another_answer_can_be_shown_and_one_beyond_is_the_last() -> None:
    found = fm.four()
    one = of(Method.WACHTER, found)
    second = card(one, found, 1)
    assert figures(second)["P after"] == "0.11"
    assert "“Muslims disgust” were “women amaze”" in second.text
    assert card(one, found, 99) == second
    assert card(one, found, -1) == card(one, found, 0)


def test_fluency_that_was_not_measured_is_said() -> None:
    found = fm.four()
    assert figures(card(of(Method.SPHERES, found), found, 0))["Fluency"] == "not measured"


def test_without_an_answer_the_nearest_text_is_shown() -> None:
    found = fm.nothing()
    tree = card(of(Method.WACHTER, found), found, 0)
    assert "The nearest text:" in tree.text
    assert figures(tree)["Valid"] == "no"
    bare = card(of(Method.SEDC, found), found, 0)
    assert set(figures(bare)) == {"Calls", "Infills", "Seconds"}
    assert not made.having(bare, "cf-text")


def test_the_anchor_is_shaded_on_the_whole_text() -> None:
    found = fm.four()
    one = of(Method.ANCHORS, found)
    tree = card(one, found, 0)
    assert marked(tree, "written") == ["Muslims", "disgust"]
    assert marked(tree, "cf-other") == ["These", "me", "so", "much."]
    sets = word_sets(one, found)
    assert sets is not None
    assert "118 of 120" in sets.text
    assert "0.95" in sets.text
    assert "12 %" in sets.text
    sedc = word_sets(of(Method.SEDC, found), found)
    assert sedc is not None
    assert sets.properties != sedc.properties


def test_an_anchor_without_a_valid_text_shows_no_nearest_one() -> None:
    one = replace(of(Method.ANCHORS, fm.four()), nearest=fm.IMPRESS)
    assert "nearest" not in card(one, fm.findings((one,)), 0).text


def test_every_minimal_set_has_a_row_with_share_and_interval() -> None:
    found = fm.four()
    tree = word_sets(of(Method.SEDC, found), found)
    assert tree is not None
    assert marked(tree, "gone") == ["Muslims", "disgust"]
    bars = made.having(tree, "interval")
    assert [bar.properties["--at"] for bar in bars] == ["87.50%", "62.50%"]
    assert [bar.properties["--left"] for bar in bars] == ["53.00%", "31.00%"]
    assert "7 of 8" in tree.text
    assert "“disgust” and “much.”not proven" in tree.text
    assert word_sets(of(Method.WACHTER, found), found) is None


def test_many_sets_are_cut_and_that_is_said() -> None:
    one = fm.method_found(Method.SEDC, sets=(fm.REMOVED,) * 45)
    tree = word_sets(one, fm.findings((one,)))
    assert tree is not None
    assert len(made.having(tree, "interval")) == 30
    assert "JSON has 15 more." in tree.text


def test_the_breakers_are_listed_with_what_changed() -> None:
    found = fm.four()
    tree = breakers(of(Method.ANCHORS, found), found)
    assert tree is not None
    assert "lost in 2 of 120 texts" in tree.text
    assert marked(tree, "gone") == ["These", "me so much."]
    assert marked(tree, "written") == ["Not all", "anyone now."]
    assert "0.40" in tree.text
    assert breakers(of(Method.SEDC, found), found) is None
    whole = fm.method_found(Method.ANCHORS, sets=(replace(fm.KEPT, breakers=()),))
    assert breakers(whole, fm.findings((whole,))) is None


@pytest.mark.parametrize("word", made.HOSTILE)
def test_texts_stay_texts(word: str) -> None:
    text = f"{word} and more"
    bits = "1" + "0" * (len(text.split()) - 1)
    answer = word.split()[0] + "x"
    one = fm.method_found(
        Method.WACHTER,
        (fm.counterfactual(Method.WACHTER, bits, (answer,), 0.1, text=text),),
        notes=(word,),
    )
    kept = fm.method_found(Method.ANCHORS, sets=(replace(fm.KEPT, words=(0,), breakers=()),))
    found = fm.findings((one, kept), text=text)
    sets = word_sets(kept, found)
    assert sets is not None
    html = card(one, found, 0).as_html() + sets.as_html()
    assert "<script" not in html
    assert "<img" not in html
    assert answer in card(one, found, 0).text


def test_right_to_left_text_runs_its_own_way() -> None:
    text = "הם שונאים אותנו"
    one = fm.method_found(
        Method.WACHTER, (fm.counterfactual(Method.WACHTER, "010", ("like",), 0.1, text=text),)
    )
    tree = card(one, fm.findings((one,), text=text), 0)
    (flow,) = made.having(tree, "cf-text")
    assert flow.attributes["dir"] == "rtl"
    assert [n.attributes["dir"] for n in made.having(tree, "written")] == ["ltr"]
    assert [n.attributes["dir"] for n in made.having(tree, "gone")] == ["rtl"]


def long_text(at: int) -> tuple[str, Counterfactual]:
    words = [f"w{i}" for i in range(300)]
    text = " ".join(words)
    bits = "".join("1" if i == at else "0" for i in range(300))
    return text, fm.counterfactual(Method.WACHTER, bits, ("new",), 0.1, text=text)


@pytest.mark.parametrize(
    ("at", "shown"),
    [
        (0, ["w0", "new", *(f"w{i}" for i in range(1, 13)), "…"]),
        (150, ["…", *(f"w{i}" for i in range(138, 151)), "new",
               *(f"w{i}" for i in range(151, 163)), "…"]),
        (299, ["…", *(f"w{i}" for i in range(287, 300)), "new"]),
    ],
)  # fmt: skip
def test_of_a_long_text_what_is_near_to_a_change_is_shown(at: int, shown: list[str]) -> None:
    text, one = long_text(at)
    words = made.split(text).words
    inside = change_marked(text, words, one.candidate)
    assert node("p", *inside).text.split() == shown


def test_words_written_back_are_not_changed() -> None:
    words = made.split(fm.TEXT).words
    candidate = fm.candidate("011001", ("Muslims amaze", "much."), 0.1)
    assert changed_words(words, candidate) == {2}
    assert node("p", *change_marked(fm.TEXT, words, candidate)).text == (
        "These Muslims disgust amaze me so much."
    )


def test_a_set_of_no_words_leaves_the_text_faint() -> None:
    words = made.split(fm.TEXT).words
    tree = node("p", *set_marked(fm.TEXT, words, (), SetKind.KEPT))
    assert tree.text == fm.TEXT
    assert len(made.having(tree, "cf-other")) == len(words)
