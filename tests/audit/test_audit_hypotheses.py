"""The three hypotheses and all pairs of classifiers: what is compared, and what is said."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from audit_frames import Cell, made

from nsx_core.audit import all_pairs, hypotheses, phrase_scores
from nsx_core.audit.comparisons import paired_differences
from nsx_core.audit.hypotheses import labels_compared
from nsx_core.audit.results import Correlation, Hypothesis, PairedDifference

WAVE = [0.05 * ((7 * i) % 12) for i in range(12)]


def lifted(by: float, size: int = 12) -> list[float]:
    return [w * 0.5 + by for w in WAVE[:size]]


def outcome(**given: object) -> tuple[Hypothesis, ...]:
    predictions, tokens = made(**given)  # type: ignore[arg-type]
    return hypotheses(phrase_scores(tokens, predictions), predictions)


def sources(*names: str, gap: float = 0.3, size: int = 12) -> dict[Cell, list[float]]:
    found = {}
    for name in names:
        found[f"{name}-hate", "women"] = lifted(gap, size)
        # Not the same gap everywhere, or there would be no interval.
        found[f"{name}-abuse", "women"] = [x + 0.01 * (i % 3) for i, x in
                                           enumerate(lifted(0.0, size))]  # fmt: skip
    return found


# --- hypothesis 1 -------------------------------------------------------------------------


def test_labels_are_compared_case_by_case_within_their_source() -> None:
    first, _, _ = outcome(necessity=sources("Founta"))
    (found,) = first.results
    assert isinstance(found, PairedDifference)
    assert (found.first, found.second, found.n) == ("Founta-hate", "Founta-abuse", 12)
    assert found.value == pytest.approx(0.29)
    assert found.p == pytest.approx(2 / 2**12)  # only all signs alike reach it
    assert found.low is not None and found.high is not None
    assert 0.28 < found.low < 0.29 < found.high < 0.30
    assert "in line with the hypothesis on these cases" in first.sentences[0]


def test_the_other_direction_is_said_too() -> None:
    first, _, _ = outcome(necessity=sources("Founta", gap=-0.3))
    assert "contrary to the hypothesis" in first.sentences[0]


def test_no_difference_leaves_it_open() -> None:
    scores = {("F-hate", "women"): WAVE, ("F-abuse", "women"): WAVE[::-1]}
    first, _, _ = outcome(necessity=scores)
    assert "leaves open which is higher" in first.sentences[0]


def test_two_sources_are_pooled_by_case_and_corrected() -> None:
    predictions, tokens = made(sources("Founta", "Vidgen"))
    pooled, *single = labels_compared(phrase_scores(tokens, predictions), predictions)
    assert (pooled.first, pooled.n) == ("hate, all sources", 12)
    assert [row.first for row in single] == ["Founta-hate", "Vidgen-hate"]
    for row in single:
        assert row.p is not None
        assert row.p_corrected == pytest.approx(2 * row.p)


def test_few_cases_are_not_enough() -> None:
    first, _, _ = outcome(necessity=sources("Davidson", size=3))
    (found,) = first.results
    assert isinstance(found, PairedDifference)
    assert (found.n, found.p, found.p_corrected) == (3, None, None)
    assert found.notes == ("not enough: 3 shared cases, 3 templates",)
    assert "No conclusion" in first.sentences[0]


def test_a_classifier_without_a_counterpart_is_left_out() -> None:
    first, _, _ = outcome(necessity={("Vidgen-hate", "women"): WAVE, ("Own", "women"): WAVE})
    assert first.results == first.sentences == ()


# --- hypotheses 2 and 3 -------------------------------------------------------------------


def grid(classifiers: int, groups: int) -> dict[Cell, list[float]]:
    """Scores that rise by classifier and, less, by group."""
    return {
        (f"C{c}-hate", f"group {g}"): lifted(0.1 * c + 0.04 * g)
        for c in range(classifiers)
        for g in range(groups)
    }


def test_sufficiency_and_mentions_over_classifiers_and_groups() -> None:
    scores = grid(3, 2)
    order = sorted(scores, key=lambda cell: float(np.mean(scores[cell])))
    mentions = {cell: (3 * place + 1, 20) for place, cell in enumerate(order)}
    _, second, _ = outcome(necessity=scores, mentions=mentions)
    (found,) = second.results
    assert isinstance(found, Correlation)
    assert found.rho == pytest.approx(1.0)
    assert (found.n, found.orders, found.exact) == (6, 720, True)
    assert found.p == found.p_smallest == pytest.approx(2 / 720)
    assert found.low is not None and found.low < 1.0
    assert {(p.classifier, p.group): (round(p.y * p.n_y), p.n_y) for p in found.points} == mentions
    assert "in line with the hypothesis" in second.sentences[0]
    assert "does not say that one causes the other" in second.sentences[0]


def test_a_rate_that_groups_share_is_exchanged_as_one() -> None:
    targets = {f"C{c}-hate": (18 - 3 * c, 20) for c in range(6)}
    _, _, third = outcome(necessity=grid(6, 2), targets=targets)
    assert [isinstance(result, Correlation) for result in third.results] == [True] * 4
    pooled, group, _, thing = third.results
    assert isinstance(pooled, Correlation) and isinstance(thing, Correlation)
    assert pooled.x == "identity necessity" and pooled.y == "positive rate on F24+F23+F22"
    assert pooled.rho is not None and pooled.rho < -0.9
    assert (pooled.n, pooled.orders) == (12, 720)
    assert "only 6 rates are free to exchange" in pooled.notes[-1]
    assert "in line with the hypothesis" in third.sentences[0]
    assert group.notes == ("not enough: 0 points",)
    assert thing.rho == pooled.rho


def test_three_classifiers_describe_and_test_nothing() -> None:
    targets = {f"C{c}-hate": (10 + c, 20) for c in range(3)}
    _, _, third = outcome(necessity=grid(3, 2), targets=targets)
    assert "tests nothing" in third.sentences[0]


def test_points_without_scores_or_rates_are_left_out() -> None:
    scores = grid(3, 2)
    mentions = {cell: (2 + i, 20) for i, cell in enumerate(scores)}
    del mentions["C0-hate", "group 0"]
    _, second, _ = outcome(necessity=scores, mentions=mentions, wrong={("C1-hate", "group 1"): 12})
    (found,) = second.results
    assert isinstance(found, Correlation)
    assert found.n == 4
    _, second, _ = outcome(necessity=scores, mentions=mentions, wrong={("C1-hate", "group 1"): 9})
    assert second.results[0].notes[0] == "1 of 5 points rest on fewer than 10 cases"


def test_equal_rates_have_no_correlation() -> None:
    scores = grid(3, 2)
    _, second, _ = outcome(necessity=scores, mentions=dict.fromkeys(scores, (0, 20)))
    assert second.results[0].notes == ("undefined: one side is the same at every point",)
    assert "No conclusion" in second.sentences[0]


# --- all pairs ----------------------------------------------------------------------------


def test_pairs_use_only_cases_that_both_get_right() -> None:
    scores = {("A", "women"): lifted(0.3), ("B", "women"): lifted(0.0)}
    predictions, tokens = made(scores, wrong={("A", "women"): 2, ("B", "women"): 1})
    cases = phrase_scores(tokens, predictions)
    found = paired_differences(cases, "A", "B", "necessity")
    assert sorted(found["template"]) == sorted(f"T{i}" for i in range(2, 12))
    assert found["difference"].to_numpy() == pytest.approx(0.3)
    pair = all_pairs(cases)[0]
    assert (pair.n, pair.value) == (10, pytest.approx(0.3))
    # A gap that is the same in every template is tested, but has no interval.
    assert pair.p == pytest.approx(2 / 2**10)
    assert pair.low is None and pair.notes == ("no spread between templates: no interval",)


def test_all_pairs_share_one_correction_and_small_ones_are_left_out() -> None:
    scores = {("A", "women"): lifted(0.3), ("B", "women"): WAVE, ("C", "women"): lifted(0.1)}
    predictions, tokens = made(scores, wrong={("C", "women"): 9})
    found = all_pairs(phrase_scores(tokens, predictions))
    assert [(p.first, p.second) for p in found[::2]] == [("A", "B"), ("A", "C"), ("B", "C")]
    assert [p.p is None for p in found] == [False, False, True, True, True, True]
    assert found[2].notes == ("not enough: 3 shared cases, 3 templates",)
    for pair in found[:2]:
        assert pair.p is not None
        assert pair.p_corrected == pytest.approx(min(1.0, 2 * pair.p))


def test_pairs_that_share_no_case_are_undefined() -> None:
    predictions, tokens = made({("A", "women"): WAVE, ("B", "Muslims"): WAVE})
    pair = all_pairs(phrase_scores(tokens, predictions))[0]
    assert (pair.value, pair.n) == (None, 0)
    assert pair.notes == ("not enough: 0 shared cases, 0 templates",)
    assert all_pairs(pd.DataFrame(columns=["classifier", "right"])) == ()
