"""The chart of necessity against sufficiency."""

from __future__ import annotations

import json
from itertools import pairwise

from nsx_core import pipeline
from nsx_core.fake_catalogue import fake_catalogue
from nsx_core.records import ExplainSettings, Explanation
from nsx_core.store import Store
from nsx_core.views.scatter import LABELLED_MAX, LABELS_APART, scatter, scatter_sentence


def explained(text: str) -> Explanation:
    with Store.open(":memory:") as store:
        return pipeline.explained(
            text, "fake-hate", "word-list", ExplainSettings(budget=20), fake_catalogue(), store
        )


def test_points_and_bars_are_the_scores() -> None:
    found = explained("I hate all rain.")
    trace = scatter(found).data[0]
    assert list(trace.y) == [w.necessity.value for w in found.words]
    assert list(trace.x) == [w.sufficiency.value for w in found.words]
    for place, word in enumerate(found.words):
        assert word.necessity.value is not None
        low = word.necessity.value - trace.error_y.arrayminus[place]
        assert abs(low - (word.necessity.low or 0.0)) < 1e-12
    assert "\u201chate\u201d" in scatter_sentence(found)


def test_words_are_escaped_and_only_some_are_labelled() -> None:
    found = explained("<a href='x'>hate</a> " + " ".join(f"word{i}" for i in range(20)))
    drawn = json.loads(scatter(found).to_json())
    assert "<a" not in json.dumps(drawn["data"])
    labels = [t for t in drawn["data"][0]["text"] if t]
    assert 1 <= len(labels) <= LABELLED_MAX
    heights = [y for y, t in zip(drawn["data"][0]["y"], drawn["data"][0]["text"], strict=True) if t]
    assert all(b - a >= LABELS_APART - 1e-12 for a, b in pairwise(sorted(heights)))


def test_equal_words_are_not_ranked() -> None:
    assert "about the same place" in scatter_sentence(explained("Rain and wind today"))


def test_a_one_word_text_has_no_chart_but_a_sentence() -> None:
    found = explained("hate")
    assert len(scatter(found).data[0].x) == 0
    assert "no chart" in scatter_sentence(found)
