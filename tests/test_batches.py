"""How many draws a step takes."""

from __future__ import annotations

import pytest

from nsx_core.batches import BATCH_DRAWS, BATCH_TOKENS, FIRST_BATCH_DRAWS, batch_spans


@pytest.mark.parametrize(
    ("words", "characters"), [(5, 25), (200, 1_000), (2_000, 9_000), (3, 10_008)]
)
@pytest.mark.parametrize("watched", [True, False])
@pytest.mark.parametrize("missing", [0, 1, 16, 32, 33, 273, 522, 1_636])
def test_spans_cover_every_draw_once_and_stay_within_the_tokens(
    words: int, characters: int, missing: int, watched: bool
) -> None:
    spans = batch_spans(missing, words, characters, watched)
    assert [i for span in spans for i in range(*span)] == list(range(missing))
    tokens = max(words, characters // 4)
    assert all((j - i) * tokens <= BATCH_TOKENS for i, j in spans)


def test_short_texts_have_a_small_first_batch_and_large_others() -> None:
    sizes = [j - i for i, j in batch_spans(522, 5, 25)]
    assert sizes == [FIRST_BATCH_DRAWS, 128, 189, 189]
    assert [j - i for i, j in batch_spans(261, 5, 25)] == [FIRST_BATCH_DRAWS, 245]
    assert max(sizes) <= BATCH_DRAWS


def test_nobody_waits_for_a_small_first_batch_of_an_audit() -> None:
    assert [j - i for i, j in batch_spans(310, 9, 45, watched=False)] == [155, 155]
