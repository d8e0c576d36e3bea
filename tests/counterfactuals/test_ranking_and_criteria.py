"""Edit distance by definition, ranks by Wachter's loss worked out by hand, diversity."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from nsx_core import words
from nsx_core.counterfactual_records import Candidate, Counterfactual, Goal, Method
from nsx_core.counterfactuals.criteria import described, edit_distance
from nsx_core.counterfactuals.ranking import diverse, reranked
from nsx_core.errors import SettingsError

SPLIT = words.split("one two three four")
GOAL = Goal.flip(0.9, 0.5)


def row(text: str, p: float, replaced: str, cosine: float) -> Counterfactual:
    bits = tuple(bit == "1" for bit in replaced)
    runs = sum(1 for run in replaced.split("0") if run)
    candidate = Candidate(bits, (text,) + ("x",) * (runs - 1), text, p)
    return described((Method.SEDC,), candidate, SPLIT, GOAL, cosine, None)


def by_definition(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    @cache
    def distance(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        same = one[i - 1] == other[j - 1]
        return min(
            distance(i - 1, j) + 1, distance(i, j - 1) + 1, distance(i - 1, j - 1) + (not same)
        )

    return distance(len(one), len(other))


def test_edit_distance_is_levenshteins() -> None:
    rng = np.random.default_rng(5)
    for _ in range(60):
        one, other = (tuple(rng.choice(list("abc"), rng.integers(0, 7))) for _ in range(2))
        assert edit_distance(" ".join(one), " ".join(other)) == by_definition(one, other)
    assert edit_distance("", "") == 0
    assert edit_distance("a  b\nc", "a x c d") == 2


def test_the_goal_is_the_other_side_unless_another_probability_is_wanted() -> None:
    assert GOAL.reached(0.49)
    assert not GOAL.reached(0.5), "at the threshold the class is predicted"
    up = Goal.flip(0.2, 0.5)
    assert up.reached(0.5)
    assert not up.reached(0.49)
    same_side = Goal(0.9, 0.5, 0.7, 0.05)
    assert [same_side.reached(p) for p in (0.64, 0.66, 0.74, 0.76)] == [False, True, True, False]
    across = Goal(0.9, 0.5, 0.45, 0.1)
    assert not across.reached(0.52), "near the target, and still predicted"
    for wrong in ((1.5, 0.1), (-0.1, 0.1), (0.5, -0.1), (math.nan, 0.1), (0.5, math.nan)):
        with pytest.raises(SettingsError, match="lies in 0 to 1"):
            Goal(0.9, 0.5, *wrong)
    with pytest.raises(SettingsError, match="threshold"):
        Goal(0.9, 1.0, 0, 0.5)


def test_reranking_follows_the_loss_and_judges_validity_anew() -> None:
    near = row("near", 0.45, "1000", 0.9)
    far = row("far", 0.01, "1110", 0.5)
    never = row("never", 0.8, "0100", 0.95)
    assert [r.text for r in reranked([far, never, near], GOAL, 0.1)] == ["near", "far", "never"]
    # MADs over the three: words changed (1, 3, 1) -> mean 2/3; moved (.1, .5, .05) -> .05.
    loss = {
        "near": 200 * 0.45**2 + 1 / (2 / 3) + 0.1 / 0.05,
        "far": 200 * 0.01**2 + 3 / (2 / 3) + 0.5 / 0.05,
    }
    assert loss["far"] < loss["near"]
    assert [r.text for r in reranked([far, never, near], GOAL, 200)] == ["far", "near", "never"]
    strict = reranked([far, never, near], Goal(0.9, 0.5, 0.0, 0.1), 0.1)
    assert [(r.text, r.valid) for r in strict] == [("far", True), ("never", False), ("near", False)]
    assert reranked([], GOAL, 1) == ()
    for wrong in (-1.0, math.nan, math.inf):
        with pytest.raises(SettingsError, match="Lambda"):
            reranked([near], GOAL, wrong)


def test_no_two_diverse_texts_change_the_same_words() -> None:
    rows = [row("a", 0.1, "1000", 0.9), row("b", 0.1, "1000", 0.8), row("c", 0.1, "0100", 0.7)]
    assert [r.text for r in diverse(rows, 5)] == ["a", "c"]
    assert [r.text for r in diverse(rows, 1)] == ["a"]
    assert diverse(rows, 0) == ()


def test_the_criteria_of_a_text() -> None:
    candidate = Candidate((False, True, True, False), ("five",), "one five four", 0.2)
    found = described((), candidate, SPLIT, GOAL, 0.8, -0.5)
    assert (found.methods, found.method) == ((), None)
    both = replace(found, methods=(Method.WACHTER, Method.SEDC))
    assert both.method is Method.WACHTER
    assert "".join(text for text, _ in found.pieces) == "one five four"
    assert [text for text, written in found.pieces if written] == ["five"]
    assert (found.words_changed, found.edit_distance, found.valid) == (2, 2, True)
    assert (found.before, found.after, found.cosine, found.fluency) == (0.9, 0.2, 0.8, -0.5)
