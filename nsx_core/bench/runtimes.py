"""Measure the infiller's decoding step on other runtimes, and print one table.

python -m nsx_core.bench.runtimes                      # about a quarter of an hour
python -m nsx_core.bench.runtimes --only "our own, int8" --only "llama.cpp, Q8_0"

One step is one new token a row, on one thread, over caches of 18 to 32 positions a row. What is
not installed is listed with what to install; the project itself needs none of it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from nsx_core.adapters.processor import set_threads
from nsx_core.adapters.runtimes import CHOICES, Choice, Session, missing
from nsx_core.adapters.runtimes.eager import build as our_own
from nsx_core.adapters.runtimes.fidelity import Fidelity, Read, answers, fidelity, readings
from nsx_core.adapters.runtimes.model import Model, model_of
from nsx_core.adapters.runtimes.timing import step_seconds
from nsx_core.settings import SHIPPED_MODELS_FOLDER

ROWS = (16, 64, 128)
ROUNDS, LETTERS = 2, 160
SMALLEST_NATS = 0.0001


@dataclass
class Row:
    """A line of the table.

    note: why there are no figures. ready: seconds to build it and its sessions, compiling
    included. steps: seconds of single steps by number of rows.
    """

    name: str
    note: str = ""
    ready: float = 0.0
    fidelity: Fidelity | None = None
    steps: dict[int, list[float]] = field(default_factory=dict)


def measure(
    model: Model,
    reads: Sequence[Read],
    choices: Sequence[Choice],
    counts: Sequence[int] = ROWS,
    rounds: int = ROUNDS,
) -> list[Row]:
    """Lines in the order of ``choices``.

    Rounds go through all runtimes before the next, so that whatever else the machine does
    meets all alike.
    """
    wanted = answers(our_own(model, "float32"), reads)
    lines, sessions = [], []
    for choice in choices:
        line = Row(choice.name)
        lines.append(line)
        if absent := missing(choice):
            line.note = f"not installed: pip install {' '.join(absent)}"
            continue
        try:
            begin = time.perf_counter()
            runtime = choice.build(model)
            made = {count: runtime.session(count) for count in counts}
            line.ready = time.perf_counter() - begin
            line.fidelity = fidelity(runtime, wanted, reads, min(counts))
        except Exception as reason:  # noqa: BLE001 - whatever a runtime fails by is its line
            said = " ".join(str(reason).split())[:LETTERS].replace("|", "/")
            line.note = f"failed: {type(reason).__name__}: {said}"
            continue
        sessions.append((line, made))
    for seed in range(rounds):
        for line, made in sessions:
            _time(line, made, model, seed)
    return lines


def _time(line: Row, made: dict[int, Session], model: Model, seed: int) -> None:
    for count, session in made.items():
        found = step_seconds(session, count, len(model.weights.embedding), seed)
        line.steps.setdefault(count, []).extend(found)


def as_markdown(lines: Sequence[Row], counts: Sequence[int] = ROWS) -> str:
    """One table: milliseconds of the fastest step and rows a second, by number of rows.

    The fastest of all: whatever else a machine does can only add to a step."""
    heads = [f"{count} rows: ms a step (rows/s)" for count in counts]
    title = ["runtime", *heads, "KL from float32, nats", "a row in other company", "made ready in"]
    found = [f"| {' | '.join(title)} |", f"|---|{'---:|' * len(counts)}---:|---|---:|"]
    for line in lines:
        if line.fidelity is None:
            cells = [line.note, *[""] * (len(title) - 2)]
        else:
            fastest = [(count, min(line.steps[count])) for count in counts]
            cells = [f"{1000 * s:.1f} ({count / s:,.0f})" for count, s in fastest]
            cells += [_nats(line.fidelity.nats), _company(line.fidelity), f"{line.ready:.0f} s"]
        found.append(f"| {line.name} | {' | '.join(cells)} |")
    return "\n".join(found) + "\n"


def _nats(value: float) -> str:
    return f"{value:.4f}" if value >= SMALLEST_NATS else f"below {SMALLEST_NATS}"


def _company(found: Fidelity) -> str:
    """In words; numbers are the largest difference of a logit."""
    if not found.neighbours and not found.number:
        return "the same to the bit"
    if not found.neighbours:
        return f"the same among as many, else up to {found.number:.2g}"
    return f"differs, up to {max(found.neighbours, found.number):.2g}"


def main(argv: list[str] | None = None) -> int:
    """Measure what the command line names, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m nsx_core.bench.runtimes")
    parser.add_argument("--infiller", type=Path, default=SHIPPED_MODELS_FOLDER / "neutral-smollm2")
    parser.add_argument("--only", action="append", choices=[choice.name for choice in CHOICES])
    parser.add_argument("--rows", type=int, action="append", help=f"default: {ROWS}")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args(argv)
    set_threads(1)
    model, infiller = model_of(given.infiller)
    choices = [c for c in CHOICES if not given.only or c.name in given.only]
    counts = given.rows or list(ROWS)
    lines = measure(model, readings(infiller), choices, counts, given.rounds)
    print(f"{', '.join(_versions(choices))}; one thread.\n")
    print(as_markdown(lines, counts))
    return 0


def _versions(choices: Sequence[Choice]) -> list[str]:
    needed = (pip for choice in choices if not missing(choice) for _, pip in choice.needs)
    return [f"{name} {version(name)}" for name in dict.fromkeys(["torch", "numba", *needed])]


if __name__ == "__main__":
    raise SystemExit(main())
