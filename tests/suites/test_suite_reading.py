"""Files of an auditor's: what becomes a suite, what is skipped and counted, what is an error."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nsx_core.errors import DataError, InputError, UnknownNameError
from nsx_core.suites import Mapping, guessed_mapping, placeholders, read_suite, read_table, units
from nsx_core.suites import tables as table_files

HATECHECK = (
    Path(__file__).resolve().parents[2].parent
    / "shared" / "data" / "hatecheck" / "test_suite_cases.csv"
)  # fmt: skip
ROWS = "id,text,label,group,template\n1,We met women.,hateful,women,We met [IDENTITY_P].\n"


def csv_suite(text: str, mapping: Mapping | None = None):  # type: ignore[no-untyped-def]
    return read_suite(text.encode(), mapping, "own.csv")


def test_a_small_file() -> None:
    suite = csv_suite(ROWS + "2, They met. ,non-hateful,,\n")
    first, second = suite.cases
    assert (first.case_id, first.text, first.hateful, first.group) == (
        "1", "We met women.", True, "women",
    )  # fmt: skip
    assert first.phrase is not None and first.phrase.text == "women"
    assert (second.text, second.hateful, second.phrase) == ("They met.", False, None)
    assert (suite.name, suite.notes, suite.groups) == ("own", (), ("women",))
    assert len(suite.sha256) == 64
    assert first.cluster == "We met [IDENTITY_P]." and second.cluster == "case 2"


def test_all_formats_and_ways_in_give_the_same_cases(tmp_path: Path) -> None:
    rows = [{"id": 1, "text": 'She said "hi",\nthen left', "label": 1, "group": None},
            {"id": 2, "text": "We met women", "label": 0, "group": "women"}]  # fmt: skip
    parquet = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), parquet)
    first = '1,"She said ""hi"",\nthen left",1,\n'
    files = {
        "a.csv": f"id,text,label,group\n{first}2,We met women,0,women\n".encode(),
        "b.csv": b'id;text;label;group\r\n1;"She said ""hi"",\nthen left";1;\r\n2;We met women;0;women\r\n',
        "c.tsv": b'id\ttext\tlabel\tgroup\n1\t"She said ""hi"",\nthen left"\t1\t\n2\tWe met women\t0\twomen',
        "d.jsonl": "\n\n".join(map(json.dumps, rows)).encode(),
        "e.parquet": parquet.getvalue(),
    }  # fmt: skip
    found = []
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        assert read_suite(tmp_path / name) == read_suite(content, name=name)
        found.append(read_suite(content, name=name))
    assert all(suite.cases == found[0].cases for suite in found)
    assert found[0].cases[0].text == 'She said "hi",\nthen left'
    assert len({suite.sha256 for suite in found}) == len(files)


def test_the_parts_come_from_the_columns_that_are_mapped() -> None:
    mapping = Mapping(
        text="Satz", label="Urteil", group="Gruppe", phrase="Begriff", hateful=("schlimm",)
    )
    suite = csv_suite(
        "Satz,Urteil,Gruppe,Begriff\nWir sahen alte Leute.,schlimm,alt,alte leute\n"
        "Wir sahen sie.,gut,alt,alte Leute\nNichts.,gut,,\n",
        mapping,
    )
    assert [case.hateful for case in suite.cases] == [True, False, False]
    assert [case.phrase and case.phrase.text for case in suite.cases] == ["alte Leute", None, None]
    assert suite.cases[1].phrase_problem == "the phrase 'alte Leute' does not stand in the text"
    assert [case.case_id for case in suite.cases] == ["1", "2", "3"]
    assert suite.notes == (
        "The phrase of 1 case was not found, as in case '2': the phrase 'alte Leute' does not "
        "stand in the text.",
    )


def test_columns_are_told_by_their_names() -> None:
    assert guessed_mapping(["Text", "LABEL", "target group", "text_length"]) == Mapping(
        text="Text", label="LABEL", group="target group"
    )
    assert guessed_mapping(["comment", "hateful"]) == Mapping(text="comment", label="hateful")
    assert guessed_mapping(["x", "y"]) == Mapping(text="", label="")
    hatecheck = guessed_mapping(
        ["", "functionality", "case_id", "test_case", "label_gold", "target_ident", "templ_id",
         "ref_templ_id", "case_templ"]
    )  # fmt: skip
    assert hatecheck == Mapping(
        text="test_case", label="label_gold", group="target_ident", template="case_templ",
        id="case_id", functionality="functionality", template_id="templ_id",
    )  # fmt: skip


def test_columns_without_a_name_are_let_be() -> None:
    suite = csv_suite("text,label,,\nWe met.,1,,\nThey met.,0,x,y\n")
    assert [case.text for case in suite.cases] == ["We met.", "They met."]


# --- single rows: skipped and counted -----------------------------------------------------


def test_rows_without_text_or_label_are_skipped_and_counted() -> None:
    invisible = "\u200b\u200b"
    rows = "".join(f",{label}\n" for label in (0, 1, 1, 1, 0, 0, 1))
    suite = csv_suite(f'text,label\nWe met.,\n  ,1\n{rows}{invisible},1\nThey met.,yes\n"\t",1\n')
    assert [case.text for case in suite.cases] == ["They met."]
    assert suite.cases[0].case_id == "11"
    assert suite.notes[0] == "1 row is skipped, having no label: row 1."
    assert suite.notes[1] == "9 rows are skipped, having no text: rows 2, 3, 4, 5, 6 and 4 more."
    assert "row 10" in suite.notes[2] and "at least one visible character" in suite.notes[2]


def test_a_text_too_long_to_explain_is_skipped_and_counted() -> None:
    suite = csv_suite(f"text,label\n{'word ' * 2001},1\n{'word ' * 2000},1\n")
    assert len(suite.cases) == 1
    assert "at most 2,000 words, and 2,001 came): row 1" in suite.notes[0]


def test_phrases_that_are_not_found_leave_their_case_in() -> None:
    suite = csv_suite(
        ROWS + "2,They met men.,0,,We met [IDENTITY_P].\n3,a b c d,0,,[A] [B]\n"
        "4,black women,0,,[IDENTITY_A] [IDENTITY_P]\n"
    )
    assert [bool(case.phrase_problem) for case in suite.cases] == [False, True, True, False]
    assert any("as in case '2': the text and its template differ" in n for n in suite.notes)
    assert any("as in case '3'" in n and "more than one way" in n for n in suite.notes)
    assert any(n.startswith("1 case has several phrases") for n in suite.notes)


# --- encodings ----------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_files_are_read(encoding: str) -> None:
    content = "text,label\nCafé – “femmes”,1\n".encode(encoding)
    suite = read_suite(content, name="own.csv")
    assert suite.cases[0].text == "Café – “femmes”"
    assert bool(suite.notes) is (encoding == "utf-16")


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_a_western_file_is_read_and_the_notes_say_how(encoding: str) -> None:
    content = "text,label\nIm Café saßen zwei Damen,1\n".encode(encoding)
    suite = read_suite(content, name="own.csv")
    assert suite.cases[0].text == "Im Café saßen zwei Damen"
    assert "read as Windows-1252; 2 characters hang on that, such as é, ß" in suite.notes[0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("text,label\nМы встретили женщин,1\n".encode("cp1251"), r"line 2 has the byte 0xcc"),
        (b"text,label\nWe met \x81\x8d,1\n", r"encoded as UTF-8, and 'own.csv' is not"),
        (b"text,label\nWe\x00met,1\n", "is a binary file. Save it as UTF-8"),
        (b"PK\x03\x04spreadsheet", "perhaps a spreadsheet. Export it as 'CSV UTF-8'"),
        (b"\xff\xfea", "begins like UTF-16 but is broken"),
        (b"", "'own.csv' is empty"),
        (b" \n \n", "'own.csv' is empty"),
        (b"\xef\xbb\xbf", "'own.csv' is empty"),
        (b"text,label\n", "at least one row below its header, and 'own.csv' has none"),
    ],
)
def test_other_encodings_and_empty_files_are_errors(content: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_suite(content, name="own.csv")


# --- the whole file: errors ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "needs a column for the text, .* Say which it is: 'a', 'b'"),
        ("text,b\n1,2\n", "needs a column for the label"),
        ("text,label\nx,1,2\n", "as many fields as its header, 2, and row 1 has 3"),
        ("text,label\nx\n", "row 1 has 1. Put texts that hold a comma or a line break"),
        ('text,label\n"x,1\n', "cannot be read as rows of fields separated by a comma"),
        ("text,text,label\nx,y,1\n", "'text' names 2. Rename them"),
        ("text,label\nx,1\ny,maybe\n", "row 2 of 'own.csv' says 'maybe' .* It holds: '1', 'maybe'"),
        ("text,label\n,1\nx,\n", "all 2 of 'own.csv' are skipped: no text; no label"),
        ("id,text,label\n7,x,1\n8,y,1\n7,z,0\n", "repeats '7' in rows 1, 3. Make them different"),
        ("id,text,label\n,x,1\n", "row 1 of 'own.csv' has none in the column 'id'"),
    ],
)
def test_errors_say_the_rule_what_came_and_what_to_do(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        csv_suite(text)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("own.parquet", b"text,label\nx,1\n", "cannot be read as Parquet: .* Check that the file"),
        ("own.parquet", b"", "cannot be read as Parquet"),
        ("own.jsonl", b'{"text": "x", "label": 1}\n{"text"\n', "line 2 of 'own.jsonl' is none"),
        ("own.jsonl", b'[{"text": "x", "label": 1}]\n', "a list came. Write one object a line"),
        ("own.xlsx", b"PK", "ends in one of .csv, .tsv, .jsonl, .ndjson, .parquet"),
        ("", b"text,label\nx,1", "ends in one of .*, and 'the upload' came"),
    ],
)
def test_files_that_are_none(name: str, content: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_suite(content, name=name)


@given(
    content=st.one_of(
        st.binary(max_size=80),
        st.text('text,label\n\r\t;"{}[]:01\ufeff\x00é\ud83d', max_size=80).map(
            lambda text: text.encode("utf-8", "surrogatepass")
        ),
        st.text('x01,\n"', max_size=40).map(lambda text: b"text,label\n" + text.encode()),
        st.text('{}[]":,x0e1 ', max_size=40).map(
            lambda text: b'{"text": "x", "label": 1}\n' + text.encode()
        ),
    ),
    ending=st.sampled_from(table_files.ENDINGS),
)
@settings(max_examples=300, deadline=None)
def test_whatever_comes_it_is_a_suite_or_a_message(content: bytes, ending: str) -> None:
    try:
        suite = read_suite(content, name="own" + ending)
    except InputError:
        return
    assert suite.cases


def test_a_path_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no suite's file .*none.csv"):
        read_suite(tmp_path / "none.csv")
    with pytest.raises(DataError, match="it names a file"):
        read_suite(tmp_path)


def test_a_mapping_must_fit_the_file() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'text'"):
        csv_suite(ROWS, Mapping("texd", "label"))
    with pytest.raises(DataError, match="'text' is given for text and label. Choose two"):
        csv_suite(ROWS, Mapping("text", "text"))
    with pytest.raises(DataError, match="'bad' does not. The column holds: 'hateful'"):
        csv_suite(ROWS, Mapping("text", "label", hateful=("bad",)))


def test_limits_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_files, "ROWS_MAX", 2)
    parquet = io.BytesIO()
    rows = [{"text": "x", "label": 1}] * 3
    pq.write_table(pa.Table.from_pylist(rows), parquet)
    assert len(csv_suite("text,label\nx,1\ny,1\n").cases) == 2
    for name, content in (
        ("a.csv", b"text,label\nx,1\ny,1\nz,1\n"),
        ("a.jsonl", "\n".join(map(json.dumps, rows)).encode()),
        ("a.parquet", parquet.getvalue()),
    ):
        with pytest.raises(DataError, match="at most 2 rows, and '.*' has (more|3). Split"):
            read_suite(content, name=name)
    monkeypatch.setattr(table_files, "FILE_BYTES_MAX", 5)
    with pytest.raises(DataError, match="A suite's file has at most"):
        csv_suite(ROWS)


def test_a_text_counts_once() -> None:
    suite = csv_suite("text,label,group\nI hate rain,1,\nI hate snow,0,\nI hate rain ,0,sky\n")
    assert [(case.text, case.hateful) for case in suite.cases] == [
        ("I hate rain", True),
        ("I hate snow", False),
    ]
    assert any("1 row is skipped, having a text that an earlier row has" in n for n in suite.notes)


def test_a_hundred_thousand_rows_are_read() -> None:
    rows = "".join(
        f"{i},They met number {i} of an immigrant again,{i % 2},immigrants,"
        f"They met number {i} of a [IDENTITY_S] again\n"
        for i in range(100_000)
    )
    suite = csv_suite("id,text,label,group,template\n" + rows)
    assert len(suite.cases) == 100_000
    assert all(case.phrase is not None for case in suite.cases)


# --- HateCheck itself ---------------------------------------------------------------------


@pytest.mark.data
@pytest.mark.skipif(not HATECHECK.is_file(), reason="HateCheck is not in ../shared/data here")
def test_every_placeholder_of_hatecheck_has_a_span_that_is_one_unit() -> None:
    suite = read_suite(HATECHECK)
    assert (suite.name, suite.notes) == ("HateCheck", ())
    assert (len(suite.cases), len(suite.functionalities), len(suite.groups)) == (3_728, 29, 7)
    assert sum(case.hateful for case in suite.cases) == 2_563
    with_placeholder = [case for case in suite.cases if placeholders(case.template)]
    identity = [c for c in with_placeholder if placeholders(c.template)[0].startswith("IDENTITY")]
    assert (len(with_placeholder), len(identity)) == (3_325, 2_947)
    for case in with_placeholder:
        assert case.phrase is not None, case
        assert units(case).at is not None, case
    values = read_table(HATECHECK.parent / "template_placeholders.csv").values
    known = {
        place.strip("[]"): {value.strip().lower() for value in listed.split(",")}
        for place, listed in zip(values["Placeholder"], values["Values"], strict=True)
    }
    for case in with_placeholder:
        assert case.phrase is not None
        assert case.phrase.text.lower() in known[case.phrase.placeholder], case
