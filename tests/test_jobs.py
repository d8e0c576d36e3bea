"""The engine: progress, joining, cancelling, order, faults, links, restarts."""

from __future__ import annotations

import dataclasses
import threading
import time
from pathlib import Path

import pytest
from gated_engine import Bench

from nsx_core import jobs, stopping
from nsx_core.batches import FIRST_BATCH_DRAWS
from nsx_core.engine import Cost, Engine
from nsx_core.errors import (
    CancelledError,
    StoreBusyError,
    StoreError,
    TextError,
    UnknownNameError,
)
from nsx_core.fake_catalogue import fake_catalogue
from nsx_core.infilling.wordlist import WordListInfiller
from nsx_core.job import GIVE_WAY_MAX
from nsx_core.records import GenerationSettings, InfillRequest


def test_a_job_runs_to_its_explanation(bench: Bench) -> None:
    bench.open_gate()
    request = bench.request()
    assert bench.engine.cached(request) is None
    job = bench.engine.submit(request)
    view = bench.until(job, "done")
    assert (view.done, view.total, view.infilled, view.reused) == (261, 261, 261, 0)
    found = bench.engine.result(job)
    assert found is not None
    assert found.words[1].necessity.value == 1.0
    assert bench.engine.cached(request) == found


def test_equal_requests_join_and_others_do_not(bench: Bench) -> None:
    first = bench.engine.submit(bench.request())
    assert bench.engine.submit(bench.request()) == first
    assert bench.engine.submit(bench.request(seed=1)) != first
    bench.open_gate()
    bench.until(first, "done")
    assert bench.engine.submit(bench.request()) != first


def test_cancel_stops_at_the_next_batch_and_keeps_what_is_there(bench: Bench) -> None:
    job = bench.engine.submit(bench.request())
    assert bench.writer.waiting.wait(20)
    bench.engine.cancel(job)
    bench.open_gate(1)
    view = bench.until(job, "cancelled")
    assert view.done == view.infilled == FIRST_BATCH_DRAWS
    assert bench.engine.result(job) is None
    bench.open_gate()
    again = bench.engine.submit(bench.request())
    view = bench.until(again, "done")
    assert (view.infilled, view.reused) == (261 - FIRST_BATCH_DRAWS, FIRST_BATCH_DRAWS)


def test_one_visitors_cancelling_does_not_stop_anothers_job(bench: Bench) -> None:
    job = bench.engine.submit(bench.request(), visitor="a")
    assert bench.engine.submit(bench.request(), visitor="b") == job
    assert bench.writer.waiting.wait(20)
    bench.engine.cancel(job, "b")
    assert bench.engine.job(job, "b").stage == "stopping"
    assert bench.engine.job(job, "a").stage == "drawing"
    assert (bench.engine.job(job, "b").state, bench.engine.job(job, "a").state) == (
        "left",
        "running",
    )
    assert bench.engine.submit(bench.request(), visitor="b") == job
    assert bench.engine.job(job, "b").state == "running"
    bench.open_gate()
    bench.until(job, "done")


def test_a_cancel_holds_where_nobody_else_looks_any_more(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nsx_core.job.WATCHING_SECONDS", 0.2)
    job = bench.engine.submit(bench.request(budget=400), visitor="before a reload")
    bench.engine.submit(bench.request(budget=400), visitor="after it")
    bench.engine.cancel(job, "after it")
    time.sleep(0.3)
    assert bench.engine.job(job, "after it").stage == "stopping"
    bench.open_gate(1)
    bench.until(job, "cancelled")
    other = bench.engine.submit(bench.request(seed=1), visitor="a")
    bench.engine.job(other, "b")
    bench.engine.cancel(other)  # by no visitor: for all
    bench.open_gate()
    bench.until(other, "cancelled")


def test_stages_are_told_and_reused_draws_do_not_hurry_the_rate(bench: Bench) -> None:
    job = bench.engine.submit(bench.request())
    assert bench.writer.waiting.wait(20)
    assert bench.engine.job(job).stage == "drawing"
    bench.engine.cancel(job)
    assert bench.engine.job(job).stage == "stopping"
    bench.open_gate(1)
    bench.until(job, "cancelled")
    bench.writer.waiting.clear()
    again = bench.engine.submit(bench.request())
    assert bench.writer.waiting.wait(20)
    view = bench.engine.job(again)
    expected = ("drawing", FIRST_BATCH_DRAWS, 0.0, None)
    assert (view.stage, view.done, view.rate, view.seconds_left) == expected
    bench.open_gate()
    bench.until(again, "done")


def test_closing_leaves_unfinished_jobs_interrupted(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    running, queued = (bench.engine.submit(bench.request(seed=seed)) for seed in (0, 1))
    assert bench.writer.waiting.wait(20)
    bench.open_gate()
    bench.engine.close()
    assert bench.engine.job(queued).state == "interrupted"
    assert bench.engine.job(running).state in ("interrupted", "done")


def test_a_waiting_job_is_cancelled_at_once(bench: Bench) -> None:
    bench.engine.submit(bench.request())
    assert bench.writer.waiting.wait(20)
    second = bench.engine.submit(bench.request(seed=7))
    bench.engine.cancel(second)
    assert bench.engine.job(second).state == "cancelled"


def test_cancel_reaches_into_a_batch(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    entered = threading.Event()

    def endless(*_: object) -> list[tuple[str, ...]]:
        entered.set()
        while True:
            stopping.check()
            time.sleep(0.005)

    monkeypatch.setattr(bench.writer, "infill", endless)
    job = bench.engine.submit(bench.request())
    assert entered.wait(20)
    bench.engine.cancel(job)
    bench.until(job, "cancelled")
    monkeypatch.undo()
    bench.open_gate()
    bench.until(bench.engine.submit(bench.request()), "done")


def test_a_short_job_takes_turns_with_a_long_one(bench: Bench) -> None:
    long = bench.engine.submit(bench.request(budget=400))
    assert bench.writer.waiting.wait(20)
    short = bench.engine.submit(bench.request("hate you", budget=10))
    bench.open_gate(4)
    bench.until(short, "done")
    assert bench.engine.job(long).state == "running"


def _until_asked(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> tuple[threading.Event, list[int]]:
    """Long texts' batches last until they are stopped; returns 'one has begun' and a count."""
    entered, given_up = threading.Event(), []
    quick = WordListInfiller()

    def infill(
        requests: list[InfillRequest], settings: GenerationSettings
    ) -> list[tuple[str, ...]]:
        if len(requests[0].words) < 10:
            return quick.infill(requests, settings)
        entered.set()
        try:
            while not bench.writer.gate.acquire(blocking=False):
                stopping.check()
                time.sleep(0.005)
        except CancelledError:
            given_up.append(1)
            raise
        return quick.infill(requests, settings)

    monkeypatch.setattr(bench.writer, "infill", infill)
    return entered, given_up


def test_a_lasting_batch_gives_way_to_a_smaller_job(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "PATIENCE_SECONDS", 0.05)
    entered, given_up = _until_asked(bench, monkeypatch)
    long = bench.engine.submit(bench.request("I hate " + "very " * 40 + "much"))
    assert entered.wait(20)
    short = bench.engine.submit(bench.request("hate you", budget=10))
    bench.until(short, "done")
    assert given_up
    assert bench.engine.job(long).state in ("queued", "running")
    bench.open_gate()
    assert bench.until(long, "done").total > 0


def test_a_batch_does_not_give_way_to_an_equal_or_without_end(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "PATIENCE_SECONDS", 0.0)
    entered, given_up = _until_asked(bench, monkeypatch)
    text = "I hate " + "very " * 40 + "much"
    long = bench.engine.submit(bench.request(text))
    assert entered.wait(20)
    equal = bench.engine.submit(bench.request(text, seed=1))
    time.sleep(0.1)
    assert not given_up
    for number in range(3 * GIVE_WAY_MAX):
        bench.engine.submit(bench.request(f"hate {number}", budget=10))
        time.sleep(0.05)
    # Each of the two at most so often.
    assert 0 < len(given_up) <= 2 * GIVE_WAY_MAX
    bench.open_gate()
    for job in (long, equal):
        bench.until(job, "done")


def test_the_cost_is_known_before(bench: Bench) -> None:
    assert bench.engine.cost(bench.request()) == Cost(5, 261, long=False)
    assert bench.engine.cost(bench.request("word " * 2_000)).long
    with pytest.raises(TextError):
        bench.engine.cost(bench.request(" "))


def test_interactive_work_goes_before_a_sweep(bench: Bench) -> None:
    sweep = bench.engine.submit(bench.request(budget=400), jobs.SWEEP)
    assert bench.writer.waiting.wait(20)
    quick = bench.engine.submit(bench.request("hate you", budget=10))
    bench.open_gate(2)
    bench.until(quick, "done")
    assert bench.engine.job(sweep).state == "running"
    bench.open_gate()
    bench.until(sweep, "done")


def test_a_fault_ends_its_job_and_no_other(bench: Bench) -> None:
    bench.writer.fault = RuntimeError("the model fell over")
    bench.open_gate(1)
    job = bench.engine.submit(bench.request())
    view = bench.until(job, "failed")
    assert view.error is not None
    assert "the model fell over" in view.error
    bench.writer.fault = None
    bench.open_gate()
    assert bench.until(bench.engine.submit(bench.request()), "done").done == 261


def test_bad_requests_are_refused_before_they_queue(bench: Bench) -> None:
    with pytest.raises(TextError):
        bench.engine.submit(bench.request(" "))
    with pytest.raises(UnknownNameError):
        bench.engine.submit(dataclasses.replace(bench.request(), classifier="nobody"))
    with pytest.raises(UnknownNameError, match="job"):
        bench.engine.job("nothing")


def test_classify_is_cached(bench: Bench) -> None:
    first = bench.engine.classify("I hate rain", "hate")
    assert first.probabilities == {"negative": pytest.approx(0.1), "positive": 0.9}
    calls = bench.hate.calls
    assert bench.engine.classify("I hate rain", "hate") == first
    assert bench.hate.calls == calls


def test_links_find_their_text(bench: Bench) -> None:
    text = "a\ud800 link \x00 text"
    assert bench.engine.text(bench.engine.remember_text(text)) == text
    assert bench.engine.text("0" * 64) is None


def test_a_second_engine_on_the_file_says_what_to_do(bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(StoreBusyError, match="in use by the running app"):
        Engine.start(tmp_path, bench.catalogue)


def test_a_restarted_engine_finds_everything(tmp_path: Path) -> None:
    first = Bench(tmp_path)
    first.open_gate()
    job = first.engine.submit(first.request())
    first.until(job, "done")
    found = first.engine.result(job)
    first.engine.close()
    second = Bench(tmp_path)
    try:
        cached = second.engine.cached(second.request())
        assert found is not None
        assert cached is not None
        assert cached.words == found.words
        assert second.writer.calls == 0
        assert second.engine.store.job(job) is not None
    finally:
        second.engine.close()


def test_many_visitors_at_once_get_their_own_answers(bench: Bench) -> None:
    bench.open_gate()
    texts = [f"hate number {i} today" for i in range(12)]
    ids: dict[str, str] = {}

    def ask(text: str) -> None:
        ids[text] = bench.engine.submit(bench.request(text, budget=10))

    threads = [threading.Thread(target=ask, args=(t,)) for t in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for text in texts:
        bench.until(ids[text], "done")
        found = bench.engine.result(ids[text])
        assert found is not None
        assert found.text == text


def test_a_job_that_was_left_goes_on_for_another_who_asks(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nsx_core.job.LOOKS_SECONDS", 0.05)
    job = bench.engine.submit(bench.request())
    assert bench.writer.waiting.wait(20)
    bench.engine.leave(job)
    assert bench.engine.submit(bench.request()) == job
    time.sleep(0.1)
    bench.open_gate()
    bench.until(job, "done")


def test_waiting_jobs_know_how_many_come_first(bench: Bench) -> None:
    bench.engine.submit(bench.request())
    assert bench.writer.waiting.wait(20)
    second, third = (bench.engine.submit(bench.request(seed=s)) for s in (1, 2))
    assert (bench.engine.job(second).ahead, bench.engine.job(third).ahead) == (1, 2)
    bench.open_gate()
    for job in (second, third):
        bench.until(job, "done")
    assert bench.engine.job(third).ahead == 0


def test_examples_that_cannot_be_stored_do_not_keep_the_app_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise StoreError("The disk is full: 4 draws were not saved.")

    monkeypatch.setattr("nsx_core.engine.load_examples", full)
    engine = Engine.start(tmp_path, fake_catalogue())
    try:
        (said,) = engine.warnings
        assert said == "The examples could not be stored. The disk is full: 4 draws were not saved."
        assert engine.text("none") is None
    finally:
        engine.close()
