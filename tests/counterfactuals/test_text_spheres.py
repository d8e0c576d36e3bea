"""Growing Spheres on texts (laugel-etal-2017) in worlds that are known."""

from __future__ import annotations

from collections import Counter

import pytest
from text_world import TextWorld

from nsx_core.counterfactual_records import Candidate, Ended
from nsx_core.counterfactuals.asking import Infills, Outcome, Written
from nsx_core.counterfactuals.distance import words_apart
from nsx_core.counterfactuals.giving_back import steps_back
from nsx_core.counterfactuals.text_spheres import SphereSampler, text_spheres
from nsx_core.errors import SettingsError
from nsx_core.infilling.deletion import DeletionInfiller
from nsx_core.infilling.wordlist import WordListInfiller

TEN = "those awful people disgust me so much every single day"


def needs(*words: str):  # type: ignore[no-untyped-def]
    """P = 0.9 as long as one of the words stands, otherwise 0.1."""
    return lambda text: 0.9 if set(words) & set(text.split()) else 0.1


def enemies(world: TextWorld, outcome: Outcome) -> list[Candidate]:
    return [c for c in outcome.ranked if world.situation.goal.reached(c.probability)]


@pytest.mark.parametrize("pool_budget", [0, 30])
def test_a_keyword_is_all_that_changes(pool_budget: int) -> None:
    world = TextWorld(TEN, needs("disgust"), pool_budget=pool_budget)
    outcome = world.run(text_spheres(world.situation))
    assert outcome.ranked[0].replaced == tuple(i == 3 for i in range(10))
    assert outcome.ended is Ended.COMPLETE
    assert "met at a radius of 1 word" in outcome.notes[0]
    assert world.calls <= 400 and world.rounds <= 8


def test_three_words_that_are_needed_together() -> None:
    world = TextWorld(TEN, needs("awful", "disgust", "day"))
    outcome = world.run(text_spheres(world.situation))
    assert outcome.ranked[0].replaced == tuple(i in (1, 3, 9) for i in range(10))
    assert world.calls <= 1_000 and world.rounds <= 20


def test_words_are_given_back_and_counted() -> None:
    words = [f"w{i}" for i in range(16)]
    world = TextWorld(" ".join(words), needs("w2", "w3", "w9", "w14"), budget=3_000)
    outcome = world.run(text_spheres(world.situation))
    best = outcome.ranked[0]
    assert best.replaced == tuple(i in (2, 3, 9, 14) for i in range(16))
    (note,) = outcome.notes
    assert note.startswith("The first text that reaches the goal was met at a radius of ")
    radius = int(note.split("radius of ")[1].split(" ")[0])
    back = int(note.split("and ")[-1].split(" ")[0])
    assert radius - back == 4 and back > 0


@pytest.mark.parametrize("seed", range(8))
def test_no_run_can_be_given_back_and_the_pool_has_none_closer(seed: int) -> None:
    def weighted(text: str) -> float:
        hash_of = sum(map(ord, text)) % 7 / 20
        gone = sum(word not in text.split() for word in ("awful", "disgust", "much", "day"))
        return max(0.0, 0.8 - 0.12 * gone - hash_of * (gone > 0))

    world = TextWorld(TEN, weighted, pool_budget=20, seed=seed)
    outcome = world.run(text_spheres(world.situation))
    best = outcome.ranked[0]
    goal = world.situation.goal
    assert goal.reached(best.probability)
    pool = [c for c in world.situation.pool if not c.unchanged and goal.reached(c.probability)]
    assert best.words_changed <= min(c.words_changed for c in pool)
    for step in steps_back(best, 0):
        assert isinstance(step, Written)
        assert not goal.reached(world._of(step)[0].probability)
    found = enemies(world, outcome)
    cosines = world.cosines([c.text for c in found]).tolist()
    nearness = [
        (c.words_changed, words_apart(c), -cos) for c, cos in zip(found, cosines, strict=True)
    ]
    assert nearness == sorted(nearness)
    gaps = [goal.gap(c.probability) for c in outcome.ranked[len(found) :]]
    assert gaps == sorted(gaps)


def test_steps_back() -> None:
    candidate = Candidate((True, True, False, True), ("x y", "z"), "", 0.1)
    assert steps_back(candidate, 4) == [
        Written((False, False, False, True), ("z",)),
        Written((False, True, False, True), ("y", "z")),
        Infills((False, True, False, True), 0, 4),
        Written((True, False, False, True), ("x", "z")),
        Infills((True, False, False, True), 0, 4),
        Written((True, True, False, False), ("x y",)),
    ]
    assert steps_back(Candidate((False, True), ("x",), "", 0.1), 4) == []
    short = Candidate((True, True), ("x",), "", 0.1)
    assert steps_back(short, 0) == [Written((False, True), ("x",)), Written((True, False), ("x",))]


def test_a_sphere_is_sampled_evenly() -> None:
    world = TextWorld(TEN, lambda text: 0.9)
    sampler = SphereSampler(world.situation)
    asks = sampler.asks(1, 4, 80)
    sizes: Counter[int] = Counter()
    for ask in asks:
        sizes[sum(ask.replaced)] += ask.count
    assert sizes == {1: 20, 2: 20, 3: 20, 4: 20}
    assert all(a.count == 2 for a in asks if sum(a.replaced) == 1), "ten words, twice each"
    again = {a.replaced: a for a in sampler.asks(1, 1, 10)}
    assert all(a.first == 2 and a.count == 1 for a in again.values()), "no infill twice"
    assert sum(a.count for a in sampler.asks(3, 500 // 50, 64)) == 64


def test_a_constant_classifier_gives_the_nearest() -> None:
    world = TextWorld(TEN, lambda t: 0.9 - 0.001 * len(set(TEN.split()) - set(t.split())))
    outcome = world.run(text_spheres(world.situation))
    assert outcome.ended is Ended.COMPLETE
    assert outcome.notes == ("No sphere holds a text that reaches the goal.",)
    gaps = [c.probability for c in outcome.ranked]
    assert gaps == sorted(gaps) and gaps[0] == pytest.approx(0.89)
    assert world.calls <= 64 * 6 and world.rounds <= 6


def test_where_all_flips_one_word_is_enough() -> None:
    world = TextWorld(TEN, lambda text: 0.9 if text == TEN else 0.1)
    outcome = world.run(text_spheres(world.situation))
    assert outcome.ranked[0].words_changed == 1
    closest = [c.text for c in outcome.ranked if c.words_changed == words_apart(c) == 1]
    assert world.cosines(closest)[0] == pytest.approx(world.cosines(closest).max())


@pytest.mark.parametrize("text", ["disgust", "disgust me"])
@pytest.mark.parametrize("pool_budget", [0, 10])
def test_one_and_two_words(text: str, pool_budget: int) -> None:
    world = TextWorld(text, needs("disgust"), pool_budget=pool_budget)
    outcome = world.run(text_spheres(world.situation))
    assert outcome.ranked[0].replaced == tuple(word == "disgust" for word in text.split())
    constant = TextWorld(text, lambda t: 0.9, pool_budget=pool_budget)
    assert constant.run(text_spheres(constant.situation)).ended is Ended.COMPLETE


def test_a_text_that_is_predicted_negative() -> None:
    world = TextWorld("not nice at all", lambda t: 0.1 if "not" in t.split() else 0.7)
    outcome = world.run(text_spheres(world.situation))
    assert outcome.ranked[0].replaced == (True, False, False, False)


def test_epsilon_0_and_a_goal_within_the_class() -> None:
    world = TextWorld(TEN, lambda t: 0.9 if "so" in t.split() else 0.7, goal=(0.7, 0.0))
    outcome = world.run(text_spheres(world.situation))
    assert outcome.ranked[0].probability == 0.7 and outcome.ranked[0].words_changed == 1


@pytest.mark.parametrize("budget", [1, 2, 63, 64, 65, 100, 150])
def test_small_budgets(budget: int) -> None:
    world = TextWorld(TEN, needs("awful", "disgust", "day"), budget=budget)
    outcome = world.run(text_spheres(world.situation))
    assert world.calls == budget and outcome.ended is Ended.BUDGET
    assert len(outcome.ranked) == budget
    assert outcome.ended is Ended.BUDGET


def test_a_budget_that_ends_in_the_last_list_is_said() -> None:
    def end(budget: int) -> tuple[Ended, int]:
        world = TextWorld(TEN, needs("awful", "disgust"), budget=budget)
        return world.run(text_spheres(world.situation)).ended, world.calls

    ended, needed = end(5_000)
    assert ended is Ended.COMPLETE
    assert end(needed) == (Ended.COMPLETE, needed)
    assert all(end(needed - short)[0] is Ended.BUDGET for short in range(1, 30))


def test_the_ball_contracts_and_the_shells_grow() -> None:
    def asked(*words: str) -> list[tuple[int, int]]:
        world = TextWorld(TEN, needs(*words))
        search = text_spheres(world.situation, narrowings=0)
        spans, asks = [], next(search)
        while isinstance(asks[0], Infills):
            sizes = [sum(a.replaced) for a in asks]
            spans.append((min(sizes), max(sizes)))
            try:
                asks = search.send(world._answered(asks))
            except StopIteration:
                break
        return spans

    assert asked("disgust")[-1] == (1, 1) and asked("disgust")[0] == (1, 5)
    assert asked("awful", "disgust") == [(1, 5), (1, 2), (1, 1), (2, 2)]
    assert asked(*TEN.split()[:8]) == [(1, 5), (6, 6), (7, 7), (8, 8)]


def test_the_deletion_infiller_ends() -> None:
    for probability in (lambda text: 0.9, needs("awful", "disgust", "day")):
        world = TextWorld(TEN, probability, infiller=DeletionInfiller())
        outcome = world.run(text_spheres(world.situation))
        assert outcome.ended is Ended.COMPLETE and world.rounds <= 20
    assert outcome.ranked[0].words_changed == 3


def test_an_infiller_that_changes_nothing_finds_nothing() -> None:
    world = TextWorld("so so so", lambda text: 0.1, infiller=WordListInfiller(("so",), 1, 1))
    world.probability = lambda text: 0.9
    outcome = world.run(text_spheres(world.situation))
    assert not any(c.unchanged for c in outcome.ranked)


def test_long_texts_within_the_budget() -> None:
    text = " ".join(f"w{i}" for i in range(120))
    world = TextWorld(text, needs("w7", "w110"), pool_budget=10, budget=1_000)
    outcome = world.run(text_spheres(world.situation))
    assert world.calls <= 1_000
    pool = [c for c in world.situation.pool if c.probability < 0.5]
    assert outcome.ranked[0].words_changed <= min(c.words_changed for c in pool)
    assert world.rounds < 100


def test_equal_seeds_give_equal_answers_and_others_differ() -> None:
    def answer(seed: int) -> Outcome:
        world = TextWorld(TEN, needs("awful", "disgust"), seed=seed)
        return world.run(text_spheres(world.situation))

    assert answer(3) == answer(3)
    assert answer(3).ranked != answer(4).ranked


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"samples": 0}, "A sphere's samples are 1 or more, and 0 came"),
        ({"closest": 0}, "The closest texts are 1 or more, and 0 came"),
        ({"narrowings": -1}, "The infills of a narrower run are 0 or more, and -1 came"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, int], said: str) -> None:
    world = TextWorld("a b", lambda text: 0.9)
    with pytest.raises(SettingsError, match=said):
        text_spheres(world.situation, **settings)
