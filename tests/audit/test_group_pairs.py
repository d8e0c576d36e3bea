"""Group against group: shared templates only, signs, correction, and too little to test."""

from __future__ import annotations

import audit_frames
import pandas as pd
import pytest

from nsx_core.audit import phrase_scores
from nsx_core.audit.group_pairs import group_pairs, group_scores
from nsx_core.errors import UnknownNameError

A, B, C = "women", "Muslims", "immigrants"


def cases(*scores: list[float], wrong: int = 0) -> pd.DataFrame:
    """One classifier; each group's scores, template by template."""
    named = {("x", group): own for group, own in zip((A, B, C), scores, strict=False)}
    predictions, tokens = audit_frames.made(named, wrong={("x", A): wrong})
    return phrase_scores(tokens, predictions)


def test_a_difference_is_the_mean_over_shared_templates() -> None:
    # The second group has three templates more, which must not count.
    found = cases([0.5] * 12, [0.2] * 12 + [0.9] * 3)
    scores = group_scores(found, "x", A, B, "necessity")
    assert len(scores) == 12 and set(scores["first"]) == {0.5} and set(scores["second"]) == {0.2}
    pair = group_pairs(found, "x", (A, B))[0]
    assert pair.classifier == "x"
    assert (pair.first_mean, pair.second_mean) == pytest.approx((0.5, 0.2))
    assert pair.difference.value == pytest.approx(0.3) and pair.difference.n == 12
    assert (pair.difference.first, pair.difference.second) == (A, B)


def test_only_cases_count_that_the_classifier_gets_right_for_both() -> None:
    found = cases([0.9] * 4 + [0.5] * 12, [0.1] * 16, wrong=4)
    pair = group_pairs(found, "x", (A, B))[0]
    assert pair.difference.n == 12 and pair.first_mean == 0.5


def test_several_cases_of_a_template_count_as_their_mean() -> None:
    found = cases([0.4] * 12, [0.2] * 12)
    more = found[found["group"] == A].iloc[[0]].assign(case="again", text="again", necessity=0.8)
    scores = group_scores(pd.concat([found, more]), "x", A, B, "necessity")
    assert len(scores) == 12 and scores["first"].iloc[0] == pytest.approx(0.6)


def test_all_tests_of_a_classifier_are_corrected_together() -> None:
    high = [0.8 + i / 100 for i in range(12)]
    found = group_pairs(cases(high, [0.2] * 12, [0.2, 0.3] * 6), "x", (A, B, C))
    assert [(p.difference.first, p.difference.second) for p in found[::2]] == [
        (A, B), (A, C), (B, C),
    ]  # fmt: skip
    assert [p.difference.measure for p in found[:2]] == ["necessity", "sufficiency"]
    for pair in found:
        d = pair.difference
        assert d.p is not None and d.p_corrected is not None and d.p_corrected >= d.p
    # Six tests: the smallest p is taken six times.
    smallest = min(found, key=lambda p: p.difference.p or 1.0).difference
    assert smallest.p_corrected == pytest.approx(6 * (smallest.p or 0.0))


def test_too_few_shared_templates_are_not_tested() -> None:
    pair = group_pairs(cases([0.5] * 9, [0.1] * 9), "x", (A, B))[0]
    assert pair.difference.value == pytest.approx(0.4)
    assert pair.difference.p is None and pair.difference.p_corrected is None
    assert pair.difference.notes == ("not enough: 9 shared templates, 10 needed",)


def test_nothing_shared_is_undefined() -> None:
    found = cases([0.5] * 3, [0.1] * 3, wrong=3)
    pair = group_pairs(found, "x", (A, B))[0]
    assert pair.first_mean is None and pair.difference.value is None and pair.difference.n == 0


def test_unknown_names_are_refused() -> None:
    found = cases([0.5] * 3, [0.1] * 3)
    with pytest.raises(UnknownNameError, match=r"No group is called 'woman'.*'women'"):
        group_scores(found, "x", "woman", B, "necessity")
    with pytest.raises(UnknownNameError, match="No classifier is called 'y'"):
        group_scores(found, "y", A, B, "necessity")
