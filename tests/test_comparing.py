"""Comparing methods as a job: what is found, what is used again, stopping, equal results."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from gated_engine import TEXT, Bench
from numpy.typing import NDArray

from nsx_core.attributing import shap_scores
from nsx_core.comparing import CompareTask, comparison_key
from nsx_core.comparison_records import METHODS, Comparison
from nsx_core.errors import SettingsError
from nsx_core.records import Side
from nsx_core.words import split


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    """The package shap compiles parts of itself on first use, which may take long."""
    shap_scores(split("warm up"), lambda texts: np.zeros(len(texts)))


def compared(bench: Bench, threshold: float = 0.5, phrases: tuple[str, ...] = ()) -> Comparison:
    """Explain on an open gate, compare, and wait."""
    bench.open_gate()
    request = bench.request(phrases=phrases)
    bench.until(bench.engine.submit(request), "done")
    bench.until(bench.engine.compare(request, threshold), "done")
    found = bench.engine.comparison(request, threshold)
    assert found is not None
    return found


def test_four_methods_find_the_keyword(bench: Bench) -> None:
    found = compared(bench)
    assert tuple(method.name for method in found.methods) == METHODS
    assert [w.text for w in found.words] == TEXT.split()
    for method in found.methods:
        scores = [score or 0.0 for score in method.scores]
        assert int(np.argmax(scores)) == 1, method.name  # 'hate'
        assert method.faithful.comprehensiveness == pytest.approx([0.8] * 4)
        assert method.faithful.calls == 8
    assert found.random.mean.aopc_comprehensiveness is not None
    assert 0 < found.random.mean.aopc_comprehensiveness < 0.8


def test_scores_of_ours_are_those_of_the_explanation_and_cost_its_draws(bench: Bench) -> None:
    found = compared(bench)
    explanation = bench.engine.cached(bench.request())
    assert explanation is not None
    for side, method in zip(Side, found.methods, strict=False):
        assert method.scores == tuple(getattr(w, side).value for w in explanation.words)
        assert method.calls == len(explanation.draws) == 261
        assert method.seconds is not None and "same draws" in method.note
    assert found.methods[3].calls == 5_000 > found.methods[3].texts


def test_what_came_from_the_store_has_no_seconds(bench: Bench) -> None:
    bench.open_gate()
    request = bench.request()
    bench.until(bench.engine.submit(request), "done")
    bench.engine._results.clear()
    bench.until(bench.engine.compare(request, 0.5), "done")
    found = bench.engine.comparison(request, 0.5)
    assert found is not None and found.methods[0].seconds is None
    assert "from the store" in found.methods[0].note


def test_agreement_is_symmetric_and_whole_with_itself(bench: Bench) -> None:
    found = compared(bench)
    for at in range(4):
        assert found.agreement[at][at].rho == pytest.approx(1.0)
        for other in range(4):
            assert found.agreement[at][other].rho == pytest.approx(found.agreement[other][at].rho)


def test_shap_has_an_interval_over_seeds(bench: Bench) -> None:
    found = compared(bench)
    assert len(found.others.over_seeds) == 5
    seed_score = found.over_seeds[1]
    assert seed_score is not None
    assert seed_score.low <= seed_score.mean <= seed_score.high


def test_equal_requests_give_equal_results_and_a_phrase_is_one_unit(bench: Bench) -> None:
    first = compared(bench)
    bench.engine._compared.__init__()  # type: ignore[misc]
    second = compared(bench)
    assert second is not first
    assert second.agreement == first.agreement
    assert [m.scores for m in second.methods] == [m.scores for m in first.methods]
    phrase = compared(bench, phrases=("all women",))
    assert [w.text for w in phrase.words] == ["I", "hate", "all women", "here."]
    assert all(len(m.scores) == 4 for m in phrase.methods)


def test_another_threshold_asks_for_our_scores_only(bench: Bench) -> None:
    first = compared(bench)
    judged = bench.hate.judged
    second = compared(bench, threshold=0.95)
    assert second.others is first.others
    assert bench.hate.judged - judged <= 2 * 8
    assert not second.predicted and first.predicted
    assert min(score or 0.0 for score in second.methods[0].scores) >= -1


def test_an_explanation_that_is_not_finished_cannot_be_compared(bench: Bench) -> None:
    with pytest.raises(SettingsError, match="Explain the text first"):
        bench.engine.compare(bench.request(), 0.5)


def test_a_cancelled_comparison_stops_within_a_method(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.open_gate()
    request = bench.request()
    bench.until(bench.engine.submit(request), "done")
    asked, goes_on = threading.Event(), threading.Event()
    answer = bench.hate.predict_proba

    def waiting(texts: list[str]) -> NDArray[np.float64]:
        asked.set()
        assert goes_on.wait(20)
        return answer(texts)

    monkeypatch.setattr(bench.hate, "predict_proba", waiting)
    job = bench.engine.compare(request, 0.5)
    assert asked.wait(60)
    bench.engine.cancel(job)
    goes_on.set()
    assert bench.until(job, "cancelled").done < 12
    assert bench.engine.comparison(request, 0.5) is None


def test_equal_questions_join_and_other_thresholds_do_not(bench: Bench) -> None:
    bench.open_gate()
    request = bench.request()
    bench.until(bench.engine.submit(request), "done")
    plan, found = bench.engine.plan(request), bench.engine.cached(request)
    assert found is not None
    task = CompareTask(plan, found)
    assert task.key == comparison_key(plan, 0.5) != comparison_key(plan, 0.6)
    assert task.total == 12
    moved = replace(found, settings=replace(found.settings, threshold=0.6))
    assert CompareTask(plan, moved).key == comparison_key(plan, 0.6)
