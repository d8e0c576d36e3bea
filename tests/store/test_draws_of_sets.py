"""Draws of many sets are committed and read together, and each stays in its own set."""

from __future__ import annotations

from nsx_core import words
from nsx_core.records import Draw, DrawSide, GenerationSettings
from nsx_core.store import DrawSet, Store, draw_set

SPLIT = words.split("one two three")
SIDE = DrawSide.NECESSITY


def _set(sampler: str) -> DrawSet:
    return draw_set(SPLIT, "fake", "fake-1", GenerationSettings(), sampler, 0)


def _draw(number: int, text: str) -> Draw:
    return Draw(SIDE, number, (True, False, False), (text,), f"{text} two three")


def test_each_set_keeps_its_own_draws_and_nothing_is_written_twice(store: Store) -> None:
    first, second, third = map(_set, ("words 100", "words 010", "words 001"))
    one, two = [_draw(0, "a"), _draw(1, "b")], [_draw(0, "c")]
    store.commit_sets([(first, one), (second, two)], "judge", {"a two three": [0.25, 0.75]}, None)
    store.commit_sets([(second, [*two, _draw(1, "d")]), (third, [])], "judge", {}, None)
    found = store.draws_of_sets([first.key, second.key, third.key, "unknown"], SIDE)
    assert found == {first.key: one, second.key: [*two, _draw(1, "d")]}
    assert store.draws_of_sets([second.key], DrawSide.BOTH) == {}
    assert store.draws(second.key, SIDE, 10) == found[second.key]
    assert store.predictions("judge", ["a two three"]) == {"a two three": (0.25, 0.75)}


def test_the_first_text_of_a_number_stays(store: Store) -> None:
    one = _set("words 100")
    store.commit_sets([(one, [_draw(0, "a")])], "judge", {}, None)
    store.commit_sets([(one, [_draw(0, "z"), _draw(1, "b")])], "judge", {}, None)
    assert store.draws_of_sets([one.key], SIDE)[one.key] == [_draw(0, "a"), _draw(1, "b")]
