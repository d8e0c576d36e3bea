"""Phrases as one unit on the Explain page, in its address, and sent there by another page."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest
from visiting import explained, figures, finished, texts, twice

from nsx_core.engine import ExplainRequest
from nsx_core.records import ExplainSettings
from nsx_core.views import model_figures
from pages.explore.asking import open_explanation
from pages.shared.engine import the_engine

TEXT = "Those black people and gay women should go"
PLACE = TEXT.index("black people")
UNITS = f"{PLACE}-{PLACE + len('black people')}"


def units(app: AppTest) -> list[str]:
    """The words of the heatmap."""
    return [b["c"][0]["c"][0] for b in figures(app)["heatmap"]["c"][1]["c"]]


def test_phrases_are_one_unit_and_the_address_holds_their_place(app: AppTest) -> None:
    twice(app)
    assert "units" not in app.query_params
    app.text_input(key="phrases").set_value(" Black  people ;gay women; ")
    explained(app, TEXT)
    assert not app.exception
    assert units(app) == ["Those", "black people", "and", "gay women", "should", "go"]
    spans = [TEXT.index("gay"), TEXT.index(" should")]
    assert app.query_params["units"] == f"{UNITS},{spans[0]}-{spans[1]}"
    assert "black" not in str(dict(app.query_params))
    link = dict(app.query_params)

    other = AppTest.from_file(app._script_path, default_timeout=60)
    for name, value in link.items():
        other.query_params[name] = value
    twice(other)
    assert units(other) == units(app) and other.session_state["job"] is None
    assert other.text_input(key="phrases").value == "black people; gay women"
    assert "Changed since" not in texts(other) and dict(other.query_params) == link


def test_a_phrase_that_is_not_in_the_text_loses_nothing(app: AppTest) -> None:
    twice(app)
    app.text_input(key="phrases").set_value("white people").run()
    assert "'white people' does not. Check its spelling" in texts(app)
    assert "heatmap" in figures(app)  # what was there before
    explained(app, TEXT)
    assert not app.exception
    assert "'white people' does not" in texts(app) and not figures(app)
    assert app.text_area(key="text_box").value == TEXT
    assert app.text_input(key="phrases").value == "white people"
    assert "units" not in app.query_params
    app.text_input(key="phrases").set_value("black people")
    explained(app, TEXT)
    assert "black people" in units(app) and "Check its spelling" not in texts(app)
    app.button(key="example-1").click().run()
    finished(app)
    assert app.text_input(key="phrases").value == "" and "units" not in app.query_params


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("black", "spans of characters such as 6-18"),
        ("6-999", "within the text's 42 characters, and 6-999 came"),
        ("7-18", "7-18 cuts through one"),
    ],
)
def test_units_that_make_no_sense_are_put_aside(app: AppTest, value: str, said: str) -> None:
    twice(app)
    other = AppTest.from_file(app._script_path, default_timeout=60)
    other.query_params["text"] = the_engine().remember_text(TEXT)
    other.query_params["units"] = value
    finished(twice(other))
    assert not other.exception
    assert "Parts of the link were put aside" in texts(other) and said in texts(other)
    assert units(other)[1] == "black" and "units" not in other.query_params


def sent(app: AppTest, monkeypatch: pytest.MonkeyPatch, request: ExplainRequest) -> AppTest:
    """Another page of the app, already visited, sends this request to the Explain page."""
    shown, left = model_figures.infiller_figures, [True]

    def sending(cards: object) -> object:
        if left:
            left.pop()
            open_explanation(the_engine(), request, 0.35, 1)
        return shown(cards)  # type: ignore[arg-type]

    monkeypatch.setattr(model_figures, "infiller_figures", sending)
    app.switch_page("pages/models/infillers.py").run()
    assert not app.exception
    # Where a browser would be sent; a test session has to be told.
    app.switch_page("pages/explore/explain.py").run()
    return finished(app)


def test_another_page_sends_a_request(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    twice(app)
    visitor = app.session_state["visitor"]
    settings = ExplainSettings(budget=30, seed=4, phrases=("black people",))
    request = ExplainRequest(TEXT, "fake-abuse", "word-list", settings)
    sent(app, monkeypatch, request)
    assert app.session_state["asked"] == request and not app.exception
    if not figures(app):
        app.button(key="anyway-button").click().run()
        finished(app)
    assert units(app)[1] == "black people"
    assert (app.session_state["word"], app.session_state["threshold"]) == (1, 0.35)
    assert app.text_area(key="text_box").value == TEXT
    assert app.text_input(key="phrases").value == "black people"
    assert app.slider(key="budget").value == 30
    assert app.selectbox(key="classifier").value == "fake-abuse"
    assert app.query_params["units"] == UNITS and app.query_params["word"] == "2"
    assert app.session_state["visitor"] == visitor and "Changed since" not in texts(app)


def test_a_request_that_the_page_cannot_show(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    twice(app)
    request = ExplainRequest(
        TEXT, "fake-hate", "word-list", ExplainSettings(splitter="punctuation")
    )
    with pytest.raises(Exception, match="splits texts by whitespace, and 'punctuation' came"):
        open_explanation(the_engine(), request, 0.5, None)
