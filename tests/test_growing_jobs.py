"""What jobs say before they end, and jobs that end before their budget."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

import pytest
from gated_engine import Bench

from nsx_core import jobs, pipeline, stopping
from nsx_core.batches import FIRST_BATCH_DRAWS
from nsx_core.infilling import Again
from nsx_core.infilling.wordlist import WordListInfiller
from nsx_core.records import Explanation, GenerationSettings, InfillRequest, Side


def test_a_running_job_tells_what_its_draws_say_so_far(bench: Bench) -> None:
    job = bench.engine.submit(bench.request())
    assert bench.writer.waiting.wait(20)
    assert bench.engine.partial(job) is None
    bench.open_gate(1)
    while bench.engine.partial(job) is None:
        time.sleep(0.01)
    partial = bench.engine.partial(job)
    assert partial is not None and len(partial.draws) == FIRST_BATCH_DRAWS
    assert [e.n for w in partial.words for e in (w.necessity, w.sufficiency)] == [
        sum(j.draw.replaced[i] is replaced for j in partial.draws)
        for i in range(5)
        for side, replaced in ((Side.NECESSITY, True), (Side.SUFFICIENCY, False))
    ]
    bench.open_gate()
    bench.until(job, "done")
    found = bench.engine.result(job)
    assert (
        found is not None
        and found.draws[:FIRST_BATCH_DRAWS] == partial.draws
        and found.key == partial.key
    )
    assert bench.engine.partial(job) is None


def test_only_the_latest_stopped_jobs_keep_what_they_drew(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "UNFINISHED_KEPT", 1)
    stopped = []
    for seed in range(3):
        stopped.append(bench.engine.submit(bench.request(seed=seed, budget=200)))
        bench.open_gate(1)
        while bench.engine.partial(stopped[-1]) is None:
            time.sleep(0.01)
        bench.engine.cancel(stopped[-1])
        bench.open_gate(1)
        bench.until(stopped[-1], "cancelled")
    bench.engine.submit(bench.request(seed=9))
    assert [bench.engine.partial(job) is None for job in stopped] == [True, True, False]


def test_a_job_may_end_once_the_order_is_settled(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "settled", lambda told: len(told.draws) >= FIRST_BATCH_DRAWS)
    bench.open_gate()
    early = bench.engine.submit(bench.request(), early=0.5)
    view = bench.until(early, "settled")
    assert (view.done, view.total) == (FIRST_BATCH_DRAWS, 261)
    told = bench.engine.partial(early)
    assert told is not None and len(told.draws) == FIRST_BATCH_DRAWS
    assert bench.engine.result(early) is None
    whole = bench.engine.submit(bench.request())
    view = bench.until(whole, "done")
    assert (view.infilled, view.reused) == (261 - FIRST_BATCH_DRAWS, FIRST_BATCH_DRAWS)


def test_a_joined_job_goes_on_for_whoever_wants_all_of_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "settled", lambda told: True)
    job = bench.engine.submit(bench.request(), early=0.5)
    assert bench.engine.submit(bench.request()) == job
    bench.open_gate()
    assert bench.until(job, "done", "settled").state == "done"


def test_the_order_is_judged_at_the_threshold_that_the_visitor_sees(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []

    def settled(told: Explanation) -> bool:
        asked.append(told.settings.threshold)
        return False

    monkeypatch.setattr(pipeline, "settled", settled)
    bench.open_gate()
    bench.until(bench.engine.submit(bench.request(), early=0.7), "done")
    assert asked and set(asked) == {0.7}
    job = bench.engine.submit(bench.request(seed=1), early=0.7)
    assert bench.engine.submit(bench.request(seed=1), early=0.2) == job
    bench.until(job, "done")
    assert set(asked) == {0.7}


def test_draws_of_the_batch_in_hand_are_counted_as_they_come(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    five, go_on = threading.Event(), threading.Event()

    def infill_parts(
        parts: Iterable[Sequence[InfillRequest]],
        settings: GenerationSettings,
        again: Again,
        ahead: Callable[[], bool],
    ) -> Iterator[None]:
        wanted = [list(part) for part in parts]
        requests = [request for part in wanted for request in part]
        answered = list(WordListInfiller().infill(requests, settings))
        first = told = 0
        for part in wanted:
            first += len(part)
            # Five draws of the next batch come with each one.
            for index in range(told, min(first + 5 * ahead(), len(requests))):
                if index == stop.get("at"):
                    five.set()
                    assert go_on.wait(20)
                assert again(index, answered[index]) is None
                told = index + 1
            yield

    monkeypatch.setattr(bench.writer, "infill_parts", infill_parts, raising=False)
    stop = {"at": 5}
    job = bench.engine.submit(bench.request())
    assert five.wait(20)
    view = bench.engine.job(job)
    assert (view.done, view.infilled, view.stage) == (5, 5, "drawing")
    assert view.rate > 0 and view.seconds_left
    bench.engine.cancel(job)
    go_on.set()
    view = bench.until(job, "cancelled")
    assert view.done == view.infilled == FIRST_BATCH_DRAWS
    stop["at"] = -1
    again = bench.until(bench.engine.submit(bench.request()), "done")
    assert (again.done, again.reused) == (261, FIRST_BATCH_DRAWS)


def test_draws_of_the_next_batch_come_early_unless_another_waits(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    submitted = threading.Event()
    long = bench.request(budget=300)

    def infill_parts(
        parts: Iterable[Sequence[InfillRequest]],
        settings: GenerationSettings,
        again: Again,
        ahead: Callable[[], bool],
    ) -> Iterator[None]:
        wanted = [list(part) for part in parts]
        requests = [request for part in wanted for request in part]
        answered = list(WordListInfiller().infill(requests, settings))
        first = told = 0
        for number, part in enumerate(wanted):
            first += len(part)
            if number == 2:
                assert submitted.wait(20)
                asked.append(ahead())
                other = bench.engine.submit(bench.request(seed=5))
                asked.append(ahead())
                bench.engine.cancel(other)
                asked.append(ahead())
            else:
                asked.append(ahead())
            upto = min(first + 5 * asked[-1], len(requests))
            for index in range(told, upto):
                assert again(index, answered[index]) is None
            told = upto
            if number == 2:
                view = bench.engine.job(job)
                assert view.done == view.infilled == told > first
            yield

    monkeypatch.setattr(bench.writer, "infill_parts", infill_parts, raising=False)
    job = bench.engine.submit(long)
    submitted.set()
    view = bench.until(job, "done")
    assert view.done == view.infilled == view.total
    # Not during the first batch, whose scores somebody awaits.
    assert asked[:5] == [False, True, True, False, True]


def test_what_is_written_when_a_job_is_cancelled_is_kept(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    some, go_on = threading.Event(), threading.Event()

    def infill_parts(
        parts: Iterable[Sequence[InfillRequest]],
        settings: GenerationSettings,
        again: Again,
        ahead: Callable[[], bool],
    ) -> Iterator[None]:
        count = 0
        for number, part in enumerate(parts):
            answered = WordListInfiller().infill(list(part), settings)
            for index, answers in enumerate(answered, count):
                if number == 1 and index == count + 7:
                    some.set()
                    assert go_on.wait(20)
                    stopping.check()
                again(index, answers)
            count += len(part)
            yield

    monkeypatch.setattr(bench.writer, "infill_parts", infill_parts, raising=False)
    job = bench.engine.submit(bench.request())
    assert some.wait(20)
    bench.engine.cancel(job)
    go_on.set()
    view = bench.until(job, "cancelled")
    assert view.done == view.infilled == FIRST_BATCH_DRAWS + 7
    again = bench.until(bench.engine.submit(bench.request()), "done")
    assert (again.done, again.reused) == (261, FIRST_BATCH_DRAWS + 7)
