from __future__ import annotations

from collections.abc import Callable

import pytest
from text_world import TextWorld

from nsx_core.counterfactual_records import Ended
from nsx_core.counterfactuals.asking import Infills, Outcome
from nsx_core.counterfactuals.distance import distances, text_features, text_scales
from nsx_core.counterfactuals.text_wachter import wachter
from nsx_core.counterfactuals.wachter import Schedule
from nsx_core.errors import SettingsError
from nsx_core.infilling.deletion import DeletionInfiller

TEXT = "These Muslims disgust me so much every single day here"


def keyword(text: str) -> float:
    return 0.93 if "disgust" in text else 0.08


def either(text: str) -> float:
    return 0.9 if "disgust" in text or "Muslims" in text else 0.1


def counted(text: str) -> float:
    """Six of ten words must go."""
    return 0.2 + 0.07 * len(set(TEXT.split()) & set(text.split()))


def constant(text: str) -> float:
    return 0.9


def all_flip(text: str) -> float:
    return 0.9 if text == TEXT else 0.1


ALL = (keyword, either, counted, constant, all_flip)


def _run(world: TextWorld, **settings: object) -> Outcome:
    return world.run(wachter(world.situation, **settings))  # type: ignore[arg-type]


@pytest.mark.parametrize("pool", [0, 20])
@pytest.mark.parametrize(
    ("probability", "words"), [(keyword, 1), (either, 2), (counted, 6), (all_flip, 1)]
)
def test_the_fewest_words_that_flip_are_found(
    probability: Callable[[str], float], words: int, pool: int
) -> None:
    world = TextWorld(TEXT, probability, pool_budget=pool)
    found = _run(world)
    best = found.ranked[0]
    assert world.situation.goal.reached(best.probability)
    assert best.words_changed == words
    assert found.ended is Ended.COMPLETE and world.calls < 700, "it ends when it has its answer"


@pytest.mark.parametrize("probability", ALL)
def test_texts_are_ranked_and_each_stands_once(probability: Callable[[str], float]) -> None:
    world = TextWorld(TEXT, probability, pool_budget=20)
    goal, found = world.situation.goal, _run(world).ranked
    cosines = world.cosines([c.text for c in world.situation.pool])
    scale, _ = text_scales(world.situation.pool, cosines)
    table = text_features(found, world.cosines([c.text for c in found]))
    away = distances(table, [0, 0], scale)
    reached = [goal.reached(c.probability) for c in found]
    count = sum(reached)
    assert reached == [True] * count + [False] * (len(found) - count)
    assert list(away[:count]) == sorted(away[:count])
    gaps = [goal.gap(c.probability) for c in found[count:]]
    assert gaps == sorted(gaps)
    assert len({c.text for c in found}) == len(found)
    assert not any(c.unchanged for c in found)
    assert {c.text for c in world.situation.pool if not c.unchanged} <= {c.text for c in found}


@pytest.mark.parametrize("probability", [keyword, either, counted, all_flip])
@pytest.mark.parametrize("budget", [1, 60, 1_000])
def test_never_worse_than_the_best_draw(probability: Callable[[str], float], budget: int) -> None:
    world = TextWorld(TEXT, probability, budget, pool_budget=30)
    pool = world.situation.pool
    scale, _ = text_scales(pool, world.cosines([c.text for c in pool]))
    best = _run(world).ranked[0]

    def away(candidates: tuple) -> list[float]:  # type: ignore[type-arg]
        table = text_features(candidates, world.cosines([c.text for c in candidates]))
        return list(distances(table, [0, 0], scale))

    reached = tuple(c for c in pool if world.situation.goal.reached(c.probability))
    assert reached and away((best,))[0] <= min(away(reached))


def test_without_a_flip_the_nearest_text_comes_first() -> None:
    def wavering(text: str) -> float:
        return 0.95 if "so" in text.split() else 0.61

    world = TextWorld(TEXT, wavering, pool_budget=20)
    found = _run(world)
    assert found.ended is Ended.COMPLETE
    assert not any(world.situation.goal.reached(c.probability) for c in found.ranked)
    assert found.ranked[0].probability == 0.61 and found.ranked[0].words_changed == 1
    assert found.ranked[-1].probability == 0.95


def test_a_constant_classifier_is_given_up() -> None:
    world = TextWorld(TEXT, constant, pool_budget=20)
    found = _run(world)
    assert found.ended is Ended.COMPLETE and world.calls < 700
    assert found.ranked[0].words_changed == 1


def test_a_wanted_probability_and_epsilon_are_kept_to() -> None:
    world = TextWorld(TEXT, counted, goal=(0.62, 0.02), pool_budget=20)
    best = _run(world).ranked[0]
    assert best.probability == pytest.approx(0.62) and best.words_changed == 4


def test_epsilon_zero_may_find_nothing_and_comes_as_near_as_it_can() -> None:
    world = TextWorld(TEXT, counted, goal=(0.0, 0.0), pool_budget=20)
    found = _run(world)
    assert not world.situation.goal.reached(found.ranked[0].probability)
    assert found.ranked[0].probability <= 0.27, "at most one of the ten words is left"


def test_a_larger_lambda_comes_nearer_to_the_target() -> None:
    def gap(weight: float) -> float:
        world = TextWorld(TEXT, counted, goal=(0.0, 0.0))
        best = _run(world, schedule=Schedule(weight, 2.0, 1)).ranked[0]
        return world.situation.goal.gap(best.probability)

    assert gap(0.01) > gap(1_000.0) + 0.1


@pytest.mark.parametrize("budget", [1, 7, 100])
@pytest.mark.parametrize("pool", [0, 20])
def test_a_small_budget_is_kept_and_used(budget: int, pool: int) -> None:
    world = TextWorld(TEXT, counted, budget, pool_budget=pool)
    found = _run(world)
    assert world.calls <= budget and found.ended is Ended.BUDGET
    assert len(found.ranked) >= budget


@pytest.mark.parametrize("pool", [0, 20])
@pytest.mark.parametrize("probability", ALL)
def test_an_infiller_of_one_text_a_set_comes_to_an_end(
    probability: Callable[[str], float], pool: int
) -> None:
    world = TextWorld(TEXT, probability, infiller=DeletionInfiller(), pool_budget=pool)
    found = _run(world)
    assert found.ended is Ended.COMPLETE and found.ranked
    assert world.written < 1_000 and world.rounds < 40


@pytest.mark.parametrize("pool", [0, 10])
def test_one_word(pool: int) -> None:
    world = TextWorld("Disgusting", lambda t: 0.9 if "Disgusting" in t else 0.2, pool_budget=pool)
    found = _run(world)
    assert found.ranked[0].probability == 0.2 and found.ranked[0].words_changed == 1
    deleted = TextWorld("Disgusting", constant, infiller=DeletionInfiller())
    assert [c.text for c in _run(deleted).ranked] == [""]


def test_a_text_that_is_not_predicted_flips_the_other_way() -> None:
    world = TextWorld(TEXT, lambda t: 0.1 if "disgust" in t else 0.8, pool_budget=20)
    best = _run(world).ranked[0]
    assert best.probability == 0.8 and best.words_changed == 1


def test_a_long_text_begins_with_the_words_that_look_best() -> None:
    words = [f"w{i}" for i in range(120)]
    world = TextWorld(" ".join(words), lambda t: 0.9 if "w77" in t.split() else 0.1, pool_budget=10)
    best = _run(world).ranked[0]
    assert best.probability == 0.1 and best.words_changed == 1


def test_no_infill_is_asked_for_twice_and_lists_are_long() -> None:
    world = TextWorld(TEXT, counted, pool_budget=20)
    asked: list[tuple[tuple[bool, ...], int]] = []
    lengths: list[int] = []
    answer = world._answered

    def watched(asks):  # type: ignore[no-untyped-def]
        for ask in asks:
            if isinstance(ask, Infills):
                asked.extend((ask.replaced, ask.first + i) for i in range(ask.count))
        answers = answer(asks)
        lengths.append(sum(map(len, answers)))
        return answers

    world._answered = watched  # type: ignore[method-assign]
    _run(world)
    assert len(set(asked)) == len(asked)
    assert min(number for _, number in asked) == 0
    assert sum(lengths) / len(lengths) > 40


def test_equal_seeds_give_equal_answers() -> None:
    one, same, other = (TextWorld(TEXT, counted, pool_budget=20, seed=s) for s in (3, 3, 4))
    assert _run(one) == _run(same)
    assert one.calls == same.calls
    assert _run(one).ranked != _run(other).ranked


def test_what_was_done_without_draws_is_said() -> None:
    assert any("no draws" in note for note in _run(TextWorld(TEXT, keyword)).notes)
    assert not _run(TextWorld(TEXT, keyword, pool_budget=30)).notes


@pytest.mark.parametrize("restarts", [0, -1, 1.5])
def test_there_is_one_restart_or_more(restarts: object) -> None:
    with pytest.raises(SettingsError, match="1 restart or more"):
        wachter(TextWorld(TEXT, keyword).situation, restarts=restarts)  # type: ignore[arg-type]
