from __future__ import annotations

import dataclasses
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_cases import split

from nsx_core.records import GenerationSettings, SplitText, Word, text_hash
from nsx_core.store import canonical_json, canonical_key, draw_set

BASE = (split(), "list", "list-1", GenerationSettings(), "paper", 0)


def test_a_key_is_a_sha256_and_does_not_depend_on_the_order_of_names() -> None:
    assert canonical_key({"a": 1, "b": [2, 3]}) == canonical_key({"b": [2, 3], "a": 1})
    assert len(canonical_key({})) == 64
    assert canonical_json({"b": "é\ud800", "a": 1.5}) == '{"a":1.5,"b":"\\u00e9\\ud800"}'


def test_nan_has_no_canonical_form() -> None:
    with pytest.raises(ValueError, match="Out of range"):
        canonical_json(math.nan)


@settings(max_examples=50, deadline=None)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=8,
    )
)
def test_canonical_json_gives_the_value_back(value: object) -> None:
    written = canonical_json(value)
    assert written.isascii()
    assert json.loads(written) == value


@pytest.mark.parametrize(
    ("place", "other"),
    [
        (0, split("the quick fix")),
        (0, SplitText("the quick fox", (Word("the quick", 0, 9), Word("fox", 10, 13)))),
        (2, "list-2"),
        (3, GenerationSettings(temperature=0.7)),
        (3, GenerationSettings(top_p=0.8)),
        (3, GenerationSettings(redraw_unchanged=False)),
        (4, "balanced"),
        (5, 1),
    ],
)
def test_all_that_can_change_a_draw_changes_the_key(place: int, other: object) -> None:
    changed = [*BASE[:place], other, *BASE[place + 1 :]]
    assert draw_set(*changed).key != draw_set(*BASE).key


def test_what_cannot_change_a_draw_does_not_change_the_key() -> None:
    renamed = draw_set(split(), "another name", *BASE[2:])
    assert renamed.key == draw_set(*BASE).key
    whole = draw_set(*BASE[:3], GenerationSettings(temperature=1, top_p=1), *BASE[4:])
    point = draw_set(*BASE[:3], GenerationSettings(temperature=1.0, top_p=1.0), *BASE[4:])
    assert whole.key == point.key


def test_every_generation_setting_is_in_the_key() -> None:
    named = json.loads(draw_set(*BASE).settings)["generation"]
    assert set(named) == {field.name for field in dataclasses.fields(GenerationSettings)}


def test_a_draw_set_names_its_text_and_settings() -> None:
    made = draw_set(*BASE)
    assert made.text_id == text_hash("the quick fox")
    written = json.loads(made.settings)
    assert written["spans"] == [[0, 3], [4, 9], [10, 13]]
    assert written["sampler"] == "paper"
    assert written["seed"] == 0
