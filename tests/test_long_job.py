"""A job as long as the paper's, 66,120 draws: killed at half it goes on at half, in steady memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nsx_core import pipeline
from nsx_core.fake_catalogue import fake_catalogue
from nsx_core.records import ExplainSettings
from nsx_core.store import Store

SETTINGS = ExplainSettings(sampler="paper")
DRAWS_A_TEXT = 548
CHILD = """
import sys
from test_long_job import judged, peak_memory
for done in judged(sys.argv[1], int(sys.argv[2])):
    print(done, peak_memory(), flush=True)
"""


def judged(store: str | Path, texts: int, seen: list[pipeline.Progress] | None = None):  # type: ignore[no-untyped-def]
    """How many draws are judged, after each batch of so many explanations one after another."""
    before = 0
    with Store.open(store) as opened:
        for number in range(texts):
            text = f"Their {number} people all hate rain."
            todo = pipeline.plan(
                text, "fake-hate", "word-list", SETTINGS, catalogue := fake_catalogue()
            )
            for progress in pipeline.explaining(todo, catalogue, opened):
                if seen is not None:
                    seen.append(progress)
                yield before + progress.done
            before += DRAWS_A_TEXT


def peak_memory() -> int:
    """Bytes that this process has held at most; 0 where the system does not tell."""
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="ascii").splitlines() if status.is_file() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


@pytest.mark.parametrize("texts", [10, pytest.param(121, marks=pytest.mark.slow)])
def test_a_long_job_killed_at_half_goes_on_at_half_in_steady_memory(
    tmp_path: Path, texts: int
) -> None:
    path, total = tmp_path / "nsx.duckdb", texts * DRAWS_A_TEXT
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path), str(texts)],
        stdout=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([os.getcwd(), str(Path(__file__).parent)]),
        },
    )
    assert child.stdout is not None
    done, peaks = 0, {}
    with child:
        for line in child.stdout:
            done, memory = map(int, line.split())
            peaks[done] = memory
            if done >= total / 2:
                child.send_signal(signal.SIGKILL)
                break
    assert child.returncode == -signal.SIGKILL
    early = next(memory for at, memory in peaks.items() if at >= total / 8)
    assert peaks[done] < early + 60e6, "memory grows with the batch, not with the job"
    seen: list[pipeline.Progress] = []
    *_, last = judged(path, texts, seen)
    assert last == total
    written = sum(
        progress.infilled
        for progress, following in zip(seen, [*seen[1:], None], strict=True)
        if following is None or following.infilled < progress.infilled
    )
    assert total - done - 256 <= written <= total - done
