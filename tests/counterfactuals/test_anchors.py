from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product

import pytest
from by_enumeration import CoinWorld, Mask, all_sets, kept_law
from text_world import TextWorld

from nsx_core.counterfactual_records import Ended, SetKind, Share
from nsx_core.counterfactuals.anchors import BREAKERS_MAX, anchors
from nsx_core.counterfactuals.asking import Infills, Outcome
from nsx_core.errors import CancelledError, SettingsError
from nsx_core.infilling import runs, splice
from nsx_core.infilling.deletion import DeletionInfiller
from nsx_core.infilling.wordlist import WordListInfiller
from nsx_core.seeding import generator
from nsx_core.stopping import asking

TEXT = "These Muslims really disgust me so much every single day"


def found_with(*kept: str) -> Callable[[str], float]:
    return lambda text: 0.9 if set(kept) <= set(text.split()) else 0.1


def searched(world: TextWorld, **options: float) -> Outcome:
    outcome = world.run(anchors(world.situation, **options))
    assert world.calls <= world.budget
    return outcome


def coins(n: int, seed: int) -> Callable[[Mask], float]:
    """Holds nearly always where one or two words of the text's own stand, seldom otherwise."""
    rng = generator("coin law", n, seed)
    key = set(rng.permutation(n)[: rng.integers(1, 3)].tolist())
    noise = dict(zip(product((True, False), repeat=n), rng.random(2**n).tolist(), strict=True))

    def chance(mask: Mask) -> float:
        stands = not any(mask[at] for at in key)
        return 1 - 0.12 * noise[mask] if stands else 0.5 * noise[mask]

    return chance


def test_bounds_and_anchors_against_exhaustive_precision():
    precision, delta, tolerance, margin, runs_ = 0.85, 0.1, 0.05, 0.08, 80
    outside = too_low = too_large = whole = 0
    for seed in range(runs_):
        n = 3 + seed % 3
        world = CoinWorld(n, coins(n, seed), seed)
        search = anchors(world.situation, precision, delta, tolerance=tolerance)
        anchor = world.run(search).sets[0]
        assert anchor.proven
        whole += len(anchor.words) == n
        true = world.precision(anchor.words)
        outside += not anchor.share.low <= true <= anchor.share.high
        too_low += true < precision - tolerance
        smaller = [words for words in all_sets(n) if len(words) < len(anchor.words)]
        too_large += any(world.precision(words) >= precision + margin for words in smaller)
    assert outside <= delta * runs_
    assert too_low <= delta * runs_
    assert too_large <= delta * runs_
    # Seldom does it fall back on the whole text, whose precision is no finding.
    assert whole <= delta * runs_


def every_text(world: TextWorld, mask: Mask, list_of_words: tuple[str, ...]) -> Iterator[str]:
    for answers in product(list_of_words, repeat=len(runs(mask))):
        yield "".join(piece for piece, _ in splice(world.split, mask, answers))


def test_bounds_hold_the_precision_over_all_texts_of_a_two_word_infiller():
    def likes(text: str) -> float:
        words = text.split()
        return 0.9 if "bad" in words and ("men" in words or "green" in words) else 0.1

    outside = 0
    for seed in range(20):
        infiller = WordListInfiller(("green", "tea"), 1, 1)
        world = TextWorld("such bad old men", likes, infiller=infiller, seed=seed)
        anchor = searched(world, precision=0.9, delta=0.1).sets[0]
        assert anchor.proven
        true = 0.0
        for mask, p in kept_law(4, anchor.words).items():
            texts = list(every_text(world, mask, infiller.words))
            true += p * sum(map(world.situation.goal.held, map(likes, texts))) / len(texts)
        outside += not anchor.share.low <= true <= anchor.share.high
        assert true >= 0.85
        assert anchor.words == (1, 3)
    assert outside <= 2


@pytest.mark.parametrize("kept", [("disgust",), ("Muslims", "disgust"), ("Muslims", "me", "much")])
def test_the_words_that_decide_are_found_in_few_rounds(kept: tuple[str, ...]):
    world = TextWorld(TEXT, found_with(*kept), seed=3)
    outcome = searched(world)
    anchor = outcome.sets[0]
    assert [TEXT.split()[at] for at in anchor.words] == list(kept)
    assert anchor.kind is SetKind.KEPT and anchor.proven and anchor.breakers == ()
    assert anchor.share.count == anchor.share.n and anchor.share.low >= 0.9
    assert outcome.ended is Ended.COMPLETE
    assert world.rounds <= 25
    # Larger sets cost more, but none needs all of the budget.
    assert world.calls <= 400 + 250 * (len(kept) - 1)


def test_texts_that_broke_the_anchor_are_shown_nearest_first():
    def mostly(text: str) -> float:
        return 0.9 if "disgust" in text.split() and "garden" not in text.split() else 0.2

    world = TextWorld(TEXT, mostly)
    anchor = searched(world, precision=0.75).sets[0]
    assert anchor.words == (3,)
    assert 0 < len(anchor.breakers) <= min(BREAKERS_MAX, anchor.share.n - anchor.share.count)
    changed = [text.words_changed for text in anchor.breakers]
    assert changed == sorted(changed)
    assert len({text.text for text in anchor.breakers}) == len(anchor.breakers)
    for text in anchor.breakers:
        assert not text.replaced[3] and "garden" in text.text and text.probability == 0.2


def test_ranked_texts_reach_the_goal_first_and_those_by_fewest_words():
    world = TextWorld(TEXT, found_with("disgust"))
    outcome = searched(world)
    reached = [world.situation.goal.reached(text.probability) for text in outcome.ranked]
    assert any(reached) and reached == sorted(reached, reverse=True)
    changed = [text.words_changed for text in outcome.ranked[: sum(reached)]]
    assert changed == sorted(changed)
    assert len({text.text for text in outcome.ranked}) == len(outcome.ranked)
    assert not any(text.unchanged for text in outcome.ranked)


def test_a_constant_classifier_has_the_empty_anchor():
    for constant in (0.9, 0.1):
        world = TextWorld(TEXT, lambda text, p=constant: p)
        outcome = searched(world)
        assert outcome.sets[0].words == () and outcome.sets[0].proven
        assert outcome.sets[0].coverage == 1
        assert "held in at least 95 % of its draws" in outcome.notes[0]
        assert world.calls < 150


def test_where_every_change_flips_the_anchor_is_the_whole_text():
    world = TextWorld(TEXT, lambda text: 0.9 if text == TEXT else 0.1)
    outcome = searched(world)
    anchor = outcome.sets[0]
    assert anchor.words == tuple(range(10)) and anchor.proven and anchor.coverage == 0
    assert anchor.share == Share(0, 0, 1.0, 1.0)
    assert "the text itself" in outcome.notes[0]
    assert outcome.ended is Ended.COMPLETE


def test_a_text_predicted_negative_is_held_negative():
    def negative(text: str) -> float:
        return 0.2 if "lovely" in text.split() else 0.8

    world = TextWorld("what a lovely day", negative)
    assert not world.situation.goal.predicted
    anchor = searched(world).sets[0]
    assert anchor.words == (2,) and anchor.proven


def test_one_word_and_two_words():
    one = TextWorld("Scum", lambda text: 0.9 if text == "Scum" else 0.1)
    outcome = searched(one)
    assert outcome.sets[0].words == (0,) and outcome.sets[0].share.low == 1
    assert "one word, which is the whole text" in outcome.notes[0]
    constant = TextWorld("Scum", lambda text: 0.9)
    assert searched(constant).sets[0].words == ()
    two = TextWorld("Filthy scum", found_with("scum"))
    assert searched(two).sets[0].words == (1,)
    both = TextWorld("Filthy scum", found_with("Filthy", "scum"))
    assert searched(both).sets[0].words == (0, 1)


@pytest.mark.parametrize("budget", [1, 30, 200])
def test_a_budget_that_ends_gives_the_best_so_far_and_says_so(budget: int):
    world = TextWorld(TEXT, found_with("Muslims", "disgust"), budget)
    outcome = searched(world)
    (anchor,) = outcome.sets
    assert world.calls == budget and outcome.ended is Ended.BUDGET
    assert not anchor.proven and 0 <= anchor.share.low <= anchor.share.high <= 1
    assert 0 < anchor.share.n <= budget
    assert "The budget ended before" in outcome.notes[0]
    assert 0 < len(outcome.ranked) <= budget


def test_the_deletion_infiller_writes_one_text_a_mask_and_the_search_ends():
    for kept in (("bad", "men"), ("such", "bad", "old", "men")):
        world = TextWorld("such bad old men", found_with(*kept), infiller=DeletionInfiller())
        anchor = searched(world).sets[0]
        assert [world.split.words[at].text for at in anchor.words] == list(kept)
        assert world.calls <= 15
    world = TextWorld("a b", lambda text: 0.9 if "b" in text else 0.1, infiller=DeletionInfiller())
    assert searched(world, precision=0.5, tolerance=0.0, delta=0.01).sets[0].words == (1,)


def test_a_precision_just_below_the_wanted_one_ends_by_the_number_of_looks():
    world = CoinWorld(4, lambda mask: 0.93, 1)
    outcome = world.run(anchors(world.situation))
    assert outcome.sets[0].words == (0, 1, 2, 3) and outcome.ended is Ended.COMPLETE
    # No candidate is drawn for more than about 400 times.
    assert world.calls <= 400 * len(all_sets(4))


def test_long_texts_try_the_most_promising_sets_and_say_so():
    text = " ".join(f"w{at}" for at in range(60))
    world = TextWorld(text, found_with("w41"), 3_000, pool_budget=10)
    outcome = searched(world)
    assert outcome.sets[0].words == (41,) and outcome.sets[0].proven
    assert any("of one size at most 32 were tried" in note for note in outcome.notes)


def test_equal_seeds_agree_and_others_draw_other_texts():
    def outcome(seed: int) -> Outcome:
        return searched(TextWorld(TEXT, found_with("disgust"), seed=seed))

    assert outcome(1) == outcome(1)
    assert {text.text for text in outcome(1).ranked} != {text.text for text in outcome(2).ranked}


def test_no_infill_of_a_mask_is_asked_for_twice():
    world = TextWorld("such bad men", found_with("bad"))
    search, asked = anchors(world.situation), []
    asks = next(search)
    for _ in range(6):
        asked += asks
        try:
            asks = search.send(world._answered(asks))
        except StopIteration:
            break
    assert all(isinstance(ask, Infills) and ask.count == 1 for ask in asked)
    assert len(set(asked)) == len(asked) > 100
    numbers = {ask.replaced: [] for ask in asked}
    for ask in asked:
        numbers[ask.replaced].append(ask.first)
    assert all(own == list(range(len(own))) for own in numbers.values())


def test_a_person_can_stop_the_search():
    world = TextWorld(TEXT, found_with("disgust"))
    with asking(lambda: True), pytest.raises(CancelledError):
        searched(world)


@pytest.mark.parametrize("value", [0.0, 1.0, -0.2, 1.5, math.nan])
def test_settings_outside_their_range_are_refused_at_once(value: float):
    situation = TextWorld("such bad men", found_with("bad")).situation
    with pytest.raises(SettingsError, match="precision lies strictly between 0 and 1"):
        anchors(situation, precision=value)
    with pytest.raises(SettingsError, match="delta lies strictly between 0 and 1"):
        anchors(situation, delta=value)


def test_tolerance_and_beam_outside_their_range_are_refused():
    situation = TextWorld("such bad men", found_with("bad")).situation
    for tolerance in (-0.1, 0.95, math.nan):
        with pytest.raises(SettingsError, match=r"tolerance lies in 0 to below its precision"):
            anchors(situation, tolerance=tolerance)
    with pytest.raises(SettingsError, match="at least 1 set, and 0 came"):
        anchors(situation, beam=0)


def test_a_low_precision_has_a_tolerance_below_it():
    world = TextWorld("such bad men", found_with("bad"))
    anchor = searched(world, precision=0.04).sets[0]
    assert anchor.proven and anchor.share.low >= 0.02


def test_the_slack_is_never_more_than_the_precision_leaves():
    world = TextWorld("I hate it", lambda text: 0.9, 5_000)
    outcome = world.run(anchors(world.situation, precision=0.999))
    assert not outcome.sets[0].proven or outcome.sets[0].share.low >= 0.998
