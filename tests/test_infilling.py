"""Answers are checked, kept words stay as they were, and the fakes do as they say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nsx_core.errors import ModelError, SettingsError
from nsx_core.infilling import Infiller, checked_answers, is_unchanged, runs, splice
from nsx_core.infilling.deletion import DeletionInfiller
from nsx_core.infilling.mask_token import MaskTokenInfiller
from nsx_core.infilling.wordlist import NEUTRAL_WORDS, WordListInfiller
from nsx_core.records import GenerationSettings, InfillRequest
from nsx_core.words import split

SETTINGS = GenerationSettings()
INFILLERS = [WordListInfiller(), DeletionInfiller(), MaskTokenInfiller()]
TEXTS = st.lists(
    st.sampled_from(["a", "b.", "(c", "d", ",", " ", "\n ", "é", "\u200b", "e\u0301", "\ud800"]),
    min_size=1, max_size=16,
).map("".join).filter(lambda text: any(map(str.isalnum, text)))  # fmt: skip


def request(bits: str, seed: int = 0) -> InfillRequest:
    words = tuple(f"w{at}" for at in range(len(bits)))
    return InfillRequest(words, (False, *[True] * (len(bits) - 1)), _mask(bits), seed)


def _mask(bits: str) -> tuple[bool, ...]:
    return tuple(bit == "1" for bit in bits)


def spliced(text: str, bits: str, *answers: str, splitter: str = "whitespace") -> str:
    return "".join(piece for piece, _ in splice(split(text, splitter), _mask(bits), answers))


class Answering:
    """An infiller that answers whatever it was told to."""

    name, fingerprint = "told", "told-1"

    def __init__(self, answers: object) -> None:
        self.answers = answers

    def infill(self, requests: list[InfillRequest], settings: GenerationSettings) -> object:
        return self.answers


# --- splice -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bits", "answers", "expected"),
    [
        ("0000", (), " I hate\tblack people. "),
        ("0110", ("like all",), " I like all people. "),
        ("1001", ("We", "folk!"), " We hate\tblack folk! "),
        ("1111", ("Hello there",), " Hello there "),
        ("0100", ("",), " I\tblack people. "),
        ("1000", ("",), " hate\tblack people. "),
        ("0001", ("",), " I hate\tblack "),
        ("1010", ("", "big"), " hate\tbig people. "),
        ("1111", ("",), "  "),
    ],
)
def test_answers_go_where_the_replaced_words_were(
    bits: str, answers: tuple[str, ...], expected: str
) -> None:
    assert spliced(" I hate\tblack people. ", bits, *answers) == expected


@pytest.mark.parametrize(
    ("text", "bits", "answers", "expected"),
    [
        ("see dogs.", "010", ("cats",), "see cats."),
        ("see dogs.", "001", ("again now",), "see dogs again now"),
        ("see dogs.", "001", ("!",), "see dogs!"),
        ("see (dogs)", "0100", ("many",), "see many dogs)"),
        ("see\n(dogs)", "0100", ("",), "see\ndogs)"),
        ("see dogs", "10", ("",), "dogs"),
        ("see  dogs\tnow", "010", ("",), "see\tnow"),
        ("yes,no", "010", ("",), "yes no"),
        ("yes,no", "010", ("or",), "yes or no"),
        ("(yes)", "010", ("",), "()"),
        ("cafe\u0301.", "01", ("now",), "cafe\u0301 now"),
    ],
)
def test_words_without_a_gap_do_not_grow_together(
    text: str, bits: str, answers: tuple[str, ...], expected: str
) -> None:
    assert spliced(text, bits, *answers, splitter="punctuation") == expected


@given(text=TEXTS, splitter=st.sampled_from(["whitespace", "punctuation"]), data=st.data())
@settings(deadline=None)
def test_kept_words_stay_letter_for_letter_and_in_order(
    text: str, splitter: str, data: st.DataObject
) -> None:
    words = split(text, splitter)
    count = len(words.words)
    replaced = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
    answer = st.sampled_from(["", "x", "x y", ".", "x,"])
    answers = [data.draw(answer) for _ in runs(replaced)]
    pieces = splice(words, replaced, answers)
    assert [piece for piece, written in pieces if written] == [a for a in answers if a]
    kept = [w.text for w, gone in zip(words.words, replaced, strict=True) if not gone]
    left = iter(piece for piece, written in pieces if not written)
    assert all(word in left for word in kept)
    result = "".join(piece for piece, _ in pieces)
    if not any(replaced):
        assert result == text
    if splitter == "whitespace" and not any(answers):
        assert [w for w in result.split() if any(map(str.isalnum, w))] == [
            w for w in kept if any(map(str.isalnum, w))
        ]


def test_one_answer_a_run_is_needed() -> None:
    with pytest.raises(ValueError, match="zip"):
        spliced("a b c", "101", "only one")


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [("I hate", " i\nHATE ", True), ("Straße", "STRASSE", True), ("a b", "a c", False)],
)
def test_unchanged_ignores_case_and_space(first: str, second: str, same: bool) -> None:
    assert is_unchanged(first, second) is same


# --- answers at the door ----------------------------------------------------------------


def test_answers_are_single_spaced_and_cut_at_seven_words() -> None:
    told = Answering([("  a\n b ", " ".join("123456789"))])
    assert checked_answers(told, [request("101")], SETTINGS) == [("a b", "1 2 3 4 5 6 7")]


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([], "'told' must answer each of 1 requests, and gave 0 answers"),
        ([("a",)], "one answer a run of replaced words: 2 wanted, 1 came"),
        ([("a", None)], "must answer with a tuple of strings, and .*None"),
        (["ab"], "must answer with a tuple of strings, and 'ab' came"),
    ],
)
def test_answers_that_break_the_contract_are_refused(answers: object, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        checked_answers(Answering(answers), [request("101")], SETTINGS)


# --- the shipped infillers --------------------------------------------------------------


@pytest.mark.parametrize("infiller", INFILLERS, ids=lambda infiller: infiller.name)
def test_each_keeps_the_protocol(infiller: Infiller) -> None:
    assert isinstance(infiller, Infiller)
    asked = [request(bits, seed) for seed, bits in enumerate(["101", "000", "111", "0110"])]
    together = checked_answers(infiller, asked, SETTINGS)
    assert [len(answers) for answers in together] == [2, 0, 1, 1]
    assert together[::-1] == [checked_answers(infiller, [r], SETTINGS)[0] for r in asked[::-1]]
    assert infiller.infill([], SETTINGS) == []


def test_fingerprints_differ_where_answers_may() -> None:
    others = [WordListInfiller(["a"]), WordListInfiller(most=2), MaskTokenInfiller("<mask>")]
    assert len({infiller.fingerprint for infiller in [*INFILLERS, *others]}) == 6
    assert WordListInfiller().fingerprint == WordListInfiller().fingerprint


def test_the_word_list_writes_one_to_three_of_its_words_by_seed_alone() -> None:
    infiller = WordListInfiller()
    asked = [request("101", seed) for seed in range(300)]
    answers = infiller.infill(asked, SETTINGS)
    words = [answer.split() for pair in answers for answer in pair]
    assert {len(answer) for answer in words} == {1, 2, 3}
    assert {word for answer in words for word in answer} == set(NEUTRAL_WORDS)
    assert len(set(answers)) > 250
    warm = replace(SETTINGS, temperature=2.0)
    elsewhere = replace(asked[0], words=("x", "y", "z"))
    assert WordListInfiller().infill([elsewhere], warm) == answers[:1]


def test_the_word_list_counts_what_it_is_asked() -> None:
    infiller = WordListInfiller()
    infiller.infill([request("1"), request("01")], SETTINGS)
    infiller.infill([], SETTINGS)
    assert (infiller.calls, infiller.requested) == (2, 2)


def test_deletion_and_mask_token_make_the_texts_they_promise() -> None:
    for infiller, expected in (
        (DeletionInfiller(), "I people."),
        (MaskTokenInfiller(), "I [MASK] people."),
    ):
        [answers] = infiller.infill([request("0110")], SETTINGS)
        assert spliced("I hate black people.", "0110", *answers) == expected


@pytest.mark.parametrize("words", [[], ["two words"], [""], "word"])
def test_a_word_list_without_plain_words_is_refused(words: list[str]) -> None:
    with pytest.raises(SettingsError, match="one or more words without white space"):
        WordListInfiller(words)


@pytest.mark.parametrize(("fewest", "most"), [(0, 3), (3, 2), (1, 8)])
def test_a_word_list_keeps_to_the_length_of_answers(fewest: int, most: int) -> None:
    with pytest.raises(SettingsError, match=f"1 to 7 words, and {fewest} to {most} came"):
        WordListInfiller(fewest=fewest, most=most)


@pytest.mark.parametrize("token", ["", "[A B]", " "])
def test_a_mask_token_is_one_word(token: str) -> None:
    with pytest.raises(SettingsError, match="one word without white space"):
        MaskTokenInfiller(token)
