"""Necessity and sufficiency, worked by hand and by their definition."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nsx_core.errors import DataError, SettingsError
from nsx_core.records import Side
from nsx_core.scoring import draw_counts, kept_share, necessity, sufficiency

MASKS = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 0]], dtype=bool)
HARD = np.array([0, 0, 1, 1])


def test_necessity_worked_by_hand() -> None:
    # word 0: draws 0, 1 flip both; word 1: one of three; word 2 is never replaced
    np.testing.assert_allclose(necessity(1, HARD, MASKS), [1, 1 / 3, np.nan], atol=1e-15)
    np.testing.assert_allclose(necessity(0, HARD, MASKS), [0, -2 / 3, np.nan], atol=1e-15)


def test_sufficiency_worked_by_hand() -> None:
    # word 0 is kept by draws 2, 3; word 1 by draw 0; word 2 by all four
    np.testing.assert_allclose(sufficiency(0.25, HARD, MASKS), [0.75, -0.25, 0.25], atol=1e-15)


def test_scores_in_place_of_hard_predictions() -> None:
    scores = [0.1, 0.3, 0.8, 0.4]
    np.testing.assert_allclose(necessity(0.9, scores, MASKS), [0.7, 0.4, np.nan], atol=1e-15)
    np.testing.assert_allclose(sufficiency(0.1, scores, MASKS), [0.5, 0, 0.3], atol=1e-15)


def test_bool_predictions_count_as_zero_and_one() -> None:
    np.testing.assert_array_equal(necessity(1, HARD == 1, MASKS), necessity(1, HARD, MASKS))


@given(
    masks=hnp.arrays(bool, st.tuples(st.integers(0, 12), st.integers(1, 6))),
    data=st.data(),
    constant=st.floats(0, 1),
)
def test_both_are_their_definitions(
    masks: np.ndarray, data: st.DataObject, constant: float
) -> None:
    n_draws, n_words = masks.shape
    values = data.draw(hnp.arrays(float, n_draws, elements=st.floats(0, 1)))
    found_n, found_s = necessity(constant, values, masks), sufficiency(constant, values, masks)
    for word in range(n_words):
        replaced = [constant - v for v, row in zip(values, masks, strict=True) if row[word]]
        kept = [v for v, row in zip(values, masks, strict=True) if not row[word]]
        mean_n = sum(replaced) / len(replaced) if replaced else np.nan
        mean_s = sum(kept) / len(kept) - constant if kept else np.nan
        np.testing.assert_allclose([found_n[word], found_s[word]], [mean_n, mean_s], atol=1e-12)
        assert draw_counts(masks, Side.NECESSITY)[word] == len(replaced)
        assert draw_counts(masks, Side.SUFFICIENCY)[word] == len(kept)


def test_no_draws_at_all_leave_every_word_undefined() -> None:
    none = np.zeros((0, 3), dtype=bool)
    assert np.isnan(necessity(1, [], none)).all()
    assert np.isnan(kept_share([], none, Side.SUFFICIENCY)).all()


@pytest.mark.parametrize("score", [necessity, sufficiency])
def test_what_does_not_fit_is_refused(score: Callable[..., np.ndarray]) -> None:
    with pytest.raises(DataError, match=r"4 draws, and predictions of shape \(3,\) came"):
        score(1, [0, 1, 1], MASKS)
    with pytest.raises(DataError, match=r"shape \(4, 1\) came"):
        score(1, HARD[:, None], MASKS)
    with pytest.raises(DataError, match=r"\(n_draws, n_words\), and an array of shape \(3,\)"):
        score(1, HARD, MASKS[0])
    with pytest.raises(DataError, match="Masks are bool, True = replaced, and int64 came"):
        score(1, HARD, MASKS.astype(np.int64))
    with pytest.raises(DataError, match=r"lie in 0\.\.1, and values from -3 to 2 came"):
        score(1, [0.5, -3, 2, 0], MASKS)
    with pytest.raises(DataError, match=r"values from nan"):
        score(1, [0.5, np.nan, 1, 0], MASKS)


def test_constants_out_of_range_are_refused() -> None:
    with pytest.raises(SettingsError, match=r"original prediction lies in 0\.\.1, and 1\.2 came"):
        necessity(1.2, HARD, MASKS)
    with pytest.raises(SettingsError, match=r"baseline lies in 0\.\.1, and nan came"):
        sufficiency(float("nan"), HARD, MASKS)
