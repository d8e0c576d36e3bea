"""Products in 8-bit whole numbers: near enough, row by row the same, and only where they fit."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from numba import njit
from safetensors.torch import load_file, save_file
from tiny_models import TEXTS, tiny_infiller, tiny_llama, write_corpus

from nsx_core.adapters import int8
from nsx_core.adapters import int8_kernels as kernels
from nsx_core.adapters.causal_infiller import REACH_FILE, CausalInfiller
from nsx_core.adapters.llama_forward import LlamaForward
from nsx_core.errors import ModelError
from nsx_core.infilling import Infiller, answers_by_part
from nsx_core.records import GenerationSettings, InfillRequest
from nsx_core.training.calibration import calibrate, divergence, main
from nsx_core.training.infiller_folder import write_manifest

pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing.:FutureWarning"),
    pytest.mark.skipif(not hasattr(torch, "_int_mm"), reason="this torch has no int8 product"),
]


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_llama(tmp_path_factory.mktemp("llama"))


@pytest.fixture(scope="module")
def folder(llama: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tiny_infiller(llama, tmp_path_factory.mktemp("infiller"))
    ids = torch.arange(300, dtype=torch.int32)
    save_file({"ids": ids}, made / "written_tokens.safetensors")
    write_manifest(made, "tiny", str(llama), 0.0)
    assert calibrate(made, list(TEXTS) * 8)
    return made


def numbers(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(shape[0]).uniform(1e-3, 1e-2, shape).astype(np.float32)


def far_out(width: int, far: int) -> torch.Tensor:
    """A reach with so many channels far beyond the others."""
    reach = torch.ones(width)
    reach[5 : 5 + far] = 1_000.0
    return reach


def close(found: np.ndarray | torch.Tensor, expected: torch.Tensor, within: float) -> None:
    """``within``: a share of the largest expected value."""
    room = within * float(expected.abs().max()) if expected.numel() else 0.0
    torch.testing.assert_close(torch.as_tensor(found), expected, atol=room, rtol=0)


def finished(
    sums: torch.Tensor, by: np.ndarray, scale: np.ndarray, beside: np.ndarray, columns: np.ndarray
) -> torch.Tensor:
    """A product out of its whole numbers, and of the channels beside them."""
    exact = (
        torch.from_numpy(beside[:, : len(columns)]).double() @ torch.from_numpy(columns).double()
    )
    scaled = torch.from_numpy(by[:, None] * scale).double()
    return (sums.double() * scaled + exact).float()


def multiplied(x: torch.Tensor, made: int8.Whole) -> torch.Tensor:
    """x W^T by whole numbers, as plain torch does it; x float32[n, d]."""
    rows = x * torch.from_numpy(made.shrink)
    step = rows.abs().amax(-1, keepdim=True) / 127
    sums = torch._int_mm((rows / step).round().to(torch.int8), made.weight)
    aside = x[:, torch.from_numpy(made.channels)].numpy()
    return finished(sums, step[:, 0].numpy(), made.scale, aside, made.columns)


@njit
def exponential(x):  # type: ignore[no-untyped-def]
    return kernels.exp(x)


def test_a_product_is_near_the_exact_one_though_channels_differ_a_lot() -> None:
    spread = torch.logspace(-1, 0.5, 96)
    x, weight = numbers(64, 96) * spread, numbers(48, 96, seed=1)
    exact = F.linear(x, weight)
    found = multiplied(x, int8.whole(weight, x.abs().amax(0)))
    assert (found - exact).abs().mean() < 0.02 * exact.abs().mean()
    # Without smoothing, the largest channels take up the range.
    rough = multiplied(x, int8.whole(weight, torch.ones(96)))
    assert (rough - exact).abs().mean() > 1.2 * (found - exact).abs().mean()


def test_a_channel_too_far_out_is_multiplied_exactly_and_leaves_the_others_their_range() -> None:
    x, weight = numbers(40, 96), numbers(48, 96, seed=1)
    x[:, 5] *= 1_000
    made = int8.whole(weight, x.abs().amax(0))
    assert made.channels.tolist() == [5]
    exact, found = F.linear(x, weight), multiplied(x, made)
    rest = torch.arange(96) != 5
    assert (found - exact).abs().mean() < 0.02 * F.linear(x[:, rest], weight[:, rest]).abs().mean()


@pytest.mark.parametrize("far", [0, 3])
def test_each_kernel_computes_what_plain_torch_does(far: int) -> None:
    """Every kernel on whole numbers of its own, beside the same in float64."""
    rows, width = 21, 64
    made = int8.whole(numbers(96, width), far_out(width, far), numbers(width, seed=3).abs())
    x, aside, step = numbers(rows, width, seed=4), np.zeros((rows, 5), np.float32), floats(rows)
    into = torch.empty(rows, width, dtype=torch.int8)
    arguments = made.shrink, np.float32(1e-5), made.channels, made.norm
    kernels.normalize(x.numpy(), *arguments, into.numpy(), step, aside)
    norm = numbers(width, seed=3).abs()
    plain = F.rms_norm(x, (width,), norm, 1e-5)
    back = into.float() * torch.from_numpy(step)[:, None]
    close(back, F.rms_norm(x, (width,), eps=1e-5) * torch.from_numpy(made.shrink), 0.005)
    close(aside[:, :far], plain[:, torch.from_numpy(made.channels)], 1e-5)

    sums, scale = torch.randint(-900, 900, (rows, width), dtype=torch.int32), floats(width)
    columns = numbers(far, width, seed=6).numpy()
    before, by, beside = x.clone(), step.copy(), aside.copy()
    kernels.residual(sums.numpy(), step, scale, columns, x.numpy(), *arguments, into.numpy(), aside)
    close(x, before + finished(sums, by, scale, beside, columns), 1e-5)
    again, its_step = torch.empty_like(into), floats(rows)
    kernels.normalize(x.numpy(), *arguments, again.numpy(), its_step, aside)
    assert torch.equal(into, again) and (step == its_step).all()

    sums, scale = torch.randint(-900, 900, (rows, 2 * width), dtype=torch.int32), floats(2 * width)
    columns, by, beside = numbers(far, 2 * width, seed=7).numpy(), step.copy(), aside.copy()
    kernels.gate(
        sums.numpy(), step, scale, columns, made.shrink, made.channels, into.numpy(), aside
    )
    gates, ups = finished(sums, by, scale, beside, columns).chunk(2, -1)
    gated = F.silu(gates) * ups
    back = into.float() * torch.from_numpy(step)[:, None]
    close(back, gated * torch.from_numpy(made.shrink), 0.005)
    close(aside[:, :far], gated[:, torch.from_numpy(made.channels)], 1e-5)

    found = numbers(rows, 2 * width).numpy()
    kernels.logits(sums.numpy(), by, scale, columns, beside, found)
    close(found, finished(sums, by, scale, beside, columns), 1e-5)


def test_exp_is_right_to_six_digits_and_zero_far_below() -> None:
    x = np.linspace(-79.9, 79.9, 200_001, dtype=np.float32)
    found = np.array([exponential(v) for v in x[::50]])
    assert np.abs(found / np.exp(x[::50].astype(np.float64)) - 1).max() < 1e-5
    assert [exponential(np.float32(v)) for v in (-80.1, -1e9, -np.inf)] == [0, 0, 0]


def test_reach_is_the_largest_input_of_each_product(llama: Path) -> None:
    forward = LlamaForward(llama, None, torch.float32)
    sequences = [list(range(5, 22)), list(range(40, 71)), [3]]
    before = forward.prefill(sequences)[0]
    reach = forward.activation_reach(sequences)
    layers = {f"{i}.{p}" for i in (0, 1) for p in ("qkv", "out", "gate_up", "down")}
    assert set(reach) == {*layers, "head"}
    hidden = F.embedding(torch.tensor([i for s in sequences for i in s]), forward.embedding)
    entering = F.rms_norm(hidden, (64,), forward.layers[0].before, forward.shape.eps)
    torch.testing.assert_close(reach["0.qkv"], entering.abs().amax(0))
    assert torch.equal(forward.prefill(sequences)[0], before)


def test_a_calibrated_folder_writes_in_whole_numbers_whatever_the_batch(folder: Path) -> None:
    exact = CausalInfiller.load(folder, whole_numbers=False)
    quick = CausalInfiller.load(folder, whole_numbers=True)
    assert (exact.precision, quick.precision) == ("float32", "int8")
    assert exact.fingerprint == quick.fingerprint
    words = ("They", "like", "old", "books", "here")
    requests = [
        InfillRequest(words, (False, True, True, True, True), tuple(i >> k & 1 == 1 for k in range(5)), i)
        for i in range(1, 32)
    ]  # fmt: skip
    found = quick.infill(requests, GenerationSettings())
    for at in (0, 7, 30):
        assert quick.infill([requests[at]], GenerationSettings()) == [found[at]]
    contexts = [[5, 9, 30, 41], list(range(60, 80))]
    near, far = (m.forward.prefill(contexts)[0] for m in (quick, exact))
    assert (near - far).abs().mean() < 0.07 * far.abs().mean()


def test_answers_drawn_again_in_their_slots_are_those_of_calls_of_their_own(folder: Path) -> None:
    quick = CausalInfiller.load(folder, whole_numbers=True)
    assert quick.forward.restarts
    words = ("They", "like", "old", "books", "here")
    requests = [
        InfillRequest(words, (False, True, True, True, True), (i % 2 == 0, True, False, i % 3 == 0, False), i)
        for i in range(40)
    ]  # fmt: skip

    class CallByCall:
        name, fingerprint, infill = quick.name, quick.fingerprint, quick.infill

    def drawn(writer: Infiller) -> tuple[list[list[tuple[str, ...]]], list[int]]:
        attempts = [0] * len(requests)

        def again(index: int, answers: tuple[str, ...]) -> InfillRequest | None:
            if len(answers[0]) % 2 or attempts[index] == 3:
                return None
            attempts[index] += 1
            return replace(requests[index], seed=1_000 * attempts[index] + index)

        parts = answers_by_part(writer, [requests], GenerationSettings(), again)
        return list(parts), attempts

    found = drawn(quick)
    assert found == drawn(CallByCall())
    assert len(set(found[1])) > 2


def test_a_calibration_changes_the_fingerprint_and_must_fit(folder: Path, tmp_path: Path) -> None:
    bare = Path(shutil.copytree(folder, tmp_path / "bare"))
    calibrated = CausalInfiller.load(bare).fingerprint
    reach = load_file(bare / REACH_FILE)
    save_file({k: v for k, v in reach.items() if k != "1.down"}, bare / REACH_FILE)
    with pytest.raises(ModelError, match=r"does not fit the model at '1\.down'"):
        CausalInfiller.load(bare, whole_numbers=True)
    (bare / REACH_FILE).unlink()
    write_manifest(bare, "tiny", _base(bare), 0.0)
    again = CausalInfiller.load(bare, whole_numbers=True)
    assert again.precision == "float32" and again.fingerprint != calibrated


def test_the_command_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--infiller", str(tmp_path), "--corpus", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err
    corpus = write_corpus(tmp_path / "corpus")
    assert main(["--infiller", str(tmp_path), "--corpus", str(corpus)]) == 2
    assert "is no infiller's folder" in capsys.readouterr().err


def test_the_command_calibrates_and_says_how_far_it_diverges(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = write_corpus(tmp_path / "corpus", copies=8)
    made = Path(shutil.copytree(folder, tmp_path / "infiller"))
    assert main(["--infiller", str(made), "--corpus", str(corpus)]) == 0
    nats = float(capsys.readouterr().out.split("diverges by ")[1].split()[0])
    assert 0 < nats < 0.05
    assert divergence(made, list(TEXTS)) == pytest.approx(nats, abs=0.02)


def _base(folder: Path) -> str:
    found: str = json.loads((folder / "model.json").read_text(encoding="utf-8"))["base"]
    return found
