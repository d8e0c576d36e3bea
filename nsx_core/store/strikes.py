"""Struck draws: what an auditor took out of the scores, and why.

A draw that was struck out stays in the store, and so does each row about it: taking a strike
back adds a row, and the row that was added last says how the draw stands.
"""

from __future__ import annotations

import time

from nsx_core.errors import SettingsError
from nsx_core.records import DrawSide, Strike
from nsx_core.settings import STRIKE_REASON_MAX
from nsx_core.store.opening import Cursor
from nsx_core.store.rows import from_blob, to_blob

__all__ = ["LATEST", "checked_reason", "strikes_of", "write_strike"]

#: The last row about each draw, by the order in which rows came: a clock can be set back.
LATEST = (
    "SELECT draw_set, side, number, struck, reason, created FROM strikes "
    "QUALIFY row_number() OVER (PARTITION BY draw_set, side, number ORDER BY rowid DESC) = 1"
)


def checked_reason(reason: str, struck: bool) -> str:
    """The reason without blanks at its ends, or a ``SettingsError``; one is needed to strike."""
    plain = reason.strip()
    if len(plain) > STRIKE_REASON_MAX or (struck and not plain):
        came = f"{len(plain)} came" if plain else "none came"
        raise SettingsError(
            f"A draw is struck out with a reason of 1 to {STRIKE_REASON_MAX} characters, and {came}. "
            + ("Shorten it." if plain else "Say in a few words what is implausible about it.")
        )
    return plain


def write_strike(
    cursor: Cursor, key: str, side: DrawSide, number: int, struck: bool, reason: str
) -> None:
    """Add a row about one draw."""
    cursor.execute(
        "INSERT INTO strikes VALUES (?, ?, ?, ?, ?, ?)",
        [key, str(side), number, struck, to_blob(reason), time.time()],
    )


def strikes_of(cursor: Cursor, key: str) -> list[Strike]:
    """The last row about each draw of the set that has any, by side and number."""
    rows = cursor.execute(
        f"SELECT side, number, struck, reason, created FROM ({LATEST}) WHERE draw_set = ? "
        "ORDER BY side, number",
        [key],
    ).fetchall()
    return [
        Strike(DrawSide(side), number, struck, from_blob(reason), created)
        for side, number, struck, reason, created in rows
    ]
