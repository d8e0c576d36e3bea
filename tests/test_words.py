"""Words are spans that give the text back, and limits say what to do."""

from __future__ import annotations

import sys
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nsx_core.errors import SettingsError, TextError, UnknownNameError
from nsx_core.records import SplitText
from nsx_core.settings import MAX_WORD_CHARACTERS, MAX_WORDS
from nsx_core.words import SPLITTERS, hidden_characters, split

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"  # one picture, ZWJ sequence
NODDING = "\U0001f642\u200d\u2194\ufe0f"
THUMB = "\U0001f44d\U0001f3fd"  # with a skin tone
ANYTHING = st.characters(exclude_categories=())  # lone surrogates included
TRICKY = st.sampled_from(
    [" ", "\n", "\t", "\u3000", "\u00a0", "\u2028", "\x1c", "\x85", "\x00", "\u200b", "\u200d"]
    + ["\ufe0f", "\u0301", "\u200f", "\u202e", "\ud83d", "\ude00", "。", "，", "！", "שלום", "نص"]
    + [FAMILY, NODDING, THUMB, "#", "@", "*", ".", ",", "'", "-", "a", "B", "7", "black people"]
    + ["https://t.co/x", "Mr.", "?!", '"', "…"]
)
TEXTS = st.one_of(st.text(ANYTHING), st.lists(TRICKY, max_size=25).map("".join))


def texts(split_text: SplitText) -> list[str]:
    return [word.text for word in split_text.words]


def rejoined(split_text: SplitText) -> str:
    """The text out of words and gaps, failing on overlaps and disorder."""
    parts, at = [], 0
    for word in split_text.words:
        assert at <= word.start < word.end
        parts += [split_text.text[at : word.start], word.text]
        at = word.end
    return "".join([*parts, split_text.text[at:]])


@pytest.mark.parametrize("splitter", sorted(SPLITTERS))
@given(text=TEXTS, phrases=st.lists(TEXTS.filter(lambda p: any(map(str.isalnum, p))), max_size=2))
@settings(max_examples=150, deadline=None)
def test_words_and_gaps_give_any_text_back(splitter: str, text: str, phrases: list[str]) -> None:
    try:
        words = split(text, splitter, phrases)
    except TextError:
        assert not any(map(str.isalnum, text))
        return
    assert rejoined(words) == text
    gaps = [text[a.end : b.start] for a, b in pairwise(words.words)]
    assert not any(map(str.isalnum, "".join(gaps)))


@given(text=TEXTS)
@settings(max_examples=150, deadline=None)
def test_the_default_is_the_papers_split_but_for_pieces_nobody_sees(text: str) -> None:
    pieces = text.split()
    try:
        words = texts(split(text))
    except TextError:
        words = []
    left = iter(pieces)
    assert all(word in left for word in words)  # in order, none invented
    assert set(pieces) - set(words) <= {p for p in pieces if not any(map(str.isalnum, p))}


def test_white_space_is_what_python_says_for_every_character() -> None:
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if character.isspace():
            assert texts(split(f"a{character}b")) == ["a", "b"], hex(code)
    for character in ("\x00", "\u200b", "\u200d", "\ufeff", "\u2060"):
        assert texts(split(f"a{character}b")) == [f"a{character}b"]


def test_punctuation_stays_attached_by_default() -> None:
    assert texts(split("I hate women. Don't, you?")) == ["I", "hate", "women.", "Don't,", "you?"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I hate (women).", ["I", "hate", "(", "women", ")."]),
        ("don't, well-known f**k", ["don't", ",", "well-known", "f**k"]),
        ("'so-called' *them*", ["'", "so-called", "'", "*", "them", "*"]),
        ('"@user #tag"', ['"', "@user", "#tag", '"']),
        ("1,000.5 no.Yes,ok", ["1,000.5", "no", ".", "Yes", ",", "ok"]),
        ("see https://t.co/a.b?c=1, or", ["see", "https://t.co/a.b?c=1", ",", "or"]),
        ("你好，世界。", ["你好", "，", "世界", "。"]),
        (f"people{FAMILY}{THUMB}!!", ["people", f"{FAMILY}{THUMB}", "!!"]),
        (f"so{NODDING}", ["so", NODDING]),
        ("cafe\u0301! #\ufe0f\u20e3", ["cafe\u0301", "!", "#\ufe0f\u20e3"]),
        ("\u200fשלום, נו.", ["\u200fשלום", ",", "נו", "."]),
        ("a\u200b.", ["a\u200b", "."]),
    ],
)  # fmt: skip
def test_punctuation_and_emoji_become_pieces_of_their_own(text: str, expected: list[str]) -> None:
    assert texts(split(text, "punctuation")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two!  Three?", ["One.", "Two!", "Three?"]),
        ("Mr. J. Smith left. E.g. By train", ["Mr. J. Smith left.", "E.g. By train"]),
        ("He said… then 3.5 left", ["He said… then 3.5 left"]),
        ('"Go." "No!" he said', ['"Go."', '"No!"', "he said"]),
        ("line one\nline two", ["line one", "line two"]),
        ("你好。「走！」世界", ["你好。", "「走！」", "世界"]),
        ("End.\u200b Next", ["End.\u200b", "Next"]),
    ],
)
def test_sentences_are_units(text: str, expected: list[str]) -> None:
    assert texts(split(text, "sentence")) == expected


@pytest.mark.parametrize(
    ("text", "splitter", "expected"),
    [
        ("I hate Black\n People.", "whitespace", ["I", "hate", "Black\n People."]),
        ("I hate (black people).", "whitespace", ["I", "hate", "(black people)."]),
        ("I hate (black people).", "punctuation", ["I", "hate", "(", "black people", ")."]),
        ("black people's homes", "whitespace", ["black people's", "homes"]),
        ("black peoples", "whitespace", ["black", "peoples"]),
        ("black people\u0301", "whitespace", ["black", "people\u0301"]),
        ("ablack people", "whitespace", ["ablack", "people"]),
        ("black people of colour", "whitespace", ["black people of colour"]),
        ("It is I. Black people, no. Yes.", "sentence", ["It is I.", "Black people, no.", "Yes."]),
    ],
)
def test_a_named_phrase_is_one_word(text: str, splitter: str, expected: list[str]) -> None:
    named = ("black  people", "people of colour")
    assert texts(split(text, splitter, named)) == expected


def test_a_phrase_joins_sentences_it_runs_over() -> None:
    assert texts(split("Say a. B now. C", "sentence", ["a. B"])) == ["Say a. B now.", "C"]


@pytest.mark.parametrize(
    "text", [" \n\t\u3000", "\u200b \u200d\ufeff", "\x00\ufe0f", "\u3164\u2800"]
)
def test_nothing_to_see_is_refused(text: str) -> None:
    with pytest.raises(TextError, match=r"at least one visible.* has \d, all .*Write at least one"):
        split(text)


def test_an_empty_text_is_refused() -> None:
    with pytest.raises(TextError, match=r"at least one visible character, and this one is empty"):
        split("")


def test_an_invisible_piece_stays_in_the_gap() -> None:
    words = split("a \u200b b")
    assert texts(words) == ["a", "b"]
    assert rejoined(words) == "a \u200b b"


def test_the_word_limit_says_how_many_came_and_what_to_do() -> None:
    assert len(split("word " * MAX_WORDS).words) == MAX_WORDS
    with pytest.raises(
        TextError, match=r"at most 2,000 words, and 2,001 came\. .*--splitter sentence"
    ):
        split("word " * (MAX_WORDS + 1))
    with pytest.raises(TextError, match=r"at most 2,000 sentence units, and 2,001 came\. Shorten"):
        split("Word. " * (MAX_WORDS + 1), "sentence")
    assert len(split("word " * 2_001 + ". End", "sentence").words) == 2


def test_a_hostile_length_is_refused() -> None:
    with pytest.raises(TextError, match="500,000 came"):
        split("a'b, " * 500_000, "punctuation")


@pytest.mark.parametrize("splitter", sorted(SPLITTERS))
def test_a_long_word_works_up_to_its_limit(splitter: str) -> None:
    assert texts(split("x" * 10_000, splitter)) == ["x" * 10_000]
    with pytest.raises(TextError, match=r"at most 20,000 characters, and .* 1 has 20,001\. Short"):
        split("x" * (MAX_WORD_CHARACTERS + 1), splitter)


@pytest.mark.parametrize("text", [None, b"text", 3, ["text"]])
def test_what_is_no_text_is_refused(text: object) -> None:
    with pytest.raises(TextError, match=f"is a string, and {type(text).__name__} came"):
        split(text)  # type: ignore[arg-type]


def test_an_unknown_splitter_is_refused_with_a_hint() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'whitespace'"):
        split("a text", "white-space")


@pytest.mark.parametrize("phrases", ["black people", [""], [" \u200b"], [3]])
def test_unusable_phrases_are_refused(phrases: object) -> None:
    with pytest.raises(SettingsError, match=r"[Pp]hrase.* came"):
        split("a text", phrases=phrases)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("plain words\n\twith gaps", 0),
        ("ha\u200dte wo\u200bmen", 2),
        ("\ufeffmark at the start", 1),
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f", 0),
        ("a\x00b \u202eturned", 2),
    ],
)
def test_hidden_characters_are_counted(text: str, hidden: int) -> None:
    assert hidden_characters(text) == hidden


def test_spaces_tell_which_words_have_a_gap_before_them() -> None:
    assert split("(you) and", "punctuation").spaces == (False, False, False, True)
    assert split(" you").spaces == (True,)
