"""Explanations while they grow: cancel, go on, faults, leaving."""

from __future__ import annotations

import time

import pytest
from streamlit.testing.v1 import AppTest
from visiting import explained, figures, finished, shown, texts, twice

from nsx_core.job import ACTIVE
from pages.shared.engine import the_engine


def first_batch(app: AppTest) -> str:
    """Wait for the first draws of the job that the page shows; returns its id."""
    job: str = app.session_state["job"]
    while the_engine().partial(job) is None:
        time.sleep(0.02)
    return job


def test_cancel_and_go_on(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NSX_FAKE_RATE", "150")
    twice(app)
    app.text_area(key="text_box").set_value("Women should go home now")
    app.slider(key="budget").set_value(200)
    app.button(key="explain").click().run()
    job = first_batch(app)
    app.button(key="cancel").click().run()
    assert "Stopping. The draws of finished batches are kept." in texts(app)
    assert app.button(key="cancel").disabled
    finished(app)
    kept = the_engine().job(job).infilled
    assert 0 < kept < 521
    assert "Stopped" in texts(app) and f"{kept} of 521 draws are kept" in texts(app)
    app.button(key="resume").click().run()
    assert shown(app, "cancel")
    assert the_engine().job(app.session_state["job"]).state in ACTIVE
    the_engine().catalogue.infiller("word-list").rate = None
    finished(app)
    assert "heatmap" in figures(app)
    job = the_engine().job(app.session_state["job"])
    assert (job.reused, job.infilled) == (kept, 521 - kept)


def test_scores_are_shown_while_they_grow(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NSX_FAKE_RATE", "150")
    twice(app)
    app.text_area(key="text_box").set_value("Women should come home now")
    app.slider(key="budget").set_value(200)
    app.button(key="explain").click().run()
    job = first_batch(app)
    app.run()
    assert shown(app, "cancel") and "heatmap" in figures(app)
    assert not app.get("download_button")
    the_engine().cancel(job)
    finished(app)
    assert "Stopped" in texts(app) and "heatmap" in figures(app)
    the_engine().catalogue.infiller("word-list").rate = None
    app.button(key="resume").click().run()
    finished(app)
    assert app.get("download_button")


def test_a_failed_job_says_why_and_can_be_tried_again(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NSX_FAKE_FAULT", "boom")
    twice(app)
    explained(app, "Women boom")
    assert "The computation failed" in texts(app) and "fails on 'boom'" in texts(app)
    assert app.text_area(key="text_box").value == "Women boom"
    the_engine().catalogue.infiller("word-list").faulty = None
    app.button(key="retry").click().run()
    assert "heatmap" in figures(finished(app))


def test_an_engine_that_is_closed_under_a_running_job_goes_on_in_the_next(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NSX_FAKE_RATE", "150")
    twice(app)
    app.text_area(key="text_box").set_value("Women should go home now")
    app.slider(key="budget").set_value(200)
    app.button(key="explain").click().run()
    before, job = the_engine(), app.session_state["job"]
    the_engine.clear()
    assert before.job(job).state == "interrupted"
    monkeypatch.delenv("NSX_FAKE_RATE")
    app.run()
    assert the_engine() is not before
    assert the_engine().store.job(job).state == "interrupted"
    assert not app.exception
    assert "heatmap" in figures(finished(app))


def test_an_explanation_that_is_left_is_stopped(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nsx_core.job.LOOKS_SECONDS", 0.1)
    monkeypatch.setenv("NSX_FAKE_RATE", "60")
    twice(app)
    app.text_area(key="text_box").set_value("Women should walk home now")
    app.button(key="explain").click().run()
    left = app.session_state["job"]
    app.button(key="example-0").click().run()
    end = time.monotonic() + 20
    while state_of(left) in ACTIVE:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert state_of(left) == "cancelled"
    assert "heatmap" in figures(app)


def state_of(job: str) -> str:
    """The state of a job that nobody's page asks for."""
    return the_engine()._jobs._jobs[job].state
