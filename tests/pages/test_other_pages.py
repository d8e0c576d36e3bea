"""The other pages, and starts that fail."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from nsx_core import engine
from nsx_core.catalogue import shipped_catalogue
from nsx_core.settings import STORE_FILE
from nsx_core.store import Store


def said(app: AppTest) -> str:
    return "\n".join(
        [e.value for e in app.get("text")]
        + [m.value for m in app.markdown]
        + [t.value for t in app.title]
        + [h.value for h in app.header]
    )


def test_each_page_runs_twice(app: AppTest, subtests: pytest.Subtests) -> None:
    app.run()
    for page, wanted in (
        ("pages/models/classifiers.py", ("Classifiers", "fake-hate", "cannot be used now")),
        ("pages/models/infillers.py", ("Infillers", "word-list")),
        ("pages/method/method.py", ("What they do not mean", "NAACL 2022")),
        ("pages/explore/explain.py", ("Which words does the prediction rest on?",)),
    ):
        with subtests.test(page=page):
            app.switch_page(page).run()
            assert not app.exception
            app.run()
            assert not app.exception
            for words in (*wanted, "About the models", "Test models"):
                assert words in said(app)


def test_figures_are_listed(app: AppTest) -> None:
    app.run()
    app.switch_page("pages/models/classifiers.py").run()
    table = app.table[0].value
    assert list(table.columns)[:2] == ["Macro F1", "Micro F1"]
    assert table.loc["fake-hate", "Macro F1"] == "0.750"
    assert "Labels: not hate, hate. Explained unless you choose another: hate." in said(app)
    assert "Labels: ." not in said(app)


def test_a_store_that_another_program_holds_is_a_page_of_its_own(
    fresh_app: AppTest, home: Path
) -> None:
    with Store.open(home / STORE_FILE):
        fresh_app.run()
        cannot_start(
            fresh_app, "The store is in use by another program", "Close the other window or command"
        )
    fresh_app.button[0].click().run()
    assert fresh_app.text_area and not fresh_app.exception


def test_a_damaged_store_is_a_page_of_its_own(fresh_app: AppTest, home: Path) -> None:
    (home / STORE_FILE).write_bytes(b"no database " * 1000)
    fresh_app.run()
    cannot_start(fresh_app, "The store is damaged", "move the file aside")
    (home / STORE_FILE).rename(home / "aside")
    fresh_app.button[0].click().run()
    assert fresh_app.text_area and not fresh_app.exception


def cannot_start(app: AppTest, *wanted: str) -> None:
    assert not app.exception
    assert not app.text_area
    for words in ("The app could not start", *wanted):
        assert words in said(app)


def test_no_classifier_at_all(
    fresh_app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NSX_FAKE_MODELS")
    monkeypatch.setattr(engine, "shipped_catalogue", lambda: shipped_catalogue(tmp_path))
    fresh_app.run()
    assert not fresh_app.exception
    assert "A model is missing" in said(fresh_app) and "make setup" in said(fresh_app)
    assert "About the models" not in said(fresh_app)
    fresh_app.switch_page("pages/models/classifiers.py").run()
    assert not fresh_app.exception
    assert "A model is missing" in said(fresh_app)


def test_a_log_that_was_set_aside_is_announced(app: AppTest, home: Path) -> None:
    (home / f"{STORE_FILE}.wal").write_bytes(bytes(1000))
    app.run()
    assert not app.exception
    assert "The store was repaired" in said(app) and "set aside" in said(app)
