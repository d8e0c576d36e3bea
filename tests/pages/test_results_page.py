"""The Results page on audits made by hand; every state it can be in."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

sys.path.append(str(Path(__file__).resolve().parents[1] / "views"))
import audits_made
from audits_made import ABUSE, FEW, HATE, HOSTILE, NEVER
from visiting import figures, texts, twice

from nsx_core.audit_records import AuditCard, AuditFound
from nsx_core.engine import Engine, ExplainRequest
from nsx_core.errors import UnknownNameError
from nsx_core.records import ExplainSettings

PAGE = "pages/audit/results.py"


@dataclass
class Made:
    """Audits without an engine; counts what is asked of it."""

    cards: list[AuditCard] = field(default_factory=list)
    changes: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: list[tuple[str, float]] = field(default_factory=list)
    explained: list[tuple[str, str, str]] = field(default_factory=list)

    def listed(self) -> list[AuditCard]:
        return self.cards

    def found(self, audit_id: str, threshold: float) -> AuditFound:
        self.asked.append((audit_id, threshold))
        card = next(c for c in self.cards if c.id == audit_id)
        more = self.changes.get(audit_id, {})
        return replace(audits_made.found(**more), card=card, threshold=threshold)

    def request_of(self, audit_id: str, case: str, classifier: str) -> ExplainRequest:
        self.explained.append((audit_id, case, classifier))
        if case == "gone":
            raise UnknownNameError("case", case, ["one"])
        settings = ExplainSettings(phrases=("black women",))
        return ExplainRequest("I hate black women.", "fake-hate", "word-list", settings)


@pytest.fixture
def audits(monkeypatch: pytest.MonkeyPatch) -> Made:
    audits = Made([audits_made.card(), audits_made.card(id="a2", name="Older", threshold=0.4)])
    monkeypatch.setattr(
        Engine, "audits", property(lambda _: audits, lambda _, __: None), raising=False
    )
    return audits


def opened(app: AppTest, **given: str) -> AppTest:
    app.run()
    app.switch_page(PAGE)
    # A browser leaves one page's parameters behind when it goes to another.
    app.query_params.clear()
    for name, value in given.items():
        app.query_params[name] = value
    return twice(app)


def explain(app: AppTest, case: str) -> AppTest:
    """What a click on 'Explain' does: AppTest cannot click components, so state is set."""
    app.session_state["results_explain"] = (HATE, case)
    return app.run()


def test_without_an_audit_the_page_says_what_to_do(app: AppTest, audits: Made) -> None:
    audits.cards.clear()
    opened(app)
    assert "There is no audit yet" in texts(app) and "page Run" in texts(app)
    assert not app.selectbox and not audits.asked


def test_the_newest_audit_is_shown_at_its_own_threshold(app: AppTest, audits: Made) -> None:
    opened(app)
    assert app.selectbox(key="results_audit").value == "a1"
    assert app.slider(key="results_threshold").value == 0.5
    assert "62 cases" in texts(app)
    shown = figures(app)
    assert {"audit-scores", "audit-pair", "audit-pairs"} <= set(shown)
    assert "<b>women</b> | x" in json.dumps(shown["audit-scores"])
    assert app.query_params["audit"] == "a1" and app.query_params["view"] == "groups"
    assert "Not the whole audit" not in texts(app) and "Struck-out" not in texts(app)


def test_another_audit_brings_its_own_threshold(app: AppTest, audits: Made) -> None:
    opened(app)
    app.selectbox(key="results_audit").select("a2").run()
    assert not app.exception
    assert audits.asked[-1] == ("a2", 0.4) and app.slider(key="results_threshold").value == 0.4
    assert app.query_params["audit"] == "a2"


def test_the_slider_counts_again(app: AppTest, audits: Made) -> None:
    opened(app)
    app.slider(key="results_threshold").set_value(0.31).run()
    assert audits.asked[-1] == ("a1", 0.31) and app.query_params["threshold"] == "0.31"


def test_each_view_runs_twice(app: AppTest, audits: Made, subtests: pytest.Subtests) -> None:
    audits.changes["a1"] = {"methods": True, "struck": True}
    opened(app)
    assert "without: " in json.dumps(figures(app)["audit-scores"])
    for view, wanted in (
        ("tables", ("Flagged without cause", "Costs", "Texts that the classifier read")),
        ("hypotheses", ("1. Identity phrases are more necessary", "No conclusion")),
        ("pairs", ("tested differences are clear",)),
        ("cases", ("Struck-out texts",)),
        ("downloads", ("Table 4: SHAP and LIME (12 rows)", "token")),
        ("groups", ("Needed, enough, or both?", "Group against group")),
    ):
        with subtests.test(view=view):
            app.session_state["results_view"] = view
            twice(app)
            said = texts(app) + "\n".join(h.value for h in app.subheader)
            for words in wanted:
                assert words in said
            assert app.query_params["view"] == view


def test_tables_not_asked_for_say_so(app: AppTest, audits: Made) -> None:
    opened(app, view="tables")
    assert "asked for neither SHAP nor LIME" in texts(app)
    assert "did not ask for masking" in texts(app)
    assert {"audit-rates", "audit-functions", "audit-costs"} <= set(figures(app))


def test_an_audit_that_is_not_done_says_how_far_it_is(app: AppTest, audits: Made) -> None:
    audits.cards[0] = audits_made.card(state="running", done=7)
    audits.changes["a1"] = {"undrawn": 5, "notes": ("A note.",)}
    opened(app)
    said = texts(app)
    assert "7 of 46 cases and classifiers are done" in said
    assert (
        "5 explained cases that the classifiers get right have no draws" in said
        and "A note." in said
    )
    before = len(audits.asked)
    app.button(key="results-refresh").click().run()
    assert len(audits.asked) == before + 1


def test_a_link_opens_audit_threshold_view_and_cell(app: AppTest, audits: Made) -> None:
    opened(
        app, audit="a2", threshold="0.7", view="groups", classifier=ABUSE, group=FEW,
        score="sufficiency",
    )  # fmt: skip
    assert audits.asked[-1] == ("a2", 0.7) and "put aside" not in texts(app)
    assert "The cases of this cell" in [h.value for h in app.subheader]
    cases = json.dumps(figures(app)["audit-cases"])
    assert "5 cases" in cases and f"=cmd {FEW} case 4" in cases
    assert app.query_params["score"] == "sufficiency"


def test_what_a_link_cannot_mean_is_put_aside_and_said(app: AppTest, audits: Made) -> None:
    opened(
        app, audit="zz", threshold="5", view="x", classifier=HATE, group="men", score="necessity"
    )
    said = texts(app)
    for words in ("'zz' is not stored here", "'5' came", "'x' came"):
        assert words in said
    assert audits.asked[-1] == ("a1", 0.5)
    assert "group" not in app.query_params


def test_an_undefined_cell_opens_to_its_cases(app: AppTest, audits: Made) -> None:
    opened(app, audit="a1", classifier=HATE, group=NEVER, score="necessity")
    assert "undefined, 0 of 4" in texts(app)
    assert "No case matches" in json.dumps(figures(app)["audit-cases"])
    app.session_state["results_cell_right"] = "wrong"
    app.run()
    assert "All 4 cases" in json.dumps(figures(app)["audit-cases"])


def test_cases_are_filtered_and_searched(app: AppTest, audits: Made) -> None:
    opened(app, view="cases", audit="a1")
    total = len(audits_made.found().predictions)
    assert f"All {total} rows" in json.dumps(figures(app)["audit-cases"])
    app.selectbox(key="results_of_group").select(HOSTILE).run()
    app.selectbox(key="results_of_right").select("wrong").run()
    assert f"12 of {total} rows" in json.dumps(figures(app)["audit-cases"])
    app.text_input(key="results_search").set_value("NICE 3").run()
    assert f"2 of {total} rows" in json.dumps(figures(app)["audit-cases"])
    app.toggle(key="results_of_scored").set_value(True).run()
    assert "No case matches" in json.dumps(figures(app)["audit-cases"])


def test_a_clicked_case_opens_on_the_page_explain(app: AppTest, audits: Made) -> None:
    opened(app, audit="a1", threshold="0.6")
    explain(app, "one")
    assert audits.explained == [("a1", "one", HATE)]
    assert app.session_state["text_box"] == "I hate black women."
    assert app.session_state["word"] == 2 and app.session_state["threshold"] == 0.6
    app.switch_page(PAGE)
    app.query_params.clear()
    app.run()
    assert audits.asked[-1] == ("a1", 0.6), "the page is as it was left"


def test_a_case_that_cannot_be_opened_is_said(app: AppTest, audits: Made) -> None:
    opened(app, audit="a1")
    explain(app, "gone")
    assert not app.exception and "No case is called 'gone'" in texts(app)


def test_parameters_of_another_page_leave_the_view_alone(app: AppTest, audits: Made) -> None:
    opened(app, audit="a2", view="cases")
    app.query_params.clear()
    app.query_params["classifier"] = "fake-hate"
    app.query_params["text"] = "0" * 64
    app.run()
    assert "put aside" not in texts(app) and app.query_params["audit"] == "a2"
    assert app.query_params["view"] == "cases"
