"""Fixtures that many tests share: a store in a folder of its own, and the fakes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from nsx_core.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store that is closed after the test."""
    with Store.open(tmp_path / "nsx.duckdb") as opened:
        yield opened
