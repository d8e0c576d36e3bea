"""What the numbers say in words."""

from __future__ import annotations

from dataclasses import replace

import made
import pytest

from nsx_core.records import Estimate, Side
from nsx_core.views import sentences
from nsx_core.views.numbers import duration, interval, percent, probability, score, threshold


def test_necessity_of_a_word() -> None:
    assert sentences.necessity_sentence(made.three_words(), 2) == (
        "When “women.” is replaced, 2 of 3 texts lose the label hate "
        "(necessity 0.67, 95 % interval 0.21–0.94)."
    )


def test_sufficiency_of_a_word() -> None:
    assert sentences.sufficiency_sentence(made.three_words(), 2) == (
        "When “women.” is kept and other words are replaced, 1 of 2 texts keeps the label hate; "
        "1.2 % of neutral texts get it anyway (the neutral baseline), which leaves sufficiency "
        "0.49, 95 % interval 0.08–0.89."
    )


def test_one_text_takes_the_singular() -> None:
    assert "1 of 1 text loses the label" in sentences.necessity_sentence(made.three_words(), 1)


def test_one_word_has_no_sufficiency() -> None:
    draws = (made.judged("women", Side.NECESSITY, 0, "1", ("bread",), 0.1),)
    alone = made.explanation("women", [(Estimate(1.0, 0.2, 1.0, 1), made.NOTHING)], draws)
    assert sentences.sufficiency_sentence(alone, 0) == (
        "“women” is the only word, so nothing else can be replaced around it: its sufficiency "
        "is undefined."
    )
    # Said once on the page, by the sentence above.
    assert "other word" not in sentences.necessity_sentence(alone, 0)


@pytest.mark.parametrize("side", Side)
def test_no_draws_means_undefined(side: Side) -> None:
    said = sentences.word_sentence(made.explanation("I hate"), 0, side)
    assert f"{side} is undefined (0 of 0)" in said


def test_a_text_that_is_not_predicted_gains_the_label() -> None:
    whole = made.three_words()
    text = replace(whole, probability=0.1, predicted=False)
    assert "1 of 3 texts gains the label" in sentences.necessity_sentence(text, 2)
    assert "1 of 2 texts gets the label hate" in sentences.sufficiency_sentence(text, 2)
    assert sentences.prediction_sentence(text).endswith(
        "0.10, which stays below the threshold of 0.50: not predicted."
    )


def test_scores_in_place_of_labels() -> None:
    whole = made.three_words()
    soft = replace(whole, settings=replace(whole.settings, use_scores=True))
    assert "goes from 0.90 to 0.37" in sentences.necessity_sentence(soft, 2)
    assert "is 0.50; on neutral text it is 0.01" in sentences.sufficiency_sentence(soft, 2)


def test_not_predicted_only_below_the_threshold() -> None:
    said = sentences.not_predicted_sentence("C", "hate", 0.49, 0.5)
    assert said and said.startswith("C gives the label hate a probability of 0.49, below")
    assert sentences.not_predicted_sentence("C", "hate", 0.5, 0.5) is None


def test_alternative_names_the_extremes() -> None:
    said = sentences.alternative(made.three_words())
    assert said == (
        "Necessity and sufficiency of 3 words for hate. The most necessary is “hate” (1.00), "
        "the least “I” (0.00)."
    )
    assert sentences.alternative(made.explanation("I")).endswith("of 1 word for hate.")


def test_most_necessary_word() -> None:
    assert sentences.most_necessary(made.three_words()) == 1
    assert sentences.most_necessary(made.explanation("I hate women")) == 0


def test_progress() -> None:
    said = sentences.progress_sentence("drawing", 128, 1522, 80, 48, 21.3, 64.6)
    assert said == (
        "128 of 1,522 draws · 80 newly written, 48 reused · 21 a second · about 1 min 5 s left"
    )
    assert (
        sentences.progress_sentence("drawing", 0, 9, 0, 4, 0.0, None)
        == "Drawing the first counterfactual texts. 4 of 9 draws are there already."
    )
    stages = ("waiting", "loading models", "classifying", "drawing", "stopping")
    said_first = [sentences.progress_sentence(s, 0, 9, 0, 0, 0.0, None) for s in stages]
    assert len({*said_first}) == 5 and not any("0" in said for said in said_first)
    assert sentences.progress_share(3, 0) == 0 and sentences.progress_share(9, 8) == 1


def test_what_a_stopped_explanation_leaves() -> None:
    said = sentences.stopped_sentence(64, 1000, 1522)
    assert said == "1,064 of 1,522 draws are kept and will be used again."
    assert "before the first new draw" in sentences.stopped_sentence(0, 0, 1522)


def test_unseen_words() -> None:
    assert sentences.unseen_sentence(0, "C") is None
    assert str(sentences.unseen_sentence(1, "C")).startswith("1 word unseen by the model: C ")
    assert str(sentences.unseen_sentence(7, "C")).startswith("7 words unseen by the model")


def test_right_to_left_words_are_isolated() -> None:
    assert sentences.quoted("נשים") == "“\u2067נשים\u2069”"


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.725, "0.72"), (-0.004, "0.00"), (-0.1, "−0.10"), (None, "undefined"), (1, "1.00")],
)
def test_score(value: float | None, said: str) -> None:
    assert score(value) == said


@pytest.mark.parametrize(
    ("value", "limit", "said"),
    [
        (0.7249, 0.5, "0.72"), (0.5, 0.5, "0.50"), (0.4999, 0.5, "0.4999"), (0.968, 0.97, "0.968"),
        (0.9699999, 0.97, "0.9699"), (0.97, 0.97, "0.97"), (0.12345, 0.12345, "0.1235"),
        (-0.0, 0.5, "0.00"),
    ],
)  # fmt: skip
def test_a_probability_stands_on_its_side_of_the_threshold(
    value: float, limit: float, said: str
) -> None:
    assert probability(value, limit) == said


def test_sentences_keep_a_probability_on_its_side_of_the_threshold() -> None:
    near = made.explanation("a b", probability=0.9686, threshold=0.97)
    assert "probability of 0.969, which stays below the threshold of 0.97:" in (
        sentences.prediction_sentence(near)
    )
    said = sentences.not_predicted_sentence("C", "hate", 0.9698, 0.97)
    assert said and "a probability of 0.9698, below the threshold of 0.97." in said
    assert [threshold(t) for t in (0.5, 0.975, 0.01)] == ["0.50", "0.975", "0.01"]


def test_other_numbers() -> None:
    assert percent(-0.0001, 1) == "0.0 %" and score(-0.0001, 3) == "0.000"
    assert interval(Estimate(0.1, -0.05, 0.2, 9)) == "−0.05 to 0.20"
    assert interval(made.NOTHING) == "undefined"
    assert [percent(p) for p in (0, 0.012, 0.0996, 0.5)] == ["0 %", "1.2 %", "10 %", "50 %"]
    assert [duration(s) for s in (-1, 19.4, 125)] == ["0 s", "19 s", "2 min 5 s"]
