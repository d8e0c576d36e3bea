from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from by_enumeration import all_sets, kept_law, sufficiency_law

from nsx_core.counterfactuals.kept_law import coverage, draw_masks
from nsx_core.errors import SettingsError
from nsx_core.masking.paper import paper_masks
from nsx_core.records import Side
from nsx_core.seeding import generator


@pytest.mark.parametrize(("n", "anchor"), [(1, ()), (2, (1,)), (4, ()), (4, (2,)), (5, (0, 3))])
def test_masks_come_as_often_as_the_law_says(n: int, anchor: tuple[int, ...]):
    count = 20_000
    drawn = Counter(draw_masks(n, anchor, count, generator("law", n)))
    law = kept_law(n, anchor)
    assert sum(law.values()) == pytest.approx(1)
    assert set(drawn) == set(law)
    for mask, chance in law.items():
        spread = (chance * (1 - chance) / count) ** 0.5
        assert drawn[mask] / count == pytest.approx(chance, abs=5 * spread + 1e-12)


def test_the_anchor_stands_and_something_is_replaced():
    masks = np.array(draw_masks(8, (1, 6), 500, generator("stands")))
    assert masks.shape == (500, 8)
    assert not masks[:, [1, 6]].any()
    assert masks.any(axis=1).all()
    assert draw_masks(8, (1,), 0, generator("none")) == []


@pytest.mark.parametrize("n", [2, 3, 5])
def test_one_word_precision_is_its_sufficiency_plus_the_baseline(n: int):
    # The share of draws that hold, of those in which the word is kept: sufficiency before the
    # baseline is taken off. Any chance of holding will do, so they are drawn.
    law = sufficiency_law(n)
    holding = dict(zip(law, generator("holding", n).random(len(law)), strict=True))
    for word in range(n):
        kept = {mask: p for mask, p in law.items() if not mask[word]}
        share = sum(p * holding[m] for m, p in kept.items()) / sum(kept.values())
        precision = sum(p * holding[m] for m, p in kept_law(n, (word,)).items())
        assert precision == pytest.approx(share)


def test_the_sufficiency_law_is_that_of_the_papers_masks():
    masks = paper_masks(4, Side.SUFFICIENCY, 0, "text", 0, 12_800)
    drawn = Counter(mask.replaced for mask in masks)
    for mask, chance in sufficiency_law(4).items():
        assert drawn[mask] / len(masks) == pytest.approx(chance, abs=0.02)


@pytest.mark.parametrize("n", [2, 3, 5, 6])
def test_coverage_is_how_often_all_words_stand(n: int):
    law = sufficiency_law(n)
    for words in all_sets(n):
        standing = sum(p for mask, p in law.items() if not any(mask[at] for at in words))
        assert coverage(n, len(words)) == pytest.approx(standing)


def test_coverage_falls_from_one_to_none():
    shares = [coverage(10, size) for size in range(11)]
    assert shares[0] == 1 and shares[-1] == 0
    assert shares == sorted(shares)[::-1] and len(set(shares)) == 11
    assert coverage(1, 0) == 1 and coverage(1, 1) == 0


def test_sets_that_are_none_are_refused():
    rng = generator("refused")
    for anchor in ((0, 1, 2), (3,), (-1,), (1, 1)):
        with pytest.raises(SettingsError, match="distinct positions of the text's words"):
            draw_masks(3, anchor, 1, rng)
    with pytest.raises(SettingsError, match="at least one word, and 0"):
        draw_masks(0, (), 1, rng)
    with pytest.raises(SettingsError, match="0 or more, and -1"):
        draw_masks(3, (), -1, rng)
    with pytest.raises(SettingsError, match="0 to 3 words, and 4"):
        coverage(3, 4)
