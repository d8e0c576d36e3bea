"""Phrases typed in one line, and written back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsx_core.views.phrase_list import listed, written


@pytest.mark.parametrize(
    ("line", "phrases"),
    [
        ("", ()),
        (" ; ; ", ()),
        ("black people", ("black people",)),
        (" black people;trans  women ; black people;", ("black people", "trans  women")),
        ("a;;b; c", ("a;b", "c")),
        ("a;;; b", ("a;", "b")),
    ],
)
def test_a_line_of_phrases(line: str, phrases: tuple[str, ...]) -> None:
    assert listed(line) == phrases


@given(st.lists(st.text(";ab \u00e9", min_size=1).map(str.strip).filter(bool), unique=True))
def test_what_is_written_is_read(phrases: list[str]) -> None:
    assert listed(written(phrases)) == tuple(phrases)
