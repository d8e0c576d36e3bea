"""Log-probabilities of texts against transformers' own logits, on tiny random models."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tiny_models import TEXTS, tiny_llama
from transformers import AutoModelForCausalLM, AutoTokenizer

from nsx_core.adapters.fluency import BaseModelFluency
from nsx_core.adapters.int8_forward import Int8Forward
from nsx_core.adapters.llama_forward import LlamaForward
from nsx_core.adapters.transformers_forward import TransformersForward

HOSTILE = ["", "é", "😀👍🏽", "a\x00b", "\ud800 lone", "<|endoftext|>", "tea " * 60]


@pytest.fixture(scope="module", params=[True, False], ids=["tied", "untied"])
def base(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_llama(tmp_path_factory.mktemp("base"), tied=request.param)


@cache
def reference(base: Path) -> Any:
    return AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32).eval()


def expected(base: Path, sequence: list[int]) -> np.ndarray:
    """float64[n_tokens - 1]: log-probabilities by transformers, one sequence at a time."""
    ids = torch.tensor([sequence])
    with torch.inference_mode():
        chances = reference(base)(input_ids=ids).logits[0].double().log_softmax(-1)
    return chances[:-1].gather(1, ids[0, 1:, None])[:, 0].numpy()


def test_token_log_probabilities_are_those_of_transformers(base: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(base)
    sequences = [[0, *tokenizer.encode(text, add_special_tokens=False)] for text in TEXTS]
    sequences += [[0], [0, 7], sequences[0] * 9]
    found = LlamaForward(base, None, torch.float32).token_log_probabilities(sequences)
    assert [len(f) for f in found] == [len(s) - 1 for s in sequences]
    for values, sequence in zip(found, sequences, strict=True):
        assert values.dtype == np.float64
        np.testing.assert_allclose(values, expected(base, sequence), atol=1e-4)


def test_prefill_is_as_it_was(base: Path) -> None:
    contexts = [[0, 5, 9, 11], [0, 7], [0, 3, 4, 5, 6, 7, 8]]
    logits, cache = LlamaForward(base, None, torch.float32).prefill(contexts)
    assert cache.length.tolist() == [4, 2, 7]
    for row, context in zip(logits, contexts, strict=True):
        with torch.inference_mode():
            wanted = reference(base)(input_ids=torch.tensor([context])).logits[0, -1]
        torch.testing.assert_close(row, wanted, atol=1e-4, rtol=1e-4)


def test_all_tokens_compete_whatever_may_be_written(base: Path) -> None:
    some = LlamaForward(base, None, torch.float32, torch.tensor([1, 2, 3]))
    every = LlamaForward(base, None, torch.float32)
    read = [[0, 1, 9, 30], [0, 5]]
    for a, b in zip(*(f.token_log_probabilities(read) for f in (some, every)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_whole_numbers_and_transformers_find_a_text_about_as_likely(base: Path) -> None:
    exact = LlamaForward(base, None, torch.float32)
    read = [[0, 1, 9, 30, 77], [0, 5], [0, 200, 3]]
    reach = exact.activation_reach([[0, 5, 9, 11, 40, 8, 77], [0, 7, 200, 3]])
    quick = Int8Forward(base, None, reach, torch.tensor([1, 2, 3]))
    wanted = exact.token_log_probabilities(read)
    general = TransformersForward(reference(base)).token_log_probabilities(read)
    for row, whole, other in zip(wanted, quick.token_log_probabilities(read), general, strict=True):
        assert whole.shape == other.shape == row.shape
        np.testing.assert_allclose(other, row, atol=1e-4)
        np.testing.assert_allclose(whole, row, atol=0.1)
    alone = quick.token_log_probabilities(read[1:2])[0]
    np.testing.assert_allclose(alone, quick.token_log_probabilities(read)[1], atol=1e-6)


def test_means_of_texts_whatever_their_company(base: Path) -> None:
    scorer = BaseModelFluency(base)
    texts = [*TEXTS, *HOSTILE]
    means = scorer.mean_log_probabilities(texts)
    assert means.shape == (len(texts),)
    assert np.isnan(means[texts.index("")])
    known = [i for i, text in enumerate(texts) if text]
    assert (means[known] < 0).all()
    alone = np.array([scorer.mean_log_probabilities([texts[i]])[0] for i in known])
    np.testing.assert_allclose(means[known], alone, atol=1e-5)
    tokenizer = AutoTokenizer.from_pretrained(base)
    for text, mean in zip(TEXTS[:3], means, strict=False):
        ids = [tokenizer.bos_token_id, *tokenizer.encode(text, add_special_tokens=False)]
        assert mean == pytest.approx(expected(base, ids).mean(), abs=1e-4)


def test_no_texts_have_no_means(base: Path) -> None:
    assert BaseModelFluency(base).mean_log_probabilities([]).shape == (0,)
