"""Texts, draws and jobs that the store's tests share, and processes that use a store."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from nsx_core.records import Draw, DrawSide, GenerationSettings, SplitText, Word
from nsx_core.store import DrawSet, JobRow, draw_set

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent


def split(text: str = "the quick fox") -> SplitText:
    words, start = [], 0
    for piece in text.split(" "):
        words.append(Word(piece, start, start + len(piece)))
        start += len(piece) + 1
    return SplitText(text, tuple(words))


def a_draw_set(seed: int = 0, text: str = "the quick fox") -> DrawSet:
    return draw_set(split(text), "list", "list-1", GenerationSettings(), "paper", seed)


def draws(
    name: str, first: int = 0, count: int = 4, side: DrawSide = DrawSide.NECESSITY
) -> list[Draw]:
    return [
        Draw(side, n, (True, False, n % 2 == 0), ("a", "b c"), f"{name} {side} {n}", n == 1, n % 6)
        for n in range(first, first + count)
    ]


def judged(rows: list[Draw]) -> dict[str, tuple[float, float]]:
    return {draw.text: (1 / (draw.number + 3), 1 - 1 / (draw.number + 3)) for draw in rows}


def job(
    identity: str = "j1", state: str = "running", done: int = 0, created: float = 1.0
) -> JobRow:
    return JobRow(identity, "explain", state, done, 10, 5.0, None, '{"text": "x"}', created)


def python(code: str, *arguments: object) -> subprocess.Popen[str]:
    """A Python process that can import the package and this module."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(HERE)])}
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
