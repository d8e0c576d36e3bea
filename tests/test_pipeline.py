"""The stages joined: counts of model calls, reuse, redraws, thresholds, odd texts."""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nsx_core import batches, pipeline, scoring
from nsx_core.catalogue import Catalogue
from nsx_core.classifying.fakes import KeywordClassifier
from nsx_core.counting import size_weights
from nsx_core.errors import (
    ModelError,
    SettingsError,
    StoreError,
    TextError,
    UnknownNameError,
)
from nsx_core.fake_catalogue import fake_catalogue
from nsx_core.infilling.wordlist import WordListInfiller
from nsx_core.records import ExplainSettings, Explanation, GenerationSettings, Side
from nsx_core.store import Store

TEXT = "I hate all women here."


class Counted:
    """The fakes with their counters, and a short way to explain."""

    def __init__(self, store: Store, **infiller: object) -> None:
        self.writer = WordListInfiller(**infiller)  # type: ignore[arg-type]
        self.hate = KeywordClassifier(["hate"], name="hate")
        self.women = KeywordClassifier(["women"], name="women")
        self.catalogue: Catalogue = fake_catalogue(self.hate, self.women, infiller=self.writer)
        self.store = store

    def explain(self, text: str = TEXT, classifier: str = "hate", **changes: object) -> Explanation:
        wanted = dataclasses.replace(ExplainSettings(), **changes)  # type: ignore[arg-type]
        return pipeline.explained(
            text, classifier, self.writer.name, wanted, self.catalogue, self.store
        )


def scores(found: Explanation) -> list[object]:
    return [(w.word, w.necessity, w.sufficiency) for w in found.words]


def test_a_larger_budget_infills_only_the_missing_draws(store: Store) -> None:
    fakes = Counted(store)
    small = fakes.explain(budget=50)
    assert fakes.writer.requested == len(small.draws) == small.infilled == 131
    large = fakes.explain(budget=100)
    assert len(large.draws) == 261
    assert large.infilled == fakes.writer.requested - 131 == 261 - 131
    assert set(small.draws) <= set(large.draws)
    again = fakes.explain(budget=50)
    assert fakes.writer.requested == 261
    assert scores(again) == scores(small)


def test_cache_or_no_cache_gives_the_same_scores(store: Store) -> None:
    fakes = Counted(store)
    fakes.explain(budget=20)
    grown = fakes.explain(budget=60)
    with Store.open(":memory:") as empty:
        fresh = Counted(empty).explain(budget=60)
    assert scores(grown) == scores(fresh)
    assert grown.key == fresh.key


def test_a_second_classifier_reuses_every_infill(store: Store) -> None:
    fakes = Counted(store)
    first = fakes.explain()
    requested = fakes.writer.requested
    second = fakes.explain(classifier="women")
    assert fakes.writer.requested == requested
    assert second.infilled == 0
    assert [j.draw for j in first.draws] == [j.draw for j in second.draws]
    assert scores(first) != scores(second)


def test_a_cached_explanation_asks_no_model(store: Store) -> None:
    fakes = Counted(store)
    before = fakes.explain()
    calls = fakes.writer.calls, fakes.hate.calls, fakes.hate.judged
    todo = pipeline.plan(TEXT, "hate", fakes.writer.name, ExplainSettings(), fakes.catalogue)
    cached = pipeline.from_store(todo, fakes.catalogue, store)
    assert cached is not None
    assert scores(cached) == scores(before)
    assert scores(fakes.explain()) == scores(before)
    assert (fakes.writer.calls, fakes.hate.calls, fakes.hate.judged) == calls


def test_every_distinct_text_is_classified_once(store: Store) -> None:
    fakes = Counted(store)
    found = fakes.explain()
    distinct = {j.draw.text for j in found.draws} | {TEXT}
    assert fakes.hate.judged == len(distinct)


@pytest.mark.parametrize("sampler", ["balanced", "paper"])
def test_the_scores_are_the_estimator_on_the_stored_draws(store: Store, sampler: str) -> None:
    found = Counted(store).explain(threshold=0.5, sampler=sampler)
    assert len(found.draws) == {"balanced": 261, "paper": 522}[sampler]
    for side in Side:
        rows = [j for j in found.draws if j.draw.side.counts_on(side)]
        kept = np.array([0.9 if "hate" in j.draw.text.split() else 0.1 for j in rows]) >= 0.5
        masks = np.array([j.draw.replaced for j in rows])
        weights = size_weights(masks, side) if sampler == "balanced" else None
        if side is Side.NECESSITY:
            wanted = scoring.necessity(1.0, kept.astype(float), masks, weights)
            shown = [w.necessity.value for w in found.words]
        else:
            wanted = scoring.sufficiency(0.02, kept.astype(float), masks, weights)
            shown = [w.sufficiency.value for w in found.words]
        assert np.allclose(wanted, np.array(shown, dtype=float), atol=1e-12)
    hate = found.words[1]
    assert hate.necessity.value == 1.0
    assert hate.sufficiency.value == pytest.approx(0.98)


def test_seeds_and_settings_change_draws_and_equal_ones_do_not(store: Store) -> None:
    fakes = Counted(store)
    base = fakes.explain(seed=1)
    other = fakes.explain(seed=2)
    assert [j.draw.bits for j in base.draws] != [j.draw.bits for j in other.draws]
    warm = fakes.explain(seed=1, generation=GenerationSettings(temperature=0.5))
    assert warm.key != base.key
    assert [j.draw.bits for j in base.draws] == [j.draw.bits for j in warm.draws]


def test_an_unchanged_draw_is_drawn_again_or_kept(store: Store) -> None:
    fakes = Counted(store, words=["alpha", "beta"], fewest=1, most=1)
    text = "alpha beta"
    kept = fakes.explain(text, generation=GenerationSettings(redraw_unchanged=False))
    redrawn = fakes.explain(text)
    share = np.mean([j.draw.unchanged for j in kept.draws])
    assert 0.3 < share < 0.7
    assert np.mean([j.draw.unchanged for j in redrawn.draws]) < 0.05
    assert max(j.draw.redraws for j in redrawn.draws) <= 5
    assert all(j.draw.redraws == 0 for j in kept.draws)
    stuck = Counted(store, words=["alpha"], fewest=1, most=1).explain("alpha alpha")
    assert all(j.draw.unchanged and j.draw.redraws == 5 for j in stuck.draws)


@pytest.mark.parametrize("n", [1, 2])
def test_short_texts(store: Store, n: int) -> None:
    found = Counted(store).explain("hate women"[: 4 if n == 1 else None])
    assert len(found.words) == n
    assert found.words[0].necessity.value == 1.0
    assert found.words[0].necessity.n == (100 if n == 1 else found.words[0].necessity.n) > 0
    if n == 1:
        assert found.words[0].sufficiency.value is None
        assert found.words[0].sufficiency.n == 0
        assert len(found.draws) == 100
    else:
        assert found.words[0].sufficiency.value == pytest.approx(0.98)


def test_a_text_that_is_not_predicted_is_explained_from_zero(store: Store) -> None:
    found = Counted(store).explain("Good morning, garden.")
    assert not found.predicted
    assert all(w.necessity.value == 0.0 for w in found.words)


def test_another_threshold_needs_no_model(store: Store) -> None:
    fakes = Counted(store)
    found = fakes.explain()
    entry = fakes.catalogue.classifier_entry("hate")
    strict = pipeline.rejudged(found, 0.95, entry)
    assert not strict.predicted
    assert not any(j.kept for j in strict.draws)
    assert strict.baseline == 0.0
    assert scores(strict) == scores(fakes.explain(threshold=0.95))
    assert scores(pipeline.rejudged(strict, 0.5, entry)) == scores(found)


def test_scores_instead_of_labels(store: Store) -> None:
    found = Counted(store).explain(use_scores=True)
    assert found.words[1].necessity.value == pytest.approx(0.8)
    assert found.words[1].sufficiency.value == pytest.approx(0.9 - (49 * 0.1 + 0.9) / 50)


def test_the_other_label_is_the_complement(store: Store) -> None:
    found = Counted(store).explain("Good morning all.", label="negative")
    assert found.predicted
    assert found.baseline == pytest.approx(0.98)
    assert found.probability == pytest.approx(0.9)


def test_a_phrase_is_one_unit(store: Store) -> None:
    found = Counted(store).explain("I hate all women", phrases=("all women",))
    assert [w.word.text for w in found.words] == ["I", "hate", "all women"]


def test_what_the_classifier_does_not_see_is_counted(store: Store) -> None:
    short = KeywordClassifier(["hate"], name="short", sees=3)
    writer = WordListInfiller()
    catalogue = fake_catalogue(short, infiller=writer)
    long_text = "hate " + "word " * 199
    found = pipeline.explained(
        long_text, "short", writer.name, ExplainSettings(budget=10), catalogue, store
    )
    assert found.unseen_words == 197
    todo = pipeline.plan(long_text, "short", writer.name, ExplainSettings(budget=10), catalogue)
    cached = pipeline.from_store(todo, catalogue, store)
    assert cached is not None
    assert cached.unseen_words == 197


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({"budget": 0}, SettingsError, "whole number from 10 to 400, and 0 came"),
        ({"budget": -3}, SettingsError, "-3 came"),
        ({"budget": "many"}, SettingsError, "'many' came"),
        ({"budget": 401}, SettingsError, "10 to 400"),
        ({"budget": True}, SettingsError, "True came"),
        ({"budget": 99.5}, SettingsError, "99.5 came"),
        ({"seed": -1}, SettingsError, "The seed"),
        ({"threshold": 0.0}, SettingsError, "strictly between 0 and 1"),
        ({"threshold": 1.0}, SettingsError, "strictly between 0 and 1"),
        ({"threshold": float("nan")}, SettingsError, "strictly between 0 and 1"),
        ({"label": "rude"}, UnknownNameError, "Known: negative, positive"),
        ({"sampler": "papper"}, UnknownNameError, "Did you mean 'paper'"),
        ({"splitter": "letters"}, UnknownNameError, "splitter"),
    ],
)
def test_bad_settings_say_the_rule(
    store: Store, changes: dict[str, object], error: type[Exception], says: str
) -> None:
    fakes = Counted(store)
    with pytest.raises(error, match=says):
        fakes.explain(**changes)
    assert fakes.writer.calls == 0


@pytest.mark.parametrize("text", ["", "   \n\t ", "\u200b\u200d", "word " * 2001])
def test_texts_that_cannot_be_explained(store: Store, text: str) -> None:
    with pytest.raises(TextError):
        Counted(store).explain(text)


def test_unknown_models(store: Store) -> None:
    fakes = Counted(store)
    with pytest.raises(UnknownNameError, match="Did you mean 'women'"):
        fakes.explain(classifier="woman")
    with pytest.raises(UnknownNameError, match="No infiller is called 'gpt'"):
        pipeline.plan(TEXT, "hate", "gpt", ExplainSettings(), fakes.catalogue)


ODD = [
    "\U0001f600 \U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f44d\U0001f3fd",
    "أنا أكره الانتظار هنا",
    "\ud800 lone \udfff surrogates",
    "bell\x07 null\x00 escape\x1b here",
    "<script>alert('hate')</script> <b>hate</b>",
    "![x](http://example.invalid/a.png) hate **bold**",
    "a" * 10_000 + " hate",
    "我讨厌 等待。 今天",
    "line one\nhate two\r\nthree",
]


@pytest.mark.parametrize("text", ODD)
def test_odd_texts_work_and_come_back_exactly(store: Store, text: str) -> None:
    fakes = Counted(store)
    found = fakes.explain(text, budget=10)
    assert found.text == text
    for judged in found.draws:
        at = 0
        for word, replaced in zip(found.words, judged.draw.replaced, strict=True):
            if not replaced:
                at = judged.draw.text.index(word.word.text, at) + len(word.word.text)
    todo = pipeline.plan(text, "hate", fakes.writer.name, found.settings, fakes.catalogue)
    cached = pipeline.from_store(todo, fakes.catalogue, store)
    assert cached is not None
    assert cached.draws == found.draws


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(st.characters(exclude_categories=()), min_size=1, max_size=30))
def test_any_text_is_explained_or_refused_with_a_reason(text: str) -> None:
    with Store.open(":memory:") as store:
        found = None
        with contextlib.suppress(TextError):
            found = Counted(store).explain(text, budget=10)
        seen = any(c.isalnum() for c in text)
        assert (found is not None) or not seen
        if found is not None:
            assert found.text == text
            assert all(w.necessity.n > 0 or len(found.words) > 10 for w in found.words)


def test_a_model_that_changed_is_refused(store: Store) -> None:
    fakes = Counted(store)
    todo = pipeline.plan(TEXT, "hate", fakes.writer.name, ExplainSettings(), fakes.catalogue)
    fakes.catalogue.load_classifier = lambda _: KeywordClassifier(["other"], name="hate")
    with pytest.raises(ModelError, match="changed while the app was running"):
        list(pipeline.explaining(todo, fakes.catalogue, store))


def test_a_batch_that_cannot_be_saved_stops_with_the_reason(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fakes = Counted(store)

    def full(*_: object) -> None:
        raise StoreError("The disk is full: 256 draws were not saved.")

    monkeypatch.setattr(store, "commit_batch", full)
    with pytest.raises(StoreError, match="disk is full"):
        fakes.explain()
    monkeypatch.undo()
    assert len(fakes.explain().draws) == 261


def test_the_store_keeps_what_an_abandoned_run_committed(tmp_path: Path) -> None:
    path = tmp_path / "nsx.duckdb"
    with Store.open(path) as store:
        fakes = Counted(store)
        todo = pipeline.plan(TEXT, "hate", fakes.writer.name, ExplainSettings(), fakes.catalogue)
        steps = pipeline.explaining(todo, fakes.catalogue, store)
        seen = [next(steps) for _ in range(3)]
        assert seen[-1].done == batches.FIRST_BATCH_DRAWS
        steps.close()
    with Store.open(path) as store:
        fakes = Counted(store)
        found = fakes.explain()
        assert found.infilled == fakes.writer.requested == 261 - batches.FIRST_BATCH_DRAWS
