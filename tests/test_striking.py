"""Scores without the draws that were struck out, and who says which they are."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
import pytest

from nsx_core import pipeline, scoring, striking
from nsx_core.classifying.fakes import KeywordClassifier
from nsx_core.counting import draw_weights, side_masks
from nsx_core.engine import Engine
from nsx_core.errors import SettingsError, UnknownNameError
from nsx_core.fake_catalogue import fake_catalogue
from nsx_core.infilling.wordlist import WordListInfiller
from nsx_core.records import DrawSide, ExplainSettings, Explanation, JudgedDraw, Side
from nsx_core.store import Store

TEXT = "I hate all women here."
HATE = KeywordClassifier(["hate"], name="hate")
WRITER = WordListInfiller()
CATALOGUE = fake_catalogue(HATE, infiller=WRITER)
ENTRY = CATALOGUE.classifier_entry("hate")


def explained(store: Store, text: str = TEXT, **changes: object) -> Explanation:
    settings = dataclasses.replace(ExplainSettings(budget=20), **changes)  # type: ignore[arg-type]
    return pipeline.explained(text, "hate", WRITER.name, settings, CATALOGUE, store)


def at(judged: JudgedDraw) -> tuple[DrawSide, int]:
    return judged.draw.side, judged.draw.number


@pytest.mark.parametrize("sampler", ["balanced", "paper"])
@pytest.mark.parametrize("use_scores", [False, True])
def test_the_scores_without_are_those_of_the_other_draws_alone(
    store: Store, sampler: str, use_scores: bool
) -> None:
    whole = explained(store, sampler=sampler, use_scores=use_scores)
    gone = {at(j) for j in whole.draws[::3]}
    found = pipeline.without(whole, gone, ENTRY)
    left = [j for j in whole.draws if at(j) not in gone]
    assert list(found.draws) == left and 0 < len(left) < len(whole.draws)
    for side in Side:
        rows, masks = side_masks([j.draw for j in left], side, len(whole.words))
        values = np.array([left[i].probability if use_scores else left[i].kept for i in rows])
        weights = draw_weights([j.draw for j in left], masks, side)
        own = whole.probability if use_scores else float(whole.predicted)
        if side is Side.NECESSITY:
            wanted = scoring.necessity(own, values.astype(float), masks, weights)
        else:
            wanted = scoring.sufficiency(whole.baseline, values.astype(float), masks, weights)
        estimates = [getattr(w, str(side)) for w in found.words]
        np.testing.assert_allclose([e.value for e in estimates], wanted)
        counts = (masks if side is Side.NECESSITY else ~masks).sum(axis=0)
        assert [e.n for e in estimates] == counts.tolist()
    assert found.words != whole.words
    assert (found.key, found.settings, found.probability, found.baseline) == (
        whole.key, whole.settings, whole.probability, whole.baseline
    )  # fmt: skip


def test_striking_nothing_changes_nothing(store: Store) -> None:
    whole = explained(store)
    assert pipeline.without(whole, set(), ENTRY) == whole
    assert pipeline.without(whole, {(DrawSide.BOTH, 10**6)}, ENTRY) == whole


def test_without_any_draw_every_score_is_undefined(store: Store) -> None:
    whole = explained(store)
    found = pipeline.without(whole, [at(j) for j in whole.draws], ENTRY)
    assert found.draws == ()
    for word in found.words:
        for estimate in (word.necessity, word.sufficiency):
            assert (estimate.value, estimate.low, estimate.high, estimate.n) == (None,) * 3 + (0,)


def test_a_word_without_a_draw_left_is_undefined_by_itself(store: Store) -> None:
    whole = explained(store, sampler="paper")
    replacing = [j for j in whole.draws if j.draw.side is DrawSide.NECESSITY]
    gone = [at(j) for j in replacing if j.draw.replaced[1]]
    found = pipeline.without(whole, gone, ENTRY)
    assert found.words[1].necessity.value is None
    assert found.words[1].sufficiency.n == whole.words[1].sufficiency.n > 0
    assert found.words[0].sufficiency.value is not None


def test_thresholds_and_strikes_go_together(store: Store) -> None:
    whole = explained(store)
    gone = {at(j) for j in whole.draws[::4]}
    for threshold in (0.05, 0.95):
        moved = pipeline.rejudged(whole, threshold, ENTRY)
        first = pipeline.without(moved, gone, ENTRY)
        assert first == pipeline.rejudged(pipeline.without(whole, gone, ENTRY), threshold, ENTRY)
        assert first.settings.threshold == threshold


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    started = Engine(Store.open(tmp_path / "nsx.duckdb"), CATALOGUE)
    yield started
    started.close()


def numbers(engine: Engine, explanation: Explanation) -> Collection[int]:
    return [s.number for s in engine.struck(explanation)]


def test_a_strike_holds_for_every_explanation_that_has_the_draw(engine: Engine) -> None:
    whole = explained(engine.store, budget=40)
    assert whole.draw_set and engine.struck(whole) == ()
    last = max(j.draw.number for j in whole.draws)
    engine.strike(whole, DrawSide.BOTH, 0, " not a sentence ")
    engine.strike(whole, DrawSide.BOTH, last, "cut off")
    assert [(s.number, s.reason) for s in engine.struck(whole)] == [
        (0, "not a sentence"), (last, "cut off"),
    ]  # fmt: skip
    assert numbers(engine, explained(engine.store, budget=20)) == [0]
    assert numbers(engine, explained(engine.store, seed=1)) == []
    engine.take_back(whole, DrawSide.BOTH, 0)
    assert numbers(engine, whole) == [last]
    assert engine.without(whole, {(DrawSide.BOTH, last)}).words != whole.words


def test_what_cannot_be_struck_out(engine: Engine) -> None:
    whole = explained(engine.store)
    with pytest.raises(SettingsError, match="draw 10000 of the side both is none of its 53"):
        engine.strike(whole, DrawSide.BOTH, 9_999, "odd")
    with pytest.raises(SettingsError, match="draw 1 of the side necessity is none"):
        striking.take_back(engine.store, whole, DrawSide.NECESSITY, 0)
    with pytest.raises(SettingsError, match="none came"):
        engine.strike(whole, DrawSide.BOTH, 0, "")
    assert engine.struck(whole) == ()


def test_another_classifier_judges_only_what_the_store_lacks(engine: Engine) -> None:
    calls: list[list[str]] = []
    model, asked = engine.catalogue.classifier("hate"), HATE.predict_proba

    def counting(texts: list[str]) -> object:
        calls.append(texts)
        return asked(texts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "predict_proba", counting)
        first = engine.probabilities(["I hate it", "a", "a"], "hate")
        assert engine.probabilities(["b", "a"], "hate", "negative")[1] == 1 - first[1]
    assert calls == [["I hate it", "a"], ["b"]]
    assert first[0] > 0.5 > first[1] == first[2]
    with pytest.raises(UnknownNameError, match="nobody"):
        engine.probabilities(["a"], "nobody")
    with pytest.raises(UnknownNameError, match="label"):
        engine.probabilities(["a"], "hate", "abuse")
