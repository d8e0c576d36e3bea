"""The other pages, and starts that fail."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


def said(app: AppTest) -> str:
    return "\n".join(
        [e.value for e in app.get("text")]
        + [m.value for m in app.markdown]
        + [t.value for t in app.title]
        + [h.value for h in app.header]
    )


@pytest.mark.parametrize(
    ("page", "wanted"),
    [
        ("pages/models/classifiers.py", ("Classifiers", "Vidgen2021-hate", "cannot be used now")),
        ("pages/models/infillers.py", ("Infillers", "SmolLM2-neutral")),
        ("pages/method/method.py", ("What they do not mean", "NAACL 2022")),
    ],
)
def test_each_page_runs_twice(app: AppTest, page: str, wanted: tuple[str, ...]) -> None:
    app.run()
    app.switch_page(page).run()
    assert not app.exception
    app.run()
    assert not app.exception
    for words in wanted:
        assert words in said(app)


def test_figures_are_listed(app: AppTest) -> None:
    app.run()
    app.switch_page("pages/models/classifiers.py").run()
    table = app.table[0].value
    assert list(table.columns)[:2] == ["Macro F1", "Micro F1"]
    assert table.loc["Vidgen2021-hate", "Macro F1"] == "0.671"


@pytest.mark.parametrize(
    ("failing", "title", "advice"),
    [
        ("busy", "in use by another program", "Close the other window or command"),
        ("corrupt", "The store is damaged", "move the file aside"),
    ],
)
def test_a_store_that_cannot_open_is_a_page_of_its_own(
    app: AppTest, monkeypatch: pytest.MonkeyPatch, failing: str, title: str, advice: str
) -> None:
    monkeypatch.setenv("NSX_FAKE_START", failing)
    app.run()
    assert not app.exception
    assert "The app could not start" in said(app)
    assert title in said(app) and advice in said(app)
    assert not app.text_area
    monkeypatch.delenv("NSX_FAKE_START")
    app.button[0].click().run()
    assert app.text_area and not app.exception


def test_no_model_at_all(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    import fake_engine

    monkeypatch.setattr(fake_engine.Engine, "classifiers", lambda self: [])
    app.run()
    assert not app.exception
    assert "A model is missing" in said(app) and "make setup" in said(app)


def test_warnings_of_the_start_are_shown(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    import fake_engine

    monkeypatch.setattr(fake_engine.Engine, "warnings", ("The log was set aside.",), raising=False)
    monkeypatch.setattr(fake_engine.Engine, "__setattr__", _quiet)
    app.run()
    assert "The log was set aside." in said(app)


def _quiet(self: object, name: str, value: object) -> None:
    if name != "warnings":
        object.__setattr__(self, name, value)
