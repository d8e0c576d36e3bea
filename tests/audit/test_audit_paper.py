"""The tables from the authors' released files, beside the printed ones (balkir-etal-2022)."""

from __future__ import annotations

import argparse
import json

import pandas as pd
import pytest
from audit_frames import PAPER, needs_paper

from nsx_core.audit import (
    AuditReport,
    audit_report,
    read_attributions,
    read_predictions,
    read_token_scores,
)
from nsx_core.audit.results import Correlation, PairedDifference, ScoreRow
from nsx_core.cli_audit import add_audit_command
from nsx_core.replication.page import figures_compared
from nsx_core.replication.printed import (
    CASES_RIGHT,
    FOUNTA_ABUSE,
    FOUNTA_HATE,
    SHAP,
    TABLE_2,
    TABLE_3,
    as_printed,
)

pytestmark = [pytest.mark.data, needs_paper]


@pytest.fixture(scope="module")
def report() -> AuditReport:
    return audit_report(
        read_predictions(PAPER / "hatecheck_predictions.csv"),
        read_token_scores(PAPER / "token_scores.csv"),
        shap=read_attributions(PAPER / "shap_scores.csv"),
        lime=read_attributions(PAPER / "lime_scores.csv"),
    )


def printed(value: float | None) -> str:
    assert value is not None
    return as_printed(value)


def by_cell(rows: tuple[ScoreRow, ...], measure: str) -> dict[tuple[str, str], ScoreRow]:
    return {(r.classifier, r.group): r for r in rows if r.measure == measure}


def test_table_1_has_hatechecks_functionalities_in_order(report: AuditReport) -> None:
    assert [row.number for row in report.table_1] == [f"F{i}" for i in range(1, 30)]
    assert sum(row.n for row in report.table_1) == 3728
    assert report.table_1[0].example == "I hate women."
    assert [report.table_1[i].gold for i in (0, 17, 23)] == ["hateful", *["non-hateful"] * 2]


@pytest.mark.parametrize("cell", TABLE_2)
def test_table_2_is_the_printed_one(report: AuditReport, cell: tuple[str, str]) -> None:
    necessity = by_cell(report.table_2, "necessity")[cell].score
    sufficiency = by_cell(report.table_2, "sufficiency")[cell].score
    found = [
        printed(figure) for score in (necessity, sufficiency) for figure in (score.value, score.std)
    ]
    if cell == (FOUNTA_HATE, "women"):
        # The released scores give 0.2955: rounded it is .30, and the paper prints .29.
        assert sufficiency.value == pytest.approx(0.29549, abs=1e-5)
        found[2] = ".29"
    assert tuple(found) == TABLE_2[cell]
    for score in (necessity, sufficiency):
        assert score.n == score.templates == CASES_RIGHT[cell]
        assert score.cases == 60
        assert score.low is not None and score.high is not None and score.value is not None
        assert score.low < score.value < score.high


@pytest.mark.parametrize("classifier", TABLE_3)
def test_table_3_is_the_printed_one(report: AuditReport, classifier: str) -> None:
    rows = {(r.functionalities, r.group): r.rate for r in report.table_3
            if r.classifier == classifier}  # fmt: skip
    keys = [("F18+F19", "women"), ("F18+F19", "Muslims"), ("F24", ""), ("F23", ""), ("F22", "")]
    assert tuple(printed(rows[key].value) for key in keys) == TABLE_3[classifier]
    assert [rows[key].n for key in keys] == [45, 45, 62, 65, 65]


@pytest.mark.parametrize("cell", SHAP)
def test_table_4_shap_is_the_printed_one(report: AuditReport, cell: tuple[str, str]) -> None:
    score = by_cell(report.table_4, "SHAP")[cell].score
    assert (printed(score.value), printed(score.std)) == SHAP[cell]
    assert score.n == CASES_RIGHT[cell]


def test_all_printed_figures_but_one_are_counted(report: AuditReport) -> None:
    compared = figures_compared(report)
    assert len(compared) == 24 + 15 + 12
    differ = [one for one in compared if one[1] != one[2]]
    assert differ == [("Table 2, Founta2018-hate, women, S mean", ".29", ".30")]


def test_table_4_lime_aggregates_and_says_what_is_missing(report: AuditReport) -> None:
    # The authors' LIME figures are no target: their helper explained the winning label.
    rows = by_cell(report.table_4, "LIME")
    assert {cell: row.score.n for cell, row in rows.items()} == {
        **CASES_RIGHT,
        (FOUNTA_ABUSE, "women"): 40,
    }
    assert rows[FOUNTA_ABUSE, "women"].score.notes == ("1 of 41 scores undefined and left out",)


def test_the_hypotheses_on_the_released_scores(report: AuditReport) -> None:
    first, second, third = report.hypotheses
    (labels,) = first.results
    assert isinstance(labels, PairedDifference)
    assert (labels.first, labels.second) == (FOUNTA_HATE, FOUNTA_ABUSE)
    assert labels.n == 77 and labels.value == pytest.approx(0.2588, abs=1e-4)
    assert labels.p is not None and labels.p <= 0.001
    (mentions,) = second.results
    assert isinstance(mentions, Correlation)
    assert mentions.n == 6 and mentions.orders == 720
    assert mentions.rho == pytest.approx(0.9710, abs=1e-4)
    for result in third.results:
        assert isinstance(result, Correlation)
        # Three classifiers give three rates, whatever the number of groups.
        assert result.orders == 6
        assert result.p_smallest == pytest.approx(1 / 3)
    assert all("tests nothing" in sentence for sentence in third.sentences)


def test_all_pairs_are_corrected_together(report: AuditReport) -> None:
    assert len(report.pairs) == 6
    assert {pair.n for pair in report.pairs} == {86, 74, 77}
    for pair in report.pairs:
        assert pair.p is not None and pair.p_corrected is not None
        assert pair.p <= pair.p_corrected <= 6 * pair.p + 1e-12


def test_the_command_prints_them(capsys: pytest.CaptureFixture[str], report: AuditReport) -> None:
    parser = argparse.ArgumentParser()
    add_audit_command(parser.add_subparsers(dest="command", required=True))
    arguments = [
        "audit", "tables", "--predictions", str(PAPER / "hatecheck_predictions.csv"),
        "--token-scores", str(PAPER / "token_scores.csv"),
        "--shap", str(PAPER / "shap_scores.csv"), "--lime", str(PAPER / "lime_scores.csv"),
    ]  # fmt: skip
    given = parser.parse_args([*arguments, "--json"])
    given.run(given, None)
    found = json.loads(capsys.readouterr().out)
    assert len(found["table_2"]) == 12
    assert found["table_2"][0]["score"]["value"] == report.table_2[0].score.value
    given = parser.parse_args([*arguments, "--groups", "women,Muslims"])
    given.run(given, None)
    shown = capsys.readouterr().out
    assert "0.82 ± 0.18" in shown and "16 of 45" in shown and "-0.07 ± 0.21" in shown
    assert "-0.00" not in shown


def test_the_order_of_rows_does_not_matter(report: AuditReport) -> None:
    tokens = pd.read_csv(PAPER / "token_scores.csv").sample(frac=1, random_state=3)
    mixed = audit_report(
        read_predictions(PAPER / "hatecheck_predictions.csv"),
        read_token_scores(PAPER / "token_scores.csv").iloc[tokens.index],
    )
    for before in report.table_2:
        after = next(
            row for row in mixed.table_2
            if (row.classifier, row.group, row.measure)
            == (before.classifier, before.group, before.measure)
        )  # fmt: skip
        assert after.score.value == pytest.approx(before.score.value, abs=1e-12)
        assert after.score.low == pytest.approx(before.score.low, abs=1e-12)
