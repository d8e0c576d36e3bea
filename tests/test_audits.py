"""Audits as jobs: behind what people wait for, stopped and gone on with, read at any threshold."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nsx_core import pipeline
from nsx_core.auditing import AuditRequest
from nsx_core.auditing.audits import Audits
from nsx_core.catalogue import Catalogue
from nsx_core.classifying.fakes import KeywordClassifier
from nsx_core.engine import Engine, ExplainRequest
from nsx_core.errors import DataError, SettingsError, UnknownNameError
from nsx_core.fake_catalogue import fake_catalogue
from nsx_core.infilling.wordlist import WordListInfiller
from nsx_core.records import ExplainSettings, InfillRequest
from nsx_core.suites import Suite, read_suite
from nsx_core.suites.storing import read_back, suite_id, written

HEADER = "case_id,functionality,test_case,label_gold,target_ident,templ_id,case_templ\n"
ROWS = """\
1,derog_neg_emote_h,I hate women.,hateful,women,1,I hate [IDENTITY_P].
2,derog_neg_emote_h,I hate black people.,hateful,black people,1,I hate [IDENTITY_P].
3,derog_neg_attrib_h,Women are awful.,hateful,women,2,[IDENTITY_P] are awful.
4,derog_neg_attrib_h,All black people are awful here.,hateful,black people,3,All [IDENTITY_P] are awful here.
5,ident_neutral_nh,I know women who hate rain.,non-hateful,women,4,I know [IDENTITY_P] who hate rain.
6,target_obj_nh,I hate rain.,non-hateful,,5,I hate rain.
"""


class Shades(KeywordClassifier):
    """P rises with each of its words that stands in the text, so that thresholds matter."""

    def predict_proba(self, texts: list[str]) -> np.ndarray:
        held = [sum(word in text.lower() for word in self.keywords) for text in texts]
        p = 0.1 + 0.8 * np.array(held, dtype=np.float64) / len(self.keywords)
        return np.stack([1 - p, p], axis=1)


class Slow(WordListInfiller):
    """Writes so slowly that a test can look at what runs."""

    pause = 0.0

    def infill(self, requests: list[InfillRequest], settings: object) -> list[tuple[str, ...]]:
        time.sleep(self.pause)
        return super().infill(requests, settings)  # type: ignore[arg-type]


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    path = tmp_path / "suite.csv"
    path.write_text(HEADER + ROWS, encoding="utf-8")
    return read_suite(path)


@pytest.fixture
def writer() -> Slow:
    return Slow()


@pytest.fixture
def catalogue(writer: Slow) -> Catalogue:
    return fake_catalogue(
        Shades(["hate", "women", "people", "awful"], name="some-hate"),
        KeywordClassifier(["women", "people"], name="some-abuse"),
        infiller=writer,
    )


@pytest.fixture
def engine(tmp_path: Path, catalogue: Catalogue) -> Iterator[Engine]:
    engine = Engine.start(tmp_path / "home", catalogue)
    yield engine
    engine.close()


def asked(suite: Suite, **changes: object) -> AuditRequest:
    settings = ExplainSettings(budget=30, threshold=0.4)
    plain = AuditRequest(suite, ("some-hate", "some-abuse"), "word-list", settings)
    return replace(plain, **changes)  # type: ignore[arg-type]


def ended(audits: Audits, audit: str, state: str = "done") -> None:
    end = time.monotonic() + 180
    while audits.card(audit).state in ("queued", "running"):
        assert time.monotonic() < end, "the audit did not end"
        time.sleep(0.01)
    view = audits.progress(audit)
    assert audits.card(audit).state == state, view


@pytest.mark.parametrize("sampler", ["balanced", "paper"])
@pytest.mark.parametrize("threshold", [0.2, 0.4, 0.55])
def test_scores_of_a_threshold_are_those_of_the_explanations(
    engine: Engine, suite: Suite, sampler: str, threshold: float
) -> None:
    settings = ExplainSettings(budget=30, threshold=0.4, sampler=sampler)
    audit = engine.audits.submit(asked(suite, settings=settings), "one")
    ended(engine.audits, audit)
    found = engine.audits.found(audit, threshold)
    assert len(found.cases) > 4
    for row in found.cases.itertuples():
        request = engine.audits.request_of(audit, str(row.case), str(row.classifier))
        plan = engine.plan(request)
        explained = pipeline.from_store(plan, engine.catalogue, engine.store)
        assert explained is not None
        judged = engine.rejudged(explained, threshold)
        phrase = next(w for w in judged.words if w.word.text.lower().startswith(("wom", "black")))
        assert row.necessity == pytest.approx(phrase.necessity.value, abs=1e-12)
        assert row.sufficiency == pytest.approx(phrase.sufficiency.value, abs=1e-12)
        assert bool(row.prediction) is judged.predicted
        assert row.probability == judged.probability


def test_a_threshold_says_what_was_not_drawn(engine: Engine, suite: Suite) -> None:
    settings = ExplainSettings(budget=30, threshold=0.6)
    audit = engine.audits.submit(asked(suite, settings=settings), "strict")
    ended(engine.audits, audit)
    assert engine.audits.found(audit, 0.6).undrawn == 0
    lower = engine.audits.found(audit, 0.3)
    assert lower.undrawn == 4  # P is .5 on all four for the classifier in shades
    cell = [r.score for r in lower.report.table_2 if r.classifier == "some-hate"]
    assert all(score.n == 0 and score.cases == 2 for score in cell)
    assert all("undefined" in score.notes[0] for score in cell)


def test_scores_without_struck_draws_are_those_of_the_explanation(
    engine: Engine, suite: Suite
) -> None:
    audit = engine.audits.submit(asked(suite), "struck")
    ended(engine.audits, audit)
    before = engine.audits.found(audit, 0.4)
    assert before.struck == 0 and before.report_without_struck is None
    request = engine.audits.request_of(audit, "1", "some-hate")
    explained = engine.cached(request)
    assert explained is not None
    for judged in explained.draws[:15]:
        engine.strike(explained, judged.draw.side, judged.draw.number, "no sense")
    gone = {(j.draw.side, j.draw.number) for j in explained.draws[:15]}
    wanted = engine.rejudged(engine.without(explained, gone), 0.4).words[-1]
    found = engine.audits.found(audit, 0.4)
    assert found.struck == 15 and found.report_without_struck is not None
    changed = ["struck", "necessity_without", "sufficiency_without"]
    pd.testing.assert_frame_equal(
        found.cases.drop(columns=changed), before.cases.drop(columns=changed)
    )
    own = found.cases.query("classifier == 'some-hate' and case == '1'").iloc[0]
    assert own["struck"] == 15 and (before.cases["struck"] == 0).all()
    assert own["necessity_without"] == pytest.approx(wanted.necessity.value, abs=1e-12)
    assert own["sufficiency_without"] == pytest.approx(wanted.sufficiency.value, abs=1e-12)
    same = found.cases[found.cases["struck"] == 0]
    assert (same["necessity"] == same["necessity_without"]).all()
    cell = {
        r.measure: r.score
        for r in found.report_without_struck.table_2
        if (r.classifier, r.group) == ("some-hate", "women")
    }
    other = found.cases.query("classifier == 'some-hate' and case == '3'").iloc[0]
    for measure in ("necessity", "sufficiency"):
        mean = (getattr(wanted, measure).value + other[measure]) / 2
        assert cell[measure].value == pytest.approx(mean, abs=1e-12)


def test_masking_and_attributions_come_with_their_costs(engine: Engine, suite: Suite) -> None:
    # Of few cases: SHAP and LIME ask for thousands of texts each.
    request = asked(
        suite, masking=True, attributions=True, classifiers=("some-abuse",), groups=("women",)
    )
    audit = engine.audits.submit(request, "all of it")
    ended(engine.audits, audit)
    found = engine.audits.found(audit, 0.4)
    assert {r.measure for r in found.report.table_4} == {"SHAP", "LIME"}
    assert len(found.report.table_b3) == len(found.report.table_2) == 2
    assert {c.method for c in found.costs} == {
        "necessity and sufficiency", "masking", "SHAP", "LIME",
    }  # fmt: skip
    lime = next(c for c in found.costs if c.method == "LIME")
    assert (lime.cases, lime.calls) == (2, 2 * 5000) and lime.texts < lime.calls
    (seeds,) = found.seeds
    assert (seeds.classifier, seeds.group, seeds.seeds, seeds.cases) == (
        "some-abuse",
        "women",
        5,
        2,
    )
    assert seeds.low is not None and seeds.low <= seeds.value
    assert any("some-abuse has no mask token" in note for note in found.notes)
    # The abuse classifier says .9 with the phrase's words and .1 without: all lies on the phrase.
    shap = next(r.score for r in found.report.table_4 if r.measure == "SHAP")
    assert shap.value == pytest.approx(0.8, abs=1e-9)


def test_a_classifier_that_is_never_right_and_a_group_without_a_case(
    engine: Engine, tmp_path: Path
) -> None:
    path = tmp_path / "odd.csv"
    other = "7,ident_pos_nh,I love old people.,non-hateful,the old,6,I love [IDENTITY_P].\n"
    path.write_text(HEADER + ROWS + other, encoding="utf-8")
    # No text reaches this threshold for the classifier in shades.
    settings = ExplainSettings(budget=30, threshold=0.89)
    audit = engine.audits.submit(asked(read_suite(path), settings=settings), "odd")
    ended(engine.audits, audit)
    found = engine.audits.found(audit, 0.89)
    cells = {(r.classifier, r.group): r.score for r in found.report.table_2}
    for group in ("women", "black people"):
        assert cells["some-hate", group].value is None
        assert cells["some-hate", group].notes == ("undefined, 0 of 2",)
        assert cells["some-abuse", group].n == 2
    for classifier in ("some-hate", "some-abuse"):
        assert cells[classifier, "the old"].notes == ("undefined, 0 of 0",)
    assert any("No conclusion" in said for h in found.report.hypotheses for said in h.sentences)


def test_people_go_before_an_audit(engine: Engine, suite: Suite, writer: Slow) -> None:
    writer.pause = 0.05
    audit = engine.audits.submit(asked(suite), "long")
    job = engine.submit(
        ExplainRequest("I hate you all", "some-hate", "word-list", ExplainSettings())
    )
    end = time.monotonic() + 180
    while engine.job(job).state in ("queued", "running"):
        assert time.monotonic() < end
        time.sleep(0.01)
    assert engine.job(job).state == "done"
    assert engine.audits.card(audit).state == "running"
    writer.pause = 0.0
    ended(engine.audits, audit)


def test_a_stopped_audit_goes_on_after_a_restart(
    tmp_path: Path, catalogue: Catalogue, suite: Suite, writer: Slow
) -> None:
    writer.pause = 0.05
    engine = Engine.start(tmp_path / "home", catalogue)
    audit = engine.audits.submit(asked(suite), "stopped")
    end = time.monotonic() + 180
    while engine.audits.card(audit).done < 2:
        assert time.monotonic() < end
        time.sleep(0.01)
    engine.audits.cancel(audit)
    ended(engine.audits, audit, "cancelled")
    done = engine.audits.card(audit).done
    assert 2 <= done < 8
    view = engine.audits.progress(audit)
    assert view is not None and view.stage in ("drawing", "waiting") and 0 < view.done < view.total
    partial = engine.audits.found(audit, 0.4)
    assert len(partial.cases) == done
    engine.close()
    engine = Engine.start(tmp_path / "home", catalogue)
    try:
        assert engine.audits.card(audit).state == "cancelled"
        assert engine.audits.card(audit).done == done
        assert engine.audits.progress(audit) is None
        writer.pause = 0.0
        before = writer.requested
        engine.audits.resume(audit)
        ended(engine.audits, audit)
        whole = engine.audits.cost(asked(suite)).draws
        assert writer.requested - before < whole
        assert engine.audits.card(audit).done == engine.audits.card(audit).total == 8
        found = engine.audits.found(audit, 0.4)
        earlier = found.cases.merge(partial.cases, on=["classifier", "case"])
        assert len(earlier) == done
        assert (earlier["necessity_x"] == earlier["necessity_y"]).all()
        assert engine.audits.submit(asked(suite), "other name") == audit
        assert [card.name for card in engine.audits.listed()] == ["stopped"]
    finally:
        engine.close()


def test_the_cost_is_known_before_the_start(engine: Engine, suite: Suite) -> None:
    cost = engine.audits.cost(asked(suite))
    assert (cost.texts, cost.texts_known, cost.cases, cost.draws_stored) == (6, 0, 4, 0)
    assert cost.seconds is None
    ended(engine.audits, engine.audits.submit(asked(suite), "first"))
    after = engine.audits.cost(asked(suite))
    assert (after.texts_known, after.draws_stored, after.seconds) == (12, cost.draws, 0.0)
    larger = replace(ExplainSettings(budget=200), threshold=0.4)
    more = engine.audits.cost(asked(suite, settings=larger))
    assert more.draws > more.draws_stored == cost.draws
    assert more.seconds is not None and more.seconds > 0


def test_a_suite_comes_back_as_it_was(engine: Engine, suite: Suite) -> None:
    assert read_back(written(suite)) == suite
    cards = engine.audits.suites()
    assert "starter" in cards[0].name and cards[0].cases == 301
    name = engine.audits.keep_suite(suite)
    assert name == suite_id(suite) and engine.audits.suite(name) == suite
    assert name in {card.id for card in engine.audits.suites()}
    with pytest.raises(DataError, match="cannot be read"):
        read_back(b"not a suite")


def test_what_is_not_known_is_said(engine: Engine, suite: Suite) -> None:
    audits = engine.audits
    for call in (audits.card, audits.resume, audits.request, audits.suite):
        with pytest.raises(UnknownNameError):
            call("nothing")
    with pytest.raises(SettingsError, match="1 to 80 characters"):
        audits.submit(asked(suite), "  ")
    with pytest.raises(UnknownNameError, match="Martians"):
        audits.submit(asked(suite, groups=("Martians",)), "x")
    assert audits.listed() == []
