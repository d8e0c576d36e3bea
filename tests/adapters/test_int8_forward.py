"""The pass in whole numbers is near the exact one, and a row's numbers are its own to the bit."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import torch
from tiny_models import contexts, tiny_llama

from nsx_core.adapters import int8_forward
from nsx_core.adapters.int8_forward import Int8Forward
from nsx_core.adapters.llama_forward import LlamaForward
from nsx_core.errors import ModelError

pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.skipif(not hasattr(torch, "_int_mm"), reason="this torch has no int8 product"),
]


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> LlamaForward:
    return LlamaForward(
        tiny_llama(tmp_path_factory.mktemp("llama"), positions=2048), None, torch.float32
    )


@pytest.fixture(scope="module")
def quick(exact: LlamaForward, tmp_path_factory: pytest.TempPathFactory) -> Int8Forward:
    folder = tiny_llama(tmp_path_factory.mktemp("same"), positions=2048)
    return Int8Forward(folder, None, exact.activation_reach(contexts(50, 200, 700, seed=9)))


def beginning_alike(seed: int = 2) -> list[list[int]]:
    """Contexts of which some begin like the one before, one of them in all but its last token."""
    long, short, other = contexts(200, 30, 33, seed=seed)
    return [long[:60] + short, long[:60] + other, long[:90], long, [*long[:-1], 4], short, [7]]


def test_it_is_near_the_exact_pass(exact: LlamaForward, quick: Int8Forward) -> None:
    read = [*beginning_alike(), *contexts(700, 16, 17)]
    for forward in (exact, quick):
        assert forward.positions_max == 2048
    (far, far_cache), (near, near_cache) = (f.prefill(read) for f in (exact, quick))
    rows = torch.tensor([0, 3, 3, 4, 7, 1, 9])
    far_cache, near_cache = far_cache.take(rows), near_cache.take(rows)
    for at in range(6):
        assert (near - far).abs().mean() < 0.07 * far.abs().mean()
        tokens = torch.arange(len(rows)) * 31 % 300 + at
        far, near = exact.step(tokens, far_cache), quick.step(tokens, near_cache)


def test_a_rows_numbers_do_not_depend_on_its_neighbours(
    quick: Int8Forward, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = [*beginning_alike(), *contexts(1, 3, 16, 100, 500, 1000, seed=2)]
    rows = torch.arange(40) % len(read)
    logits, cache = quick.prefill(read)
    together = cache.take(rows)
    tokens = [torch.tensor(contexts(40, seed=step)[0]) for step in range(10)]
    stepped = [quick.step(token, together).clone() for token in tokens]
    for pieces in (512, 7):
        monkeypatch.setattr(int8_forward, "ROWS_TOGETHER", pieces)
        for alone in ([0], [3], [5], [11], [1, 6], [4, 3], [12, 9, 0]):
            found, cache = quick.prefill([read[i] for i in alone])
            assert torch.equal(found, logits[alone])
            for times in (1, 9):
                picked = alone * times
                few = cache.take(torch.arange(len(picked)) % len(alone))
                for token, expected in zip(tokens, stepped, strict=True):
                    assert torch.equal(quick.step(token[picked], few), expected[picked])


def test_what_contexts_have_in_common_is_read_once(
    quick: Int8Forward, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    product = torch._int_mm

    def watched(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        seen.append(len(a))
        return product(a, b, out=out)

    monkeypatch.setattr(torch, "_int_mm", watched)
    read = beginning_alike()
    quick.prefill(read)
    assert seen[0] == 90 + 33 + 30 + 110 + 1 + 30 + 1 < sum(map(len, read)) / 2
    assert seen[-1] == len(read)


def test_threads_share_a_pass(quick: Int8Forward) -> None:
    read = contexts(3, 130, 400, 900, 70, 1500)
    expected = [quick.prefill([ids])[0] for ids in read]
    wrong = []

    def work(at: int) -> None:
        torch.set_num_threads(1)
        if not torch.equal(quick.prefill([read[at]])[0], expected[at]):
            wrong.append(at)

    threads = [threading.Thread(target=work, args=(at,)) for at in range(len(read))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_only_the_asked_columns_are_computed(exact: LlamaForward, tmp_path: Path) -> None:
    folder = tiny_llama(tmp_path, positions=2048)
    reach, columns = exact.activation_reach(contexts(60)), torch.tensor([3, 77, 200])
    whole, _ = Int8Forward(folder, None, reach).prefill(contexts(5, 9))
    found, cache = (few := Int8Forward(folder, None, reach, columns)).prefill(contexts(5, 9))
    # Which columns there are moves the channels' factors, and so the last digits.
    torch.testing.assert_close(found, whole[:, columns], atol=0.06, rtol=0)
    assert few.step(torch.tensor([1, 2]), cache).shape == (2, 3)


def test_what_does_not_fit_is_refused(exact: LlamaForward, tmp_path: Path) -> None:
    folder = tiny_llama(tmp_path, positions=128)
    reach = exact.activation_reach(contexts(60))
    with pytest.raises(ModelError, match=r"reads at most 128 tokens, and the text has 129"):
        Int8Forward(folder, None, reach).prefill(contexts(129))
    with pytest.raises(ModelError, match=r"does not fit the model at '1\.down'"):
        Int8Forward(folder, None, {k: v for k, v in reach.items() if k != "1.down"})
