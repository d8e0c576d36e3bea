"""Phrases as spans of a text and back: what a link carries in place of words."""

from __future__ import annotations

import pytest

from nsx_core.errors import SettingsError
from nsx_core.words import check_phrases, phrase_spans, phrases_at, split

TEXT = "Those  Black\npeople, and black people; women."


@pytest.mark.parametrize(
    "phrases",
    [("black people",), ("BLACK   people",), ("people, and", "women"), ("people; women.",), ()],
)
def test_spans_give_the_same_units(phrases: tuple[str, ...]) -> None:
    back = phrases_at(TEXT, phrase_spans(TEXT, phrases))
    assert split(TEXT, phrases=back) == split(TEXT, phrases=phrases)
    check_phrases(TEXT, back)


def test_the_first_place_counts_and_order_is_the_text_s() -> None:
    assert phrase_spans(TEXT, ["women", "black people", "absent", "Women"]) == ((7, 19), (39, 44))
    assert phrases_at(TEXT, [(7, 19)]) == ("Black people",)


@pytest.mark.parametrize(
    ("span", "said"),
    [
        ((0, 46), "within the text's 45 characters, and 0-46 came"),
        ((9, 19), "9-19 cuts through one"),
        ((7, 15), "7-15 cuts through one"),
        ((5, 7), "5-7 has none"),
    ],
)
def test_a_span_that_is_no_phrase(span: tuple[int, int], said: str) -> None:
    assert len(TEXT) == 45
    with pytest.raises(SettingsError, match=said):
        phrases_at(TEXT, [span])


def test_a_phrase_that_is_not_there() -> None:
    with pytest.raises(SettingsError, match="'white people' does not. Check its spelling"):
        check_phrases(TEXT, ["black people", "white people"])
    with pytest.raises(SettingsError, match="at least one visible character"):
        check_phrases(TEXT, ["\u200b"])
