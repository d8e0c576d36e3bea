"""Wachter et al. on texts: the least change that reaches the goal, on worlds known by hand."""

from __future__ import annotations

import pytest
from text_world import TextWorld

from nsx_core.counterfactual_records import Ended
from nsx_core.counterfactuals.asking import Outcome
from nsx_core.counterfactuals.distance import distances, text_features, text_scales
from nsx_core.counterfactuals.text_wachter import wachter
from nsx_core.counterfactuals.wachter import Schedule
from nsx_core.errors import SettingsError
from nsx_core.infilling.deletion import DeletionInfiller

TEXT = "we really hate all of the noisy people over there"


def keyword(text: str) -> float:
    return 0.9 if "hate" in text.split() else 0.1


def gradual(text: str) -> float:
    """Each of three words adds to P: there are probabilities between the ends."""
    return 0.05 + 0.3 * sum(word in text.split() for word in ("hate", "noisy", "people"))


def found(world: TextWorld, **settings: object) -> Outcome:
    outcome = world.run(wachter(world.situation, **settings))  # type: ignore[arg-type]
    assert world.calls <= world.budget
    return outcome


@pytest.mark.parametrize("pool", [0, 40])
def test_a_keyword_alone_is_changed(pool: int) -> None:
    outcome = found(TextWorld(TEXT, keyword, pool_budget=pool))
    best = outcome.ranked[0]
    assert [w for w, r in zip(TEXT.split(), best.replaced, strict=True) if r] == ["hate"]
    assert best.probability == 0.1
    assert outcome.ended is Ended.COMPLETE


def test_texts_that_reach_come_first_by_distance_then_the_rest_by_gap() -> None:
    world = TextWorld(TEXT, gradual, pool_budget=20)
    ranked = found(world).ranked
    goal, pool = world.situation.goal, world.situation.pool
    scale, _ = text_scales(pool, world.cosines([c.text for c in pool]))
    far = distances(text_features(ranked, world.cosines([c.text for c in ranked])), [0, 0], scale)
    reached = [goal.reached(c.probability) for c in ranked]
    assert reached == sorted(reached, reverse=True)
    count = sum(reached)
    assert count
    assert far[:count].tolist() == sorted(far[:count].tolist())
    gaps = [goal.gap(c.probability) for c in ranked[count:]]
    assert gaps == sorted(gaps)
    assert not any(c.unchanged for c in ranked)


def test_it_is_never_worse_than_the_best_draw_and_often_better() -> None:
    better = 0
    for seed in range(6):
        world = TextWorld(TEXT, gradual, pool_budget=10, seed=seed)
        goal = world.situation.goal
        ready = [c.words_changed for c in world.situation.pool if goal.reached(c.probability)]
        best = found(world).ranked[0]
        assert goal.reached(best.probability)
        assert best.words_changed <= min(ready)
        better += best.words_changed < min(ready)
    assert found(TextWorld(TEXT, gradual)).ranked[0].words_changed == 2
    assert better


def test_a_larger_lambda_comes_nearer_to_the_target() -> None:
    gaps = []
    for weight in (0.01, 1e6):
        world = TextWorld(TEXT, gradual, goal=(0.0, 0.0), pool_budget=20)
        ended = found(world, schedule=Schedule(weight, 2, 1), restarts=1)
        assert ended.ended is Ended.COMPLETE
        gaps.append(min(world.situation.goal.gap(c.probability) for c in ended.ranked))
    assert gaps[1] <= gaps[0]


def test_a_wanted_probability_between_the_ends() -> None:
    world = TextWorld(TEXT, gradual, goal=(0.65, 0.02), pool_budget=20)
    best = found(world).ranked[0]
    assert best.probability == pytest.approx(0.65)
    assert best.words_changed == 1


def test_where_nothing_flips_the_nearest_comes_first() -> None:
    for probability in (lambda text: 0.8, lambda text: 0.8 - 0.01 * len(set(text.split()))):
        world = TextWorld(TEXT, probability, pool_budget=10, goal=(0.0, 0.01))
        outcome = found(world)
        goal = world.situation.goal
        assert outcome.ranked
        assert not goal.reached(outcome.ranked[0].probability)
        nearest = min(goal.gap(c.probability) for c in outcome.ranked)
        assert goal.gap(outcome.ranked[0].probability) == nearest
        assert any("none of" in note for note in outcome.notes) or outcome.ended is Ended.BUDGET


def test_ends_of_the_range() -> None:
    every = found(TextWorld("all of it", lambda text: 0.9 if text == "all of it" else 0.1))
    assert every.ranked[0].words_changed == 1
    one = found(TextWorld("hate", keyword))
    assert one.ranked[0].replaced == (True,)
    world = TextWorld(TEXT, keyword, budget=1)
    assert found(world).ended is Ended.BUDGET
    assert world.calls == 1
    negative = TextWorld("a calm river", lambda text: 0.9 if "garden" in text else 0.1)
    assert negative.situation.goal.reached(found(negative).ranked[0].probability)
    exact = found(TextWorld(TEXT, gradual, goal=(0.0, 0.0), budget=300))
    assert all(c.probability > 0 for c in exact.ranked)


def test_an_infiller_of_few_texts_ends() -> None:
    world = TextWorld(TEXT, gradual, infiller=DeletionInfiller())
    outcome = found(world)
    assert outcome.ranked[0].words_changed == 2
    assert world.rounds < 40


def test_equal_seeds_give_equal_answers_and_others_differ() -> None:
    one, same, other = (found(TextWorld(TEXT, gradual, seed=seed)).ranked for seed in (3, 3, 4))
    assert one == same
    assert one != other


def test_what_cannot_be_used() -> None:
    world = TextWorld(TEXT, keyword)
    with pytest.raises(SettingsError, match="Restarts"):
        wachter(world.situation, restarts=0)
    with pytest.raises(SettingsError, match="Lambda"):
        Schedule(-1.0, 2.0, 3)
