"""Files that go wrong in the ways of real ones: each gives a message, or a result that says so."""

from __future__ import annotations

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nsx_core.errors import DataError
from nsx_core.suites import Mapping, read_suite, units
from nsx_core.suites.derived import DERIVED, HATEFUL, NO_GROUP, WITH_GROUP, derived_functionality
from nsx_core.suites.tables import ENDINGS

HEADER = "text,label,group,template\n"


def suite_of_rows(*rows: str):  # type: ignore[no-untyped-def]
    return read_suite((HEADER + "\n".join(rows) + "\n").encode(), name="own.csv")


def parquet(columns: dict[str, list[object]]) -> bytes:
    written = io.BytesIO()
    pq.write_table(pa.table(columns), written)
    return written.getvalue()


# --- missing columns ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("own.tsv", b"text\tgroup\nx\twomen\n"),
        ("own.jsonl", b'{"text": "x", "group": "women"}\n'),
        ("own.parquet", parquet({"text": ["x"], "group": ["women"]})),
    ],
)
def test_a_column_is_missing_in_every_format(name: str, content: bytes) -> None:
    with pytest.raises(DataError, match=r"needs a column for the label.* Say which .* 'group'"):
        read_suite(content, name=name)


def test_a_json_line_without_a_key_is_a_row_without_a_value() -> None:
    rows = [{"text": "x", "label": 1}, {"text": "y"}, {"label": 0}, {"other": 1}]
    suite = read_suite("\n".join(map(json.dumps, rows)).encode(), name="own.jsonl")
    assert [case.text for case in suite.cases] == ["x"]
    assert suite.notes == (
        "1 row is skipped, having no label: row 2.",
        "2 rows are skipped, having no text: rows 3, 4.",
    )


def test_a_header_alone_or_of_another_separator_names_what_is_there() -> None:
    with pytest.raises(DataError, match=r"needs a column for the text.*'text\|label'"):
        read_suite(b"text|label\nx|1\n", name="own.csv")


# --- byte order marks and encodings -------------------------------------------------------


@pytest.mark.parametrize("ending", [".tsv", ".jsonl", ".ndjson"])
def test_a_byte_order_mark_is_no_part_of_the_first_column(ending: str) -> None:
    content = "text\tlabel\nCafé\t1\n" if ending == ".tsv" else '{"text": "Café", "label": 1}\n'
    suite = read_suite(content.encode("utf-8-sig"), name=f"own{ending}")
    assert [case.text for case in suite.cases] == ["Café"] and suite.notes == ()


def test_a_mark_before_a_quoted_header() -> None:
    suite = read_suite('"text","label"\n"x","1"\n'.encode("utf-8-sig"), name="own.csv")
    assert suite.cases[0].text == "x"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-32"])
def test_wide_encodings_without_the_usual_mark_are_refused(encoding: str) -> None:
    with pytest.raises(DataError, match=r"is a binary file\. Save it as UTF-8"):
        read_suite("text,label\nwomen,1\n".encode(encoding), name="own.csv")


@pytest.mark.parametrize("ending", [e for e in ENDINGS if e not in (".csv", ".tsv", ".parquet")])
def test_json_of_a_western_encoding_is_read_with_a_note(ending: str) -> None:
    content = '{"text": "Im Café saßen zwei Damen", "label": 1}\n'.encode("cp1252")
    suite = read_suite(content, name=f"own{ending}")
    assert suite.cases[0].text == "Im Café saßen zwei Damen"
    assert "read as Windows-1252" in suite.notes[0]


# --- ids ----------------------------------------------------------------------------------


def test_ids_that_differ_in_white_space_or_in_kind_are_one() -> None:
    with pytest.raises(DataError, match=r"repeats '7' in rows 1, 2\. .* choose no column"):
        read_suite(b'id,text,label\n7,x,1\n" 7 ",y,0\n', name="own.csv")
    rows = b'{"id": 7, "text": "x", "label": 1}\n{"id": 7.0, "text": "y", "label": 1}\n'
    with pytest.raises(DataError, match=r"repeats '7' in rows 1, 2"):
        read_suite(rows, name="own.jsonl")


def test_many_repeated_ids_are_told_by_three() -> None:
    rows = "".join(f"{i // 3},x{i},1\n" for i in range(30))
    with pytest.raises(DataError, match=r"'0' in rows 1, 2, 3; '1' in .* and 7 more ids\."):
        read_suite(f"id,text,label\n{rows}".encode(), name="own.csv")
    again = Mapping("text", "label")
    assert len(read_suite(f"id,text,label\n{rows}".encode(), again, "own.csv").cases) == 30


# --- texts, labels, groups ----------------------------------------------------------------


def test_no_text_at_all_is_an_error_that_says_so() -> None:
    with pytest.raises(DataError, match=r"all 2 of 'own.csv' are skipped: no text"):
        suite_of_rows(",1,women,", '"  ",0,,')


def test_a_group_without_a_hateful_case_stays_a_group() -> None:
    suite = suite_of_rows("We like men,0,men,", "We hate women,1,women,")
    assert suite.groups == ("men", "women")
    assert {case.group for case in suite.cases if case.hateful} == {"women"}


def test_labels_of_one_kind_alone_are_read() -> None:
    assert not any(case.hateful for case in suite_of_rows("x,0,,", "y,0,,").cases)
    assert all(case.hateful for case in suite_of_rows("x,1,,", "y,1,,").cases)


# --- placeholders -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "template", "reason"),
    [
        ("They met men.", "We met [IDENTITY_P].", "differ at the beginning"),
        ("We met men!", "We met [IDENTITY_P].", "differ at the end"),
        ("We met .", "We met [IDENTITY_P].", "nothing stands in the text for"),
        ("We met ....", "We met [IDENTITY_P].", "nothing stands in the text for [IDENTITY_P]"),
        ("We saw men at noon.", "We saw [IDENTITY_P] and [OTHER].", "between two placeholders"),
        ("We hate men and women and us", "We hate [IDENTITY_P] and [OTHER]", "more than one way"),
        ("a b c", "[IDENTITY_P] [OTHER]", "more than one way"),
    ],
)
def test_a_placeholder_that_is_not_found_has_a_reason(
    text: str, template: str, reason: str
) -> None:
    case = suite_of_rows(f'"{text}",1,men,"{template}"').cases[0]
    assert case.phrase is None and case.phrases == ()
    assert reason in case.phrase_problem
    assert units(case).at is None, "it can be classified, not explained"


@pytest.mark.parametrize(
    "template", ["We met IDENTITY_P.", "We met [IDENTITY_P.", "We met [].", ""]
)
def test_a_template_without_a_placeholder_asks_for_no_phrase(template: str) -> None:
    case = suite_of_rows(f'We met men.,1,men,"{template}"').cases[0]
    assert (case.phrase, case.phrase_problem) == (None, "")


@pytest.mark.parametrize(
    ("text", "template", "phrases", "scored"),
    [
        ("We hate women and men", "We hate [IDENTITY_A] and [OTHER]", ("women", "men"), "women"),
        ("Your dog hates women", "Your [ANIMAL] hates [IDENTITY_P]", ("dog", "women"), "women"),
        ("Women or women", "[IDENTITY_P] or [IDENTITY_P]", ("Women", "women"), "Women"),
        ("old men, mean cats", "[A], [B]", ("old men", "mean cats"), "old men"),
    ],
)
def test_a_template_with_two_placeholders(
    text: str, template: str, phrases: tuple[str, ...], scored: str
) -> None:
    suite = suite_of_rows(f'"{text}",1,women,"{template}"')
    case = suite.cases[0]
    assert tuple(phrase.text for phrase in case.phrases) == phrases
    assert case.phrase is not None and case.phrase.text == scored
    assert all(text[p.start : p.end] == p.text for p in case.phrases)
    found = units(case)
    assert found.at is not None and scored in found.split.words[found.at].text
    assert any(note.startswith("1 case has several phrases") for note in suite.notes)


# --- large files --------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_a_hundred_thousand_rows_of_other_formats(ending: str) -> None:
    columns: dict[str, list[object]] = {
        "id": list(range(100_000)),
        "text": [f"They met number {i} of a woman again" for i in range(100_000)],
        "label": [i % 2 for i in range(100_000)],
        "group": ["women"] * 100_000,
        "phrase": ["woman"] * 100_000,
    }
    content = parquet(columns)
    if ending == ".jsonl":
        rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
        content = "\n".join(map(json.dumps, rows)).encode()
    suite = read_suite(content, name=f"own{ending}")
    assert (len(suite.cases), suite.notes, suite.groups) == (100_000, (), ("women",))
    assert all(case.phrase is not None and case.phrase.text == "woman" for case in suite.cases)


# --- no column for the functionality ------------------------------------------------------


def test_without_functionalities_label_and_group_make_them() -> None:
    suite = suite_of_rows("We hate women,1,women,", "We like men,0,men,", "It rains,0,,", "x,1,,")
    made = [case.functionality for case in suite.cases]
    assert made == [HATEFUL, WITH_GROUP, NO_GROUP, HATEFUL]
    assert suite.functionalities == DERIVED
    assert derived_functionality(True, "women") == HATEFUL


def test_a_column_for_the_functionality_is_never_filled_in() -> None:
    rows = "text,label,group,functionality\nx,1,women,threat\ny,0,women,\n"
    suite = read_suite(rows.encode(), name="own.csv")
    assert [case.functionality for case in suite.cases] == ["threat", ""]
