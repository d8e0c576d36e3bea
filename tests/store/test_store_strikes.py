"""Strikes: the last word on a draw counts, and is in the file when it was said."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from store_cases import a_draw_set

from nsx_core.errors import SettingsError, StoreError
from nsx_core.records import DrawSide
from nsx_core.store import Store

BOTH, NECESSITY = DrawSide.BOTH, DrawSide.NECESSITY
KEY = a_draw_set(1).key


def test_a_draw_never_struck_has_no_row() -> None:
    with Store.open(":memory:") as store:
        assert store.strikes(KEY) == []


def test_the_last_word_on_a_draw_counts() -> None:
    with Store.open(":memory:") as store:
        store.strike(KEY, BOTH, 7, True, "  not English ")
        store.strike(KEY, NECESSITY, 7, True, "cut off")
        store.strike(KEY, BOTH, 2, True, "a \ud800 <b>\x00")
        store.strike(a_draw_set(2).key, BOTH, 9, True, "of another text")
        store.strike(KEY, BOTH, 7, False, "")
        store.strike(KEY, NECESSITY, 7, True, "said twice")
        found = [(s.side, s.number, s.struck, s.reason) for s in store.strikes(KEY)]
        assert found == [
            (BOTH, 2, True, "a \ud800 <b>\x00"),
            (BOTH, 7, False, ""),
            (NECESSITY, 7, True, "said twice"),
        ]
        assert all(s.created > 1e9 for s in store.strikes(KEY))


def test_a_clock_set_back_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(":memory:") as store:
        store.strike(KEY, BOTH, 0, True, "odd")
        monkeypatch.setattr("time.time", lambda: 5.0)
        store.strike(KEY, BOTH, 0, False, "")
        (said,) = store.strikes(KEY)
        assert (said.struck, said.created) == (False, 5.0)


@pytest.mark.parametrize(
    ("reason", "said"),
    [("", "and none came. Say in a few words"), (" \n", "none came"), ("x" * 501, "501 came")],
)
def test_a_strike_needs_a_reason(reason: str, said: str) -> None:
    with Store.open(":memory:") as store:
        with pytest.raises(SettingsError, match="1 to 500 characters") as caught:
            store.strike(KEY, BOTH, 0, True, reason)
        assert said in str(caught.value)
        assert store.strikes(KEY) == []
        store.strike(KEY, BOTH, 0, True, "x" * 500)


def test_a_strike_is_in_the_file_itself_when_it_returns(tmp_path: Path) -> None:
    with Store.open(tmp_path / "nsx.duckdb") as store:
        store.strike(KEY, BOTH, 3, True, "implausible")
        # Without the log beside it, as if that were lost.
        shutil.copyfile(tmp_path / "nsx.duckdb", tmp_path / "copy.duckdb")
    with Store.open(tmp_path / "copy.duckdb") as copy:
        assert [s.reason for s in copy.strikes(KEY)] == ["implausible"]


def test_a_closed_store_says_what_is_lost() -> None:
    store = Store.open(":memory:")
    store.close()
    with pytest.raises(StoreError, match="The strike could not be saved"):
        store.strike(KEY, BOTH, 3, True, "implausible")
