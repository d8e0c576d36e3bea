"""The Counterfactuals page without a browser, on the real engine and the shipped fakes."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from visiting import explained, shown, texts, twice

from nsx_core.latest import Latest
from pages.shared.engine import the_engine

PAGE = "pages/explore/counterfactuals.py"
TEXT = "Idiot women should go"


def opened(app: AppTest, **query: str) -> AppTest:
    """The page at this address, settled."""
    app.run()
    app.switch_page(PAGE)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return settled(app)


def settled(app: AppTest) -> AppTest:
    """Wait for the search that the page polls."""
    end = time.monotonic() + 60
    while shown(app, "cf_cancel"):
        assert time.monotonic() < end, "the search did not end"
        time.sleep(0.02)
        app.run()
        assert not app.exception
    return app


def find(app: AppTest, text: str | None = None) -> AppTest:
    """Type a text, press the button, wait."""
    if text is not None:
        app.text_area(key="cf_text").set_value(text)
    app.button(key="cf_find").click().run()
    assert not app.exception
    return settled(app)


def said(app: AppTest) -> str:
    """All that the page says, in its figures too."""
    trees = [json.loads(e.proto.json or e.proto.mixed.json) for e in app.get("bidi_component")]
    return "\n".join([texts(app), *map(_words, trees)])


def _words(tree: Any) -> str:
    return tree if isinstance(tree, str) else " ".join(map(_words, tree.get("c", ())))


def has_result(app: AppTest) -> bool:
    return [h.value for h in app.header] == [
        "Do they agree?",
        "All texts",
        "Change the text yourself",
    ]


@pytest.fixture
def small(fresh_app: AppTest) -> AppTest:
    """The page, asked for little, so that a search is quick; nothing is searched yet."""
    return opened(fresh_app, calls="40", budget="10")


def test_a_first_visit_searches_the_stored_example_at_once(app: AppTest) -> None:
    opened(app)
    assert app.text_area(key="cf_text").value == "I hate women."
    assert has_result(app)
    whole = said(app)
    for name in ("Wachter", "SEDC", "Growing Spheres", "Anchors"):
        assert name in whole
    assert "a probability of 0.90: predicted at a threshold of 0.50" in whole
    assert app.query_params["calls"] == "1000" and "rank_target" not in app.query_params
    assert "hate women" not in str(dict(app.query_params))
    twice(app)
    assert has_result(app)


def test_the_warning_is_shown_once_a_session(small: AppTest) -> None:
    warning = "This page shows hateful text"
    assert warning in texts(small)
    small.switch_page("pages/explore/compare.py").run()
    assert not small.exception and warning in texts(small)
    small.button(key="understood").click().run()
    assert warning not in texts(small)
    small.switch_page(PAGE).run()
    assert not small.exception and warning not in texts(small)


def test_without_a_stored_explanation_a_first_visit_invites(small: AppTest) -> None:
    assert "Not searched yet" in texts(small) and "Anchors. Which words" in texts(small)
    assert small.session_state["cf_job"] is None
    find(small)
    assert has_result(small)


def test_an_unknown_text_and_bad_parameters_are_put_aside_and_said(fresh_app: AppTest) -> None:
    small = opened(fresh_app, text="0" * 64, epsilon="7", methods="lime")
    assert "Parts of the link were put aside" in texts(small)
    assert "names a text that is not stored here" in texts(small)
    assert "epsilon) is a number from 0 to 1, and '7' came" in texts(small)
    assert "'lime' came" in texts(small)


def test_an_address_opens_the_same_view(small: AppTest) -> None:
    small.selectbox(key="cf_goal").set_value("wanted").run()
    small.slider(key="cf_target").set_value(0.2)
    small.slider(key="cf_epsilon").set_value(0.15)
    small.multiselect(key="cf_methods").set_value(["anchors", "sedc"])
    small.text_input(key="cf_phrases").set_value("Idiot women")
    find(small, TEXT)
    small.select_slider(key="cf_strength").set_value(100.0).run()
    address = dict(small.query_params)
    assert address["methods"] == "sedc,anchors" and address["target"] == "0.2"
    assert address["units"] == "0-11" and address["lambda"] == "100"
    asked = small.session_state["cf_asked"]
    small.session_state["cf_opened"] = False
    small.run()
    assert not small.exception and not shown(small, "cf_cancel")
    assert small.session_state["cf_asked"].request == asked.request
    assert dict(small.query_params) == address and has_result(small)


def test_other_answers_are_browsed(small: AppTest) -> None:
    find(small, TEXT)
    assert "answer 1 of" in texts(small)
    assert small.button(key="cf_previous_wachter").disabled
    before = said(small)
    small.button(key="cf_next_wachter").click().run()
    assert "answer 2 of" in texts(small) and said(small) != before
    assert not small.button(key="cf_previous_wachter").disabled


def test_moving_a_rank_slider_ranks_and_judges_anew_without_a_search(small: AppTest) -> None:
    find(small, TEXT)
    job, before = small.session_state["cf_job"], said(small)
    small.slider(key="cf_rank_epsilon").set_value(0.0).run()
    assert not small.exception
    assert small.session_state["cf_job"] == job and said(small) != before
    assert small.query_params["rank_epsilon"] == "0"
    small.toggle(key="cf_valid_only").set_value(True).run()
    assert not small.exception and has_result(small)


def test_the_smallest_budget_ends_in_a_result(small: AppTest) -> None:
    small.number_input(key="cf_calls").set_value(1)
    find(small, TEXT)
    assert has_result(small) and "of 1 call" in said(small)


def test_a_probability_that_no_text_has_is_answered_with_the_nearest(small: AppTest) -> None:
    small.selectbox(key="cf_goal").set_value("wanted").run()
    small.slider(key="cf_target").set_value(0.43)
    small.slider(key="cf_epsilon").set_value(0.0)
    find(small, TEXT)
    assert has_result(small)
    assert "No counterfactual found within 40 calls; the nearest reached" in said(small)


def test_a_text_of_one_word_and_one_not_predicted_have_answers(small: AppTest) -> None:
    find(small, "women")
    assert has_result(small)
    find(small, "The library opens at nine.")
    assert has_result(small) and "not predicted at a threshold of 0.50" in said(small)


def test_what_cannot_be_searched_is_said_and_nothing_is_started(small: AppTest) -> None:
    small.text_input(key="cf_phrases").set_value("green people")
    find(small)
    assert "A phrase must stand in the text, and 'green people' does not" in texts(small)
    small.text_input(key="cf_phrases").set_value("")
    small.multiselect(key="cf_methods").set_value([])
    find(small)
    assert "At least one method is needed" in texts(small)
    find(small, "  ")
    assert "Nothing to search" in texts(small)
    small.multiselect(key="cf_methods").set_value(["sedc"])
    find(small, "w " * 2_001)
    assert "at most 2,000 words, and 2,001 came" in texts(small)


def test_a_change_of_the_form_is_said_until_it_is_searched(small: AppTest) -> None:
    find(small, TEXT)
    small.slider(key="cf_threshold").set_value(0.95).run()
    assert "Changed since the last search" in texts(small) and has_result(small)
    find(small)
    assert "Changed since" not in texts(small) and "not predicted" in said(small)
    small.slider(key="cf_threshold").set_value(0.5).run()
    assert not small.exception and "Changed since" not in texts(small)
    assert small.query_params["threshold"] == "0.5" and has_result(small)


def test_cancel_keeps_what_is_there_and_go_on_ends_it(
    fresh_app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NSX_FAKE_RATE", "60")
    app = opened(fresh_app, calls="40", budget="10")
    app.button(key="cf_find").click().run()
    assert shown(app, "cf_cancel")
    app.button(key="cf_cancel").click().run()
    settled(app)
    assert "Stopped" in texts(app) and not has_result(app)
    the_engine().catalogue.infiller("word-list").rate = None
    app.button(key="cf_go_on").click().run()
    assert not app.exception
    settled(app)
    assert has_result(app)


def test_a_search_that_fails_says_why(fresh_app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NSX_FAKE_FAULT", "faulty")
    app = opened(fresh_app, calls="40", budget="10")
    find(app, "A faulty idiot")
    assert "The search failed" in texts(app) and "fails on 'faulty'" in texts(app)
    assert shown(app, "cf_go_on")


def test_a_long_search_is_asked_about_first(small: AppTest) -> None:
    small.number_input(key="cf_calls").set_value(20_000)
    find(small, TEXT)
    assert "A long search" in texts(small) and shown(small, "cf_anyway_button")
    assert small.session_state["cf_job"] is None


def test_explain_leads_here_with_its_settings_and_back(app: AppTest) -> None:
    app.run()
    app.slider(key="budget").set_value(10)
    explained(app, TEXT)
    app.slider(key="threshold").set_value(0.3).run()
    app.button(key="smallest").click().run()
    assert not app.exception
    settled(app)
    asked = app.session_state["cf_asked"].request.explain
    assert (asked.text, asked.settings.budget, asked.settings.threshold) == (TEXT, 10, 0.3)
    assert has_result(app)
    app.button(key="cf_explain").click().run()
    assert not app.exception
    assert app.session_state["asked"].text == TEXT
    assert app.session_state["threshold"] == 0.3 and not shown(app, "cancel")


def test_the_page_keeps_its_widgets_when_one_comes_back(small: AppTest) -> None:
    find(small, TEXT)
    small.switch_page("pages/method/method.py").run()
    small.switch_page(PAGE).run()
    twice(small)
    assert small.text_area(key="cf_text").value == TEXT and has_result(small)


def test_findings_that_are_not_kept_any_more_are_searched_again(small: AppTest) -> None:
    find(small, TEXT)
    the_engine()._found = Latest(1)
    small.run()
    assert not small.exception and "not kept any more" in texts(small)
    small.button(key="cf_go_on").click().run()
    assert has_result(settled(small))
