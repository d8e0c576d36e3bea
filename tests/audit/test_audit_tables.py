"""Tables over made frames: small cells, missing scores, classifiers that are never right."""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from audit_frames import made

from nsx_core.audit import (
    Functionalities,
    as_frame,
    as_json,
    as_text,
    attributions_frame,
    audit_report,
    predictions_frame,
    table_1,
    table_2,
    table_3,
    table_4,
    token_scores_frame,
)
from nsx_core.audit.results import MeanScore
from nsx_core.audit.tables import mean_score, positive_rate
from nsx_core.cli_audit import add_audit_command
from nsx_core.errors import SettingsError, UnknownNameError
from nsx_core.scoring.wilson import wilson

WOMEN = ("A-hate", "women")
TWELVE = [0.1, 0.9, 0.4, 0.6, 0.5, 0.3, 0.8, 0.2, 0.7, 0.5, 0.5, 0.1]


def scored(frames: tuple[pd.DataFrame, pd.DataFrame], **given: object) -> dict[str, MeanScore]:
    predictions, tokens = frames
    rows = table_2(tokens, predictions, **given)  # type: ignore[arg-type]
    return {f"{row.classifier} {row.group} {row.measure}": row.score for row in rows}


def test_std_is_the_samples_as_in_pandas() -> None:
    found = scored(made({WOMEN: TWELVE}))["A-hate women necessity"]
    assert found.value == pytest.approx(np.mean(TWELVE))
    assert found.std == pytest.approx(pd.Series(TWELVE).std(ddof=1))
    assert found.std != pytest.approx(np.std(TWELVE))
    assert (found.n, found.templates, found.cases, found.notes) == (12, 12, 12, ())


def test_only_cases_that_the_classifier_gets_right_count() -> None:
    found = scored(made({WOMEN: [1.0, *TWELVE]}, wrong={WOMEN: 1}))["A-hate women necessity"]
    assert found.value == pytest.approx(np.mean(TWELVE))
    assert (found.n, found.cases) == (12, 13)


@pytest.mark.parametrize(
    ("scores", "notes"),
    [
        (TWELVE[:9], ("fewer than 10 cases",)),
        (TWELVE[:1], ("fewer than 10 cases", "one template: no interval")),
        ([0.5] * 12, ("no spread between templates: no interval",)),
        ([math.nan, *TWELVE], ("1 of 13 scores undefined and left out",)),
        ([math.nan], ("undefined, 0 of 1", "1 of 1 scores undefined and left out")),
    ],
)
def test_small_cells_are_marked(scores: list[float], notes: tuple[str, ...]) -> None:
    found = scored(made({WOMEN: scores}))["A-hate women necessity"]
    assert set(found.notes) == set(notes)
    assert found.n == np.isfinite(scores).sum()
    assert (found.low is None) == any("no interval" in n or "undefined, 0" in n for n in notes)
    assert (found.std is None) == (found.n < 2)


def test_one_cluster_of_many_cases_has_no_interval() -> None:
    found = mean_score(pd.Series(TWELVE), pd.Series(["T"] * 12), 12)
    assert (found.low, found.high, found.templates) == (None, None, 1)
    assert found.notes == ("fewer than 10 templates", "one template: no interval")


def test_a_classifier_that_is_never_right_is_undefined() -> None:
    frames = made({WOMEN: TWELVE, ("B-hate", "women"): TWELVE}, wrong={("B-hate", "women"): 12})
    found = scored(frames)["B-hate women sufficiency"]
    assert found == MeanScore(None, None, None, None, 0, 0, 12, ("undefined, 0 of 12",))
    predictions, tokens = frames
    assert "undefined" in as_text(audit_report(predictions, tokens))


def test_a_group_with_no_positive_case_is_undefined() -> None:
    frames = made({WOMEN: TWELVE}, mentions={("A-hate", "Muslims"): (1, 12)})
    found = scored(frames, groups=["women", "Muslims"])
    assert found["A-hate Muslims necessity"].notes == ("undefined, 0 of 0",)
    rows = table_3(frames[0], groups=["women", "Muslims"])
    assert [row.rate.notes for row in rows[:2]] == [("undefined, 0 of 0",), ()]


def test_table_1_takes_other_functionalities_too() -> None:
    predictions, _ = made({WOMEN: TWELVE}, mentions={WOMEN: (0, 3)})
    predictions.loc[predictions["text"] == "mention 0 women", "functionality"] = "own"
    predictions.loc[predictions["text"] == "explained 0 women", "functionality"] = "own"
    found = table_1(predictions)
    assert [(r.number, r.functionality, r.gold, r.n) for r in found] == [
        ("F3", "derog_dehum_h", "hateful", 11),
        ("F19", "ident_pos_nh", "non-hateful", 2),
        ("", "own", "mixed", 2),
    ]


def test_table_3_counts_and_bounds() -> None:
    predictions, _ = made({WOMEN: TWELVE}, mentions={WOMEN: (3, 12)}, targets={"A-hate": (0, 5)})
    rows = {(r.functionalities, r.group): r.rate for r in table_3(predictions)}
    rate = rows["F18+F19", "women"]
    low, high = wilson(3, 12)
    assert (rate.value, rate.positives, rate.n) == (0.25, 3, 12)
    assert (rate.low, rate.high) == (pytest.approx(float(low)), pytest.approx(float(high)))
    assert rows["F22", ""].notes == ("fewer than 10 cases",)
    assert rows["F24", ""].notes == ("undefined, 0 of 0",)
    assert positive_rate(pd.Series([1, 0])).value == 0.5


def test_other_suites_name_their_own_functionalities() -> None:
    predictions, tokens = made({WOMEN: TWELVE}, mentions={WOMEN: (3, 12)})
    names = {"derog_dehum_h": "hate", "ident_pos_nh": "praise"}
    predictions["functionality"] = predictions["functionality"].replace(names)
    own = Functionalities(("hate",), ("praise",), ("praise",))
    report = audit_report(predictions, tokens, functionalities=own)
    assert report.table_2[0].score.n == 12
    assert [row.functionalities for row in report.table_3] == ["praise", "praise"]
    with pytest.raises(UnknownNameError, match="No functionality is called 'prais'. Did you mean"):
        audit_report(predictions, tokens, functionalities=Functionalities(("hate",), ("prais",)))
    with pytest.raises(UnknownNameError, match="No group is called 'woman'"):
        audit_report(predictions, tokens, groups=["woman"])
    with pytest.raises(SettingsError, match="seed"):
        audit_report(predictions, tokens, seed=-1)


def test_table_4_uses_the_cases_of_table_2() -> None:
    predictions, _ = made({WOMEN: [0.0, *TWELVE]}, wrong={WOMEN: 1})
    texts = [f"explained {i} women" for i in range(13)]
    frame = pd.DataFrame({"text": texts, "target": "women", "A-hate": [9.0, *TWELVE]})
    (row,) = table_4(attributions_frame(frame), predictions, "SHAP")
    assert (row.measure, row.score.n, row.score.cases) == ("SHAP", 12, 13)
    assert row.score.value == pytest.approx(np.mean(TWELVE))


def test_a_report_of_one_case_is_whole() -> None:
    predictions, tokens = made({WOMEN: [0.5]})
    report = audit_report(predictions, tokens, masking=tokens)
    assert report.table_b3 == report.table_2
    assert report.pairs == ()
    assert report.hypotheses[0].results == ()
    said = json.loads(json.dumps(as_json(report), allow_nan=False))
    assert said["table_2"][0]["score"]["low"] is None
    assert said["hypotheses"][1]["results"][0]["notes"] == [
        "not enough: 0 points",
    ]
    assert "Not enough" in as_text(report)


def test_a_report_without_an_explained_case_is_whole() -> None:
    predictions, tokens = made({WOMEN: TWELVE})
    predictions["functionality"] = "slur_h"
    report = audit_report(predictions, tokens)
    assert {row.score.notes for row in report.table_2} == {("undefined, 0 of 0",)}


def test_equal_seeds_give_equal_reports() -> None:
    predictions, tokens = made({WOMEN: TWELVE, ("B-abuse", "women"): TWELVE[::-1]})
    reports = [as_json(audit_report(predictions, tokens, seed=seed)) for seed in (1, 1, 2)]
    assert reports[0] == reports[1]
    assert reports[0]["table_2"] != reports[2]["table_2"]


def test_rows_become_a_flat_frame() -> None:
    predictions, tokens = made({WOMEN: TWELVE[:3]})
    frame = as_frame(table_2(tokens, predictions))
    assert len(frame) == 2
    assert frame["notes"].iloc[0] == "fewer than 10 cases"
    assert {"classifier", "group", "measure", "value", "std", "low", "high", "n"} <= set(frame)
    assert as_frame(table_1(predictions))["n"].tolist() == [3]
    assert as_frame(()).empty


def test_a_hundred_thousand_rows_stay_fast() -> None:
    cases, names = 12_500, ("A-hate", "A-abuse")
    rng = np.random.default_rng(0)
    texts = [f"text {i}" for i in range(cases)]
    group = np.where(np.arange(cases) % 2, "women", "Muslims")
    parts = [
        pd.DataFrame(
            {"case": texts, "text": texts, "functionality": "derog_dehum_h", "gold": 1,
             "group": group, "classifier": name, "prediction": 1}
        )
        for name in names
    ]  # fmt: skip
    tokens = [
        part[["case", "text", "group", "classifier", "prediction"]].assign(
            position=place, word="w", is_identity=place == 3,
            necessity=rng.uniform(-1, 1, cases), sufficiency=rng.uniform(-1, 1, cases),
        )
        for part in parts
        for place in range(4)
    ]  # fmt: skip
    start = time.perf_counter()
    report = audit_report(
        predictions_frame(pd.concat(parts)), token_scores_frame(pd.concat(tokens))
    )
    assert time.perf_counter() - start < 30
    assert report.table_2[0].score.n == cases // 2
    assert report.pairs[0].n == cases


# --- the command --------------------------------------------------------------------------


def test_the_command_on_other_files_of_the_same_form(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    predictions, tokens = made({WOMEN: TWELVE}, mentions={WOMEN: (3, 12)})
    predictions.to_csv(tmp_path / "p.csv", index=False)
    tokens.to_parquet(tmp_path / "t.parquet")
    parser = argparse.ArgumentParser()
    add_audit_command(parser.add_subparsers(dest="command", required=True))
    files = ["--predictions", str(tmp_path / "p.csv"), "--token-scores"]
    files.append(str(tmp_path / "t.parquet"))
    given = parser.parse_args(
        ["audit", "tables", *files, "--masking", files[-1], "--groups", " women"]
    )
    given.run(given, None)
    shown = capsys.readouterr().out
    assert "Table B.3" in shown and "3 of 12" in shown
    given = parser.parse_args(["audit", "tables", *files, "--mentions", "ident_pos", "--json"])
    with pytest.raises(UnknownNameError, match="Did you mean 'ident_pos_nh'"):
        given.run(given, None)
