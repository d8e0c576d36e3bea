"""Training masks follow the stated draws, and examples give their texts back."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare
from tiny_models import TEXTS, encoder_of, save_tokenizer
from tokenizers import Tokenizer

from nsx_core.infilling.ilm_format import (
    SMOLLM2_SPECIAL_TOKENS,
    Encode,
    SpecialTokens,
    answer_ids,
    context_ids,
    runs,
)
from nsx_core.settings import ANSWER_WORDS_MAX
from nsx_core.training.ilm import (
    WHOLE_TEXT_SHARE,
    batches_of_pass,
    draw_training_mask,
    example,
    examples_of_pass,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("tokenizer")
    save_tokenizer(made, sorted(set(SMOLLM2_SPECIAL_TOKENS.values())))
    return made


@pytest.fixture(scope="module")
def coding(folder: Path) -> tuple[Encode, SpecialTokens, Tokenizer]:
    return *encoder_of(folder), Tokenizer.from_file(str(folder / "tokenizer.json"))


# --- masks ------------------------------------------------------------------------------


def expected_sizes(n: int) -> np.ndarray:
    """P(number of replaced words = 0..n) as the module states it, without long runs."""
    weights = 1 / np.arange(1, n)
    weights /= weights.sum()
    shares = np.zeros(n + 1)
    for size, share in enumerate(weights, start=1):
        shares[size] += share / 2 * (1 - WHOLE_TEXT_SHARE)
        shares[n - size] += share / 2 * (1 - WHOLE_TEXT_SHARE)
    shares[n] += WHOLE_TEXT_SHARE
    return shares


@pytest.mark.parametrize("n", [2, 3, 5, 7, 8])
def test_sizes_are_drawn_as_stated_on_both_sides(n: int) -> None:
    rng, draws = np.random.default_rng(n), 4_000
    masks = [draw_training_mask(n, rng) for _ in range(draws)]
    counts = np.bincount([sum(mask) for mask in masks], minlength=n + 1)
    shares = expected_sizes(n)
    if n > ANSWER_WORDS_MAX:  # the whole text is too long a run: one word is kept
        shares[n - 1] += shares[n]
        shares[n] = 0
    assert counts[0] == 0
    used = shares > 0
    assert counts[~used].sum() == 0
    assert chisquare(counts[used], shares[used] * draws).pvalue > 0.001


def test_every_word_is_as_likely_to_be_replaced() -> None:
    rng = np.random.default_rng(3)
    masks = np.array([draw_training_mask(6, rng) for _ in range(4_000)])
    pairs = Counter(tuple(np.flatnonzero(mask)) for mask in masks if mask.sum() == 2)
    assert len(pairs) == 15
    assert chisquare(list(pairs.values())).pvalue > 0.001
    assert chisquare(masks.sum(axis=0)).pvalue > 0.001


def test_no_run_is_longer_than_an_answer() -> None:
    rng = np.random.default_rng(0)
    longest = 0
    for n in (1, 2, 7, 8, 9, 24, 60):
        for _ in range(150):
            mask = draw_training_mask(n, rng)
            assert len(mask) == n
            assert all(type(replaced) is bool for replaced in mask)
            assert any(mask)
            longest = max(longest, *(last - first for first, last in runs(mask)))
    assert longest == ANSWER_WORDS_MAX
    assert draw_training_mask(1, rng) == [True]


# --- examples ---------------------------------------------------------------------------


def text_of(ids: list[int], special: SpecialTokens, tokenizer: Tokenizer) -> tuple[str, int]:
    """(the text that context and answers spell, the number of blanks)."""
    start = ids.index(special.start)
    context, answers = ids[1:start], ids[start + 1 :]
    assert ids[0] == special.bos
    assert answers[-1] == special.end
    spelt: list[list[int]] = [[]]
    for token in answers[:-1]:
        spelt.append([]) if token == special.end else spelt[-1].append(token)
    filled: list[int] = []
    blanks = 0
    for token in context:
        filled += spelt[blanks] if token == special.blank else [token]
        blanks += token == special.blank
    assert blanks == len(spelt)
    return tokenizer.decode(filled), blanks


def test_context_and_answers_spell_the_text(
    coding: tuple[Encode, SpecialTokens, Tokenizer],
) -> None:
    encode, special, tokenizer = coding
    rng = np.random.default_rng(1)
    for text in (*TEXTS, "caf\u00e9 na\u00efve \u65e5\u672c \U0001f600 ok", "word"):
        for _ in range(12):
            words = text.split()
            mask = draw_training_mask(len(words), rng)
            context = context_ids(words, mask, encode, special)
            ids = context + answer_ids(words, mask, encode, special)
            spelt, blanks = text_of(ids, special, tokenizer)
            assert spelt.removeprefix(" ") == text
            assert blanks == len(runs(mask))
            assert context[-1] == special.start
            made = example(text, np.random.default_rng(blanks), encode, special)
            assert made.ids[made.answer_start - 1] == special.start


def test_spaces_are_written_as_the_text_has_them(
    coding: tuple[Encode, SpecialTokens, Tokenizer],
) -> None:
    encode, special, tokenizer = coding
    words, mask = ["(", "a", ")", "b"], [False, True, False, False]
    context = context_ids(words, mask, encode, special, (True, False, False, True))
    assert context[0] == special.bos
    assert tokenizer.decode(context[1:]) == " () b"
    assert context.count(special.blank) == 1


# --- batches ----------------------------------------------------------------------------


def words_of(batch: object, tokenizer: Tokenizer, special: SpecialTokens) -> list[str]:
    return [text_of(made.ids, special, tokenizer)[0].strip() for made in batch]  # type: ignore[attr-defined]


def test_every_text_comes_once_a_pass(coding: tuple[Encode, SpecialTokens, Tokenizer]) -> None:
    encode, special, tokenizer = coding
    texts = [f"{text} {number}" for number in range(9) for text in TEXTS]
    batches = list(batches_of_pass(texts, 0, 0, 8, encode, special))
    assert sorted(map(len, batches)) == [4, *[8] * 13]
    spelt = [text for batch in batches for text in words_of(batch, tokenizer, special)]
    assert sorted(spelt) == sorted(texts)
    lengths = [len(made.ids) for batch in batches for made in batch]
    widths = [max(len(m.ids) for m in b) - min(len(m.ids) for m in b) for b in batches]
    assert np.mean(widths) < (max(lengths) - min(lengths)) / 4


def test_batches_follow_from_seed_and_pass(
    coding: tuple[Encode, SpecialTokens, Tokenizer],
) -> None:
    encode, special, _ = coding
    drawn = {
        (seed, number): list(batches_of_pass(TEXTS, seed, number, 4, encode, special))
        for seed in (0, 1)
        for number in (0, 1)
    }
    for (seed, number), batches in drawn.items():
        assert list(batches_of_pass(TEXTS, seed, number, 4, encode, special)) == batches
    assert len({str(batches) for batches in drawn.values()}) == 4


def test_a_texts_mask_does_not_depend_on_the_order(
    coding: tuple[Encode, SpecialTokens, Tokenizer],
) -> None:
    encode, special, _ = coding
    few = {tuple(made.ids) for made in examples_of_pass(TEXTS[:5], 0, 0, encode, special)}
    more = {tuple(made.ids) for made in examples_of_pass(TEXTS, 0, 0, encode, special)}
    assert few <= more
