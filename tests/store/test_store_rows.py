"""What goes in comes out, and only once."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_cases import a_draw_set, draws, job, judged, split

from nsx_core.errors import StoreError, UnknownNameError
from nsx_core.records import Draw, DrawSide, SplitText, text_hash
from nsx_core.store import JobRow, Store

ODD = [
    "",
    "\ud800",
    "\x00",
    "a\x00b",
    "\udc80\ud83d\ude00",
    "'; DROP TABLE draws; --",
    "😀\r\n\t\x1b[0m",
]
any_text = st.text(st.characters(), max_size=30)  # lone surrogates included


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    with Store.open(":memory:") as opened:
        yield opened


def test_draws_and_predictions_come_back_as_they_were(store: Store) -> None:
    made, rows = a_draw_set(1), draws("one", 0, 6)
    other = draws("one", 0, 3, DrawSide.SUFFICIENCY)
    store.commit_batch(made, [*reversed(rows), *other], "clf", judged(rows), None)
    assert store.draws(made.key, DrawSide.NECESSITY, 100) == rows
    assert store.draws(made.key, DrawSide.NECESSITY, 2) == rows[:2]
    assert store.draws(made.key, DrawSide.SUFFICIENCY, 100) == other
    assert store.draw_counts(made.key) == dict(zip(DrawSide, (6, 3, 0), strict=True))
    texts = [draw.text for draw in rows]
    assert store.predictions("clf", [*texts, texts[0], "never seen"]) == judged(rows)
    assert store.predictions("another", texts) == {}
    assert store.predictions("clf", []) == {}


def test_an_unknown_draw_set_has_no_draws(store: Store) -> None:
    assert store.draws("unknown", DrawSide.NECESSITY, 10) == []
    assert store.draw_counts("unknown") == dict.fromkeys(DrawSide, 0)


@pytest.mark.parametrize("text", ODD)
def test_odd_texts_come_back_exactly(store: Store, text: str) -> None:
    text_id = store.remember_text(SplitText(text, ()))
    assert text_id == text_hash(text)
    assert store.text(text_id) == text


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=any_text, answers=st.lists(any_text, max_size=3))
def test_any_text_comes_back_exactly(store: Store, text: str, answers: list[str]) -> None:
    made = a_draw_set(2, "words " + text)
    draw = Draw(DrawSide.SUFFICIENCY, 0, (True,), tuple(answers), text)
    store.commit_batch(made, [draw], "odd", {text: [0.25, 0.75]}, None)
    first = store.draws(made.key, DrawSide.SUFFICIENCY, 1)[0]
    assert first.text == text
    assert store.predictions("odd", [text]) == {text: (0.25, 0.75)}
    if first.answers != draw.answers:  # another example had the same text and came first
        assert store.draw_counts(made.key)[DrawSide.SUFFICIENCY] == 1


def test_saving_again_changes_nothing(store: Store) -> None:
    made, rows = a_draw_set(3), draws("again", 0, 4)
    store.commit_batch(made, rows[:3], "clf", judged(rows[:3]), None)
    changed = [dataclasses.replace(draw, text="something else") for draw in rows[:3]]
    store.commit_batch(made, [*changed, rows[3]], "clf", {rows[0].text: (0.0, 1.0)}, None)
    assert store.draws(made.key, DrawSide.NECESSITY, 9) == rows
    assert store.predictions("clf", [rows[0].text]) == {rows[0].text: judged(rows)[rows[0].text]}


def test_one_number_cannot_stand_for_two_draws(store: Store) -> None:
    draw = draws("twice", 0, 1)[0]
    store.commit_batch(a_draw_set(4), [draw, draw], None, {}, None)
    other = dataclasses.replace(draw, text="something else")
    with pytest.raises(StoreError, match=r"Draw 0 of necessity came twice .* different texts"):
        store.commit_batch(a_draw_set(4), [draw, other], None, {}, None)


def test_rows_without_their_owner_are_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="4 draws came without the draw set"):
        store.commit_batch(None, draws("x"), None, {}, None)
    with pytest.raises(StoreError, match="1 predictions came without their classifier"):
        store.commit_batch(None, [], None, {"x": [1.0]}, None)


def test_classifiers_do_not_share_predictions(store: Store) -> None:
    for number, name in enumerate(("first", "second")):
        store.commit_batch(None, [], name, {"shared": [float(number)]}, None)
    assert store.predictions("first", ["shared"]) == {"shared": (0.0,)}
    assert store.predictions("second", ["shared"]) == {"shared": (1.0,)}


def test_texts_and_models_are_kept_once(store: Store) -> None:
    for _ in range(2):
        store.remember_text(split("kept once"))
        store.remember_model("classifier", "hate", "f1", {"path": "x", "labels": ["a"]})
    counts = store._database.read(
        lambda cursor: cursor.execute(
            "SELECT (SELECT count(*) FROM texts WHERE text_id = ?), (SELECT count(*) FROM models)",
            [text_hash("kept once")],
        ).fetchall()
    )
    assert counts == [(1, 1)]
    assert store.text("unknown") is None
    with pytest.raises(UnknownNameError, match="Did you mean 'classifier'"):
        store.remember_model("clasifier", "x", "f", {})  # type: ignore[arg-type]


def test_odd_names_are_kept_readable(store: Store) -> None:
    for _ in range(2):
        store.remember_model("infiller", "odd \ud800 'name'", "f2", {"path": "\ud800"})
    named = store._database.read(
        lambda cursor: cursor.execute("SELECT name FROM models WHERE fingerprint = 'f2'").fetchall()
    )
    assert named == [("odd \\ud800 'name'",)]
    made = dataclasses.replace(a_draw_set(6), infiller="\ud800")
    store.commit_batch(made, draws("odd name"), None, {}, None)
    assert store.draw_counts(made.key)[DrawSide.NECESSITY] == 4


def test_jobs_change_and_are_listed_newest_first(store: Store) -> None:
    store.save_job(job("a", "queued", created=1.0))
    store.save_job(job("b", "running", created=2.0))
    failed = dataclasses.replace(job("a", "failed", 3), error="broke on '\ud800'")
    store.commit_batch(None, [], None, {}, failed)
    assert store.job("a") == failed
    assert [row.id for row in store.jobs()] == ["b", "a"]
    assert [row.id for row in store.jobs(limit=1)] == ["b"]
    assert store.jobs("failed") == [failed]
    assert store.job("unknown") is None
    with pytest.raises(UnknownNameError, match="Did you mean 'running'"):
        store.jobs("runing")
    with pytest.raises(UnknownNameError, match="No job state is called 'lost'"):
        JobRow("x", "explain", "lost", 0, 0, 0.0, None, "{}", 0.0)


def test_judged_draws_come_as_a_frame(store: Store) -> None:
    made, rows = a_draw_set(5), draws("frame", 0, 3)
    odd = Draw(DrawSide.SUFFICIENCY, 0, (True, False, True), ("\ud800",), "odd \ud800")
    store.commit_batch(made, [*rows, odd], "clf", {**judged(rows[:2]), odd.text: (0.5, 0.5)}, None)
    frame = store.judged(made.key, "clf")
    assert frame["side"].tolist() == ["necessity", "necessity", "sufficiency"]
    assert frame["text"].tolist() == [rows[0].text, rows[1].text, odd.text]
    assert frame["mask"].tolist() == ["101", "100", "101"]
    assert frame["answers"].tolist() == [("a", "b c"), ("a", "b c"), ("\ud800",)]
    assert frame["probabilities"].tolist()[0] == judged(rows)[rows[0].text]
    assert len(store.judged(made.key, "clf", DrawSide.SUFFICIENCY)) == 1
    empty = store.judged("unknown", "clf")
    assert len(empty) == 0
    assert list(empty.columns) == list(frame.columns)
