"""Fixtures that many tests share: a store in a folder of its own, and the fakes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from gated_engine import Bench

from nsx_core.store import Store


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Products by one thread, so that sums come in one order and tests share two cores well."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store that is closed after the test."""
    with Store.open(tmp_path / "nsx.duckdb") as opened:
        yield opened


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """An engine whose infiller waits at a gate; opened and closed after the test."""
    made = Bench(tmp_path)
    yield made
    made.open_gate()
    made.engine.close()
