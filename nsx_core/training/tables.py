"""Read a labelled text table of any of the common forms."""

from __future__ import annotations

import csv
from pathlib import Path

import pandas as pd

from nsx_core.errors import DataError

READERS = (".csv", ".tsv", ".jsonl", ".parquet")


def read_table(path: str | Path, columns: list[str], quoted: bool = True) -> pd.DataFrame:
    """The named columns of a CSV, TSV, JSONL or Parquet file, as strings.

    ``quoted`` False reads quotation marks as plain characters (the CAD files need it).
    Raises ``DataError`` where the file or a column is missing or the file holds no rows.
    """
    path = Path(path)
    if not path.is_file():
        raise DataError(f"A data file must exist, and {path} does not. Check the path.")
    if path.suffix not in READERS:
        raise DataError(f"A data file ends in one of {', '.join(READERS)}, and {path.name} came.")
    try:
        if path.suffix == ".parquet":
            frame = pd.read_parquet(path)
        elif path.suffix == ".jsonl":
            frame = pd.read_json(path, lines=True, dtype=False)
        else:
            frame = pd.read_csv(
                path,
                sep="\t" if path.suffix == ".tsv" else ",",
                quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
                keep_default_na=False,
                dtype=str,
                encoding="utf-8-sig",
            )
    except (ValueError, OSError, pd.errors.ParserError) as reason:
        raise DataError(f"{path.name} cannot be read as {path.suffix[1:]}: {reason}") from reason
    if frame.empty and not len(frame.columns):
        raise DataError(f"{path.name} holds no rows.")
    missing = [c for c in columns if c not in frame.columns]
    if missing:
        raise DataError(
            f"{path.name} has no column {', '.join(map(repr, missing))}. "
            f"It has: {', '.join(map(str, frame.columns))}."
        )
    if frame.empty:
        raise DataError(f"{path.name} holds no rows.")
    return frame[columns].fillna("").astype(str)
