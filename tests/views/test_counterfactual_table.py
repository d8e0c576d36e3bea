"""All judged texts: filters, frame, summary, files."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import findings_made as fm
import pandas as pd
import pyarrow.parquet as pq
import pytest

from nsx_core.counterfactual_records import Counterfactual, Findings, Method
from nsx_core.views.counterfactual_files import as_csv, as_json, as_parquet, file_stem
from nsx_core.views.counterfactual_table import filtered, summary_sentence, table_frame

FOUND = fm.four()
ROWS = FOUND.table
DRAWS = tuple(row for row in ROWS if row.method is None)


def odd(text: str) -> tuple[Counterfactual, Findings]:
    """A text whose first word the infiller wrote, alone in a table."""
    row = fm.counterfactual(Method.WACHTER, "100000", (text,), 0.1)
    return row, replace(FOUND, table=(row,))


@pytest.mark.parametrize(
    ("valid_only", "methods", "most", "expected"),
    [
        (False, None, 6, ROWS),
        (True, None, 6, tuple(r for r in ROWS if r.valid)),
        (False, (None,), 6, DRAWS),
        (False, (Method.WACHTER,), 6, (fm.IMPRESS, fm.WOMEN)),
        (False, (Method.WACHTER, None), 1, (fm.IMPRESS, DRAWS[0])),
        (True, (), 6, ()),
        (False, None, 0, ()),
    ],
)
def test_filters(
    valid_only: bool,
    methods: tuple[Method | None, ...] | None,
    most: int,
    expected: tuple[Counterfactual, ...],
) -> None:
    assert filtered(ROWS, valid_only, methods, most) == expected


def test_a_text_of_several_methods_is_found_under_each_and_named_after_all() -> None:
    row = replace(fm.IMPRESS, methods=(Method.WACHTER, Method.SEDC))
    for methods in ((Method.WACHTER,), (Method.SEDC, None), None):
        assert filtered((row,), False, methods, 6) == (row,)
    for others in ((Method.ANCHORS,), (None,)):
        assert filtered((row,), False, others, 6) == ()
    assert table_frame((row,))["Method"][0] == "Wachter, SEDC"
    found = replace(FOUND, table=(row,))
    assert read(as_csv((row,), found))[0]["found_by"] == "wachter; sedc"
    answer = json.loads(as_json(found))
    assert answer["texts"][0]["found_by"] == ["wachter", "sedc"]
    # The card of one method says what the table says.
    assert answer["methods"][0]["counterfactuals"][0]["found_by"] == ["wachter", "sedc"]


def test_the_frame_has_readable_names_and_no_zero_for_unmeasured() -> None:
    frame = table_frame(ROWS)
    assert list(frame.columns) == [
        "Method", "Text", "P before", "P after", "Words changed", "Edit distance", "Cosine",
        "Fluency", "Valid",
    ]  # fmt: skip
    assert list(frame["Method"]) == [
        "Wachter", "Wachter", "SEDC", "Growing Spheres", "draw of the explanation",
        "draw of the explanation",
    ]  # fmt: skip
    assert frame["Fluency"].isna().tolist() == [False, False, False, True, False, True]
    assert frame["P after"].tolist() == [row.after for row in ROWS]
    assert table_frame(()).dtypes.equals(frame.dtypes)


def test_direction_overrides_are_visible_in_the_frame() -> None:
    row, _ = odd("a\u202eb")
    assert table_frame((row,))["Text"][0].startswith("a[U+202E]b Muslims")


def test_the_summary_counts() -> None:
    assert summary_sentence(ROWS, FOUND) == (
        "All 6 changed texts, 5 of them valid. The least that a valid one changes is 1 word."
    )
    assert summary_sentence(DRAWS[:1], FOUND) == "1 of 6 changed texts, none of them valid."
    assert summary_sentence((), FOUND) == "None of 6 changed texts matches these filters."
    assert summary_sentence((), replace(FOUND, table=())) == "No changed text was judged."
    noted = replace(FOUND, fluency_note="Fluency is measured of 4 of 6 texts.")
    assert summary_sentence(ROWS, noted).endswith(" Fluency is measured of 4 of 6 texts.")


def read(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8"), newline="")))


def test_csv_holds_the_rows_and_what_they_belong_to() -> None:
    rows = read(as_csv(ROWS, FOUND))
    assert [row["mask"] for row in rows[:2]] == ["kkrkkk", "krrkkk"]
    assert rows[0]["counterfactual_text"] == "These Muslims impress me so much."
    assert {row["original_text"] for row in rows} == {fm.TEXT}
    assert rows[0] | {"probability": "0.08", "threshold": "0.5", "found_by": "wachter"} == rows[0]
    assert [row["found_by"] for row in rows[-2:]] == ["draws", "draws"]
    assert rows[-1]["fluency"] in ("", "nan")


@pytest.mark.parametrize("start", ["=1+1", "+1", "-1", "@x"])
def test_csv_is_nothing_that_a_spreadsheet_runs(start: str) -> None:
    row, found = odd(start)
    (cell,) = (line["counterfactual_text"] for line in read(as_csv((row,), found)))
    assert cell == f"'{row.text}"


def test_parquet_has_the_same_and_missing_fluency() -> None:
    table = pq.read_table(io.BytesIO(as_parquet(ROWS, FOUND)))
    frame: pd.DataFrame = table.to_pandas()
    assert frame["probability"].tolist() == [row.after for row in ROWS]
    assert frame["fluency"].isna().sum() == 2
    about: dict[str, Any] = json.loads(table.schema.metadata[b"nsx"])
    assert about["findings"] == FOUND.key
    assert about["calls_a_method"] == 1000
    assert pq.read_table(io.BytesIO(as_parquet((), FOUND))).num_rows == 0


def test_json_holds_every_method_and_every_text() -> None:
    answer = json.loads(as_json(FOUND))
    assert [m["method"] for m in answer["methods"]] == list(Method)
    assert answer["methods"][0]["says"].startswith("If “disgust” were “impress”, ")
    assert answer["methods"][1]["sets"][0]["words"] == ["Muslims", "disgust"]
    assert answer["methods"][1]["sets"][0]["examples"] == [
        "These dogs like me so much.",
        "These men told me so much.",
    ]
    assert [text["text"] for text in answer["texts"]] == [row.text for row in ROWS]
    assert answer["texts"][-1]["fluency"] is None
    assert answer["texts"][-1]["found_by"] == ["draws"]


def test_json_keeps_half_a_character_and_what_is_not_latin() -> None:
    row, found = odd("a\ud83d שונאים 🙂")
    data = as_json(found)
    assert "שונאים 🙂".encode() in data
    assert json.loads(data)["texts"][0]["text"] == row.text


def test_files_are_named_by_classifier_and_key() -> None:
    assert file_stem(FOUND) == "counterfactuals-Vidgen2021-hate-ffffffff"
