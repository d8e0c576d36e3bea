"""Every rule of the classifiers' contract stops at the door, by name."""

from __future__ import annotations

import numpy as np
import pytest

from nsx_core.classifying import Classifier, checked, label_index, positive
from nsx_core.classifying.fakes import KeywordClassifier
from nsx_core.errors import ModelError, SettingsError, UnknownNameError


class Answering:
    """A classifier that answers whatever it was told to."""

    name, fingerprint, labels = "told", "told-1", ("no", "yes")

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def predict_proba(self, texts: list[str]) -> object:
        return self.answer

    def unseen_words(self, text: str) -> int:
        return 0


def test_a_right_answer_passes_as_float64_in_order() -> None:
    answer = checked(Answering(np.array([[0.25, 0.75], [1, 0]], dtype=np.float32)), ["a", "b"])
    assert answer.dtype == np.float64
    assert answer.tolist() == [[0.25, 0.75], [1, 0]]
    assert checked(Answering(np.zeros((0, 2))), []).shape == (0, 2)
    assert checked(Answering([[0.5, 0.5]]), ["a"]).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([[0.5, 0.5]], r"answer with shape \(2, 2\), and gave \(1, 2\)"),
        ([0.5, 0.5], r"answer with shape \(2, 2\), and gave \(2,\)"),
        ([[0.5, 0.5], [1.0]], r"answer with shape \(2, 2\), and gave no array"),
        ([[1, 0], [0, 1]], "answer with floats, and gave int64"),
        ([["a", "b"], ["c", "d"]], "answer with floats, and gave <U1"),
        ([[0.5, 0.5], [np.nan, 1]], "row 1 holds .*nan.*, not finite"),
        ([[np.inf, 0], [0.5, 0.5]], "row 0 holds .*inf.*, not finite"),
        ([[-3.5, 4.5], [0.5, 0.5]], r"from -3\.5 to 4\.5\. Does it return logits"),
        ([[0.5, 0.5], [0.9, 0.2]], r"each row must sum to 1, and row 1 sums to 1\.1"),
    ],
)
def test_each_broken_rule_is_named(answer: object, message: str) -> None:
    with pytest.raises(ModelError, match=f"Classifier 'told' broke its contract: .*{message}"):
        checked(Answering(answer), ["a", "b"])


def test_labels_are_found_by_name() -> None:
    assert label_index(("neutral", "hate"), "hate") == 1
    with pytest.raises(UnknownNameError, match="No label is called 'hat'. Did you mean 'hate'"):
        label_index(("neutral", "hate"), "hat")


def test_a_probability_that_reaches_the_threshold_is_positive() -> None:
    assert positive(np.array([0.29, 0.3, 0.31]), 0.3).tolist() == [False, True, True]


@pytest.mark.parametrize("threshold", [0, 1, -0.5, float("nan")])
def test_a_threshold_that_decides_nothing_is_refused(threshold: float) -> None:
    with pytest.raises(SettingsError, match=f"between 0 and 1, and {threshold} came"):
        positive(np.array([0.5]), threshold)


# --- the keyword fake -------------------------------------------------------------------


def test_the_fake_keeps_the_protocol_and_finds_its_words() -> None:
    fake = KeywordClassifier(["hate", "Straße"])
    assert isinstance(fake, Classifier)
    texts = ["I HATE!", "no hatred", "«hate»", "STRASSE", "", "\ud800 (hate)"]
    assert checked(fake, texts)[:, 1].tolist() == [0.9, 0.1, 0.9, 0.9, 0.1, 0.9]
    assert checked(fake, []).shape == (0, 2)


def test_the_fake_counts_calls_and_texts() -> None:
    fake = KeywordClassifier("hate")
    fake.predict_proba(["a", "b"])
    fake.predict_proba(["c"])
    assert (fake.calls, fake.judged) == (2, 3)
    assert fake.keywords == {"hate"}


def test_the_fake_can_be_short_sighted() -> None:
    fake = KeywordClassifier(["hate"], sees=2)
    assert fake.predict_proba(["a b hate", "a hate b"])[:, 1].tolist() == [0.1, 0.9]
    assert [fake.unseen_words(text) for text in ("a b hate", "a")] == [1, 0]
    assert KeywordClassifier(["hate"]).unseen_words("a b hate") == 0


def test_the_fakes_fingerprint_follows_its_answers_not_its_order() -> None:
    first = KeywordClassifier(["a", "b"]).fingerprint
    assert KeywordClassifier(["B", "a"], name="other").fingerprint == first
    others = [
        KeywordClassifier(["a"]),
        KeywordClassifier(["a", "b"], high=1.0),
        KeywordClassifier(["a", "b"], sees=3),
        KeywordClassifier(["a", "b"], labels=("none", "hate")),
    ]
    assert len({first, *(fake.fingerprint for fake in others)}) == 5


@pytest.mark.parametrize("word", ["", "two words", "?!"])
def test_a_keyword_that_could_never_match_is_refused(word: str) -> None:
    with pytest.raises(SettingsError, match="one word with a letter in it"):
        KeywordClassifier([word])


def test_probabilities_of_the_fake_are_checked() -> None:
    with pytest.raises(SettingsError, match=r"low=0\.9, high=0\.1 came"):
        KeywordClassifier(["a"], high=0.1, low=0.9)
