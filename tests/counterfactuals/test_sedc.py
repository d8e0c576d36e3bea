"""Minimal word sets (martens-provost-2014), against enumeration and in worlds that are known."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from text_world import TextWorld

from nsx_core.counterfactual_records import Ended, Removal, WordSet
from nsx_core.counterfactuals.asking import Infills, Outcome
from nsx_core.counterfactuals.sedc import sedc
from nsx_core.errors import SettingsError
from nsx_core.infilling.deletion import DeletionInfiller
from nsx_core.infilling.wordlist import WordListInfiller
from nsx_core.scoring.wilson import wilson

TEN = "those awful people disgust me so much every single day"


def keyword(*needed: str) -> Callable[[str], float]:
    """P = 0.9 as long as one of the words stands, otherwise 0.1."""
    return lambda text: 0.9 if set(needed) & set(text.split()) else 0.1


def words_of(outcome: Outcome) -> list[tuple[int, ...]]:
    return [s.words for s in outcome.sets]


@pytest.mark.parametrize("removal", list(Removal))
@pytest.mark.parametrize("pool_budget", [0, 20])
def test_a_keyword_is_the_one_set(removal: Removal, pool_budget: int) -> None:
    world = TextWorld(TEN, keyword("disgust"), pool_budget=pool_budget)
    outcome = world.run(sedc(world.situation, removal))
    assert words_of(outcome) == [(3,)]
    (found,) = outcome.sets
    assert found.proven and found.share.value == 1
    assert all(c.replaced == tuple(i == 3 for i in range(10)) for c in found.examples)
    assert outcome.ended is Ended.COMPLETE
    every, *rule = outcome.notes
    assert every == "All sets of 1 word were tried or hold a smaller one that reaches the goal."
    sampled = ["The rule for a set: at least half of its texts reach the goal."]
    assert rule == (sampled if removal is Removal.INFILL else [])
    assert world.calls <= 80 and world.rounds <= 3


@pytest.mark.parametrize("removal", list(Removal))
def test_two_keywords_are_found_together_and_neither_alone(removal: Removal) -> None:
    world = TextWorld(TEN, keyword("awful", "disgust"))
    outcome = world.run(sedc(world.situation, removal))
    assert words_of(outcome) == [(1, 3)]
    assert outcome.sets[0].proven
    assert world.calls <= 80 + 360 and world.rounds <= 12


def test_best_first_goes_where_p_falls() -> None:
    def falls(text: str) -> float:
        return 0.9 - 0.15 * sum(word not in text.split() for word in ("a", "d", "f"))

    world = TextWorld("a b c d e f g h i j k l", falls, budget=10_000)
    asked: list[tuple[bool, ...]] = []

    def listening(search):  # type: ignore[no-untyped-def]
        asks = next(search)
        while True:
            asked.extend(a.replaced for a in asks)
            try:
                asks = search.send((yield asks))
            except StopIteration as end:
                return end.value

    outcome = world.run(listening(sedc(world.situation)))
    assert words_of(outcome) == [(0, 3, 5)] and outcome.sets[0].proven
    sizes = [sum(m) for m in asked]
    first_pairs = [m for m in asked if sum(m) == 2][:11]
    held = [frozenset(i for i, r in enumerate(m) if r) for m in first_pairs]
    (parent,) = frozenset.intersection(*held)
    assert parent in (0, 3, 5), "the first pairs grow from a word that lowers P"
    assert sizes[:12] == [1] * 12


def boolean_world(n: int, seed: int, share: float) -> tuple[TextWorld, set[tuple[int, ...]]]:
    """A random function of which words stand, and its minimal sets by enumeration."""
    rng = np.random.default_rng(seed)
    names = [f"w{i}" for i in range(n)]
    sets = [s for size in range(1, n) for s in combinations(range(n), size)]
    flips = {s for s in sets if rng.random() < share}

    def probability(text: str) -> float:
        standing = text.split()
        gone = tuple(i for i, name in enumerate(names) if name not in standing)
        return float(0.1 if gone in flips else 0.6 + 0.3 * rng.random())

    minimal = {s for s in flips if not any(set(t) < set(s) for t in flips)}
    return TextWorld(" ".join(names), probability), minimal


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", [4, 5, 6])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("infilled", [False, True])
def test_all_minimal_sets_as_by_enumeration(
    n: int, seed: int, share: float, infilled: bool
) -> None:
    world, minimal = boolean_world(n, seed, share)
    if infilled:
        other = boolean_world(n, seed, share)[0]
        world = TextWorld(other.split.text, other.probability, infiller=DeletionInfiller())
    removal = Removal.INFILL if infilled else Removal.DELETION
    # Infilling by deletion may also take all words away, which flips nothing here.
    outcome = world.run(sedc(world.situation, removal, size_max=None, further=None))
    assert set(words_of(outcome)) == minimal
    assert len(outcome.sets) == len(minimal)
    assert all(s.proven for s in outcome.sets)
    assert outcome.ended is Ended.COMPLETE


@pytest.mark.parametrize("seed", range(6))
def test_what_is_listed_early_is_minimal_too(seed: int) -> None:
    world, minimal = boolean_world(6, seed, 0.05)
    outcome = world.run(sedc(world.situation, Removal.DELETION))
    proven = {s.words for s in outcome.sets if s.proven}
    fewest = min(map(len, minimal), default=0)
    assert proven == {s for s in minimal if len(s) == fewest}


def test_smaller_sets_are_tried_before_a_set_is_listed() -> None:
    def steep(text: str) -> float:
        gone = {"a", "b", "c", "d"} - set(text.split())
        if {"b", "c"} <= gone or {"a", "b", "d"} <= gone:
            return 0.2
        return 0.9 - 0.2 * ("a" in gone) - 0.05 * ("d" in gone)

    world = TextWorld("a b c d e", steep)
    outcome = world.run(sedc(world.situation, Removal.DELETION, further=None))
    assert words_of(outcome) == [(1, 2), (0, 1, 3)]
    assert all(s.proven for s in outcome.sets)
    early = TextWorld("a b c d e", steep)
    assert words_of(early.run(sedc(early.situation, Removal.DELETION)))[0] == (1, 2)


def test_a_set_that_turns_out_to_hold_a_smaller_one_is_struck() -> None:
    def steep(text: str) -> float:
        gone = {"a", "b", "c"} - set(text.split())
        if {"b", "c"} <= gone:
            return 0.2
        return 0.9 - 0.1 * ("a" in gone) - 0.05 * ("b" in gone)

    held = set[tuple[tuple[int, ...], ...]]()
    for budget in (*range(230, 266, 4), 1_000):
        world = TextWorld("a b c d e", steep, budget=budget)
        held.add(tuple(words_of(world.run(sedc(world.situation, infills=22)))))
    assert held >= {((0, 1, 2),), ((1, 2),)}, "the first is unproven, and gives way"
    assert held <= {(), ((0, 1, 2),), ((1, 2),)}


def test_supersets_are_never_listed_nor_tried() -> None:
    world = TextWorld("a b c d e", lambda text: 0.1 if "a" not in text.split() else 0.9)
    outcome = world.run(sedc(world.situation, Removal.DELETION, size_max=None, further=None))
    assert words_of(outcome) == [(0,)]
    assert world.calls == 5 + 6 + 4 + 1, "every set without the first word, and that word"


def test_shares_and_intervals_of_infills() -> None:
    infiller = WordListInfiller(("good", "fine", "bad", "dire"), 1, 1)

    def probability(text: str) -> float:
        return 0.2 if {"good", "fine"} & set(text.split()) else 0.8

    world = TextWorld("he is bad", probability, infiller=infiller, pool_budget=30)
    outcome = world.run(sedc(world.situation, infills=200, flip_share=0.3, further=None))
    assert {(0,), (1,), (2,)} >= set(words_of(outcome))
    assert outcome.sets
    for found in outcome.sets:
        mask = tuple(i in found.words for i in range(3))
        own = [c for c in world.situation.pool if c.replaced == mask and not c.unchanged]
        more = world._of(Infills(mask, 0, max(0, 200 - len(own))))
        texts = [*own, *(c for c in more if not c.unchanged)]
        reached = [c for c in texts if c.probability < 0.5]
        assert (found.share.count, found.share.n) == (len(reached), len(texts))
        low, high = wilson(len(reached), len(texts))
        assert (found.share.low, found.share.high) == (float(low), float(high))
        assert {c.text for c in found.examples} == {c.text for c in reached}
        assert 0.3 <= len(reached) / len(texts) < 0.8
    assert outcome.sets[0].share.n < 200 or outcome.sets[0].words != (2,), "'bad' stays at times"


def test_pool_draws_of_a_set_cost_nothing() -> None:
    bare = TextWorld(TEN, keyword("disgust"))
    bare.run(sedc(bare.situation, infills=4))
    pooled = TextWorld(TEN, keyword("disgust"), pool_budget=100)
    pooled.run(sedc(pooled.situation, infills=4))
    assert pooled.written < bare.written == 40


def test_a_share_below_the_wanted_one_does_not_count() -> None:
    half = WordListInfiller(("good", "bad"), 1, 1)
    world = TextWorld("so dire", lambda t: 0.1 if "good" in t else 0.9, infiller=half)
    outcome = world.run(sedc(world.situation, infills=40, flip_share=0.95, size_max=1))
    assert not outcome.sets
    assert outcome.ended is Ended.SIZE
    assert world.situation.goal.reached(outcome.ranked[0].probability), "texts do reach it"


def test_one_text_is_its_own_interval() -> None:
    world = TextWorld(TEN, keyword("disgust"))
    (found,) = world.run(sedc(world.situation, Removal.MASK)).sets
    assert (found.share.count, found.share.n, found.share.low, found.share.high) == (1, 1, 1, 1)
    assert found.examples[0].text == TEN.replace("disgust", "[MASK]")
    other = TextWorld("a b c d", keyword("b", "c"))
    (found,) = other.run(sedc(other.situation, Removal.MASK, mask_token="<mask>")).sets
    assert found.examples[0].text == "a <mask> d", "one token a run"


def test_the_order_of_texts() -> None:
    world = TextWorld(TEN, keyword("awful", "disgust"), pool_budget=30)
    outcome = world.run(sedc(world.situation))
    reached = [world.situation.goal.reached(c.probability) for c in outcome.ranked]
    assert reached == sorted(reached, reverse=True)
    examples = outcome.sets[0].examples
    assert outcome.ranked[: len(examples)] == examples
    assert len({c.text for c in outcome.ranked}) == len(outcome.ranked)
    assert not any(c.unchanged for c in outcome.ranked)


def test_the_size_limit_is_said() -> None:
    world = TextWorld(TEN, lambda text: 0.9)
    outcome = world.run(sedc(world.situation, Removal.DELETION, size_max=2))
    assert outcome.ended is Ended.SIZE
    assert outcome.notes == (
        "All sets of up to 2 words were tried.",
        "Sets of more than 2 words were not tried: that is the limit.",
        "Deleting all words leaves no text to judge, so that was not tried.",
    )


def test_the_time_limit_is_said() -> None:
    ticks = iter(range(100))
    world = TextWorld(TEN, lambda text: 0.9)
    search = sedc(world.situation, seconds_max=2.5, clock=lambda: float(next(ticks)))
    outcome = world.run(search)
    assert outcome.ended is Ended.TIME and world.rounds == 2
    assert outcome.notes == (
        "All sets of 1 word were tried; so were 9 of the 45 sets of 2 words.",
        "The time limit of 2.5 seconds ended the search.",
    )


@pytest.mark.parametrize("removal", list(Removal))
def test_a_constant_classifier_gives_the_nearest(removal: Removal) -> None:
    def flat(text: str) -> float:
        return 0.9 - 0.01 * (text.split() != TEN.split()) * ("day" not in text.split())

    world = TextWorld(TEN, flat, budget=300)
    outcome = world.run(sedc(world.situation, removal))
    assert not outcome.sets and outcome.ended is Ended.BUDGET
    assert outcome.ranked[0].probability == pytest.approx(0.89)
    assert outcome.ranked[0].words_changed == 1
    assert outcome.ended is Ended.BUDGET
    assert world.calls == 300 and world.rounds <= 12


@pytest.mark.parametrize("removal", list(Removal))
def test_where_all_flips_every_word_is_a_set(removal: Removal) -> None:
    world = TextWorld(TEN, lambda text: 0.9 if text == TEN else 0.1)
    outcome = world.run(sedc(world.situation, removal))
    assert sorted(words_of(outcome)) == [(i,) for i in range(10)]
    assert world.rounds == 1


@pytest.mark.parametrize("removal", list(Removal))
@pytest.mark.parametrize("text", ["disgust", "disgust me"])
def test_one_and_two_words(removal: Removal, text: str) -> None:
    world = TextWorld(text, keyword("disgust"))
    outcome = world.run(sedc(world.situation, removal))
    nothing_left = text == "disgust" and removal is Removal.DELETION
    assert words_of(outcome) == ([] if nothing_left else [(0,)])
    assert outcome.ended is Ended.COMPLETE
    if nothing_left:
        assert not outcome.ranked and world.rounds == 0
        assert outcome.notes == (
            "There was no set of words to try.",
            "Deleting all words leaves no text to judge, so that was not tried.",
        )


def test_a_text_that_is_predicted_negative() -> None:
    world = TextWorld("not nice at all", lambda t: 0.1 if "not" in t.split() else 0.7)
    outcome = world.run(sedc(world.situation))
    assert words_of(outcome) == [(0,)]


def test_a_goal_within_the_class() -> None:
    world = TextWorld(TEN, lambda t: 0.9 if "so" in t.split() else 0.7, goal=(0.7, 0.0))
    outcome = world.run(sedc(world.situation))
    assert words_of(outcome) == [(5,)]


def test_epsilon_0() -> None:
    world = TextWorld(TEN, keyword("disgust"), goal=(0.1, 0.0))
    assert words_of(world.run(sedc(world.situation))) == [(3,)]
    never = TextWorld(TEN, keyword("disgust"), goal=(0.05, 0.0), budget=200)
    outcome = never.run(sedc(never.situation))
    assert not outcome.sets and outcome.ranked[0].probability == 0.1


def test_a_budget_of_1() -> None:
    world = TextWorld(TEN, lambda text: 0.9 if text == TEN else 0.1, budget=1)
    outcome = world.run(sedc(world.situation))
    assert outcome.ended is Ended.BUDGET and world.calls == 1
    assert [(len(s.words), s.share.n, s.proven) for s in outcome.sets] == [(1, 1, False)]
    assert outcome.notes[-1].startswith("1 of the 1 sets may not be minimal or may not hold")


def test_a_budget_that_ends_before_the_proof() -> None:
    def deep(text: str) -> float:
        gone = {"a", "b", "c"} - set(text.split())
        return 0.2 if len(gone) == 3 else 0.9 - 0.1 * ("a" in gone) - 0.05 * ("b" in gone)

    proofs: set[bool] = set()
    for budget in range(200, 320, 8):
        world = TextWorld("a b c d e", deep, budget=budget)
        outcome = world.run(sedc(world.situation, infills=22))
        assert words_of(outcome) in ([], [(0, 1, 2)])
        proofs.update(s.proven for s in outcome.sets)
        assert world.calls <= budget
        if any(not s.proven for s in outcome.sets):
            assert outcome.ended is Ended.BUDGET
            assert outcome.notes[-1].startswith("1 of the 1 sets may not be minimal")
    assert proofs == {True, False}


def test_the_deletion_infiller_ends() -> None:
    world = TextWorld(TEN, lambda text: 0.9, infiller=DeletionInfiller(), budget=5_000)
    outcome = world.run(sedc(world.situation, size_max=None))
    assert outcome.ended is Ended.COMPLETE and world.calls == 2**10 - 1


def test_equal_seeds_give_equal_answers() -> None:
    def answer(seed: int) -> tuple[Outcome, int]:
        world = TextWorld(TEN, keyword("awful", "disgust"), pool_budget=10, seed=seed)
        return world.run(sedc(world.situation)), world.calls

    assert answer(3) == answer(3)


def test_the_search_ends_soon_after_its_first_set_and_says_so() -> None:
    def falls(text: str) -> float:
        return 0.9 - 0.15 * sum(word not in text.split() for word in ("awful", "disgust", "day"))

    world = TextWorld(TEN, falls, budget=5_000)
    outcome = world.run(sedc(world.situation, further=100))
    assert words_of(outcome) == [(1, 3, 9)] and outcome.ended is Ended.COMPLETE
    assert outcome.notes[0].startswith("All sets of 1 word were tried or hold a smaller one")
    assert outcome.notes[1] == (
        "The search ended about 100 texts after its first set; others as small may not have "
        "been tried."
    )
    through = TextWorld(TEN, falls, budget=5_000)
    assert through.run(sedc(through.situation, further=None, size_max=3)).notes[0] == (
        "All sets of up to 3 words were tried or hold a smaller one that reaches the goal."
    )
    assert world.calls < through.calls / 2


def test_long_texts_start_with_what_the_pool_suggests() -> None:
    text = " ".join(f"w{i}" for i in range(300))
    world = TextWorld(text, keyword("w280"), budget=400, pool_budget=20)
    outcome = world.run(sedc(world.situation))
    found: list[WordSet] = list(outcome.sets)
    assert [s.words for s in found] == [(280,)]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"infills": 0}, "1 or more infills, and 0 came"),
        ({"flip_share": 0.0}, "above 0 and at most 1, and 0.0 came"),
        ({"flip_share": 1.5}, "above 0 and at most 1, and 1.5 came"),
        ({"removal": Removal.MASK, "mask_token": "a b"}, "one word without white space"),
        ({"size_max": 0}, "at most 1 or more words, and 0 came"),
        ({"seconds_max": 0.0}, "above 0 seconds, and 0.0 came"),
        ({"further": -1}, "0 or more, or None for all, and -1 came"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, object], said: str) -> None:
    world = TextWorld("a b", lambda text: 0.9)
    with pytest.raises(SettingsError, match=said):
        sedc(world.situation, **settings)  # type: ignore[arg-type]
