"""Benchmarks: the table says what was measured, and the small parts run."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from tiny_models import tiny_infiller, tiny_llama

from nsx_core.adapters.causal_infiller import CausalInfiller
from nsx_core.adapters.decoding.load import load_of
from nsx_core.adapters.operations import KINDS, REST, shares_by_kind
from nsx_core.bench.figures import Figure
from nsx_core.bench.full_store import full_store_figures
from nsx_core.bench.page import as_markdown
from nsx_core.records import GenerationSettings, InfillRequest


def test_a_figure_is_met_on_its_own_side() -> None:
    assert Figure("a", 3, "x", 2, at_least=True).met is True
    assert Figure("a", 3, "s", 2).met is False
    assert Figure("a", 3, "s").met is None


def test_the_table_names_targets_and_misses() -> None:
    text = as_markdown(
        [Figure("engine", 77.04, "x", 150, at_least=True), Figure("cached", 0.0171, "s", 0.15)],
        "two cores",
    )
    assert "| engine | 77.0x | at least 150.0x | **no** |" in text
    assert "| cached | 0.017 s | at most 0.150 s | yes |" in text
    assert "This run: two cores." in text


def test_the_shares_of_kinds_of_operation_sum_to_the_whole() -> None:
    x = torch.randn(64, 64)
    shares = shares_by_kind(lambda: [x @ x for _ in range(50)], 1)
    assert set(shares) == {*KINDS, REST}
    assert sum(shares.values()) == pytest.approx(100)
    assert shares["matrix products"] > 0 and shares["sampling"] == 0
    text = as_markdown([], "one core", {"loop": shares, "engine": shares})
    assert "| kind of operation | loop | engine |" in text
    assert f"| {REST} | {shares[REST]:.0f}% | {shares[REST]:.0f}% |" in text


def test_a_filled_store_serves_one_text() -> None:
    scores, page = full_store_figures(3_000)
    assert "3,000 draws" in scores.name
    assert scores.value > 0 and page.value > 0


@pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing.:FutureWarning")
def test_the_load_counts_tokens_of_contexts_and_answers(tmp_path: Path) -> None:
    infiller = CausalInfiller.load(tiny_infiller(tiny_llama(tmp_path / "b"), tmp_path / "a"))
    forward = infiller.forward
    request = InfillRequest(("I", "go"), (False, True), (False, True), 3)
    with load_of(infiller) as load:
        infiller.infill([request], GenerationSettings())
    assert infiller.forward is forward
    # BOS, the kept word's tokens, BLANK, START; then a token a step.
    steps = load.logit_rows - 1
    assert load.tokens == 3 + len(infiller.encode("I")) + steps
    layers = sum(p.numel() for p in _matrices(tmp_path / "b"))
    assert load.layer_weights == layers
    assert load.multiply_adds == load.tokens * layers + load.logit_rows * load.logit_weights


def _matrices(folder: Path):  # type: ignore[no-untyped-def]
    from safetensors.torch import load_file

    found = load_file(folder / "model.safetensors")
    return [t for name, t in found.items() if name.endswith("proj.weight")]
