"""Between the records and the rows of the tables.

A text may hold what DuckDB's VARCHAR refuses (lone surrogates), so every text of a user or
a model is a BLOB: UTF-8 with 'surrogatepass', which gives back exactly what went in. For
SQL by hand, ``decode(text)`` reads the ordinary ones.

A text is looked up by ``text_key``, the first eight bytes of its sha256 as a signed
integer: an integer column scans about ten times faster than a hash of 32 bytes, and there
is no index to help. The full hash is compared as well, so a clash costs nothing but time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from nsx_core.errors import StoreError, UnknownNameError
from nsx_core.records import Draw, DrawSide, text_hash

JOB_STATES = (
    "queued", "running", "done", "settled", "cancelled", "failed", "interrupted",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job as the store keeps it.

    ``state`` is one of ``JOB_STATES``; ``done`` and ``total`` count what the job counts;
    ``heartbeat`` and ``created`` are Unix seconds; ``request`` is the JSON the job can be
    started again from.
    """

    id: str
    kind: str
    state: str
    done: int
    total: int
    heartbeat: float
    error: str | None
    request: str
    created: float

    def __post_init__(self) -> None:
        if self.state not in JOB_STATES:
            raise UnknownNameError("job state", self.state, JOB_STATES)


def to_blob(text: str) -> bytes:
    """Any Python string, lone surrogates included, as bytes."""
    return text.encode("utf-8", "surrogatepass")


def from_blob(blob: bytes) -> str:
    """The string that ``to_blob`` was given."""
    return bytes(blob).decode("utf-8", "surrogatepass")


def readable(name: str) -> str:
    """A name for a VARCHAR column: what UTF-8 cannot hold is written as an escape."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def hash_columns(texts: Iterable[str]) -> tuple[list[int], list[bytes]]:
    """``text_key`` and ``text_hash`` of each text, in order."""
    hashes = [bytes.fromhex(text_hash(text)) for text in texts]
    return [int.from_bytes(digest[:8], "big", signed=True) for digest in hashes], hashes


def draw_table(draws: Sequence[Draw]) -> pa.Table:
    """The draws as columns of the table ``draws``; equal repeats are dropped.

    Raises ``StoreError`` where one number stands for two different draws, because rows are
    immutable and nobody could say which of the two the scores were counted from.
    """
    unique: dict[tuple[str, int], Draw] = {}
    for draw in draws:
        first = unique.setdefault((draw.side, draw.number), draw)
        if first != draw:
            raise StoreError(
                f"Draw {draw.number} of {draw.side} came twice in one batch with different "
                "texts; every draw of a draw set has its own number."
            )
    kept = list(unique.values())
    keys, hashes = hash_columns(draw.text for draw in kept)
    return pa.table(
        {
            "side": pa.array([str(draw.side) for draw in kept], pa.string()),
            "number": pa.array([draw.number for draw in kept], pa.int32()),
            "mask": pa.array([draw.bits for draw in kept], pa.string()),
            "answers": pa.array(
                [[to_blob(answer) for answer in draw.answers] for draw in kept],
                pa.list_(pa.binary()),
            ),
            "text": pa.array([to_blob(draw.text) for draw in kept], pa.binary()),
            "text_key": pa.array(keys, pa.int64()),
            "text_hash": pa.array(hashes, pa.binary()),
            "unchanged": pa.array([bool(draw.unchanged) for draw in kept], pa.bool_()),
            "redraws": pa.array([draw.redraws for draw in kept], pa.int32()),
        }
    )


def draw_from_row(
    side: str,
    number: int,
    mask: str,
    answers: Sequence[bytes],
    text: bytes,
    unchanged: bool,
    redraws: int,
) -> Draw:
    """The draw of one row."""
    return Draw(
        side=DrawSide(side),
        number=number,
        replaced=tuple(bit == "1" for bit in mask),
        answers=tuple(from_blob(answer) for answer in answers),
        text=from_blob(text),
        unchanged=unchanged,
        redraws=redraws,
    )


def prediction_table(predictions: Mapping[str, Sequence[float]]) -> pa.Table:
    """text -> float64[K] as columns of the table ``predictions``."""
    keys, hashes = hash_columns(predictions)
    probabilities = [[float(p) for p in row] for row in predictions.values()]
    return pa.table(
        {
            "text_key": pa.array(keys, pa.int64()),
            "text_hash": pa.array(hashes, pa.binary()),
            "probabilities": pa.array(probabilities, pa.list_(pa.float64())),
        }
    )


def wanted_table(texts: Sequence[str]) -> pa.Table:
    """The texts to look up: their position in ``texts`` and their two hashes."""
    keys, hashes = hash_columns(texts)
    return pa.table(
        {
            "position": pa.array(range(len(texts)), pa.int32()),
            "text_key": pa.array(keys, pa.int64()),
            "text_hash": pa.array(hashes, pa.binary()),
        }
    )
