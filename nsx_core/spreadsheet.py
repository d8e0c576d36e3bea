"""CSV that a spreadsheet will not run as formulas, and the cells of such a file as they were."""

from __future__ import annotations

import csv
import io

import pandas as pd

__all__ = ["csv_bytes", "plain"]

_FORMULA = ("=", "+", "-", "@")
_BREAKS = ("\t", "\r", "\n")


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """UTF-8 CSV; a text that a spreadsheet would run gets an apostrophe before it."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(frame.columns)
    for row in frame.itertuples(index=False, name=None):
        writer.writerow([_inert(c) if isinstance(c, str) else c for c in row])
    return out.getvalue().encode("utf-8", "backslashreplace")


def plain(cell: str) -> str:
    """The cell without the apostrophe that ``csv_bytes`` put before it."""
    return cell[1:] if cell.startswith("'") and _runs(cell[1:]) else cell


def _inert(cell: str) -> str:
    return f"'{cell}" if _runs(cell) else cell


def _runs(cell: str) -> bool:
    # A leading blank does not stop a spreadsheet, so the first visible character decides.
    return cell.lstrip().startswith(_FORMULA) or cell.startswith(_BREAKS)
