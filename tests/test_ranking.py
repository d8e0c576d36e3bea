"""When the order of the first words is settled, and scores against draws."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsx_core import pipeline
from nsx_core.classifying.fakes import KeywordClassifier
from nsx_core.counting import size_weights
from nsx_core.fake_catalogue import fake_catalogue
from nsx_core.infilling.wordlist import WordListInfiller
from nsx_core.masking import balanced_masks
from nsx_core.records import ExplainSettings, Explanation, Side
from nsx_core.scoring.ranking import same_order_share
from nsx_core.store import Store

MASKS = np.array([m.replaced for m in balanced_masks(5, 100, 0, "k")])
WEIGHTS = size_weights(MASKS, Side.NECESSITY)
SIZES = MASKS.sum(axis=1)


def share(losses: list[float], draws: int = len(MASKS), seed: int = 0) -> float:
    """Of draws whose chance of losing the label is 0.05 and each replaced word's own."""
    chance = 1 - np.prod(1 - MASKS * np.array(losses), axis=1)
    kept = (np.random.default_rng(seed).random(len(MASKS)) >= chance).astype(float)
    weights = size_weights(MASKS[:draws], Side.NECESSITY)
    return same_order_share(kept[:draws], weights, SIZES[:draws], seed)


def test_words_far_apart_are_settled_and_like_ones_are_not() -> None:
    masks = np.tile(MASKS, (6, 1))
    weights, sizes = size_weights(masks, Side.NECESSITY), masks.sum(axis=1)
    rng = np.random.default_rng(0)
    for losses, settled in (([0.6, 0.3, 0.1, 0, 0], True), ([0.2] * 5, False)):
        kept = (rng.random(len(masks)) >= masks @ np.array(losses)).astype(float)
        assert (same_order_share(kept, weights, sizes, 0) >= 0.95) is settled


def test_more_draws_settle_more() -> None:
    few = np.mean([share([0.8, 0.5, 0.3, 0.1, 0.1], 80, s) for s in range(20)])
    all_ = np.mean([share([0.8, 0.5, 0.3, 0.1, 0.1], seed=s) for s in range(20)])
    assert few < all_


def test_too_few_draws_settle_nothing() -> None:
    assert share([0.9, 0.6, 0.3, 0.0, 0.0], 10) == 0
    assert same_order_share(np.zeros(0), np.zeros((0, 3)), np.zeros(0, dtype=int), 0) == 0


def test_words_that_are_always_equal_do_not_unsettle() -> None:
    # The label is lost whenever the first or the second is replaced: both have 1.
    kept = (~(MASKS[:, 0] | MASKS[:, 1])).astype(float)
    assert same_order_share(kept, WEIGHTS, SIZES, 0) < 0.95  # the third of three is open
    two = MASKS[:, :2]
    assert same_order_share(np.zeros(len(two)), WEIGHTS[:, :2], SIZES, 0) == 1


@given(seed=st.integers(0, 50))
def test_settled_orders_are_mostly_right(seed: int) -> None:
    found = same_order_share(MASKS[:, 0].astype(float), WEIGHTS, SIZES, seed)
    assert 0 <= found <= 1


@pytest.fixture
def explained() -> Explanation:
    with Store.open(":memory:") as store:
        catalogue = fake_catalogue(
            KeywordClassifier(["hate"], name="hate"), infiller=WordListInfiller()
        )
        return pipeline.explained(
            "I hate all women here.", "hate", "word-list", ExplainSettings(), catalogue, store
        )


@pytest.mark.parametrize("scores", [False, True])
def test_growth_ends_at_the_scores(explained: Explanation, scores: bool) -> None:
    settings = dataclasses.replace(explained.settings, use_scores=scores)
    if scores:
        explained = dataclasses.replace(explained, settings=settings, baseline=0.5)
    grown = pipeline.growth(explained, [1, 3])
    assert [(g.word, g.side) for g in grown] == [(word, side) for side in Side for word in (1, 3)]
    for g in grown:
        assert g.draws[-1] == len(explained.draws) and list(g.draws) == sorted(set(g.draws))
        assert len(g.draws) == len(g.values)
        word = explained.words[g.word]
        end = word.necessity if g.side is Side.NECESSITY else word.sufficiency
        if not scores:
            assert math.isclose(g.values[-1], end.value or 0.0, abs_tol=1e-12)


def test_growth_of_a_prefix_is_the_score_of_a_smaller_budget(explained: Explanation) -> None:
    part = dataclasses.replace(explained, draws=explained.draws[: len(explained.draws) // 2])
    (half, *_) = pipeline.growth(part, [3])
    (whole, *_) = pipeline.growth(explained, [3])
    at = dict(zip(whole.draws, whole.values, strict=True))
    shared = [(n, v) for n, v in zip(half.draws, half.values, strict=True) if n in at]
    assert shared and all(math.isclose(at[n], v, abs_tol=1e-12) for n, v in shared)


def test_no_draws_grow_nothing(explained: Explanation) -> None:
    empty = dataclasses.replace(explained, draws=())
    assert all(g.draws == g.values == () for g in pipeline.growth(empty, [0]))
    assert not pipeline.settled(empty)
