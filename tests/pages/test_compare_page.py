"""The Compare page without a browser, on the real engine and the shipped fakes."""

from __future__ import annotations

import re
import time

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from visiting import figures, shown, texts, twice

from nsx_core.attributing import shap_scores
from nsx_core.job import ACTIVE
from nsx_core.words import split
from pages.shared.engine import the_engine

PAGE = "pages/explore/compare.py"


@pytest.fixture(scope="module")
def shap_loaded() -> None:
    """The package compiles parts of itself on first use, which may take long."""
    shap_scores(split("warm up"), lambda texts: np.zeros(len(texts)))


def opened(app: AppTest) -> AppTest:
    """The page, settled."""
    app.run()
    app.switch_page(PAGE).run()
    assert not app.exception
    return settled(app)


def settled(app: AppTest) -> AppTest:
    """Wait for all that the page polls."""
    end = time.monotonic() + 60
    while shown(app, "cmp_cancel") or shown(app, "cmp_methods_cancel"):
        assert time.monotonic() < end, "the page did not settle"
        time.sleep(0.05)
        app.run()
        assert not app.exception
    return app


def compare(app: AppTest, text: str, second: str = "") -> AppTest:
    app.text_area(key="cmp_text").set_value(text)
    app.text_area(key="cmp_text2").set_value(second)
    app.button(key="cmp_compare").click().run()
    return settled(app)


def heads(app: AppTest) -> list[str]:
    """The names of the rows in the figure."""
    found: list[str] = []

    def walk(tree: object) -> None:
        if isinstance(tree, dict):
            if tree.get("a", {}).get("class") == "row-head":
                found.append(tree["c"][0]["c"][0])
            for child in tree.get("c", ()):
                walk(child)

    walk(figures(app)["stacked-texts"])
    return found


def test_a_first_visit_compares_all_usable_classifiers_on_the_first_example(app: AppTest) -> None:
    opened(app)
    assert app.text_area(key="cmp_text").value == "I hate women."
    assert heads(app) == ["fake-hate", "fake-abuse"]
    assert "The most necessary word is" in texts(app)
    assert app.query_params["classifiers"] == "fake-hate,fake-abuse"
    assert "hate women" not in str(dict(app.query_params))


def test_the_first_classifier_draws_and_the_others_only_classify(app: AppTest) -> None:
    opened(app)
    compare(app, "All idiot immigrants leave")
    assert heads(app) == ["fake-hate", "fake-abuse"]
    jobs = list(app.session_state["cmp_jobs"].values())
    first, second = (the_engine().job(job) for job in jobs)
    assert first.infilled == first.total
    assert second.infilled == 0 and second.reused == second.total


def test_the_papers_pair_is_two_texts_over_one_another(app: AppTest) -> None:
    opened(app)
    app.button(key="cmp_pair").click().run()
    settled(app)
    assert heads(app) == ["fake-hate", "fake-abuse"] * 2
    assert "These Muslims disgust me so much." in app.text_area(key="cmp_text2").value
    assert "text2" in app.query_params
    assert "Not predicted by fake-abuse" in texts(app)


def test_cancel_keeps_what_is_drawn_and_go_on_ends_it(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NSX_FAKE_RATE", "150")
    opened(app)
    app.text_area(key="cmp_text").set_value("Women should go home now")
    app.button(key="cmp_compare").click().run()
    (job,) = app.session_state["cmp_jobs"].values()
    while the_engine().partial(job) is None:
        time.sleep(0.02)
    app.run()
    assert "draws so far" in str(figures(app)["stacked-texts"])
    app.button(key="cmp_cancel").click().run()
    settled(app)
    assert "Stopped" in texts(app) and not shown(app, "cmp_methods_button")
    assert the_engine().job(job).state == "cancelled"
    the_engine().catalogue.infiller("word-list").rate = None
    app.button(key="cmp_go_on").click().run()
    settled(app)
    assert "Stopped" not in texts(app) and heads(app) == ["fake-hate", "fake-abuse"]
    assert shown(app, "cmp_methods_button")


@pytest.mark.usefixtures("shap_loaded")
def test_methods_side_by_side_and_another_threshold(app: AppTest) -> None:
    opened(app)
    app.button(key="cmp_methods_button").click().run()
    settled(app)
    assert re.search(r"two words that .*LIME ranks? first loses", texts(app))
    whole = str(figures(app)["wide"])
    assert "random orders" in whole
    app.slider(key="cmp_threshold").set_value(0.95).run()
    settled(app)
    assert "Not predicted by fake-hate and fake-abuse" in texts(app)
    assert app.query_params["threshold"] == "0.95"
    assert "is not predicted here" in texts(app)
    app.selectbox(key="cmp_methods").set_value("fake-abuse").run()
    settled(app)
    assert app.query_params["methods"] == "fake-abuse"
    assert the_engine()._jobs._jobs[app.session_state["cmp_methods_job"]].state not in ACTIVE


def test_an_address_opens_the_same_view_at_once(app: AppTest) -> None:
    opened(app)
    compare(app, "Women and gay people", "Idiot people")
    address = dict(app.query_params)
    asked = app.session_state["cmp_asked"]
    for name in ("cmp_opened", "cmp_asked"):
        del app.session_state[name]
    app.run()
    assert not app.exception and not shown(app, "cmp_cancel")
    assert app.session_state["cmp_asked"] == asked
    assert dict(app.query_params) == address


def test_a_text_unknown_here_is_said(app: AppTest) -> None:
    app.run()
    app.query_params["text"] = "0" * 64
    app.switch_page(PAGE)
    app.query_params["text"] = "0" * 64
    app.run()
    assert not app.exception
    assert "names a text that is not stored here" in texts(app)


def test_a_phrase_is_one_unit_where_it_stands_and_refused_where_it_stands_nowhere(
    app: AppTest,
) -> None:
    opened(app)
    app.text_input(key="cmp_phrases").set_value("gay people")
    compare(app, "I like gay people", "I like women")
    whole = str(figures(app)["stacked-texts"])
    assert "'gay people'" in whole and "units" in app.query_params
    app.text_input(key="cmp_phrases").set_value("green people").run()
    assert not app.exception
    assert "A phrase must stand in the text, and 'green people' does not" in texts(app)


def test_nothing_chosen_is_said(app: AppTest) -> None:
    opened(app)
    app.multiselect(key="cmp_classifiers").set_value([])
    app.button(key="cmp_compare").click().run()
    assert not app.exception and "Nothing to compare" in texts(app)


def test_struck_draws_are_named(app: AppTest) -> None:
    opened(app)
    request = app.session_state["cmp_asked"].requests[0][0]
    found = the_engine().cached(request)
    draw = found.draws[0].draw
    the_engine().strike(found, draw.side, draw.number, "not a sentence")
    assert "1 counterfactual text is struck out" in texts(app.run())


def test_a_long_text_is_asked_about_first(app: AppTest) -> None:
    opened(app)
    app.text_area(key="cmp_text").set_value("w " * 400)
    app.button(key="cmp_compare").click().run()
    assert not app.exception
    assert "A long text" in texts(app) and shown(app, "cmp_anyway_button")
    assert not app.session_state["cmp_jobs"]


def test_a_word_opens_the_explain_page_on_its_classifier(app: AppTest) -> None:
    opened(app)
    app.session_state["cmp_open"] = "0:1:2"
    app.run()
    assert not app.exception
    assert app.session_state["asked"].classifier == "fake-abuse"
    assert app.session_state["word"] == 2


def test_the_page_keeps_its_widgets_when_one_comes_back(app: AppTest) -> None:
    opened(app)
    compare(app, "Women and gay people")
    app.switch_page("pages/method/method.py").run()
    app.switch_page(PAGE).run()
    twice(app)
    assert app.text_area(key="cmp_text").value == "Women and gay people"
    assert not shown(app, "cmp_cancel")
