"""Audits on the fakes: what is classified and explained, on the same draws, and gone on with."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from nsx_core.audit import (
    Functionalities,
    phrase_scores,
    predictions_frame,
    table_2,
    token_scores_frame,
)
from nsx_core.auditing import AuditProgress, AuditRequest, AuditResult, audit_result, auditing
from nsx_core.catalogue import Catalogue
from nsx_core.classifying.fakes import KeywordClassifier
from nsx_core.cli import main
from nsx_core.errors import DataError, UnknownNameError
from nsx_core.fake_catalogue import fake_catalogue
from nsx_core.infilling.wordlist import WordListInfiller
from nsx_core.records import ExplainSettings
from nsx_core.store import Store
from nsx_core.suites import Suite, read_suite

HEADER = "case_id,functionality,test_case,label_gold,target_ident,templ_id,case_templ\n"
ROWS = """\
1,derog_neg_emote_h,I hate women.,hateful,women,1,I hate [IDENTITY_P].
2,derog_neg_emote_h,I hate black people.,hateful,black people,1,I hate [IDENTITY_P].
3,derog_neg_attrib_h,Women are awful.,hateful,women,2,[IDENTITY_P] are awful.
4,derog_neg_attrib_h,Nobody likes them.,hateful,women,3,Nobody likes [IDENTITY_P] here.
5,ident_neutral_nh,I know women who hate rain.,non-hateful,women,4,I know [IDENTITY_P] who hate rain.
6,target_obj_nh,I hate rain.,non-hateful,,5,I hate rain.
"""
SETTINGS = ExplainSettings(budget=20)


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    path = tmp_path / "suite.csv"
    path.write_text(HEADER + ROWS, encoding="utf-8")
    return read_suite(path)


@pytest.fixture
def writer() -> WordListInfiller:
    return WordListInfiller()


@pytest.fixture
def catalogue(writer: WordListInfiller) -> Catalogue:
    return fake_catalogue(
        KeywordClassifier(["hate", "awful"], name="strict-hate"),
        KeywordClassifier(["women", "people"], name="wide-abuse"),
        infiller=writer,
    )


def request(suite: Suite, *groups: str) -> AuditRequest:
    return AuditRequest(suite, ("strict-hate", "wide-abuse"), "word-list", SETTINGS, groups)


def audited(
    given: AuditRequest, catalogue: Catalogue, store: Store
) -> tuple[AuditResult, list[AuditProgress]]:
    steps, seen = auditing(given, catalogue, store), []
    while True:
        try:
            seen.append(next(steps))
        except StopIteration as end:
            return audit_result(end.value, given, catalogue, store), seen


def test_every_classifier_is_judged_on_the_same_draws(
    suite: Suite, catalogue: Catalogue, writer: WordListInfiller
) -> None:
    with Store.open(":memory:") as store:
        found, seen = audited(request(suite), catalogue, store)
        drawn = writer.requested
        again, repeated = audited(request(suite), catalogue, store)
    assert writer.requested == drawn
    pd.testing.assert_frame_equal(again.token_scores, found.token_scores)
    assert repeated[-1].done == repeated[-1].total == seen[-1].total
    assert repeated[-1].infilled == 0 and repeated[-1].cases_done == seen[-1].cases_total == 6
    by_case = found.token_scores.groupby("classifier")["case"].unique()
    assert list(by_case["strict-hate"]) == ["1", "2", "3"]
    assert list(by_case["wide-abuse"]) == ["1", "2", "3"]
    # Three texts of which each was infilled once, redraws aside.
    assert seen[-1].infilled == seen[-1].total <= drawn < 1.2 * seen[-1].total
    identity = found.token_scores[found.token_scores["is_identity"]]
    assert set(identity["word"]) == {"women.", "black people.", "Women"}
    wide = identity[identity["classifier"] == "wide-abuse"].set_index("case")
    assert (wide["necessity"] == 1).all()
    assert found.notes == ("Case '4' is left out: the text and its template differ at the end.",)


def test_the_frames_are_those_that_the_tables_take(suite: Suite, catalogue: Catalogue) -> None:
    with Store.open(":memory:") as store:
        found, _ = audited(request(suite, "women"), catalogue, store)
    predictions = predictions_frame(found.predictions)
    assert len(predictions) == 12
    assert set(predictions["label_kind"]) == {"hate", "abuse"}
    cases = phrase_scores(token_scores_frame(found.token_scores), predictions)
    assert list(cases["case"]) == ["1", "1", "3", "3"] and cases["right"].all()
    assert set(cases["template"]) == {"1", "2"}


def test_cases_that_no_classifier_gets_right_are_counted(
    suite: Suite, catalogue: Catalogue
) -> None:
    with Store.open(":memory:") as store:
        given = AuditRequest(suite, ("strict-hate",), "word-list", SETTINGS)
        found, _ = audited(given, catalogue, store)
    tables = table_2(token_scores_frame(found.token_scores), predictions_frame(found.predictions))
    # Of the three hateful cases on women, one is not called hateful.
    assert [(r.group, r.score.n, r.score.cases) for r in tables[::2]] == [
        ("women", 2, 3),
        ("black people", 1, 1),
    ]


def test_a_stopped_audit_goes_on(
    suite: Suite, catalogue: Catalogue, writer: WordListInfiller
) -> None:
    with Store.open(":memory:") as store:
        steps = auditing(request(suite), catalogue, store)
        while (step := next(steps)).stage != "drawing" or step.done < 30:
            pass
        steps.close()
        before = writer.requested
        _, seen = audited(request(suite), catalogue, store)
        assert writer.requested - before < 1.2 * (seen[-1].total - step.done)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"groups": ("Martians",)}, "Martians"),
        ({"classifiers": ("nobody",)}, "nobody"),
        ({"classifiers": ()}, "at least one classifier"),
        ({"infiller": "nothing"}, "nothing"),
        ({"functionalities": Functionalities(explained=("insults",))}, "insults"),
    ],
)
def test_a_request_that_cannot_be_met_is_refused_at_once(
    suite: Suite, catalogue: Catalogue, changes: dict[str, object], message: str
) -> None:
    given = replace(request(suite), **changes)  # type: ignore[arg-type]
    with (
        Store.open(":memory:") as store,
        pytest.raises((UnknownNameError, DataError), match=message),
    ):
        next(auditing(given, catalogue, store))


def test_the_command_writes_frames_and_tables(
    tmp_path: Path, suite: Suite, catalogue: Catalogue, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    arguments = [
        "audit", "run", "--suite", str(tmp_path / "suite.csv"), "--out", str(out),
        "--classifiers", "strict-hate,wide-abuse", "--groups", "women", "--budget", "20",
        "--store", str(tmp_path / "nsx.duckdb"),
    ]  # fmt: skip
    assert main(arguments, catalogue) == 0
    shown = capsys.readouterr()
    assert "drawing: " in shown.err and "Table 2" in shown.out
    assert {p.name for p in out.iterdir()} == {
        "predictions.csv", "predictions.parquet", "token_scores.csv", "token_scores.parquet",
        "costs.csv", "costs.parquet", "tables.json", "audit.json",
    }  # fmt: skip
    assert json.loads((out / "audit.json").read_text())["suite"]["sha256"] == suite.sha256
    tables = ["audit", "tables", "--predictions", str(out / "predictions.csv"), "--groups", "women"]
    assert main([*tables, "--token-scores", str(out / "token_scores.csv"), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again == json.loads((out / "tables.json").read_text())


def test_the_command_leaves_nothing_out_in_silence(
    tmp_path: Path, catalogue: Catalogue, capsys: pytest.CaptureFixture[str]
) -> None:
    long = "I hate women " + "very " * 2_500
    odd = (
        f"7,derog_neg_emote_h,{long},hateful,women,9,\n"
        "8,derog_neg_emote_h,=1+1 I hate the others.,hateful,=1+1,10,=1+1 I hate the [IDENTITY_P].\n"
        "9,derog_neg_emote_h,You bore me men.,hateful,men,11,You bore me [IDENTITY_P].\n"
    )
    path = tmp_path / "odd.csv"
    path.write_text(HEADER + ROWS + odd, encoding="utf-8")
    out = tmp_path / "out"
    arguments = [
        "audit", "run", "--suite", str(path), "--out", str(out), "--classifiers", "strict-hate",
        "--budget", "20", "--store", str(tmp_path / "nsx.duckdb"), "--quiet",
    ]  # fmt: skip
    assert main(arguments, catalogue) == 0
    shown = capsys.readouterr()
    assert "1 row is skipped" in shown.err and "row 7" in shown.err
    assert "Case '4' is left out" in shown.err
    # A group that is never got right has its undefined rows.
    tables = json.loads((out / "tables.json").read_text())
    scores = {r["group"]: r["score"] for r in tables["table_2"]}
    assert scores["men"]["value"] is None and scores["men"]["notes"] == ["undefined, 0 of 1"]
    # No spreadsheet runs a cell, and the files still give the same tables.
    written = (out / "predictions.csv").read_text()
    assert ",'=1+1," in written and ",=1+1," not in written
    again = [
        "audit", "tables", "--predictions", str(out / "predictions.csv"), "--token-scores",
        str(out / "token_scores.csv"), "--groups", "women,black people,=1+1,men", "--json",
    ]  # fmt: skip
    assert main(again) == 0
    assert json.loads(capsys.readouterr().out)["table_2"] == tables["table_2"]


def test_the_command_says_what_is_wrong(
    tmp_path: Path, catalogue: Catalogue, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    arguments = ["audit", "run", "--suite", "starter", "--classifiers", "strict-hate"]
    assert main([*arguments, "--out", str(tmp_path / "file" / "x")], catalogue) == 2
    assert "--out is a folder that can be written to" in capsys.readouterr().err
    arguments[3] = str(tmp_path / "none.csv")
    assert main([*arguments, "--out", str(tmp_path)], catalogue) == 2
    assert "none.csv" in capsys.readouterr().err
