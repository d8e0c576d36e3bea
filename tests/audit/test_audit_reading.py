"""Files and frames of the audit: the forms taken, and what is said of every other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nsx_core.audit import (
    attributed_cases,
    attributions_frame,
    phrase_scores,
    predictions_frame,
    read_attributions,
    read_predictions,
    read_token_scores,
    token_scores_frame,
)
from nsx_core.audit.columns import ATTRIBUTION_COLUMNS, PREDICTION_COLUMNS, TOKEN_COLUMNS
from nsx_core.errors import DataError

WIDE = (
    "case_id,functionality,test_case,label_gold,target_ident,templ_id,case_templ,"
    "A-hate:pred,A-hate:score,B-abuse:pred\n"
    '7,derog_dehum_h,"None are scum. ",hateful,women,3,X,1,0.9,0\n'
    "8,target_obj_nh,I hate tea.,non-hateful,,4,Y,0,0.25,1\n"
)
TOKENS = (
    "classifier,case_index,text,target_ident,orig_pred,orig_score,token_index,token,"
    "is_identity,necessity,sufficiency\n"
    "A-hate,0,None are scum.,women,1,0.9,0,None,True,0.5,\n"
    "A-hate,0,None are scum.,women,1,0.9,1,are,False,-0.1,0.2\n"
)


@pytest.fixture
def predictions(tmp_path: Path) -> pd.DataFrame:
    return read_predictions(written(tmp_path, "predictions.csv", WIDE))


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_authors_predictions_become_long(predictions: pd.DataFrame) -> None:
    assert tuple(predictions.columns) == PREDICTION_COLUMNS
    assert predictions["classifier"].tolist() == ["A-hate"] * 2 + ["B-abuse"] * 2
    assert predictions["label_kind"].tolist() == ["hate"] * 2 + ["abuse"] * 2
    assert predictions["prediction"].tolist() == [1, 0, 0, 1]
    assert predictions["gold"].tolist() == [1, 0, 1, 0]
    assert predictions["group"].tolist() == ["women", ""] * 2
    assert predictions["template"].tolist() == ["3", "4"] * 2
    assert predictions["text"].iloc[0] == "None are scum."
    np.testing.assert_equal(predictions["probability"].to_numpy(), [0.9, 0.25, np.nan, np.nan])


def test_our_own_columns_and_parquet_are_taken(tmp_path: Path, predictions: pd.DataFrame) -> None:
    predictions.to_parquet(tmp_path / "p.parquet")
    predictions.to_csv(tmp_path / "p.csv", index=False)
    for name in ("p.parquet", "p.csv"):
        pd.testing.assert_frame_equal(read_predictions(tmp_path / name), predictions)


def test_a_template_falls_back_to_the_text() -> None:
    frame = pd.DataFrame(
        {"case": [1.0, 2.0], "text": ["a", "b"], "functionality": ["f", "f"], "gold": [1, 0],
         "group": ["g", None], "X:pred": [True, False]}
    )  # fmt: skip
    found = predictions_frame(frame)
    assert found["template"].tolist() == ["a", "b"]
    assert found["case"].tolist() == ["1", "2"]
    assert found["label_kind"].tolist() == ["", ""]


def test_token_scores_keep_words_that_look_like_gaps(tmp_path: Path) -> None:
    found = read_token_scores(written(tmp_path, "tokens.csv", "\ufeff" + TOKENS))
    assert tuple(found.columns) == TOKEN_COLUMNS
    assert found["word"].tolist() == ["None", "are"]
    assert found["is_identity"].tolist() == [True, False]
    assert np.isnan(found["sufficiency"].iloc[0])


def test_attributions_in_both_forms(tmp_path: Path) -> None:
    path = written(tmp_path, "shap.csv", "target,text,A,B\nwomen,x,0.5,\nMuslims,y,-0.5,1e-3\n")
    found = read_attributions(path)
    assert tuple(found.columns) == ATTRIBUTION_COLUMNS
    np.testing.assert_equal(found["score"].to_numpy(), [0.5, -0.5, np.nan, 0.001])
    pd.testing.assert_frame_equal(attributions_frame(found), found)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("functionality,", "kind,", "no column 'functionality'. It has: case_id, kind"),
        ("label_gold", "truth", "no column 'gold' or 'label_gold'"),
        ("A-hate:pred,A-hate:score,B-abuse:pred", "a,b,c", "needs a column 'NAME:pred'"),
        (",1,0.9,0", ",yes,0.9,0", "holds 0 or 1|holds numbers"),
        (",1,0.9,0", ",2,0.9,0", "holds 0 or 1, and '2' came in row 1"),
        (",1,0.9,0", ",,0.9,0", "'prediction'.*came in row 1"),
        (",1,0.9,0", ",1,1.5,0", "numbers from 0 to 1, and '1.5' came in row 1"),
        (",hateful,", ",rude,", "'gold'.*'rude' came in row 1"),
        ("derog_dehum_h", "", "'functionality'.*has a value in every row"),
        ("8,target", "7,target", "2 rows come again; the first: classifier 'A-hate', case '7'"),
    ],
)
def test_wrong_predictions_are_refused(before: str, after: str, said: str, tmp_path: Path) -> None:
    assert before in WIDE
    with pytest.raises(DataError, match=said):
        read_predictions(written(tmp_path, "p.csv", WIDE.replace(before, after, 1)))


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("necessity", "need", "no column 'necessity'"),
        ("True", "maybe", "holds True or False, and 'maybe' came in row 1"),
        (",0.5,", ",1.5,", "numbers from -1 to 1, and '1.5' came in row 1"),
        (",0.5,", ",inf,", "numbers from -1 to 1, and 'inf' came"),
        ("0.9,1,are", "0.9,0,are", "1 rows come again"),
        ("0.9,1,are", "0.9,-1,are", "whole numbers from 0"),
        ("0.9,1,are", "0.9,1,", "'word'.*has a value in every row"),
    ],
)
def test_wrong_token_scores_are_refused(before: str, after: str, said: str, tmp_path: Path) -> None:
    assert before in TOKENS
    with pytest.raises(DataError, match=said):
        read_token_scores(written(tmp_path, "t.csv", TOKENS.replace(before, after, 1)))


@pytest.mark.parametrize("reader", [read_predictions, read_token_scores, read_attributions])
def test_unusable_files_are_refused(reader: object, tmp_path: Path) -> None:
    assert callable(reader)
    (tmp_path / "latin.csv").write_bytes("text,target,A\nschön,x,1\n".encode("latin-1"))
    for path, said in (
        (tmp_path / "away.csv", "must exist"),
        (written(tmp_path, "a.xlsx", "x"), "ends in .csv or .parquet"),
        (written(tmp_path, "empty.csv", ""), "holds no rows"),
        (tmp_path / "latin.csv", "is not UTF-8"),
        (written(tmp_path, "broken.parquet", "x"), "cannot be read as parquet"),
        (written(tmp_path, "ragged.csv", 'text,target\n"a,b\n'), "cannot be read|no column"),
    ):
        with pytest.raises(DataError, match=said):
            reader(path)


def test_frames_without_rows_and_doubled_columns_are_refused() -> None:
    columns = ["text", "target", "A"]
    with pytest.raises(DataError, match="holds no rows"):
        attributions_frame(pd.DataFrame(columns=columns))
    with pytest.raises(DataError, match="'A' twice"):
        attributions_frame(pd.DataFrame([["x", "y", 1, 2]], columns=[*columns, "A"]))
    with pytest.raises(DataError, match="no column of scores"):
        attributions_frame(pd.DataFrame([["x", "y"]], columns=columns[:2]))
    with pytest.raises(DataError, match="1 rows come again"):
        attributions_frame(pd.DataFrame([["x", "y", 1]] * 2, columns=columns))


# --- files that do not fit together -------------------------------------------------------


def test_scores_take_gold_and_template_of_their_text(
    tmp_path: Path, predictions: pd.DataFrame
) -> None:
    tokens = read_token_scores(written(tmp_path, "t.csv", TOKENS))
    (row,) = phrase_scores(tokens, predictions).to_dict("records")
    assert row["template"] == "3" and row["gold"] == 1 and row["right"]
    assert row["necessity"] == 0.5 and np.isnan(row["sufficiency"])


def test_several_identity_words_of_a_case_count_once(
    tmp_path: Path, predictions: pd.DataFrame
) -> None:
    tokens = token_scores_frame(
        read_token_scores(written(tmp_path, "t.csv", TOKENS)).assign(is_identity=True)
    )
    (row,) = phrase_scores(tokens, predictions).to_dict("records")
    assert row["necessity"] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("None are scum.", "Other.", "1 are not; the first: 'Other.'"),
        ("women,1,0.9", "women,0,0.9", "predicted differently.*A-hate on 'None are scum.'"),
    ],
)
def test_scores_of_another_run_are_refused(
    before: str, after: str, said: str, tmp_path: Path, predictions: pd.DataFrame
) -> None:
    tokens = read_token_scores(written(tmp_path, "t.csv", TOKENS.replace(before, after)))
    with pytest.raises(DataError, match=said):
        phrase_scores(tokens, predictions)


def test_a_text_of_two_templates_is_refused(tmp_path: Path, predictions: pd.DataFrame) -> None:
    twice = pd.concat(
        [predictions, predictions.iloc[[0]].assign(case="9", template="5")], ignore_index=True
    )
    tokens = read_token_scores(written(tmp_path, "t.csv", TOKENS))
    with pytest.raises(DataError, match="'None are scum.' has two"):
        phrase_scores(tokens, twice)


def test_attributions_need_a_prediction(predictions: pd.DataFrame) -> None:
    frame = pd.DataFrame({"text": ["None are scum."], "target": ["women"], "C-hate": [0.5]})
    with pytest.raises(DataError, match="C-hate on .* Predictions are there for: A-hate, B-abuse"):
        attributed_cases(attributions_frame(frame), predictions)
