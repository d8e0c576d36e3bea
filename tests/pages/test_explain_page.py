"""The Explain page without a browser, on the real engine and the shipped fakes."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest
from visiting import explained, figures, finished, shown, texts, twice

from pages.shared.engine import the_engine

LONG = "w " * 2_001


def test_the_first_visit_shows_a_whole_explanation(app: AppTest) -> None:
    twice(app)
    assert app.text_area(key="text_box").value == "I hate women."
    assert "gives the label hate a probability of" in texts(app)
    assert "texts lose the label hate (necessity 1.00" in texts(app)
    assert app.session_state["job"] is None
    assert set(figures(app)) == {"heatmap", "drilldown"}
    assert app.query_params["word"] == "3" and "text" in app.query_params
    assert "hate women" not in str(dict(app.query_params))


def test_a_first_visit_with_nothing_precomputed_computes_it(fresh_app: AppTest) -> None:
    finished(twice(fresh_app))
    assert not fresh_app.exception
    assert set(figures(fresh_app)) == {"heatmap", "drilldown"}


def test_the_warning_is_shown_once(app: AppTest) -> None:
    twice(app)
    assert "This page shows hateful text" in texts(app)
    app.button(key="understood").click().run()
    assert "This page shows hateful text" not in texts(app)
    assert "This page shows hateful text" not in texts(app.run())


def test_all_four_views_of_a_word(app: AppTest) -> None:
    twice(app)
    for view, figure in (
        ("sufficiency", "drilldown"),
        ("computed", "walkthrough"),
        ("scores", "wide"),
        ("necessity", "drilldown"),
    ):
        app.button_group(key="view").set_value(view).run()
        assert not app.exception
        assert figure in figures(app), view


def test_filters(app: AppTest) -> None:
    twice(app)
    app.toggle(key="flips_only").set_value(True).run()
    app.text_input(key="search").set_value("river").run()
    assert not app.exception
    rows = figures(app)["drilldown"]["c"][0]["c"][2]["c"][1:]
    assert rows and all("river" in json.dumps(r) and "flipped" in json.dumps(r) for r in rows)
    app.selectbox(key="replaced").set_value(1).run()
    assert "1 of 3" in json.dumps(figures(app)["drilldown"])


def test_a_typed_text_is_explained(app: AppTest) -> None:
    twice(app)
    explained(app, "Women should go home")
    assert not app.exception
    words = [b["c"][0]["c"][0] for b in figures(app)["heatmap"]["c"][1]["c"]]
    assert words == ["Women", "should", "go", "home"]


def test_a_text_that_cannot_be_explained_stays_typed(
    app: AppTest, subtests: pytest.Subtests
) -> None:
    twice(app)
    for text, said in (
        ("", "this one is empty"),
        ("  \n ", "all blank or invisible"),
        ("\u200b\u200d", "all blank or invisible"),
        (LONG, "at most 2,000 words, and 2,001 came"),
    ):
        with subtests.test(said, text=text[:20]):
            explained(app, text)
            assert not app.exception
            assert "This text cannot be explained" in texts(app) and said in texts(app)
            assert app.text_area(key="text_box").value == text
            assert "text" not in app.query_params
    explained(app, "Women should go home")
    assert "heatmap" in figures(app) and "cannot be explained" not in texts(app)


ODD = (
    "women",
    "women go",
    "😀 😀",
    "<script>alert(1)</script> women",
    "![x](http://e.x/p.png) women",
    "שונא נשים",
    "women\u200d a\u200db",
    "women \x00\x1b[31m red",
    "women " + "x" * 10_000,
    "**women** [a](javascript:alert(1)) :red[b] $x$",
)


def test_odd_texts_reach_the_browser_as_text_only(app: AppTest, subtests: pytest.Subtests) -> None:
    app.query_params["budget"] = "20"
    finished(twice(app))
    for text in ODD:
        with subtests.test(text=text[:40]):
            explained(app, text)
            if shown(app, "anyway-button"):
                app.button(key="anyway-button").click().run()
                finished(app)
            assert not app.exception
            assert "heatmap" in figures(app)
            for element in [*app.markdown, *app.get("html")]:
                for word in ("women", "<script>", "![x]", "x" * 20):
                    assert word not in str(element.proto.body)


def test_a_stored_text_that_no_browser_can_show(app: AppTest) -> None:
    twice(app)
    other = opened(app, text=the_engine().remember_text("women \ud800 go"))
    finished(twice(other))
    assert other.text_area(key="text_box").value == "women \ufffd go"
    assert "lone surrogates" in texts(other) and "heatmap" in figures(other)


def opened(app: AppTest, **parameters: str) -> AppTest:
    """Another session of the same app at this address, not yet run."""
    other = AppTest.from_file(app._script_path, default_timeout=60)
    for name, value in parameters.items():
        other.query_params[name] = value
    return other


def test_a_text_that_is_not_predicted_waits_for_a_request(app: AppTest) -> None:
    twice(app)
    explained(app, "The library opens at nine.")
    assert "Not predicted" in texts(app) and "below the threshold of 0.50" in texts(app)
    assert not figures(app)
    app.button(key="anyway-button").click().run()
    finished(app)
    assert not app.exception
    assert "gain the label hate" in texts(app)


def test_a_long_text_says_what_it_asks_for_and_waits(app: AppTest) -> None:
    twice(app)
    explained(app, "I hate " + "very " * 198 + "much.")
    assert "The text has 201 words, and its scores need 591 counterfactual texts" in texts(app)
    assert not figures(app)
    app.text_area(key="text_box").set_value("I hate women.")
    app.button(key="explain").click().run()
    assert "heatmap" in figures(finished(app))


def test_characters_that_cannot_be_seen_are_pointed_out(app: AppTest) -> None:
    twice(app)
    explained(app, "I ha\u200dte rain.")
    if shown(app, "anyway-button"):
        app.button(key="anyway-button").click().run()
        finished(app)
    assert "1 character of the text cannot be seen" in texts(app)
    explained(app, "I hate rain \U0001f468\u200d\U0001f469\u200d\U0001f467.")
    assert "cannot be seen" not in texts(app)


def test_examples_are_explained_at_once(app: AppTest) -> None:
    twice(app)
    assert len([b for b in app.button if b.key.startswith("example-")]) == 6
    app.button(key="example-1").click().run()
    finished(app)
    assert app.text_area(key="text_box").value == "Immigrants should go back home."
    assert "heatmap" in figures(app)


def test_moving_the_threshold_judges_again_without_a_job(app: AppTest) -> None:
    twice(app)
    app.slider(key="threshold").set_value(0.4).run()
    assert not app.exception
    assert "reaches the threshold of 0.40" in texts(app)
    assert app.session_state["job"] is None
    app.slider(key="threshold").set_value(0.99).run()
    assert "not predicted" in texts(app) and "heatmap" in figures(app)


def test_changed_settings_wait_for_explain(app: AppTest) -> None:
    twice(app)
    app.slider(key="budget").set_value(120).run()
    assert "Changed since the last explanation" in texts(app)
    assert app.query_params["budget"] == "100"
    app.button(key="explain").click().run()
    finished(app)
    assert app.query_params["budget"] == "120" and "Changed since" not in texts(app)


def test_a_smaller_budget_is_shown_at_once(app: AppTest) -> None:
    twice(app)
    app.slider(key="budget").set_value(30).run()
    assert app.query_params["budget"] == "30" and "Changed since" not in texts(app)
    assert app.session_state["job"] is None


def test_a_link_opens_the_same_view(app: AppTest) -> None:
    twice(app)
    explained(app, "Women should go home")
    app.slider(key="threshold").set_value(0.35).run()
    address = dict(app.query_params.items())
    other = twice(opened(app, **address))
    assert other.text_area(key="text_box").value == "Women should go home"
    assert other.slider(key="threshold").value == 0.35
    assert figures(other)["heatmap"] == figures(app)["heatmap"]
    assert dict(other.query_params.items()) == address


def test_a_bad_link_says_what_it_ignores(app: AppTest) -> None:
    app.query_params.update({"budget": "0", "classifier": "no<b>ne", "word": "99", "text": "gone"})
    app.run()
    said = texts(app)
    assert not app.exception
    assert "from 10 to 400, and '0' came" in said and "'no<b>ne' came" in said
    assert "names a text that is not stored here" in said
    assert app.slider(key="budget").value == 100
    assert "heatmap" in figures(app)
    assert not any("no<b>ne" in m.value for m in app.markdown)


def test_a_word_that_is_not_there(app: AppTest) -> None:
    app.query_params["word"] = "9"
    app.run()
    assert "It asks for word 9, and the text has 3" in texts(app)
    assert app.query_params["word"] == "3"


def test_an_unusable_classifier(app: AppTest) -> None:
    twice(app)
    app.selectbox(key="classifier").set_value("fake-damaged").run()
    assert not app.exception
    app.button(key="explain").click().run()
    assert not app.exception
    assert "This classifier cannot be used now" in texts(app)
    app.selectbox(key="classifier").set_value("fake-hate").run()
    app.button(key="explain").click().run()
    assert not app.exception
    assert "heatmap" in figures(app)


def test_another_classifier_reuses_every_draw(app: AppTest) -> None:
    twice(app)
    app.selectbox(key="classifier").set_value("fake-abuse").run()
    assert "Changed since the last explanation" in texts(app)
    app.button(key="explain").click().run()
    finished(app)
    assert "fake-abuse gives the label abuse" in texts(app) and "heatmap" in figures(app)
    assert the_engine().catalogue.infiller("word-list").calls == 0


def test_the_other_class_can_be_explained(app: AppTest) -> None:
    twice(app)
    app.selectbox(key="label").set_value("not hate").run()
    assert "gives the label not hate a probability of 0.10" in texts(app)
    assert "heatmap" in figures(app) and "gain the label not hate" in texts(app)
    assert app.session_state["job"] is None


def test_unseen_words_are_announced(app: AppTest) -> None:
    twice(app)
    app.slider(key="budget").set_value(10)
    explained(app, "women " + "word " * 203)
    assert "4 words unseen by the model" in texts(app)


def test_what_was_typed_survives_a_visit_to_another_page(app: AppTest) -> None:
    twice(app)
    explained(app, "Women should go home")
    app.switch_page("pages/models/classifiers.py").run()
    assert not app.exception
    app.switch_page("pages/explore/explain.py").run()
    assert not app.exception
    assert app.text_area(key="text_box").value == "Women should go home"
    assert "heatmap" in figures(app)
