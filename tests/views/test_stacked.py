"""Stacked heatmaps, the table of methods, faithfulness: what they show and what they say."""

from __future__ import annotations

from dataclasses import replace

import made
import pytest
from made import having, nodes

from nsx_core.attributing import (
    Attribution,
    Faithfulness,
    RandomOrders,
    rank_correlation,
)
from nsx_core.comparison_records import Comparison, Method, OtherMethods, SeedScore
from nsx_core.records import Estimate, Explanation
from nsx_core.views.address import View
from nsx_core.views.colours import THEMES, contrast, neutral
from nsx_core.views.compare_address import CompareView, compare_parameters, read_compare
from nsx_core.views.compare_progress import methods_step_sentence, which_sentence
from nsx_core.views.faithfulness_chart import (
    agreement_sentence,
    faithfulness_chart,
    faithfulness_sentences,
    notes,
)
from nsx_core.views.methods_table import (
    agreement_table,
    faithfulness_table,
    methods_frame,
    methods_table,
)
from nsx_core.views.stacked import (
    WORDS_MAX,
    Row,
    TextRows,
    stacked,
    stacked_sentence,
    struck_here_sentence,
)


def text_rows(*found: Explanation | None, names: str = "abc") -> TextRows:
    """The rows of these explanations of one text."""
    whole = next(e for e in found if e is not None)
    rows = [
        Row(n, e and replace(e, classifier=n), "" if e else "Not computed yet.")
        for n, e in zip(names, found, strict=False)
    ]
    return TextRows(tuple(w.word.text for w in whole.words), tuple(rows))


def gained() -> Explanation:
    """Not predicted."""
    whole = made.three_words()
    words = tuple(replace(w, necessity=Estimate(-0.4, -0.6, -0.2, 9)) for w in whole.words)
    return replace(whole, predicted=False, probability=0.1, words=words)


def test_words_stand_once_and_each_classifier_has_a_cell_below() -> None:
    tree = stacked([text_rows(made.three_words(), made.three_words())])
    assert [n.text for n in having(tree, "word")] == ["I", "hate", "women."]
    blocks = having(tree, "block")
    assert [b.attributes["data-value"] for b in blocks] == [
        f"0:{row}:{word}" for row in range(2) for word in range(3)
    ]
    assert blocks[1].text == "1.000.99"
    assert "hate, a: necessity 1.00, interval 0.20" in blocks[1].attributes["aria-label"]
    (line,) = having(tree, "stacked-line")
    assert line.properties["--columns"] == "3"
    assert len(having(tree, "legend")) == 1


def test_two_texts_are_two_grids_with_one_legend() -> None:
    tree = stacked([text_rows(made.three_words()), text_rows(made.three_words())])
    assert len(having(tree, "stacked")) == 2 and len(having(tree, "legend")) == 1
    assert having(tree, "details")[1].attributes["data-value"] == "1:0:"


def test_a_classifier_without_scores_yet_says_so() -> None:
    tree = stacked([text_rows(made.three_words(), None)])
    heads = having(tree, "row-head")
    assert "gives the label hate a probability of 0.90" in heads[0].text
    assert heads[1].text == "bNot computed yet."
    assert len(having(tree, "block")) == 3
    assert not having(stacked([TextRows(("a",), (Row("x", None, "?"),))]), "legend")


def test_a_long_text_is_cut_into_lines_that_each_hold_all_classifiers() -> None:
    long = made.explanation(" ".join(f"word{i}" for i in range(25)))
    tree = stacked([text_rows(long, long)])
    lines = having(tree, "stacked-line")
    assert len(lines) > 1
    assert sum(int(line.properties["--columns"]) for line in lines) == 25
    assert all([s.text for s in nodes(line) if s.tag == "strong"] == ["a", "b"] for line in lines)
    longer = made.explanation(" ".join(["w"] * (WORDS_MAX + 5)))
    tree = stacked([text_rows(longer)])
    assert len(having(tree, "block")) == WORDS_MAX
    assert f"The first {WORDS_MAX} of {WORDS_MAX + 5} words" in tree.text


def test_where_the_class_is_not_predicted_the_sentence_says_what_minus_means() -> None:
    said = stacked_sentence(text_rows(made.three_words(), gained()))
    assert "The most necessary word is “hate” for a." in said
    assert "Not predicted by b: necessity is then counted below zero" in said
    both = stacked_sentence(text_rows(made.three_words(), made.three_words()))
    assert both == "The most necessary word is “hate” for a and b."


def test_struck_draws_count_and_that_is_said() -> None:
    assert struck_here_sentence("I hate women.", 0) is None
    said = struck_here_sentence("I hate women.", 2)
    assert said is not None and "2 counterfactual texts are struck out of “I hate women.”" in said


@pytest.mark.parametrize("hostile", made.HOSTILE)
def test_hostile_words_stay_text(hostile: str) -> None:
    whole = made.explanation(hostile.replace(" ", "_").replace("\n", "_"))
    html = stacked([text_rows(whole)]).as_html()
    assert "<script" not in html and "<img" not in html


def faithful(*curve: float) -> Faithfulness:
    """Both curves alike."""
    mean = sum(curve) / len(curve)
    return Faithfulness(curve, tuple(1 - c for c in curve), mean, 1 - mean, 2 * len(curve), 0.1, "")


def comparison() -> Comparison:
    """Three words; LIME is upside down, SHAP gives the first word nothing."""
    whole = made.three_words()
    scores = {
        "necessity": (0.0, 1.0, 0.67),
        "sufficiency": (-0.01, 0.99, 0.49),
        "SHAP": (None, 0.4, -0.1),
        "LIME": (0.3, -0.2, 0.0),
    }
    curves = {"necessity": (0.5, 0.71), "sufficiency": (0.5, 0.71), "SHAP": (0.4, 0.6)}
    methods = tuple(
        Method(
            name, values, faithful(*curves.get(name, (0.1, 0.2))), 8, 7,
            None if name == "necessity" else 0.25, f"About {name}.",
        )
        for name, values in scores.items()
    )  # fmt: skip
    random = RandomOrders(faithful(0.25, 0.3), (0.2, 0.3), (0.8, 0.7))
    others = OtherMethods(
        "o", *(Attribution(n, 0, scores[n], 8, 7, 0.1, "") for n in ("SHAP", "LIME")), (),
        faithful(0.4, 0.6), faithful(0.1, 0.2), random,
    )  # fmt: skip
    agreement = tuple(tuple(rank_correlation(a.scores, b.scores) for b in methods) for a in methods)
    return Comparison(
        "k" * 64, whole.text, "Vidgen2021-hate", "hate", 0.5, 0.9, True,
        tuple(w.word for w in whole.words), methods, (None, SeedScore(0.4, 0.38, 0.42), None),
        random, agreement, others,
    )  # fmt: skip


def test_each_method_has_its_number_its_sign_and_its_own_scale() -> None:
    tree = methods_table(comparison())
    rows = [n for n in nodes(tree) if n.tag == "tr"]
    assert [c.text for c in rows[0].children if not isinstance(c, str)] == [
        "Word", "Necessityfull shade: 1", "Sufficiencyfull shade: 1", "SHAPfull shade: 0.40",
        "LIMEfull shade: 0.30",
    ]  # fmt: skip
    assert [c.text for c in rows[2].children if not isinstance(c, str)] == [
        "hate", "1.00", "0.99", "0.400.38 to 0.42", "−0.20",
    ]  # fmt: skip
    assert rows[1].text == "I0.00−0.01\u20130.30"
    below = having(rows[2], "signed")[3].properties
    assert float(below["--left"].rstrip("%")) == pytest.approx(50 - 50 * 0.2 / 0.3, abs=0.01)
    shades = [c.properties["--paper-light"] for c in having(rows[2], "cell")]
    assert len(set(shades)) == 4


def test_grey_is_legible_and_grows_darker_on_light_and_lighter_on_dark() -> None:
    for theme in THEMES:
        shades = [neutral(step / 10, theme) for step in range(11)]
        assert all(contrast(s.paper, s.ink) >= 4.5 for s in shades)
    assert neutral(1.0, "light").paper < neutral(0.0, "light").paper
    assert neutral(1.0, "dark").paper > neutral(0.0, "dark").paper


def test_agreement_names_the_best_and_the_worst_pair() -> None:
    tree = agreement_table(comparison())
    assert "1.00" in tree.text and "\u22121.00" in tree.text and "undefined" in tree.text
    said = agreement_sentence(comparison())
    assert said.startswith("Necessity and sufficiency order the words most alike (1.00)")
    assert "With 3 words one exchange" in said


def test_faithfulness_says_what_better_means_and_marks_the_best() -> None:
    tree = faithfulness_table(comparison())
    assert "higher is better" in tree.text and "lower is better" in tree.text
    assert {n.text for n in nodes(tree) if n.tag == "strong"} == {"0.60", "0.40"}
    assert "from the store" in tree.text and "2 random orders, mean" in tree.text


def test_sentences_say_what_removing_two_words_does() -> None:
    said = faithfulness_sentences(comparison())
    assert "Removing the two words in random order loses 0.30 of it on average" in said[0]
    assert "two words that necessity and sufficiency rank first loses 0.71 of the" in said[1]
    assert "About SHAP." in " ".join(notes(comparison()))
    unpredicted = " ".join(notes(replace(comparison(), predicted=False)))
    assert "hate is not predicted here" in unpredicted


def test_the_chart_has_a_line_a_method_and_one_for_random_orders() -> None:
    figure = faithfulness_chart(comparison())
    assert figure is not None
    assert [t.name for t in figure.data if t.showlegend] == [
        "Necessity", "Sufficiency", "SHAP", "LIME", "Random orders, mean",
    ]  # fmt: skip
    assert list(figure.data[0].y) == [0.5, 0.71]
    one = replace(comparison(), words=comparison().words[:1])
    assert faithfulness_chart(one) is None
    assert "one word has no order" in faithfulness_sentences(one)[0]


def test_the_file_has_undefined_scores_missing() -> None:
    frame = methods_frame(comparison())
    assert frame["shap"].isna().tolist() == [True, False, False]
    assert frame["shap_permutation_low"].tolist()[1] == 0.38


def default() -> CompareView:
    return CompareView(View("a", "hate", "writer"), None, (), ("a", "b"))


def test_an_address_gives_the_view_back() -> None:
    shared = View("a", "hate", "writer", text="1f", budget=50, threshold=0.3, phrases=((2, 6),))
    view = CompareView(shared, "2e", ((0, 3),), ("b",), "b")
    written = compare_parameters(view)
    assert "classifier" not in written and written["text2"] == "2e"
    assert read_compare(written, default(), ["a", "b"], ["writer"]) == (view, ())


def test_what_an_address_has_wrong_is_put_aside_with_a_sentence() -> None:
    given = {"classifiers": "c,b", "methods": "a", "budget": "9", "units2": "4-2"}
    view, said = read_compare(given, default(), ["a", "b"], ["writer"])
    assert view.classifiers == ("b",) and view.methods is None
    assert view.shared.budget == 100 and view.second_phrases == ()
    assert len(said) == 4
    assert any("'c' came. It is left out." in s for s in said)
    view, said = read_compare({"classifiers": ""}, default(), ["a", "b"], ["writer"])
    assert view.classifiers == ("a", "b") and "All that can be used" in said[0]


def test_progress_names_what_is_in_hand() -> None:
    assert which_sentence("a", 1, 8, "Loading the models.") == "a, 2 of 8: Loading the models."
    assert methods_step_sentence("LIME", 1, 12) == "Step 2 of 12: LIME"
    assert methods_step_sentence("faithfulness of LIME", 12, 12).startswith("Step 12 of 12")
    assert methods_step_sentence("stopping", 3, 12) == "Stopping."
