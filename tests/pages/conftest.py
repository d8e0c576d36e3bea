"""The pages run on the fake engine; every test starts with empty caches."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    """The app, not yet run, in a session of its own."""
    import fake_engine
    import streamlit as st
    from streamlit.testing.v1 import AppTest

    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.setitem(sys.modules, "nsx_core.jobs", fake_engine)
    for name in [m for m in sys.modules if m == "pages" or m.startswith("pages.")]:
        monkeypatch.delitem(sys.modules, name)
    st.cache_resource.clear()
    st.cache_data.clear()
    yield AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    st.cache_resource.clear()
    st.cache_data.clear()
