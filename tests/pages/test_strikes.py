"""Striking out and taking back on the Explain page, and the view of the infills' quality."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from visiting import explained, figures, shown, texts, twice

from nsx_core.errors import StoreError
from nsx_core.records import DrawSide, Explanation
from pages.explore.striking import heard_strikes
from pages.shared.engine import complete, the_engine

BOTH = DrawSide.BOTH


def shown_explanation(app: AppTest) -> Explanation:
    found = complete(the_engine(), app.session_state["asked"])
    assert found is not None
    return found


def clicked(app: AppTest, value: str, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """Click Strike out or Take back: what the figure's callback does with its value."""
    state = SimpleNamespace(session_state=app.session_state)
    name, _, at = value.partition(" ")
    with monkeypatch.context() as patch:
        patch.setattr("pages.explore.striking.st", state)
        heard_strikes(the_engine(), shown_explanation(app))[name](at)
    return app.run()


def struck_rows(app: AppTest, figure: str = "drilldown") -> list[str]:
    rows: list[dict[str, Any]] = figures(app)[figure]["c"][0]["c"][2]["c"]
    return [json.dumps(r) for r in rows if r.get("a", {}).get("class") == "struck"]


def test_a_text_is_struck_out_with_a_reason_and_taken_back(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    twice(app)
    assert "struck out" not in texts(app) and not shown(app, "strike-confirm")
    draw = shown_explanation(app).draws[0].draw
    clicked(app, "strike both:0", monkeypatch)
    assert f"Strike out draw 1: {draw.text}" in texts(app)
    app.button(key="strike-confirm").click().run()
    assert "Nothing was changed" in texts(app) and "and none came" in texts(app)
    app.text_input(key="strike_reason").set_value("**odd** <b>")
    app.button(key="strike-confirm").click().run()
    assert not app.exception and not shown(app, "strike-confirm")
    assert "Nothing was changed" not in texts(app)
    assert "1 of 225 counterfactual texts is struck out." in texts(app)
    assert texts(app).count("Without the one struck out: When") == 2
    assert "without: " in json.dumps(figures(app)["heatmap"])
    (row,) = struck_rows(app)
    assert "Struck out: **odd** <b>" in row and "Take back" in row
    assert not any("odd" in str(m.value) for m in app.markdown)

    app.toggle(key="struck_only").set_value(True).run()
    assert len(figures(app)["drilldown"]["c"][0]["c"][2]["c"]) == 2  # the original and one more
    for view in ("computed", "scores", "quality"):
        app.button_group(key="view").set_value(view).run()
        assert not app.exception
        assert "counts all draws, the one struck out as well." in texts(app), view
        assert "1 of 225 counterfactual texts is struck out." in texts(app), view
    app.button_group(key="view").set_value("necessity").run()

    clicked(app, "take_back both:0", monkeypatch)
    assert "struck out" not in texts(app) and not struck_rows(app)
    assert "without: " not in json.dumps(figures(app)["heatmap"])


def test_what_was_typed_stays_where_the_store_fails(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    twice(app)
    clicked(app, "strike both:3", monkeypatch)
    app.text_input(key="strike_reason").set_value("cut off")

    def failing(*_: object) -> None:
        raise StoreError("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr("nsx_core.striking.strike", failing)
        patch.setattr("nsx_core.striking.take_back", failing)
        app.button(key="strike-confirm").click().run()
        assert "The disk is full." in texts(app)
        assert app.text_input(key="strike_reason").value == "cut off"
        clicked(app, "take_back both:3", monkeypatch)
        assert "The disk is full." in texts(app) and not app.exception
    app.button(key="strike-confirm").click().run()
    assert "1 of 225" in texts(app) and "The disk is full." not in texts(app)


def test_cancel_strikes_nothing(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    twice(app)
    clicked(app, "strike both:3", monkeypatch)
    app.text_input(key="strike_reason").set_value("cut off")
    app.button(key="strike-cancel").click().run()
    assert not shown(app, "strike-confirm") and "struck out" not in texts(app)
    assert the_engine().struck(shown_explanation(app)) == ()


def test_strikes_hold_for_another_classifier_threshold_and_budget(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    twice(app)
    the_engine().strike(shown_explanation(app), BOTH, 0, "odd")
    app.slider(key="threshold").set_value(0.05).run()
    assert "1 of 225" in texts(app) and not app.exception
    app.slider(key="threshold").set_value(0.5).run()
    app.slider(key="budget").set_value(50).run()
    assert "1 of 113 counterfactual texts" in texts(app)
    explained(app, "Women should go home")
    assert "struck out" not in texts(app)


def test_the_form_goes_with_its_text(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    twice(app)
    clicked(app, "strike both:3", monkeypatch)
    explained(app, "Women should go home")
    assert not app.exception and not shown(app, "strike-confirm")


def test_infill_quality_asks_another_classifier_once(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    twice(app)
    model = the_engine().catalogue.classifier("fake-abuse")
    asked, calls = model.predict_proba, []

    def counting(given: list[str]) -> object:
        calls.append(len(given))
        return asked(given)

    monkeypatch.setattr(model, "predict_proba", counting)
    app.button_group(key="view").set_value("quality").run()
    assert not app.exception
    assert app.selectbox(key="other_classifier").options == ["fake-abuse"]
    assert "Of the 225 counterfactual texts, 0 came out as the original" in texts(app)
    table = json.dumps(figures(app)["infill-quality"])
    assert "fake-abuse gives the label abuse" in table and "2.0 %" in table
    assert len(figures(app)["sample"]["c"][0]["c"][2]["c"]) == 11
    app.run()
    assert len(calls) == 1 and calls[0] <= 450
    clicked(app, "strike both:0", monkeypatch)
    assert shown(app, "strike-confirm")


def test_a_classifier_that_fails_leaves_the_other_figures(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    twice(app)
    model = the_engine().catalogue.classifier("fake-abuse")
    monkeypatch.setattr(model, "predict_proba", lambda given: [[2.0, -1.0]] * len(given))
    app.button_group(key="view").set_value("quality").run()
    assert not app.exception and "A model could not answer" in texts(app)
    assert "Unchanged" in json.dumps(figures(app)["infill-quality"])
    assert "sample" in figures(app)
