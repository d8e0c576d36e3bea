"""The Run page without a browser, on the real engine and the shipped fakes."""

from __future__ import annotations

import json
import time

import pytest
from streamlit.testing.v1 import AppTest
from visiting import figures, shown, texts, twice

from nsx_core.auditing.audits import Audits
from nsx_core.errors import StoreError
from nsx_core.job import ACTIVE
from pages.shared.engine import the_engine

PAGE = "pages/audit/run.py"
OWN = (
    "Satz,Urteil,Wer,Begriff\n"
    "I hate **women** here,schlimm,women,women\n"
    "I hate those women-haters,schlimm,women,women\n"
    "I hate them,schlimm,men,men\n"
    "We saw men today,gut,men,men\n"
    ",gut,,\n"
)


@pytest.fixture
def run(fresh_app: AppTest) -> AppTest:
    """The Run page, run twice, with the smallest audit set up."""
    fresh_app.run()
    twice(fresh_app.switch_page(PAGE))
    fresh_app.slider(key="audit_budget").set_value(10)
    suite = fresh_app.selectbox(key="audit_suite").value
    fresh_app.multiselect(key=f"audit-groups-{suite}").set_value(["women"]).run()
    assert not fresh_app.exception
    return fresh_app


def finished(app: AppTest) -> AppTest:
    audits = the_engine().audits
    end = time.monotonic() + 60
    while any(card.state in ACTIVE for card in audits.listed()):
        assert time.monotonic() < end, "the audit did not end"
        time.sleep(0.02)
    return twice(app)


def uploaded(app: AppTest, content: str, name: str = "own.csv") -> AppTest:
    app.selectbox(key="audit_suite").set_value("own").run()
    app.file_uploader(key="suite_file").set_value((name, content.encode(), "text/csv")).run()
    assert not app.exception
    return app


def mapped(app: AppTest, part: str, column: str) -> AppTest:
    box = next(s for s in app.selectbox if s.key.startswith(f"map-{part}-"))
    box.set_value(column).run()
    assert not app.exception
    return app


def labels(app: AppTest, *values: str) -> AppTest:
    box = next(m for m in app.multiselect if m.key.startswith("map-hateful-"))
    box.set_value(list(values)).run()
    assert not app.exception
    return app


def own_suite(app: AppTest) -> AppTest:
    """The file above, its columns mapped."""
    uploaded(app, OWN)
    for part, column in (("text", "Satz"), ("label", "Urteil"), ("group", "Wer"),
                         ("phrase", "Begriff")):  # fmt: skip
        mapped(app, part, column)
    return labels(app, "schlimm")


def test_the_first_visit_says_what_an_audit_asks_for(fresh_app: AppTest) -> None:
    fresh_app.run()
    twice(fresh_app.switch_page(PAGE))
    assert fresh_app.selectbox(key="audit_suite").value == the_engine().audits.suites()[0].id
    assert "Classifies 301 texts with 2 classifiers." in texts(fresh_app)
    assert "Explains at most 96 cases" in texts(fresh_app)
    assert "None yet." in texts(fresh_app) and "What this audit cannot say" not in texts(fresh_app)
    assert fresh_app.multiselect(key="audit_classifiers").value == ["fake-hate", "fake-abuse"]
    assert "fetch hatecheck" in fresh_app.caption[0].value


def test_the_cost_follows_the_settings(run: AppTest) -> None:
    assert "Explains at most 12 cases" in texts(run)
    run.multiselect(key="audit_classifiers").set_value(["fake-hate"]).run()
    assert "Classifies 301 texts with 1 classifier." in texts(run)
    run.multiselect(key="audit_classifiers").set_value([]).run()
    assert "No classifier is chosen" in texts(run) and "What it asks for" not in texts(run)
    assert run.button(key="audit-run").disabled


def test_an_audit_runs_to_its_results(run: AppTest) -> None:
    run.button(key="audit-run").click().run()
    assert not run.exception
    finished(run)
    (card,) = the_engine().audits.listed()
    assert (card.state, card.groups, card.budget) == ("done", ("women",), 10)
    assert f"Finished: {card.done} explanations." in texts(run) and card.done > 0
    assert card.name == run.text_input[0].value
    (link,) = run.get("page_link")
    assert link.proto.page.endswith("results") and card.id in link.proto.query_string
    assert "(all known already)" in texts(run) and "computer's speed." in texts(run)


def test_one_that_runs_is_cancelled_and_goes_on(
    run: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = the_engine()
    writer = engine.catalogue.infiller("word-list")
    monkeypatch.setattr(writer, "rate", 40.0)
    run.button(key="audit-run").click().run()
    (card,) = engine.audits.listed()
    assert shown(run, f"cancel-{card.id}")
    assert "Explanations that somebody waits for on the Explain page go first." in texts(run)
    run.button(key=f"cancel-{card.id}").click().run()
    finished(run)
    assert engine.audits.listed()[0].state == "cancelled"
    assert "Stopped. " in texts(run) and not shown(run, f"cancel-{card.id}")
    monkeypatch.setattr(writer, "rate", None)
    run.button(key=f"go-on-{card.id}").click().run()
    finished(run)
    assert engine.audits.listed()[0].state == "done" and "Finished: " in texts(run)


def test_a_refusal_is_said_and_nothing_is_lost(
    run: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> str:
        raise StoreError("The disk is full.")

    monkeypatch.setattr(Audits, "submit", refuse)
    run.button(key="audit-run").click().run()
    assert "The store cannot be used" in texts(run) and "The disk is full." in texts(run)
    assert run.slider(key="audit_budget").value == 10
    assert "The disk is full." not in texts(run.run())


def test_the_name_is_asked_for(run: AppTest) -> None:
    run.text_input[0].set_value("   ").run()
    assert run.button(key="audit-run").disabled


def test_the_cases_are_shown_in_pages(run: AppTest) -> None:
    run.toggle(key="audit_show_cases").set_value(True).run()
    assert not run.exception
    assert "301 cases, 8 groups, 12 functionalities, 43 % hateful." in texts(run)
    assert "301 phrases found." in texts(run)
    written = json.dumps(figures(run)["cases"])
    assert "of 301" in written and "Honestly, I hate having " in written


# --- a file of one's own ------------------------------------------------------------------


def test_the_wizard_asks_for_what_no_name_tells(run: AppTest) -> None:
    uploaded(run, OWN)
    assert "Which column is the text and which is the label?" in texts(run)
    mapped(run, "text", "Satz")
    assert "Which column is the label?" in texts(run)
    mapped(run, "label", "Urteil")
    assert "Which labels mean hateful?" in texts(run) and not figures(run)
    labels(run, "schlimm")
    assert "4 cases, 0 groups, 75 % hateful. No case names its phrase" in texts(run)
    mapped(run, "phrase", "Begriff")
    assert "3 phrases found. 1 of them is glued" in texts(run)
    assert "1 phrase not found" in texts(run) and "row 5" in texts(run)


def test_phrases_are_shown_by_how_they_were_found(run: AppTest) -> None:
    own_suite(run)
    for kind, words in (
        ("missing", "the phrase 'men' does not stand in the text"),
        ("glued", "women-haters"),
    ):
        run.button_group[0].set_value(kind).run()
        assert not run.exception
        assert words in json.dumps(figures(run)["cases"])
        assert "**" not in json.dumps(figures(run)["cases"]["c"][0]["c"][2])
    for element in [*run.markdown, *run.get("html")]:
        assert "women" not in str(element.proto.body)


def test_an_own_suite_is_kept_and_audited(run: AppTest) -> None:
    own_suite(run)
    run.button(key="use-suite").click().run()
    assert not run.exception
    engine = the_engine()
    key = run.selectbox(key="audit_suite").value
    assert engine.audits.suite(key).name == "own"
    assert "The suite has no column for the functionality" in texts(run)
    assert "No hateful case to explain names" not in texts(run)
    assert "No harmless mention names women" in texts(run)
    assert "Explains at most 2 cases" in texts(run)
    assert "Case '3' is left out: the phrase 'men' does not stand in the text." in texts(run)
    run.button(key="audit-run").click().run()
    finished(run)
    (card,) = engine.audits.listed()
    assert (card.state, card.suite, card.suite_cases) == ("done", "own", 4)
    found = engine.audits.found(card.id, 0.5)
    assert set(found.cases["group"]) == {"women"}


def test_functionalities_of_ones_own_are_given_their_parts(run: AppTest) -> None:
    uploaded(
        run,
        "text,label,group,phrase,functionality\nI hate women,1,women,women,threat\n"
        "We like women,0,women,women,praise\n",
    )
    run.button(key="use-suite").click().run()
    assert "No functionality is chosen to be explained" in texts(run)
    assert "Explains no case" in texts(run)
    key = run.selectbox(key="audit_suite").value
    run.multiselect(key=f"audit-part-0-{key}").set_value(["threat"]).run()
    run.multiselect(key=f"audit-part-1-{key}").set_value(["praise"]).run()
    assert not run.exception
    assert "Explains at most 1 case" in texts(run)
    assert "No functionality is chosen as abuse of other targets" in texts(run)
    run.button(key="audit-run").click().run()
    (card,) = the_engine().audits.listed()
    assert the_engine().audits.request(card.id).functionalities.explained == ("threat",)
    finished(run)


WRONG = (
    ("id,text,label\n1,x,1\n1,y,0\n", "repeats '1' in rows 1, 2"),
    ("text,label\n", "at least one row below its header"),
    ("text,label\nx,1,2\n", "row 1 has 3"),
    ("text,label\n,1\n", "all 1 of 'own.csv' are skipped"),
    ("text,label\n" + "".join(f"x,kind {i}\n" for i in range(60)), "holds 60 different values"),
)


def test_what_is_wrong_is_said_in_place(run: AppTest, subtests: pytest.Subtests) -> None:
    for content, said in WRONG:
        with subtests.test(said):
            uploaded(run, content)
            assert "This file cannot be used" in texts(run) and said in texts(run)
            assert not shown(run, "use-suite")
            assert "None yet." in texts(run), "the audits below stay"


def test_an_error_of_the_mapping_is_mended_in_place(run: AppTest) -> None:
    uploaded(run, "id,text,label\n1,x,1\n1,y,0\n")
    assert "choose no column for the id" in texts(run)
    mapped(run, "id", "")
    assert "2 cases, 0 groups, 50 % hateful." in texts(run) and shown(run, "use-suite")
    mapped(run, "label", "text")
    assert "'text' is given for text and label" in texts(run) and not shown(run, "use-suite")
    mapped(run, "label", "label")
    assert shown(run, "use-suite")


def test_labels_can_be_read_the_other_way_round(run: AppTest) -> None:
    uploaded(run, "text,label\nx,1\ny,0\nz,0\n")
    assert "3 cases, 0 groups, 33 % hateful." in texts(run)
    labels(run, "0")
    assert "3 cases, 0 groups, 67 % hateful." in texts(run)
    labels(run)
    assert "Which labels mean hateful?" in texts(run)
