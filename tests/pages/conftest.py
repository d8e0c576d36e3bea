"""The app on the real engine and the shipped fakes; every test has a store of its own."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from nsx_core.engine import Engine, ExplainRequest
from nsx_core.fake_catalogue import trial_catalogue
from nsx_core.job import ACTIVE
from nsx_core.precomputed import example_texts
from nsx_core.records import ExplainSettings
from nsx_core.settings import STORE_FILE

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def precomputed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that holds the first example, as the shipped ones do for the real models."""
    home = tmp_path_factory.mktemp("precomputed")
    engine = Engine.start(home, trial_catalogue())
    try:
        job = engine.submit(
            ExplainRequest(example_texts()[0], "fake-hate", "word-list", ExplainSettings())
        )
        while engine.job(job).state in ACTIVE:
            time.sleep(0.01)
        assert engine.job(job).state == "done"
    finally:
        engine.close()
    return home / STORE_FILE


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for the store; the app takes the shipped fakes."""
    monkeypatch.setenv("NSX_HOME", str(tmp_path))
    monkeypatch.setenv("NSX_FAKE_MODELS", "1")
    for name in ("NSX_FAKE_RATE", "NSX_FAKE_FAULT"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def fresh_app(home: Path) -> Iterator[AppTest]:
    """The app, not yet run, on an empty store; its engine is closed after the test."""
    yield AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    st.cache_resource.clear()
    st.cache_data.clear()
    assert not [t.name for t in threading.enumerate() if t.name.startswith("nsx-")]


@pytest.fixture
def app(fresh_app: AppTest, home: Path, precomputed: Path) -> AppTest:
    """The app, not yet run, on a store that holds the first example."""
    shutil.copyfile(precomputed, home / STORE_FILE)
    return fresh_app
