"""Lists of cases, the address of the Results page, sentences and files."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import audits_made
import made
import pandas as pd
import pyarrow.parquet as pq
import pytest
from audits_made import ABUSE, FEW, GROUPS, HATE, HOSTILE, NEVER

from nsx_core.views import audit_sentences as sentences
from nsx_core.views import numbers
from nsx_core.views.audit_address import (
    ResultsView,
    known_cell,
    read_results,
    results_parameters,
)
from nsx_core.views.audit_cases import ORDERS, PAGE, Wanted, listed, selected, sorted_by
from nsx_core.views.audit_cases_table import cases_table
from nsx_core.views.audit_cells import Cell
from nsx_core.views.audit_files import FILES, audit_about, audit_stem, audit_table
from nsx_core.views.files import csv_bytes, parquet_bytes


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    found = audits_made.found()
    return listed(found.cases, found.predictions)


def test_every_case_is_listed_once_a_classifier_with_its_scores(rows: pd.DataFrame) -> None:
    found = audits_made.found()
    assert len(rows) == len(found.predictions)
    assert rows["scored"].sum() == len(found.cases)
    one = rows[(rows["classifier"] == HATE) & (rows["case"] == f"=cmd {FEW} case 2")].iloc[0]
    assert one["necessity"] == pytest.approx(0.42) and one["draws"] == 100 and one["right"]
    plain = rows[~rows["scored"]]
    assert plain["necessity"].isna().all() and plain["draws"].isna().all()
    # A mention that is flagged is wrong; one that is not is right.
    mention = rows[rows["functionality"] == "ident_pos_nh"]
    assert (mention["right"] == (mention["probability"] < 0.5)).all()


def test_a_case_in_other_words_in_both_files_is_joined_by_its_text() -> None:
    found = audits_made.found()
    other = found.cases.assign(case=[f"n{i}" for i in range(len(found.cases))])
    joined = listed(other.drop(columns="draws"), found.predictions)
    scored = joined[joined["scored"]]
    assert scored["case"].str.startswith("n").all() and len(scored) == len(found.cases)
    assert joined["draws"].isna().all()


def test_filters_keep_what_they_say(rows: pd.DataFrame) -> None:
    cell = selected(rows, Wanted(classifier=HATE, group=HOSTILE, scored=True, right=True))
    assert len(cell.matching) == 14 and set(cell.matching["group"]) == {HOSTILE}
    never = selected(rows, Wanted(group=NEVER, scored=True, right=True))
    assert never.matching.empty and never.rows.empty and never.pages == 1
    assert len(selected(rows, Wanted(functionality="target_obj_nh")).matching) == 6
    # A search is text, not a pattern, and ignores case.
    assert len(selected(rows, Wanted(search="| X CASE")).matching) == 28
    assert selected(rows, Wanted(search=".*")).matching.empty


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("descending", [True, False])
def test_rows_are_sorted_with_undefined_last(
    rows: pd.DataFrame, order: str, descending: bool
) -> None:
    column = selected(rows, Wanted(order=order, descending=descending)).matching[order]
    known = column.dropna()
    assert known.is_monotonic_decreasing if descending else known.is_monotonic_increasing
    assert column.iloc[len(known) :].isna().all()


def test_pages_hold_25_and_one_past_the_end_is_the_last(rows: pd.DataFrame) -> None:
    first = selected(rows, Wanted())
    assert len(first.rows) == PAGE == 25 and first.pages == -(-len(rows) // 25)
    last = selected(rows, Wanted(page=99))
    assert last.page == last.pages - 1 and last.first + len(last.rows) == len(rows)
    assert selected(rows, Wanted(page=-3)).page == 0


def test_a_heading_sorts_and_sorts_back() -> None:
    by = sorted_by(Wanted(page=3), "necessity")
    assert (by.order, by.descending, by.page) == ("necessity", True, 0)
    assert not sorted_by(by, "necessity").descending
    assert not sorted_by(by, "group").descending
    assert sorted_by(by, "nonsense") == by


def test_the_table_of_cases_has_a_way_to_explain_each(rows: pd.DataFrame) -> None:
    wanted = Wanted(classifier=HATE, group=HOSTILE, scored=True, order="necessity", descending=True)
    tree = cases_table(selected(rows, wanted), wanted, 0.5, "Title")
    events = [n for n in made.nodes(tree) if n.attributes.get("data-event") == "case"]
    assert len(events) == 14 and json.loads(events[0].attributes["data-value"])[0] == HATE
    said = tree.as_html()
    assert "&lt;b&gt;women" in said and "<b>" not in said
    assert "flagged, right" in tree.text and "F3 derog_dehum_h" in tree.text
    heads = [n.text for n in made.nodes(tree) if n.attributes.get("scope") == "col"]
    assert "Classifier" not in heads and heads[1].startswith("Necessity\u25be")
    nothing = cases_table(selected(rows, Wanted(search="zzz")), Wanted(search="zzz"), 0.5, "T")
    assert "No case matches" in nothing.text and "0 of" in nothing.text


def test_the_address_comes_back_as_it_was() -> None:
    view = ResultsView("a1", 0.35, "cases", Cell(HATE, HOSTILE, "necessity"))
    assert read_results(results_parameters(view), {"a1"}) == (view, ())
    assert read_results({}, {"a1"}) == (ResultsView(), ())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"audit": "zz"}, "the audit 'zz' is not stored here"),
        ({"threshold": "1.5"}, "0.01 to 0.99"),
        ({"threshold": "nan"}, "'nan' came"),
        ({"threshold": "0.123"}, "two decimals"),
        ({"view": "all"}, "the view is one of groups"),
        ({"classifier": HATE}, "a cell is named by"),
        ({"classifier": HATE, "group": FEW, "score": "SHAP"}, "necessity, sufficiency"),
    ],
)
def test_what_an_address_cannot_mean_is_put_aside_and_said(
    given: dict[str, str], said: str
) -> None:
    view, notices = read_results(given, {"a1"})
    assert view == ResultsView() and len(notices) == 1 and said in notices[0]


def test_a_cell_that_the_audit_lacks_is_put_aside() -> None:
    cell = Cell(HATE, FEW, "necessity")
    assert known_cell(cell, [HATE], GROUPS) == (cell, None)
    for wrong, said in (
        (Cell("x", FEW, "necessity"), "'x'"),
        (Cell(HATE, "y", "necessity"), "'y'"),
    ):
        kept, why = known_cell(wrong, [HATE], GROUPS)
        assert kept is None and why is not None and said in why


def test_sentences_say_what_is_there_and_what_is_not() -> None:
    found = audits_made.found(struck=True, undrawn=2, threshold=0.3)
    card = found.card
    assert "62 cases" in sentences.summary_sentence(card)
    assert "2 classifiers: Made-hate, Made-abuse" in sentences.summary_sentence(card)
    assert sentences.progress_sentence(card) is None
    for state, said in (("running", "change as more comes"), ("interrupted", "Go on with it")):
        sentence = sentences.progress_sentence(replace(card, state=state, done=3))  # type: ignore[arg-type]
        assert sentence is not None and "3 of 46" in sentence and said in sentence
    assert "running, 3 of 46" in sentences.audit_name(replace(card, state="running", done=3))
    undrawn = sentences.undrawn_sentence(found)
    assert undrawn is not None and "At 0.30" in undrawn and "2 explained cases" in undrawn
    assert "3 counterfactual texts were struck" in (sentences.struck_sentence(found) or "")
    running = replace(found, card=replace(card, state="running"), threshold=0.5, undrawn=1)
    undrawn = sentences.undrawn_sentence(running)
    assert undrawn is not None and "1 explained case that" in undrawn and "has no draws" in undrawn
    plain = audits_made.found()
    assert sentences.undrawn_sentence(plain) is sentences.struck_sentence(plain) is None
    assert "4 of 12 figures are undefined" in sentences.scores_sentence(plain.report.table_2)
    assert "6 of 12" in sentences.rates_sentence(plain.report.table_3)
    assert "6 of 12; 1 more alike" in sentences.rates_sentence(plain.report.table_3)
    assert "undefined" in sentences.rates_sentence([])
    assert f"{HOSTILE} ({HATE}, 0.8" in sentences.scores_sentence(plain.report.table_2)
    assert "more alike" in sentences.scores_sentence(plain.report.table_2)
    assert "1 of 1" not in sentences.pairs_sentence(()) and "alone" in sentences.pairs_sentence(())
    assert sentences.costs_sentence(plain.costs).endswith("necessity and sufficiency 200.")
    assert sentences.costs_sentence(()) == ""


def test_a_cell_is_said_in_counts_of_a_hundred() -> None:
    scores = {
        (r.classifier, r.group, r.measure): r.score for r in audits_made.found().report.table_2
    }
    said = sentences.cell_sentence(ABUSE, HOSTILE, "necessity", scores[ABUSE, HOSTILE, "necessity"])
    shown = numbers.score(scores[ABUSE, HOSTILE, "necessity"].value)
    assert f"{shown.removeprefix('0.')} in 100 predictions are lost" in said
    assert "14 of 14 cases" in said
    said = sentences.cell_sentence(ABUSE, NEVER, "necessity", scores[ABUSE, NEVER, "necessity"])
    assert "undefined, 0 of 4" in said


def test_every_file_is_there_says_its_settings_and_runs_no_formula() -> None:
    found = audits_made.found(struck=True, methods=True)
    about = audit_about(found)
    for name in FILES:
        frame = audit_table(found, name)
        assert not frame.empty, name
        assert set(frame["audit_token"]) == {about["token"]}
        assert str(about["token"]) in audit_stem(found, name)
        read = pq.read_table(io.BytesIO(parquet_bytes(frame, about)))
        assert read.num_rows == len(frame)
        assert json.loads(read.schema.metadata[b"nsx"])["threshold"] == 0.5
        assert csv_bytes(frame).count(b"\r\n") == len(frame) + 1
    assert b"'=cmd" in csv_bytes(audit_table(found, "cases"))
    with pytest.raises(KeyError):
        audit_table(found, "table-9")


def test_other_settings_have_another_token_and_empty_tables_no_rows() -> None:
    found = audits_made.found()
    assert audit_about(found)["token"] == audit_about(audits_made.found())["token"]
    assert audit_about(found)["token"] != audit_about(replace(found, threshold=0.4))["token"]
    for name in ("table-4-shap-lime", "table-b3-masking", "table-2-without-struck-texts"):
        assert audit_table(found, name).empty
