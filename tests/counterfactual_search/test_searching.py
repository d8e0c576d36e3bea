"""Searches on the fakes: what they cost, what they keep, and that a store changes no answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from gated_engine import Bench

from nsx_core.catalogue import Catalogue
from nsx_core.classifying.fakes import KeywordClassifier
from nsx_core.counterfactual_records import (
    CounterfactualRequest,
    Ended,
    Findings,
    Goal,
    Method,
    Removal,
    SetKind,
)
from nsx_core.counterfactual_search import planned, searched
from nsx_core.errors import SettingsError, TextError, UnknownNameError
from nsx_core.fake_catalogue import fake_catalogue
from nsx_core.infilling.deletion import DeletionInfiller
from nsx_core.infilling.wordlist import WordListInfiller
from nsx_core.pipeline import explained
from nsx_core.records import ExplainRequest, ExplainSettings
from nsx_core.store import Store

TEXT = "I hate all of these noisy people"


class World:
    """A keyword classifier, the word-list infiller, and a store in memory."""

    def __init__(self, store: Store, *keywords: str, high: float = 0.9, low: float = 0.1) -> None:
        self.hate = KeywordClassifier(keywords or ["hate"], name="hate", high=high, low=low)
        self.writer = WordListInfiller()
        self.catalogue: Catalogue = fake_catalogue(self.hate, infiller=self.writer)
        self.store = store

    def request(self, text: str = TEXT, **changes: object) -> CounterfactualRequest:
        explain = ExplainRequest(text, "hate", self.writer.name, ExplainSettings(budget=20))
        return replace(CounterfactualRequest(explain, budget=300), **changes)  # type: ignore[arg-type]

    def found(self, text: str = TEXT, **changes: object) -> Findings:
        return searched(self.request(text, **changes), self.catalogue, self.store)


def plain(found: Findings) -> Findings:
    """Without what a clock says."""
    return replace(found, found=tuple(replace(one, seconds=0.0) for one in found.found))


def changed(found: Findings, method: Method) -> set[str]:
    best = next(one for one in found.found if one.method is method).listed[0]
    return {
        word.text for word, gone in zip(found.words, best.candidate.replaced, strict=True) if gone
    }


def test_all_four_find_the_keyword(store: Store) -> None:
    found = World(store).found()
    assert [one.method for one in found.found] == list(Method)
    assert found.goal == Goal.flip(0.9, 0.5)
    for method in Method:
        assert changed(found, method) == {"hate"}
    sedc, anchor = found.found[1], found.found[3]
    assert [set_.words for set_ in sedc.sets] == [(1,)]
    assert sedc.sets[0].kind is SetKind.REMOVED
    assert (sedc.sets[0].share.count, sedc.sets[0].share.n) == (sedc.sets[0].share.n,) * 2
    assert anchor.sets[0].words == (1,)
    assert anchor.sets[0].proven
    assert not anchor.sets[0].breakers
    for one in found.found:
        assert 0 < one.calls <= 300
        assert one.ended is Ended.COMPLETE
        assert one.seconds > 0
        assert all(row.valid and row.after == 0.1 for row in one.listed)
        masks = [row.candidate.replaced for row in one.listed]
        assert len(set(masks)) == len(masks), "no two listed answers change the same words"


def test_a_row_for_every_changed_text_with_its_criteria(store: Store) -> None:
    found = World(store).found()
    texts = [row.text for row in found.table]
    assert len(set(texts)) == len(texts) > found.free
    assert TEXT not in texts
    own = [row for row in found.table if not row.methods]
    assert 0 < len(own) <= found.free
    for row in found.table:
        assert "".join(text for text, _ in row.pieces) == row.text
        assert row.valid == found.goal.reached(row.after)
        assert -1 <= row.cosine <= 1
        assert row.fluency is None
    assert "not measured" in found.fluency_note


@pytest.mark.parametrize("keywords", [("hate",), ("people", "noisy", "hate")])
def test_every_answer_is_in_the_table_under_its_method(
    store: Store, keywords: tuple[str, ...]
) -> None:
    found = World(store, *keywords).found()
    finders = {row.text: row.methods for row in found.table}
    for one in found.found:
        assert one.listed or one.nearest
        for row in one.listed:
            assert row.methods == (one.method,)
            assert one.method in finders[row.text]
        # And every text that cost it a call.
        assert sum(one.method in methods for methods in finders.values()) >= one.calls
    assert any(len(methods) > 1 for methods in finders.values())
    for methods in finders.values():
        assert list(methods) == [method for method in Method if method in methods]


def test_sedc_goes_from_set_to_set(store: Store) -> None:
    world = World(store)
    # Any of two words will do, so that there are several sets.
    world.hate.predict_proba = lambda texts: KeywordClassifier(  # type: ignore[method-assign]
        ["both"], low=0.1
    ).predict_proba(["both" if "hate" in t and "noisy" in t else "" for t in texts])
    sedc = next(one for one in world.found().found if one.method is Method.SEDC)
    words = [
        tuple(at for at, gone in enumerate(row.candidate.replaced) if gone) for row in sedc.listed
    ]
    assert sorted(words) == sorted(one.words for one in sedc.sets) == [(1,), (5,)]


def test_what_the_store_holds_changes_no_answer_and_saves_all_work(
    store: Store, tmp_path: Path
) -> None:
    world = World(store)
    first = world.found()
    asked, judged = world.writer.requested, world.hate.judged
    assert plain(world.found()) == plain(first)
    assert (world.writer.requested, world.hate.judged) == (asked, judged)
    # One method alone, with the same store or an empty one.
    alone = world.found(methods=(Method.ANCHORS,))
    assert replace(alone.found[0], seconds=0.0) == plain(first).found[3]
    assert (world.writer.requested, world.hate.judged) == (asked, judged)
    with Store.open(tmp_path / "other.duckdb") as empty:
        fresh = World(empty)
        assert plain(fresh.found()) == plain(first)
        # Texts of necessity and sufficiency are free, and not judged again.
        e = fresh.request().explain
        before = fresh.hate.judged
        explained(e.text, e.classifier, e.infiller, e.settings, fresh.catalogue, empty)
        assert fresh.hate.judged == before


def test_another_classifier_uses_the_same_infills(store: Store) -> None:
    world = World(store)
    world.found(methods=(Method.SEDC,))
    asked = world.writer.requested
    other = World(store, "people")
    other.writer = world.writer
    other.catalogue = fake_catalogue(other.hate, infiller=world.writer)
    other.found(methods=(Method.SEDC,))
    assert world.writer.requested == asked


def test_the_budget_is_of_each_method_and_never_passed(store: Store) -> None:
    for budget in (1, 7, 50):
        found = World(store, "people", "noisy", "hate").found(budget=budget)
        assert found.budget == budget
        assert all(one.calls <= budget for one in found.found)


@pytest.mark.parametrize("budget", [1, 40])
def test_a_constant_classifier_has_no_counterfactual(store: Store, budget: int) -> None:
    found = World(store, "nothing", low=0.8, high=0.8).found(budget=budget)
    for one in found.found:
        assert one.listed == ()
        assert one.nearest is not None
        assert one.nearest.after == 0.8
        assert not one.nearest.valid
    assert not any(row.valid for row in found.table)
    assert found.found[1].sets == ()


def test_a_constant_classifier_needs_no_word_kept(store: Store) -> None:
    found = World(store, "nothing", low=0.8, high=0.8).found(methods=(Method.ANCHORS,))
    assert found.found[0].sets[0].words == ()


def test_where_every_change_flips_only_the_whole_text_holds(store: Store) -> None:
    world = World(store)
    world.hate.predict_proba = lambda texts: KeywordClassifier(  # type: ignore[method-assign]
        ["x"], low=0.1
    ).predict_proba(["x" if t == "I hate it" else "y" for t in texts])
    found = world.found("I hate it")
    assert all(one.listed and one.listed[0].words_changed == 1 for one in found.found)
    assert len(found.found[1].sets) == 3
    assert found.found[3].sets[0].words == (0, 1, 2)


def test_one_word(store: Store) -> None:
    found = World(store).found("hate")
    assert found.found[0].listed[0].words_changed == 1
    assert found.found[3].sets[0].words == (0,)


def test_a_text_that_is_not_predicted_is_asked_what_would_make_it_so(store: Store) -> None:
    found = World(store, "garden").found("a calm and wide river")
    assert (found.goal.target, found.goal.predicted) == (1.0, False)
    wachter = found.found[0]
    assert wachter.listed[0].after == 0.9
    assert "garden" in wachter.listed[0].text


def test_a_wanted_probability_that_no_text_has(store: Store) -> None:
    found = World(store).found(target=0.5, tolerance=0.0)
    assert all(one.listed == () and one.nearest is not None for one in found.found)


def test_a_goal_that_the_text_reaches_as_it_stands_is_said(store: Store) -> None:
    for target, tolerance in ((0.9, 0.0), (0.5, 0.45), (1.0, None)):
        with pytest.raises(SettingsError, match="already has the wanted probability"):
            World(store).found(target=target, tolerance=tolerance)


def test_the_engine_says_so_before_it_queues_a_search(bench: Bench) -> None:
    bench.open_gate()
    request = CounterfactualRequest(bench.request(), target=0.9)
    bench.until(bench.engine.submit(request.explain), "done")
    with pytest.raises(SettingsError, match="P.positive. is 0.900"):
        bench.engine.counterfactuals(request)


def test_an_infiller_without_chance_has_no_share(store: Store) -> None:
    hate, writer = KeywordClassifier(["hate"], name="hate"), DeletionInfiller()
    catalogue = fake_catalogue(hate, infiller=writer)  # type: ignore[arg-type]
    explain = ExplainRequest(TEXT, "hate", writer.name, ExplainSettings(budget=20))
    found = searched(CounterfactualRequest(explain, methods=(Method.SEDC,)), catalogue, store)
    share = found.found[0].sets[0].share
    assert (share.count, share.n, share.low, share.high) == (1, 1, 1.0, 1.0)


@pytest.mark.parametrize("removal", [Removal.MASK, Removal.DELETION])
def test_sedc_removes_as_asked(store: Store, removal: Removal) -> None:
    found = World(store).found(methods=(Method.SEDC,), removal=removal)
    best = found.found[0].listed[0]
    assert best.text == TEXT.replace("hate", "[MASK]") if removal is Removal.MASK else "hate"
    assert best.candidate.answers == (("[MASK]",) if removal is Removal.MASK else ("",))


def test_an_infiller_that_always_writes_the_same(store: Store) -> None:
    hate, writer = KeywordClassifier(["hate"], name="hate"), DeletionInfiller()
    catalogue = fake_catalogue(hate, infiller=writer)  # type: ignore[arg-type]
    explain = ExplainRequest(TEXT, "hate", writer.name, ExplainSettings(budget=20))
    found = searched(CounterfactualRequest(explain, budget=20_000), catalogue, store)
    for method in Method:
        assert changed(found, method) == {"hate"}


def test_what_cannot_be_used_is_said_before_a_model_runs(store: Store) -> None:
    world = World(store)
    cases: list[tuple[dict[str, object], type[Exception], str]] = [
        ({"budget": 0}, SettingsError, "classifier calls is a whole number from 1 to 20000, and 0"),
        ({"budget": "many"}, SettingsError, "'many' came"),
        ({"budget": 20_001}, SettingsError, "20001 came"),
        ({"target": 1.5}, SettingsError, "wanted probability lies in 0 to 1, and 1.5 came"),
        ({"tolerance": -0.1}, SettingsError, "epsilon"),
        ({"target": 0.2, "tolerance": float("nan")}, SettingsError, "epsilon"),
        ({"precision": 1.0}, SettingsError, "precision lies strictly between 0 and 1"),
        ({"delta": 0.0}, SettingsError, "delta lies strictly between 0 and 1"),
        ({"methods": ()}, SettingsError, "At least one method"),
        ({"methods": ("anchor",)}, UnknownNameError, "Did you mean 'anchors'"),
        ({"removal": "erase"}, UnknownNameError, "Known: deletion, infill, mask"),
    ]
    for changes, kind, said in cases:
        with pytest.raises(kind, match=said):
            planned(world.request(**changes), world.catalogue)
    with pytest.raises(TextError):
        planned(world.request("   "), world.catalogue)
    assert (world.writer.calls, world.hate.calls) == (0, 0)


def test_hostile_texts_are_searched_as_they_are(store: Store) -> None:
    for text in ("<b>hate</b> hate", "hate \u202eevil\x00 \ud800x", "hate 👍🏽 حب", "=hate hate()"):
        found = World(store).found(text, budget=40)
        assert found.text == text
        for row in found.table:
            assert "".join(t for t, _ in row.pieces) == row.text


def test_a_cancelled_search_keeps_what_was_written_and_goes_on_from_there(bench: Bench) -> None:
    explain = replace(bench.request(), settings=ExplainSettings(budget=10))
    request = CounterfactualRequest(explain, budget=60)
    job = bench.engine.counterfactuals(request, "me")
    for _ in range(3):
        bench.writer.gate.release()
    assert bench.writer.waiting.wait(20)
    bench.engine.cancel(job, "me")
    bench.open_gate()
    assert bench.until(job, "cancelled", "done").state == "cancelled"
    assert bench.engine.found_counterfactuals(request) is None
    again = bench.engine.counterfactuals(request, "me")
    assert bench.until(again, "done", "failed").state == "done"
    found = bench.engine.found_counterfactuals(request)
    assert found is not None
    strict = bench.engine.reranked(found, 1.0, 0.0, 0.0)
    assert not any(row.valid for row in strict)
    assert len(strict) == len(found.table)
    asked = bench.writer.requested
    assert bench.until(bench.engine.counterfactuals(request, "me"), "done").state == "done"
    assert bench.writer.requested == asked
