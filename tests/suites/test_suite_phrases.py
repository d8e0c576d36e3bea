"""The phrase that stands for a placeholder: a span of the text, found or said to be missing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nsx_core.errors import DataError
from nsx_core.suites import Case, Phrase, placeholders, units
from nsx_core.suites.phrases import named_phrase, template_phrases


def found(text: str, template: str) -> list[str]:
    phrases, reason = template_phrases(text, template)
    assert bool(reason) is not bool(phrases)
    for phrase in phrases:
        assert text[phrase.start : phrase.end] == phrase.text
    return [phrase.text for phrase in phrases]


def why(text: str, template: str) -> str:
    phrases, reason = template_phrases(text, template)
    assert phrases == ()
    return reason


@pytest.mark.parametrize(
    ("text", "template", "phrase"),
    [
        ("We met black people.", "We met [IDENTITY_P].", "black people"),
        ("We met the women!", "We met the [IDENTITY_P]!", "women"),
        ("Black people are here.", "[IDENTITY_P] are here.", "Black people"),
        ("An immigrant called.", "A [IDENTITY_S] called.", "immigrant"),
        ("It is an immigrant's coat.", "It is a [IDENTITY_S]'s coat.", "immigrant"),
        ("I met a woman.", "I met an [IDENTITY_S].", "woman"),
        ("All the womencame.", "All the [IDENTITY_P]came.", "women"),
        ("Twowomen came.", "Two[IDENTITY_P] came.", "women"),
        ("Two womans came.", "Two [IDENTITY_S]s came.", "woman"),
        ("w o m e n came. ", "[IDENTITY_P_space_add] came.", "w o m e n"),
        ("  We  met\n\nblack  people . ", "We met [IDENTITY_P] .", "black  people"),
        ("We don’t know gay people.", "We don't know [IDENTITY_P].", "gay people"),
        ("İstanbul: women came", "İstanbul: [IDENTITY_P] came", "women"),
        ("WE MET WOMEN.", "We met [IDENTITY_P].", "WOMEN"),
        ("Women", "[IDENTITY_P]", "Women"),
        ("We met women.", "We met {identity}.", "women"),
        ("We met 女性.", "We met [IDENTITY_P].", "女性"),
    ],
)
def test_a_placeholder_is_found_as_a_span(text: str, template: str, phrase: str) -> None:
    assert found(text, template) == [phrase]


def test_two_placeholders_give_both() -> None:
    template = "[IDENTITY_P] and [IDENTITY_P] met a [SLUR_S]."
    assert found("Gay people and trans people met an oaf.", template) == [
        "Gay people",
        "trans people",
        "oaf",
    ]


def test_placeholders_that_fit_in_two_ways_are_reported_and_not_guessed() -> None:
    assert "more than one way" in why("old and young and rich came", "[A] and [B] came")
    assert "more than one way" in why("black trans women came", "[A] [B] came")
    assert found("black women came", "[A] [B] came") == ["black", "women"]


@pytest.mark.parametrize(
    ("text", "template", "reason"),
    [
        ("Completely different.", "We met [IDENTITY_P].", "differ at the beginning"),
        ("We met women today.", "We met [IDENTITY_P] yesterday.", "differ at the end"),
        ("Women like men.", "[IDENTITY_P] and [IDENTITY_P] men.", "between two placeholders"),
        ("We met .", "We met [IDENTITY_P].", "nothing stands"),
        ("We met !!.", "We met [IDENTITY_P].", "nothing stands"),
        ("We met", "We met[IDENTITY_P] met", "nothing stands"),
        ("Met", "Met [IDENTITY_P]", "differ at the beginning"),
    ],
)
def test_a_placeholder_that_is_not_there_is_reported(text: str, template: str, reason: str) -> None:
    assert reason in why(text, template)


def test_a_placeholder_that_the_text_holds_itself_is_no_phrase() -> None:
    assert found("[USER] met women.", "[USER] met [IDENTITY_P].") == ["women"]
    assert template_phrases("[sic] as it is", "[sic] as it is") == ((), "")


def test_a_template_without_placeholders_has_nothing_to_miss() -> None:
    assert placeholders("We met women.") == ()
    assert template_phrases("Anything", "We met women [1].") == ((), "")
    assert placeholders("[A] of [IDENTITY_P_leet] {group}") == ("A", "IDENTITY_P_leet", "group")


WORDS = st.lists(
    st.sampled_from(["red", "a", "an", "café", "I's", "7", "女"]), min_size=1, max_size=4
)
FILLS = st.sampled_from(["women", "black people", "ÀÉÎ", "R&B fans", "g a y people", "Émigrés"])


@given(before=WORDS, after=WORDS, fill=FILLS, glue=st.booleans(), upper=st.booleans())
@settings(max_examples=200, deadline=None)
def test_one_placeholder_is_always_found(
    before: list[str], after: list[str], fill: str, glue: bool, upper: bool
) -> None:
    space = "" if glue else " "
    start, end = " ".join(before) + space, space + " ".join(after) + "."
    text = start + fill + end
    shown = text.upper() if upper and len(text.upper()) == len(text) else text
    phrases, reason = template_phrases(f" {shown}\n", f"{start}[IDENTITY_P]{end}")
    assert reason == ""
    (phrase,) = phrases
    assert (phrase.start, phrase.end) == (len(start) + 1, len(start) + 1 + len(fill))


@given(st.text("ab [X]\n{A}İ'’", max_size=25), st.text("ab [X]\n{A}İ'’", max_size=25))
@settings(max_examples=400, deadline=None)
def test_whatever_comes_the_answer_is_spans_in_order_or_a_reason(text: str, template: str) -> None:
    phrases, reason = template_phrases(text, template)
    at = 0
    for phrase in phrases:
        assert at <= phrase.start < phrase.end <= len(text)
        assert text[phrase.start : phrase.end] == phrase.text == phrase.text.strip()
        at = phrase.end
    assert not (phrases and reason)


def test_a_hostile_template_takes_no_time() -> None:
    assert "more than one way" in why("a" * 100_000, "[X]a[Y]a[Z]a[X]a[Y]")
    assert "differ" in why("a" * 100_000, "[X]a[Y]a[Z]a[X]a[Y]b")


def test_a_phrase_named_by_a_column() -> None:
    (phrase,), reason = named_phrase("Womenfolk and women.", "WOMEN")
    assert (phrase.start, phrase.text, reason) == (14, "women", ""), "whole words first"
    (phrase,), _ = named_phrase("Womenfolk came.", "women")
    assert phrase.text == "Women", "within a word where it stands nowhere else"
    assert named_phrase("They came.", "women") == (
        (),
        "the phrase 'women' does not stand in the text",
    )
    assert "names no word" in named_phrase("They came.", "!")[1]


# --- units ------------------------------------------------------------------------------


def case(text: str, template: str) -> Case:
    return Case("1", text, True, template=template, phrases=template_phrases(text, template)[0])


@pytest.mark.parametrize(
    ("text", "template", "unit", "glued"),
    [
        ("We met black people!", "We met [IDENTITY_P]!", "black people!", False),
        ("We met black peoplehere.", "We met [IDENTITY_P]here.", "black peoplehere.", True),
        ("Metblack people here.", "Met[IDENTITY_P] here.", "Metblack people", True),
        ("A trans person's coat.", "A [IDENTITY_S]'s coat.", "trans person's", False),
        ("Anti-black people rules", "Anti-[IDENTITY_P] rules", "Anti-black people", True),
    ],
)
def test_the_phrase_is_one_unit(text: str, template: str, unit: str, glued: bool) -> None:
    found = units(case(text, template))
    assert found.at is not None
    assert found.split.words[found.at].text == unit
    assert found.glued is glued
    assert found.split.text == text


def test_of_several_phrases_the_first_that_names_a_group_counts() -> None:
    made = case("Tuesday: gay people and trans people", "[DAY]: [IDENTITY_P] and [IDENTITY_P]")
    assert made.phrase == Phrase("gay people", 9, 19, "IDENTITY_P")
    found = units(made)
    assert [word.text for word in found.split.words] == [
        "Tuesday:",
        "gay people",
        "and",
        "trans people",
    ]
    assert found.at == 1
    assert case("Tuesday!", "[DAY]!").phrase == Phrase("Tuesday", 0, 7, "DAY")


def test_a_case_without_a_phrase_is_split_all_the_same() -> None:
    found = units(Case("1", "We met.", False))
    assert (found.phrases, found.at, len(found.split.words)) == ((), None, 2)


def test_a_phrase_that_no_splitting_joins_is_an_error() -> None:
    # The splitter joins the first "so so", of which the second takes a half.
    broken = case("So so so", "So [X]")
    with pytest.raises(DataError, match="one unit of its text, and 'so so' of case '1'"):
        units(broken)


@pytest.mark.parametrize("splitter", ["whitespace", "punctuation", "sentence"])
def test_the_unit_holds_the_phrase_under_every_splitter(splitter: str) -> None:
    made = case("Well, black people! Yes.", "Well, [IDENTITY_P]! Yes.")
    found = units(made, splitter)
    assert found.at is not None
    assert "black people" in found.split.words[found.at].text
