"""Whether the methods' words are those with the highest scores."""

from __future__ import annotations

from dataclasses import replace

import findings_made as fm
import made
import pytest

from nsx_core.counterfactual_records import Findings, Method, Share
from nsx_core.records import Estimate, Explanation
from nsx_core.views.counterfactual_agreement import (
    agreement_sentence,
    agreement_table,
    best_set,
)
from nsx_core.views.markup import Node


def scored(
    necessity: tuple[float | None, ...], sufficiency: tuple[float | None, ...], p: float = 0.93
) -> Explanation:
    """An explanation of the text with these scores."""
    pairs = [
        (Estimate(n, n, n, 9), Estimate(s, s, s, 9))
        for n, s in zip(necessity, sufficiency, strict=True)
    ]
    return made.explanation(fm.TEXT, pairs, probability=p)


USUAL = scored((0.1, 0.6, 0.9, 0.0, 0.0, 0.2), (0.0, 0.7, 0.5, 0.0, None, 0.0))


def only(found: Findings, *methods: Method) -> Findings:
    return replace(found, found=tuple(m for m in found.found if m.method in methods))


def marks(tree: Node) -> list[tuple[str, ...]]:
    """Of each word's row: what its marks say, '' where there is none."""
    rows = [n for n in made.nodes(tree) if n.tag == "tr"][1:]
    found = []
    for row in rows:
        cells = made.having(row, "mark")
        found.append(
            tuple(c.children[0].attributes["aria-label"] if c.children else "" for c in cells)  # type: ignore[union-attr]
        )
    return found


def test_the_table_marks_each_methods_best_words() -> None:
    tree = agreement_table(fm.four(), USUAL)
    assert marks(tree) == [
        ("", "", "", ""),
        ("", "changed", "", "kept"),
        ("changed", "changed", "changed", "kept"),
        ("", "", "", ""),
        ("", "", "", ""),
        ("", "", "changed", ""),
    ]
    numbers = [n.text for n in made.having(tree, "cell")]
    assert numbers[:4] == ["0.10", "0.00", "0.60", "0.70"]
    assert len(made.having(tree, "undefined")) == 1


def test_a_method_without_an_answer_has_a_dash() -> None:
    tree = agreement_table(fm.nothing(), USUAL)
    assert marks(tree)[1] == ("no answer", "no answer", "no answer", "kept")


def test_the_best_set_is_the_first_answers() -> None:
    found = fm.four()
    sets = {one.method: best_set(one, found) for one in found.found}
    assert sets == {
        Method.WACHTER: {2},
        Method.SEDC: {1, 2},
        Method.SPHERES: {2, 5},
        Method.ANCHORS: {1, 2},
    }
    # Texts that an anchor's search met are no answer of it.
    met = fm.method_found(Method.ANCHORS, (fm.IMPRESS,))
    assert best_set(met, found) is None


def test_all_agree() -> None:
    assert agreement_sentence(fm.four(), USUAL) == (
        "The most necessary word is “disgust” (0.90), and Wachter, SEDC and Growing Spheres all "
        "change it. The most sufficient word is “Muslims” (0.70), and it stands in the anchor."
    )


def test_some_agree() -> None:
    scores = scored((0, 0.6, 0.2, 0, 0, 0), (0.8, 0.1, 0.1, 0, 0, 0))
    assert agreement_sentence(fm.four(), scores) == (
        "The most necessary word is “Muslims” (0.60). In their best answers SEDC changes it, "
        "Wachter and Growing Spheres do not. The most sufficient word is “These” (0.80), but it "
        "is not in the anchor."
    )


def test_none_agrees() -> None:
    scores = scored((0.9, 0, 0, 0, 0, 0), (0,) * 6)
    assert agreement_sentence(fm.four(), scores) == (
        "The most necessary word is “These” (0.90), but Wachter, SEDC and Growing Spheres do not "
        "change it. No word is sufficient by itself, so there is none to look for in the anchor."
    )


@pytest.mark.parametrize(
    ("methods", "said"),
    [
        ((Method.WACHTER,), "and Wachter changes it."),
        ((Method.WACHTER, Method.SEDC), "and Wachter and SEDC both change it."),
    ],
)
def test_one_and_two_methods(methods: tuple[Method, ...], said: str) -> None:
    sentence = agreement_sentence(only(fm.four(), *methods), USUAL)
    # Without Anchors nothing is said of what is kept.
    assert sentence == f"The most necessary word is “disgust” (0.90), {said}"


def test_only_what_was_asked_is_spoken_of() -> None:
    anchors = only(fm.four(), Method.ANCHORS)
    assert agreement_sentence(anchors, USUAL) == (
        "The most sufficient word is “Muslims” (0.70), and it stands in the anchor."
    )
    flat = scored((0,) * 6, (0,) * 6)
    assert "necessary" not in agreement_sentence(anchors, flat)
    others = only(fm.nothing(), Method.WACHTER, Method.SEDC)
    for scores in (USUAL, flat):
        assert "nchor" not in agreement_sentence(others, scores)
    kept, changed = (agreement_table(found, USUAL).text for found in (anchors, others))
    assert "Orange" in kept and "Blue" not in kept
    assert "Blue" in changed and "Orange" not in changed


def test_nothing_to_compare() -> None:
    found = fm.nothing()
    assert "no method found a change to hold against it." in agreement_sentence(found, USUAL)
    flat = scored((0,) * 6, (0,) * 6)
    assert agreement_sentence(found, flat).startswith("No word is necessary, ")
    none = fm.findings((fm.method_found(Method.ANCHORS),))
    assert "Anchors found no words to hold against it." in agreement_sentence(none, USUAL)


def test_anchors_of_no_word_and_of_all() -> None:
    def sentence(words: tuple[int, ...]) -> str:
        kept = replace(fm.KEPT, words=words, share=Share(0, 0, 1.0, 1.0))
        return agreement_sentence(
            fm.findings((fm.method_found(Method.ANCHORS, sets=(kept,)),)), USUAL
        )

    assert sentence(()).endswith("(0.70); the anchor needs no word at all.")
    assert sentence(tuple(range(6))).endswith("(0.70); the anchor is the whole text.")


def test_where_nothing_is_predicted_the_lowest_necessity_is_the_strongest() -> None:
    scores = scored((-0.1, 0.0, -0.6, 0.0, 0.0, 0.0), (0.0, 0.7, 0, 0, 0, 0), p=0.12)
    sentence = agreement_sentence(fm.not_predicted(), scores)
    assert sentence.startswith(
        "The most necessary word is “disgust” (−0.60), and Wachter and SEDC both change it."
    )
    assert sentence.endswith("so the two are not compared.")
    shades = [n.properties for n in made.having(agreement_table(fm.four(), scores), "cell")]
    # The same blue as for 0.6 where the text is predicted.
    assert shades[4] == made.having(agreement_table(fm.four(), USUAL), "cell")[2].properties


def test_words_of_the_text_stay_text() -> None:
    text = "<b>one</b> two"
    scores = made.explanation(text)
    found = fm.findings((), text=text)
    html = agreement_table(found, scores).as_html()
    assert "&lt;b&gt;one&lt;/b&gt;" in html
    assert "<b>" not in html
