"""The benchmark of other runtimes: its table, what is missing, and that a row's company shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from tiny_models import TEXTS, contexts, tiny_infiller, tiny_llama

from nsx_core.adapters.causal_infiller import CausalInfiller
from nsx_core.adapters.runtimes import CAPACITY, CHOICES, Choice, missing
from nsx_core.adapters.runtimes.eager import build
from nsx_core.adapters.runtimes.fidelity import Fidelity, Read, answers, fidelity, readings
from nsx_core.adapters.runtimes.model import Model, model_of
from nsx_core.adapters.runtimes.timing import STEPS, step_seconds
from nsx_core.bench.runtimes import Row, as_markdown, measure
from nsx_core.errors import ModelError
from nsx_core.training.calibration import calibrate
from nsx_core.training.infiller_folder import write_manifest

pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing.:FutureWarning"),
    pytest.mark.skipif(not hasattr(torch, "_int_mm"), reason="this torch has no int8 product"),
]

READS = [Read(tuple(ids), 3) for ids in contexts(*[6, 8, 9, 11] * 5)]
COUNTS = (16, 20)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tiny_llama(tmp_path_factory.mktemp("llama"))
    made = tiny_infiller(base, tmp_path_factory.mktemp("infiller"))
    ids = torch.arange(300, dtype=torch.int32)
    save_file({"ids": ids}, made / "written_tokens.safetensors")
    write_manifest(made, "tiny", str(base), 0.0)
    assert calibrate(made, list(TEXTS) * 8)
    return made


@pytest.fixture(scope="module")
def loaded(folder: Path) -> tuple[Model, CausalInfiller]:
    return model_of(folder)


@pytest.fixture(scope="module")
def model(loaded: tuple[Model, CausalInfiller]) -> Model:
    return loaded[0]


def test_the_table_has_figures_company_and_what_is_missing() -> None:
    lines = [
        Row("ours", ready=1.2, fidelity=Fidelity(0.0123, 0, 0), steps={16: [0.03, 0.02, 0.04]}),
        Row("exact", fidelity=Fidelity(1e-9, 0, 0.25), steps={16: [0.1]}),
        Row("other", fidelity=Fidelity(0.5, 3.0, 2.0), steps={16: [0.01]}),
        Row("absent", "not installed: pip install openvino"),
    ]
    head, rule, *rows = as_markdown(lines, [16]).splitlines()
    assert head.startswith("| runtime | 16 rows: ms a step (rows/s) |")
    assert {line.count("|") for line in (head, rule, *rows)} == {6}
    assert rows[0] == "| ours | 20.0 (800) | 0.0123 | the same to the bit | 1 s |"
    assert "| below 0.0001 | the same among as many, else up to 0.25 |" in rows[1]
    assert "| differs, up to 3 |" in rows[2]
    assert rows[3].startswith("| absent | not installed: pip install openvino |")


def test_what_is_missing_or_fails_is_a_line_and_stops_nothing(model: Model) -> None:
    absent = Choice("absent", "nowhere", "", (("no_such_module", "no-such-package"),))
    broken = Choice("broken", "no_such_runtime", "")
    assert missing(absent) == ("no-such-package",)
    lines = measure(model, READS, [absent, broken, CHOICES[0]], COUNTS, 1)
    assert lines[0].note == "not installed: pip install no-such-package"
    assert lines[1].note.startswith("failed: ModuleNotFoundError: ")
    assert [set(line.steps) for line in lines] == [set(), set(), set(COUNTS)]
    assert "no-such-package" in as_markdown(lines, COUNTS)


@pytest.mark.parametrize("variant", ["int8", "float32", "torch"])
def test_our_own_passes_are_near_and_the_same_to_the_bit(model: Model, variant: str) -> None:
    found = fidelity(build(model, variant), answers(build(model, "float32"), READS), READS, 16)
    assert found.neighbours == found.number == 0
    assert 0 <= found.nats < 1e-9 if variant == "float32" else 1e-6 < found.nats < 0.05


@pytest.mark.parametrize(
    "choice", [c for c in CHOICES if c.module != "compiled" and c.variant != "192"], ids=str
)
def test_a_runtime_that_is_installed_computes_what_ours_does(model: Model, choice: Choice) -> None:
    if wanted := missing(choice):
        pytest.skip(f"needs {' '.join(wanted)}")
    found = fidelity(choice.build(model), answers(build(model, "float32"), READS), READS, 16)
    assert found.nats < 1e-5 if choice.variant == "float32" else found.nats < 0.1


def test_a_token_taken_back_is_forgotten(model: Model) -> None:
    session, again = (build(model, "int8").session(16) for _ in range(2))
    tokens = np.arange(16) + 20
    for position in range(4):
        session.step(tokens + position, np.full(16, position))
    for position in range(2):
        again.step(tokens + position, np.full(16, position))
    at = np.full(16, 2)
    assert np.array_equal(session.step(tokens, at), again.step(tokens, at))


@pytest.mark.parametrize(
    ("logits", "differs"),
    [
        (lambda tokens: tokens, (False, False)),
        (lambda tokens: tokens + tokens.sum(), (True, True)),
        (lambda tokens: tokens * len(tokens), (False, True)),
    ],
)
def test_what_a_rows_company_changes_is_seen(
    logits: Callable[[NDArray[np.int64]], NDArray[np.int64]], differs: tuple[bool, bool]
) -> None:
    class Fake:
        def session(self, rows: int) -> Fake:
            return self

        def step(self, tokens: NDArray[np.int64], positions: NDArray[np.int64]):  # type: ignore[no-untyped-def]
            return np.stack([logits(tokens), positions], 1).astype(np.float32)

    found = fidelity(Fake(), answers(Fake(), READS), READS, 16)
    assert found.nats == 0
    assert (found.neighbours > 0, found.number > 0) == differs


def test_steps_stay_within_the_cache(model: Model) -> None:
    seen = []

    class Fake:
        def step(self, tokens: NDArray[np.int64], positions: NDArray[np.int64]):  # type: ignore[no-untyped-def]
            seen.append(positions)

    assert len(step_seconds(Fake(), 20, 300)) == STEPS
    assert max(positions.max() for positions in seen) == CAPACITY - 1


def test_sequences_of_the_format_fit_the_cache(loaded: tuple[Model, CausalInfiller]) -> None:
    reads = readings(loaded[1])
    assert len(reads) == 64 and max(len(read.ids) for read in reads) <= CAPACITY


def test_only_a_calibrated_llama_is_measured(folder: Path, tmp_path: Path) -> None:
    bare = tiny_infiller(Path(tiny_llama(tmp_path / "base")), tmp_path / "bare")
    with pytest.raises(ModelError, match="is no calibrated Llama model"):
        model_of(bare)
