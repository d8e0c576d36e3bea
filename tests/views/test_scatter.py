"""The charts of All scores: necessity against sufficiency, and scores against draws."""

from __future__ import annotations

import json
from dataclasses import replace

import made
import pytest

from nsx_core import pipeline
from nsx_core.fake_catalogue import fake_catalogue
from nsx_core.records import Estimate, ExplainSettings, Explanation, Growth, Side
from nsx_core.store import Store
from nsx_core.views.chart_labels import Cross, placed
from nsx_core.views.growth_chart import followed, growth_chart, growth_sentence
from nsx_core.views.scatter import LABELLED_A_SCORE, scatter, scatter_sentence


def explained(text: str) -> Explanation:
    with Store.open(":memory:") as store:
        return pipeline.explained(
            text, "fake-hate", "word-list", ExplainSettings(budget=20), fake_catalogue(), store
        )


def scored(
    text: str, *pairs: tuple[float, float], spread: float = 0.2, **more: object
) -> Explanation:
    """An explanation with these scores, each give or take ``spread``."""
    estimates = [
        (Estimate(n, n - spread, n + spread, 9), Estimate(s, s - spread, s + spread, 9))
        for n, s in pairs
    ]
    return made.explanation(text, estimates, **more)  # type: ignore[arg-type]


def test_points_and_bars_are_the_scores() -> None:
    found = explained("I hate all rain.")
    figure = scatter(found, 1)
    assert figure is not None
    places = {
        (x, y): (t, i) for t in figure.data for i, (x, y) in enumerate(zip(t.x, t.y, strict=True))
    }
    for word in found.words:
        trace, at = places[word.sufficiency.value, word.necessity.value]
        assert word.necessity.value is not None
        low = word.necessity.value - trace.error_y.arrayminus[at]
        assert abs(low - (word.necessity.low or 0.0)) < 1e-12
    assert sum(len(t.x) for t in figure.data) == 4
    assert "\u201chate\u201d" in scatter_sentence(found, 1)


@pytest.mark.parametrize(
    "pairs",
    [
        [(-0.33, -0.4), (-0.6, 0.1), (0.0, 0.0)],
        [(0.9, 0.98), (0.1, 0.0), (0.5, 0.5)],
        [(0.0, 0.0)] * 3,
    ],
)
def test_the_axes_hold_every_interval_and_zero(pairs: list[tuple[float, float]]) -> None:
    whole = scored("a b c", *pairs)
    figure = scatter(whole, 0)
    assert figure is not None
    for axis, side in ((figure.layout.xaxis, "sufficiency"), (figure.layout.yaxis, "necessity")):
        low, high = axis.range
        ends = [e for w in whole.words for e in (getattr(w, side).low, getattr(w, side).high)]
        assert low < min(0, *ends) and max(0, *ends) < high
        # And no more than that: at most a quarter and the padding at either end.
        assert high - low < (max(0, *ends) - min(0, *ends) + 0.5) * 1.11
        assert axis.zeroline and axis.zerolinecolor


def test_the_caption_says_what_is_gained_and_what_is_lost() -> None:
    pairs = [(-0.33, 0.1), (-0.6, 0.2), (0.0, 0.0)]
    said = scatter_sentence(scored("a b c", *pairs, probability=0.1), 0)
    assert "Lower: the label hate is gained more often" in said and "lost" not in said
    assert "Furthest out is \u201cb\u201d with necessity \u22120.60" in said
    assert "Higher: the prediction is lost more often" in scatter_sentence(
        scored("a b c", (0.3, 0.1), (0.6, 0.2), (0.0, 0.0)), 0
    )
    said = scatter_sentence(scored("a b c", *pairs, use_scores=True), 0)
    assert "probability of hate is lost when the word is replaced (below 0: it grows)" in said


def test_only_a_handful_is_labelled_and_it_is_said() -> None:
    pairs = [(0.9 - i / 40, 0.1 + i / 300) for i in range(33)]
    whole = scored(" ".join(f"word{i}" for i in range(33)), *pairs)
    figure = scatter(whole, 20)
    assert figure is not None
    labels = [a.text for a in figure.layout.annotations]
    assert any("<b>word20</b>" in t for t in labels) and any(">word0<" in t for t in labels)
    assert len(labels) <= 2 * LABELLED_A_SCORE + 1
    assert f"{len(labels)} of 33 words are labelled; the others" in scatter_sentence(whole, 20)
    # Every point is named when pointed at.
    assert sorted(c[0] for t in figure.data for c in t.customdata) == sorted(
        w.word.text for w in whole.words
    )
    assert "labelled" not in scatter_sentence(scored("a b", (0.9, 0.1), (0.1, 0.9)), 0)


def test_labels_lie_off_their_own_bars_and_off_one_another() -> None:
    figure = scatter(scored("one two", (0.9, 0.1), (0.1, 0.9)), 0)
    assert figure is not None
    assert len(figure.layout.annotations) == 2
    for label in figure.layout.annotations:
        # Each grows away from its point, so that neither bar is under it.
        assert label.ax and label.xanchor == ("left" if label.ax > 0 else "right")
        assert label.ay and label.yanchor == ("top" if label.ay > 0 else "bottom")
    same = Cross(0.5, 0.5, 0.4, 0.6, 0.4, 0.6)
    corners = placed([same] * 6, ["word"] * 6)
    assert corners[0] == (6, 4) and len({*corners.values()}) == len(corners) == 6
    # At the right end there is room on the left only.
    assert placed([Cross(1.0, 0.5, 0.9, 1.0, 0.4, 0.6)], ["word"])[0][0] < 0
    # Where points crowd, the label goes out of the crowd.
    crowd = [
        Cross(0.5 + i / 100, 0.5 + j / 60, 0.5, 0.5, 0.5, 0.5)
        for i in (0, 1, 2)
        for j in (-1, 0, 1)
    ]
    across, upwards = placed([same, *crowd], ["word", *[""] * 9])[0]
    assert across < 0 or abs(upwards) > 10


def test_words_are_escaped() -> None:
    found = explained("<a href='x'>hate</a> " + " ".join(f"word{i}" for i in range(20)))
    figure = scatter(found, 0)
    assert figure is not None
    drawn = json.loads(figure.to_json())
    assert "<a" not in json.dumps([drawn["data"], drawn["layout"]["annotations"]])


def test_equal_words_are_not_ranked() -> None:
    alike = explained("Rain and wind today")
    said = scatter_sentence(alike, 2)
    assert "about the same place" in said and "1 of 4 words is labelled" in said
    figure = scatter(alike, 2)
    assert figure is not None and len(figure.layout.annotations) == 1
    assert "<b>wind</b>" in figure.layout.annotations[0].text
    # Scores that add up to the same are not the same place.
    assert "Furthest out" in scatter_sentence(scored("a b", (0.5, 0.1), (0.1, 0.5)), 0)


def test_a_one_word_text_has_no_chart_but_a_sentence() -> None:
    found = explained("hate")
    assert scatter(found, 0) is None
    assert "no chart" in scatter_sentence(found, 0)


def test_growth_has_axes_for_what_there_is() -> None:
    whole = made.explanation("Hello")
    nan = float("nan")
    lines = [
        Growth(0, Side.NECESSITY, (1, 2), (0.0, -0.001)),
        Growth(0, Side.SUFFICIENCY, (1, 2), (nan, nan)),
    ]
    chart = growth_chart(whole, lines)
    assert chart is not None and [a.title.text for a in chart.select_yaxes()] == ["necessity"]
    assert list(chart.data[0].customdata) == ["0.00", "0.00"]
    assert growth_chart(whole, lines[1:]) is None


def test_growth_says_which_words_are_drawn() -> None:
    pairs = [(n, 0.1) for n in (0.0, -0.9, 0.1, -0.2, -0.3, -0.4, -0.5, 0.0, 0.0)]
    whole = scored("a b c d e f g h i", *pairs)
    assert followed(whole, 1) == (1, 3, 4, 5, 6)
    assert followed(whole, 8) == (1, 3, 4, 5, 6, 8)
    said = growth_sentence(whole, 1)
    assert "one of 5 of the 9 words" in said and "the 5 with the strongest necessity." in said
    assert "strongest necessity and the chosen one." in growth_sentence(whole, 8)
    assert growth_sentence(replace(whole, words=whole.words[:3]), 1).startswith(
        "Each line is a word. "
    )
