"""The values of one column, turned into their type or refused with the row they stand in."""

from __future__ import annotations

import numpy as np
import pandas as pd

from nsx_core.errors import DataError

_FLAGS = {"true": True, "false": False, "1": True, "0": False}


def texts(
    frame: pd.DataFrame, column: str, name: str, *, may_be_empty: bool = False
) -> pd.Series[str]:
    """The column as str without blanks at both ends; NaN and None are "".

    A number that a file holds as 1.0 is "1", so that the same id is the same text in every file.
    Raises ``DataError`` for an empty value unless it may be empty.
    """
    given = frame[column]
    if pd.api.types.is_float_dtype(given) and (given.dropna() % 1 == 0).all():
        given = given.astype("Int64")
    found = given.astype(object).where(given.notna(), "").map(str).str.strip()
    if not may_be_empty:
        _refuse(frame, column, name, found == "", "has a value in every row")
    return found


def numbers(frame: pd.DataFrame, column: str, name: str) -> pd.Series[float]:
    """The column as float, NaN where it is empty. Raises ``DataError`` for anything else."""
    given = frame[column]
    if not pd.api.types.is_numeric_dtype(given):
        given = given.astype(object).where(given.notna(), "").map(lambda v: str(v).strip())
        given = given.mask(given.str.lower().isin(("", "nan")))
    found = pd.to_numeric(given, errors="coerce").astype(np.float64)
    _refuse(frame, column, name, found.isna() & given.notna(), "holds numbers")
    return found


def falling_in(
    frame: pd.DataFrame, column: str, name: str, low: float, high: float
) -> pd.Series[float]:
    """The column as float in low..high and finite, NaN where empty; else ``DataError``."""
    found = numbers(frame, column, name)
    said = "holds finite numbers" if np.isinf(high) else f"holds numbers from {low:g} to {high:g}"
    _refuse(
        frame, column, name, found.isin((-np.inf, np.inf)) | (found < low) | (found > high), said
    )
    return found


def whole_numbers(
    frame: pd.DataFrame, column: str, name: str, high: int | None = None
) -> pd.Series[int]:
    """The column as int in 0..high, without gaps. Raises ``DataError`` otherwise."""
    given = frame.assign(**{column: frame[column].map(_truth)})
    found = numbers(given, column, name)
    wrong = found.isna() | found.isin((-np.inf, np.inf)) | (found < 0) | (found % 1 != 0)
    if high is not None:
        wrong |= found > high
    said = "holds whole numbers from 0" if high is None else "holds 0 or 1"
    _refuse(frame, column, name, wrong, said)
    return found.astype(np.int64)


def flags(frame: pd.DataFrame, column: str, name: str) -> pd.Series[bool]:
    """The column as bool: True and False, as words or as 1 and 0; else ``DataError``."""
    found = frame[column].map(lambda v: _FLAGS.get(str(v).strip().removesuffix(".0").lower()))
    _refuse(frame, column, name, found.isna(), "holds True or False")
    return found.astype(bool)


def _truth(value: object) -> object:
    """True and False as 1 and 0, in whatever way a file writes them."""
    said = str(value).strip().lower()
    return _FLAGS.get(said, value) if said in ("true", "false") else value


def _refuse(frame: pd.DataFrame, column: str, name: str, wrong: pd.Series[bool], rule: str) -> None:
    if wrong.any():
        row = int(np.flatnonzero(wrong.to_numpy())[0])
        raise DataError(
            f"Column {column!r} of {name} {rule}, and {frame[column].iloc[row]!r} came in row "
            f"{row + 1} ({int(wrong.sum())} such rows in all). Correct or leave out those rows."
        )
