"""The figures of a quality report, on cases small enough to work out by hand."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsx_core.errors import DataError
from nsx_core.infilling import runs, splice
from nsx_core.infilling.wordlist import WordListInfiller
from nsx_core.quality import (
    Criterion,
    Infilled,
    aligned,
    bigrams,
    expected_distinct,
    holds_placeholder,
    infilled,
    infilled_text,
    infiller_quality,
    own_criteria,
    paired_criteria,
    word_tokens,
)
from nsx_core.quality.measuring import Models, fragments, infill_masks, positive_share
from nsx_core.records import DrawSide, GenerationSettings, InfillRequest, Mask
from nsx_core.words import split


def mask(bits: str) -> tuple[bool, ...]:
    return tuple(bit == "1" for bit in bits)


def made(original: str, bits: str, text: str, redraws: int = 0) -> Infilled:
    return infilled(original, mask(bits), text, redraws)


# --- alignment --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("original", "bits", "text", "answers", "exact"),
    [
        ("I hate women.", "010", "I really like women.", [("really", "like")], True),
        ("I hate women.", "101", "They hate it", [("They",), ("it",)], True),
        ("I hate women.", "011", "I", [()], True),
        ("I hate women.", "111", "", [()], True),
        ("I hate women.", "100", "hate women.", [()], True),
        # 'you' comes twice: the reading in which every run got an answer wins.
        ("So sick of you now", "11101", "you and you too", [("you", "and"), ("too",)], True),
        ("you are you", "010", "you you you", [("you",)], True),
        # Punctuation glued to a kept word belongs to the answer beside it.
        ("No one else", "011", "No!", [("!",)], False),
        ("All women are", "101", "Few, women, who", [("Few,",), (",", "who")], False),
        ("women are bad", "011", "women:$URL$ ok", [(":$URL$", "ok")], False),
    ],
)
def test_answers_are_found_between_the_kept_words(
    original: str, bits: str, text: str, answers: list[tuple[str, ...]], exact: bool
) -> None:
    found = aligned(original.split(), mask(bits), text)
    assert found is not None
    assert list(found.answers) == answers
    assert found.exact is exact


@pytest.mark.parametrize(
    ("original", "bits", "text"),
    [
        ("I hate women.", "010", "I like Women."),  # another letter
        ("I hate women.", "010", "We like women."),  # the first word is lost
        ("I hate women.", "010", "I like women. lots"),  # something follows a kept end
        ("I hate women.", "100", "We hate all women."),  # a kept run is torn apart
        ("one two three four", "0101", "three x one y"),  # order
        ("Women are a pest.", "0111", "WomenLove Boys"),  # glued letters
        ("Women are bad", "011", "(Women lie"),  # glued where nothing is replaced
    ],
)
def test_lost_kept_words_are_seen(original: str, bits: str, text: str) -> None:
    assert aligned(original.split(), mask(bits), text) is None


@given(
    st.lists(st.sampled_from(["a", "b", "c."]), min_size=1, max_size=6),
    st.data(),
)
def test_spliced_texts_always_align_and_give_the_answers_back(
    words: list[str], data: st.DataObject
) -> None:
    replaced = data.draw(st.lists(st.booleans(), min_size=len(words), max_size=len(words)))
    answer = st.lists(st.sampled_from(["a", "b", "x"]), max_size=3).map(" ".join)
    count = len(runs(replaced))
    answers = data.draw(st.lists(answer, min_size=count, max_size=count))
    text = "".join(p for p, _ in splice(split(" ".join(words)), replaced, answers))
    found = aligned(words, replaced, text)
    assert found is not None and found.exact
    assert sorted(found.pieces) == sorted(" ".join(answers).split())
    if all(answers):
        assert all(found.answers)


# --- counts -----------------------------------------------------------------------------

CASES = [
    made("I hate women.", "010", "I hate women.", redraws=5),  # unchanged to the end
    made("I hate women.", "010", "I like all women.", redraws=1),
    made("I hate women.", "010", "I like all women."),  # a duplicate
    made("I hate women.", "110", "women."),  # empty
    made("I hate women.", "001", "I hate [linebreak] Dogs, dogs!"),
    made("I hate women.", "001", "I hate, them"),  # aligned, not intact
    made("I hate women.", "001", "We love them"),  # not aligned
    made("a b c d", "0110", "a like all day d"),
]


def test_quality_of_a_few_texts() -> None:
    found = infiller_quality(CASES)
    assert (found.draws, found.groups) == (8, 4)
    assert found.duplicates == pytest.approx(1 / 8)
    assert found.repeat_duplicates == pytest.approx(1 / 4)
    assert found.unchanged == pytest.approx(1 / 8)
    assert found.unchanged_at_first == pytest.approx(2 / 8)
    assert found.aligned == pytest.approx(7 / 8)
    assert found.kept_intact == pytest.approx(6 / 8)
    assert found.empty == pytest.approx(1 / 7)
    # hate; like all; like all; -; linebreak dogs dogs; them; like all day
    assert found.infilled_words == 1 + 2 + 2 + 3 + 1 + 3
    assert found.distinct_words == len({"hate", "like", "all", "linebreak", "dogs", "them", "day"})
    assert found.word_type_ratio == pytest.approx(7 / 12)
    pairs = {("like", "all"), ("linebreak", "dogs"), ("dogs", "dogs"), ("all", "day")}
    assert found.distinct_bigrams == len(pairs)
    assert found.bigram_type_ratio == pytest.approx(4 / 6)
    words = [3, 4, 4, 1, 5, 3, 3]
    assert found.length_ratio == pytest.approx((sum(words) / 3 + 5 / 4) / 8)
    # Pieces: the glued comma counts as one, so 13 for 9 replaced words.
    assert found.answer_ratio == pytest.approx(13 / 9)
    assert found.placeholders == pytest.approx(1 / 13)
    assert found.placeholder_draws == pytest.approx(1 / 7)


def test_infilled_words_alone() -> None:
    assert [infilled_text(case) for case in CASES[3:7]] == [
        "",
        "[linebreak] Dogs, dogs!",
        ", them",
        "",
    ]
    assert word_tokens(CASES[4:6]) == ["linebreak", "dogs", "dogs", "them"]
    two = made("a b c", "101", "x y b z")
    assert bigrams([two]) == [("x", "y")], "never across two answers"


def test_nothing_repeated_leaves_no_share_of_repeats() -> None:
    assert infiller_quality(CASES[-1:]).repeat_duplicates is None


def test_an_empty_report_and_a_wrong_mask_are_refused() -> None:
    with pytest.raises(DataError, match="at least one counterfactual text"):
        infiller_quality([])
    with pytest.raises(DataError, match="one character a word"):
        made("I hate women.", "01", "I")


@pytest.mark.parametrize(
    "text",
    ["[USER]", "x [url]", "$MENTION$:", ".$URL$", "a[linebreak]b", "<|infill_word|>", "URL$"],
)
def test_placeholders_are_seen(text: str) -> None:
    assert holds_placeholder(text)


@pytest.mark.parametrize("text", ["", "a user", "[the]", "$100", "URL", "@home", "<3 |"])
def test_plain_words_are_no_placeholders(text: str) -> None:
    assert not holds_placeholder(text)


@pytest.mark.parametrize("size", range(6))
def test_expected_distinct_against_enumeration(size: int) -> None:
    tokens = ["a", "a", "b", "a", "c"]
    subsets = [len({tokens[i] for i in s}) for s in itertools.combinations(range(5), size)]
    assert expected_distinct(tokens, size) == pytest.approx(sum(subsets) / len(subsets))


def test_expected_distinct_of_more_than_all_is_refused() -> None:
    with pytest.raises(ValueError, match="0 <= size <= 1"):
        expected_distinct(["a"], 2)


# --- criteria ---------------------------------------------------------------------------


def test_a_limit_is_met_at_the_limit_and_never_without_a_value() -> None:
    assert Criterion("n", 0.05, 0.05).met
    assert not Criterion("n", 0.051, 0.05).met
    assert Criterion("n", 1.0, 1.0, at_most=False).met
    assert not Criterion("n", 0.99, 1.0, at_most=False).met
    assert not Criterion("n", None, 1.0).met
    assert not Criterion("n", math.nan, 1.0).met
    assert Criterion("n", None, 1.0).as_json() == {
        "name": "n",
        "met": False,
        "value": None,
        "rule": "at most",
        "limit": 1.0,
    }


def test_own_criteria_name_every_miss() -> None:
    found = own_criteria(infiller_quality(CASES), 0.3, 0.1, 0.2)
    met = {c.name: c.met for c in found}
    assert met == {
        "unchanged": False,
        "duplicates within a text and mask": True,
        "duplicates among draws with an earlier one of their text and mask": False,
        "empty": False,
        "kept words intact": False,
        "infilled words called positive, times neutral sentences": False,
        "infilled words called positive, times neutral fragments as long": True,
    }
    assert own_criteria(infiller_quality(CASES), 0.1, 0.0, 0.1)[-2].value is None
    assert own_criteria(infiller_quality(CASES), 0.0, 0.0, 0.1)[-2].value == 0.0


def test_paired_criteria_compare_in_the_right_direction() -> None:
    theirs = infiller_quality(CASES)
    ours = replace(
        theirs, unchanged=0.0, distinct_words=8, distinct_bigrams=3, length_ratio=1 / 1.2
    )
    theirs = replace(theirs, length_ratio=1.3)
    found = paired_criteria("t", ours, theirs, (-6.0, -6.3), (0.1, 0.05), ((7.5, 7.0), (3.0, 3.5)))
    values = [(c.met, c.value, c.limit) for c in found]
    assert values == [
        (True, pytest.approx(0.3), 0.2),
        (True, 0.0, 1 / 8),
        (True, 8, 7),
        (False, 3, 4),
        (True, 7.5, 7.0),
        (False, 3.0, 3.5),
        (True, pytest.approx(math.log(1.2)), pytest.approx(math.log(1.3))),
        (False, 0.1, 0.05),
    ]
    unknown = paired_criteria("t", ours, theirs, (None, -6.3), (0, 0), ((1, 1), (1, 1)))[0]
    assert unknown.value is None and not unknown.met


# --- making what is measured ------------------------------------------------------------


class Stubborn(WordListInfiller):
    """Writes the original words on the first ``times`` calls of each request's lot."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def infill(
        self, requests: list[InfillRequest], settings: GenerationSettings
    ) -> list[tuple[str, ...]]:
        written = super().infill(requests, settings)
        if self.calls > self.times:
            return written
        return [tuple(" ".join(r.words[a:b]) for a, b in runs(r.replaced)) for r in requests]


@pytest.mark.parametrize(
    ("times", "redraw", "unchanged", "at_first", "calls"),
    [(0, True, 0, 0, 1), (2, True, 0, 1, 3), (9, True, 1, 1, 6), (1, False, 1, 1, 1)],
)
def test_unchanged_draws_are_drawn_again_where_settings_say_so(
    times: int, redraw: bool, unchanged: float, at_first: float, calls: int
) -> None:
    infiller = Stubborn(times)
    text = split("I hate all women.")
    tasks = [(text, Mask(DrawSide.NECESSITY, n, mask("0110"))) for n in range(3)]
    items = infill_masks(infiller, tasks, GenerationSettings(redraw_unchanged=redraw), 0)
    found = infiller_quality(items)
    assert (found.unchanged, found.unchanged_at_first) == (unchanged, at_first)
    assert infiller.calls == calls


def test_equal_seeds_give_equal_draws_and_others_differ() -> None:
    text = split("I hate all women.")
    tasks = [(text, Mask(DrawSide.NECESSITY, n, mask("0110"))) for n in range(8)]
    first, again, other = (
        [i.text for i in infill_masks(WordListInfiller(), tasks, GenerationSettings(), seed)]
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    assert infill_masks(WordListInfiller(), tasks[4:], GenerationSettings(), 1)[0].text == first[4]


def test_fragments_have_the_lengths_asked_for() -> None:
    sentences = ["a b c", "d e f g h"]
    lengths = [1, 2, 3, 5, 11]
    found = fragments(sentences, lengths, 0)
    assert [len(f.split()) for f in found] == lengths
    assert found == fragments(sentences, lengths, 0)
    assert found != fragments(sentences, lengths, 1)
    assert all(f in "a b c" or f in "d e f g h" for f in found[:2]) or found[1] in "c d"


def test_blank_texts_are_not_judged() -> None:
    from nsx_core.classifying.fakes import KeywordClassifier

    judge = KeywordClassifier(["grim"])
    models = Models(WordListInfiller(), judge, "positive", None)  # type: ignore[arg-type]
    assert positive_share(models, ["grim tea", "tea", " ", "", "Grim!", "sun"]) == 0.5
    assert judge.judged == 4
    assert positive_share(models, [""]) == 0.0
