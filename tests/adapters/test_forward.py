"""The forward passes compute what transformers does, and a row's numbers are its own."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import torch
from peft import PeftModel
from tiny_models import contexts, tiny_adapter, tiny_gpt2, tiny_llama, whole_logits
from transformers import AutoModelForCausalLM, LlamaForCausalLM

from nsx_core.adapters.llama_forward import LlamaForward
from nsx_core.adapters.transformers_forward import TransformersForward

# peft asks transformers a question that transformers is about to rename.
pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing.:FutureWarning"),
]

LENGTHS = (1, 5, 15, 16, 17, 40)


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_llama(tmp_path_factory.mktemp("llama"), positions=2048)


@pytest.fixture(scope="module")
def adapter(llama: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_adapter(llama, tmp_path_factory.mktemp("adapter"))


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_gpt2(tmp_path_factory.mktemp("gpt2"))


def agrees(forward: object, model: torch.nn.Module, lengths: tuple[int, ...] = LENGTHS) -> None:
    """Prefill, a reordered cache and several steps against the whole sequence read anew."""
    read = contexts(*lengths)
    logits, cache = forward.prefill(read)  # type: ignore[attr-defined]
    for row, ids in zip(logits, read, strict=True):
        torch.testing.assert_close(row, whole_logits(model, ids), atol=1e-4, rtol=0)
    order = [*range(len(read))][::-1] + [0, 0]
    read, cache = [read[i] for i in order], cache.take(torch.tensor(order))
    for step in range(5):
        tokens = torch.tensor([(7 * step + 5 * row) % 300 for row in range(len(read))])
        logits = forward.step(tokens, cache)  # type: ignore[attr-defined]
        read = [[*ids, int(token)] for ids, token in zip(read, tokens, strict=True)]
        for row, ids in zip(logits, read, strict=True):
            torch.testing.assert_close(row, whole_logits(model, ids), atol=1e-4, rtol=0)


@pytest.mark.parametrize("tied", [True, False])
def test_llama_forward_computes_what_transformers_does(tmp_path: Path, tied: bool) -> None:
    folder = tiny_llama(tmp_path, seed=1, tied=tied)
    model = LlamaForCausalLM.from_pretrained(folder).eval()
    agrees(LlamaForward(folder, None, torch.float32), model)


def test_contexts_longer_than_a_span_compute_what_transformers_does(llama: Path) -> None:
    model = LlamaForCausalLM.from_pretrained(llama).eval()
    agrees(LlamaForward(llama, None, torch.float32), model, (254, 3, 600))


def test_a_merged_adapter_computes_what_peft_does(llama: Path, adapter: Path) -> None:
    model = PeftModel.from_pretrained(LlamaForCausalLM.from_pretrained(llama), adapter).eval()
    agrees(LlamaForward(llama, adapter, torch.float32), model)


def test_transformers_forward_computes_what_its_model_does(llama: Path, gpt2: Path) -> None:
    for folder in (llama, gpt2):
        model = AutoModelForCausalLM.from_pretrained(folder).eval()
        agrees(TransformersForward(model), model)


def test_only_the_asked_columns_are_computed(llama: Path) -> None:
    columns = torch.tensor([3, 77, 200])
    whole, _ = LlamaForward(llama, None, torch.float32).prefill(contexts(5, 9))
    model = LlamaForCausalLM.from_pretrained(llama)
    for forward in (
        LlamaForward(llama, None, torch.float32, columns),
        TransformersForward(model, columns),
    ):
        found, cache = forward.prefill(contexts(5, 9))
        torch.testing.assert_close(found, whole[:, columns], atol=1e-4, rtol=0)
        assert forward.step(torch.tensor([1, 2]), cache).shape == (2, 3)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_rows_numbers_do_not_depend_on_its_neighbours(llama: Path, dtype: torch.dtype) -> None:
    forward = LlamaForward(llama, None, dtype)
    read = contexts(1, 3, 16, 17, 33, 100, 200, 254, 500, 1000, seed=2)
    rows = torch.arange(40) % len(read)
    logits, cache = forward.prefill(read)
    together = cache.take(rows)
    tokens = [torch.tensor(contexts(40, seed=step)[0]) for step in range(10)]
    stepped = [forward.step(token, together) for token in tokens]
    for alone in ([0], [2], [5], [7], [8], [9], [1, 6], [3, 4, 9]):
        found, cache = forward.prefill([read[i] for i in alone])
        assert torch.equal(found, logits[alone])
        for times in (1, 9):
            picked = alone * times
            few = cache.take(torch.arange(len(picked)) % len(alone))
            for token, expected in zip(tokens, stepped, strict=True):
                assert torch.equal(forward.step(token[picked], few), expected[picked])


def test_threads_share_a_forward_pass(llama: Path) -> None:
    read = contexts(3, 130, 400, 900, 70, 1500)
    expected = [LlamaForward(llama, None, torch.float32).prefill([ids])[0] for ids in read]
    shared, wrong = LlamaForward(llama, None, torch.float32), []

    def work(at: int) -> None:
        torch.set_num_threads(1)
        if not torch.equal(shared.prefill([read[at]])[0], expected[at]):
            wrong.append(at)

    threads = [threading.Thread(target=work, args=(at,)) for at in range(len(read))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
