"""A file of rows as columns of strings: CSV, TSV, JSONL or Parquet, from a path or from bytes.

Every value becomes a string, a missing one ''. Rows are numbered from 1, the header not counted.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

import pyarrow as pa
import pyarrow.parquet as pq

from nsx_core.errors import DataError
from nsx_core.suites.decoding import decoded

__all__ = ["ENDINGS", "FILE_BYTES_MAX", "ROWS_MAX", "Table", "read_table"]

FILE_BYTES_MAX = 200_000_000
ROWS_MAX = 200_000
_CELL_CHARACTERS_MAX = 1_000_000


@dataclass(frozen=True, slots=True)
class Table:
    """``values`` holds a list of str a column, all of length ``len(table)``, in file order."""

    name: str
    sha256: str
    values: dict[str, list[str]]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(next(iter(self.values.values()), ()))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in file order."""
        return tuple(self.values)


def read_table(source: str | Path | bytes, name: str = "") -> Table:
    """All rows of a file, or of its bytes with the file's ``name`` (its ending says the format).

    Raises ``DataError`` where there is no such file, for an unknown ending, a wrong encoding, a
    broken format, an empty file, and beyond ``FILE_BYTES_MAX`` bytes or ``ROWS_MAX`` rows.
    """
    if isinstance(source, bytes):
        name, content = name or "the upload", source
    else:
        name, content = name or Path(source).name, _content(Path(source))
    if len(content) > FILE_BYTES_MAX:
        raise DataError(
            f"A suite's file has at most {FILE_BYTES_MAX // 1_000_000} MB, and {name!r} has "
            f"{len(content) / 1e6:.0f} MB. Split it, or leave out columns that are not needed."
        )
    ending = PurePath(name).suffix.lower()
    if ending not in _READERS:
        raise DataError(
            f"A suite's file ends in one of {', '.join(ENDINGS)}, and {name!r} came. "
            "Export it as one of these."
        )
    values, notes = _READERS[ending](content, name)
    if not any(values.values()):
        raise DataError(
            f"A suite needs at least one row below its header, and {name!r} has none. "
            "Check the file."
        )
    return Table(name, hashlib.sha256(content).hexdigest(), values, notes)


Read = tuple[dict[str, list[str]], tuple[str, ...]]


def _content(path: Path) -> bytes:
    if not path.is_file():
        raise DataError(f"There is no suite's file {str(path)!r}. Check the path; it names a file.")
    try:
        return path.read_bytes()
    except OSError as reason:
        raise DataError(
            f"{str(path)!r} cannot be read: {reason.strerror}. Check its permissions."
        ) from reason


def _too_many_rows(name: str, count: str) -> DataError:
    return DataError(
        f"A suite has at most {ROWS_MAX:,} rows, and {name!r} has {count}. Split the file."
    )


def _csv(content: bytes, name: str) -> Read:
    text, notes = decoded(content, name)
    header_line = text.lstrip().splitlines()[0]
    separator = max(",;\t", key=header_line.count)
    return _separated(text, name, separator), notes


def _tsv(content: bytes, name: str) -> Read:
    text, notes = decoded(content, name)
    return _separated(text, name, "\t"), notes


def _separated(text: str, name: str, separator: str) -> dict[str, list[str]]:
    rows: list[list[str]] = []
    read = _csv_rows(text, name, separator)
    header = [column.strip() for column in next(read)]
    for row in read:
        if len(row) != len(header):
            raise DataError(
                f"Every row of {name!r} has as many fields as its header, {len(header)}, and row "
                f"{len(rows) + 1:,} has {len(row)}. Put texts that hold {_said(separator)} or a "
                "line break in quotation marks."
            )
        if len(rows) == ROWS_MAX:
            raise _too_many_rows(name, "more")
        rows.append(row)
    _check_header(header, name)
    columns = zip(*rows, strict=True) if rows else [()] * len(header)
    return dict(zip(header, map(list, columns), strict=True))


def _csv_rows(text: str, name: str, separator: str) -> Iterator[list[str]]:
    """The rows that are not blank, the header first."""
    # newline="": line breaks within quotation marks stay as they are.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    before = csv.field_size_limit(_CELL_CHARACTERS_MAX)
    try:
        yield from (row for row in reader if row)
    except csv.Error as reason:
        raise DataError(
            f"{name!r} cannot be read as rows of fields separated by {_said(separator)}: "
            f"{reason} (at line {reader.line_num:,}). A field with a quotation mark is put in "
            'quotation marks, and the mark within it doubled (""). Export the file again.'
        ) from reason
    finally:
        csv.field_size_limit(before)


def _said(separator: str) -> str:
    return {",": "a comma", ";": "a semicolon", "\t": "a tab"}[separator]


def _check_header(header: Sequence[str], name: str) -> None:
    # Spreadsheets leave columns without a name at the end; nothing can be mapped to these.
    twice = sorted({column for column in header if column and header.count(column) > 1})
    if twice:
        raise DataError(
            f"The columns of {name!r} have names of their own, and {twice[0]!r} names "
            f"{header.count(twice[0])}. Rename them."
        )


def _jsonl(content: bytes, name: str) -> Read:
    text, notes = decoded(content, name)
    rows: list[dict[str, object]] = []
    names: dict[str, None] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as reason:
            raise _no_object(name, number, str(reason)) from reason
        if not isinstance(row, dict):
            raise _no_object(name, number, f"a {type(row).__name__} came")
        if len(rows) == ROWS_MAX:
            raise _too_many_rows(name, "more")
        rows.append(row)
        names.update(dict.fromkeys(row))
    return {column: [_string(row.get(column)) for row in rows] for column in names}, notes


def _no_object(name: str, line: int, reason: str) -> DataError:
    return DataError(
        f'Each line of a JSONL file is one object such as {{"text": "..."}}, and line {line:,} '
        f"of {name!r} is none: {reason}. Write one object a line, without a list around them."
    )


def _parquet(content: bytes, name: str) -> Read:
    try:
        opened = pq.ParquetFile(pa.BufferReader(content))
        if opened.metadata.num_rows > ROWS_MAX:
            raise _too_many_rows(name, f"{opened.metadata.num_rows:,}")
        table = opened.read()
        _check_header(table.column_names, name)
        values = {
            column: [_string(value) for value in table.column(column).to_pylist()]
            for column in table.column_names
        }
    except (pa.ArrowException, OSError, ValueError, OverflowError) as reason:
        raise DataError(
            f"{name!r} cannot be read as Parquet: {str(reason).splitlines()[0]} Check that the "
            "file is whole and that its ending is right."
        ) from reason
    return values, ()


def _string(value: object) -> str:
    if value is None or value != value:  # only NaN differs from itself
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # 1.0 is how a table with gaps keeps the number 1
    return str(value)


_READERS: dict[str, Callable[[bytes, str], Read]] = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".parquet": _parquet,
}
ENDINGS = tuple(_READERS)
