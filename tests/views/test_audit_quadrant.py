"""The audit's charts: where names stand, and the points of rank correlations."""

from __future__ import annotations

import json
from dataclasses import replace

import audits_made
import pytest
from audits_made import ABUSE, FEW, HATE, HOSTILE, NEVER

from nsx_core.audit.results import Correlation, Hypothesis, MeanScore, Point, Rate
from nsx_core.views.audit_hypotheses import (
    correlation_chart,
    correlation_note,
    correlations_frame,
    points_frame,
)
from nsx_core.views.audit_points import CROWDED
from nsx_core.views.audit_quadrant import (
    NAMES,
    Standing,
    quadrant,
    quadrant_of,
    quadrant_sentences,
    standings,
)

NAMED = (HATE, ABUSE)


def standing(n: float | None, s: float | None, rate: float | None = 0.25) -> Standing:
    def mean(value: float | None) -> MeanScore:
        if value is None:
            return MeanScore(None, None, None, None, 0, 0, 20)
        return MeanScore(value, 0.1, value - 0.1, value + 0.05, 20, 20, 20)

    shares = None if rate is None else Rate(rate, rate, rate, int(rate * 100), 100)
    return Standing(HATE, f"g {n} {s}", mean(n), mean(s), shares)


def test_points_stand_at_their_scores_with_their_intervals() -> None:
    report = audits_made.found().report
    found = standings(report.table_2, report.table_3, HATE)
    assert [s.group for s in found] == [HOSTILE, FEW, NEVER]
    figure = quadrant(found, NAMED)
    assert figure is not None
    trace = figure.data[0]
    by_place = {(x, y): i for i, (x, y) in enumerate(zip(trace.x, trace.y, strict=True))}
    assert len(by_place) == 2, "the group without a score is left out"
    first = found[0]
    at = by_place[first.sufficiency.value, first.necessity.value]
    assert first.necessity.value is not None and first.necessity.low is not None
    low = first.necessity.value - trace.error_y.arrayminus[at]
    assert low == pytest.approx(first.necessity.low)


def test_the_area_is_the_rate_and_an_undefined_rate_is_hollow() -> None:
    figure = quadrant(
        [standing(0.9, 0.9, 1.0), standing(0.1, 0.1, 0.25), standing(0.3, 0.7, None)], NAMED
    )
    assert figure is not None
    trace = figure.data[0]
    size = dict(zip(trace.x, trace.marker.size, strict=True))
    assert (size[0.1] / size[0.9]) ** 2 == pytest.approx(0.25)
    symbol = dict(zip(trace.x, trace.marker.symbol, strict=True))
    assert symbol[0.7].endswith("-open") and not symbol[0.9].endswith("-open")
    hollow = quadrant_sentences([standing(0.3, 0.7, None)])
    assert any(said.startswith("Hollow") for said in hollow)


@pytest.mark.parametrize(
    ("n", "s", "named"),
    [
        (0.9, 0.1, "needed, not enough alone"),
        (0.5, 0.5, "needed and enough alone"),
        (0.1, 0.49, "neither needed nor enough"),
        (0.2, 0.8, "enough alone, not needed"),
    ],
)
def test_each_field_has_a_name_that_a_sentence_uses(n: float, s: float, named: str) -> None:
    one = standing(n, s)
    at = quadrant_of(one)
    assert at is not None and NAMES[at] == named
    said = [x for x in quadrant_sentences([one]) if x.lower().startswith(named)]
    assert len(said) == 1 and said[0].endswith(f": {one.group}.")
    figure = quadrant([one], NAMED)
    assert figure is not None and named in [a.text for a in figure.layout.annotations]


def test_an_undefined_score_is_named_and_not_drawn() -> None:
    assert quadrant_of(standing(None, 0.5)) is None
    assert quadrant([standing(None, 0.5)], NAMED) is None
    assert any(
        "undefined score: g None 0.5" in s for s in quadrant_sentences([standing(None, 0.5)])
    )


def test_axes_reach_down_to_negative_scores() -> None:
    figure = quadrant([standing(0.2, -0.3)], NAMED)
    assert figure is not None
    assert figure.layout.xaxis.range[0] < -0.5 and figure.layout.xaxis.range[1] > 1
    plain = quadrant([standing(0.2, 0.3)], NAMED)
    assert plain is not None and -0.25 < plain.layout.xaxis.range[0] < 0


def test_names_in_charts_are_escaped() -> None:
    report = audits_made.found().report
    for found in (standings(report.table_2, report.table_3), standings(report.table_2, (), HATE)):
        figure = quadrant(found, NAMED)
        assert figure is not None
        drawn = json.loads(figure.to_json())
        said = json.dumps([drawn["data"], drawn["layout"]["annotations"]])
        assert "<b>women" not in said and "&lt;b&gt;women" in said


def test_a_classifier_keeps_its_look() -> None:
    report = audits_made.found().report
    both = quadrant(standings(report.table_2, report.table_3), NAMED)
    one = quadrant(standings(report.table_2, report.table_3, ABUSE), NAMED)
    assert both is not None and one is not None
    assert both.data[1].marker.color == one.data[0].marker.color != both.data[0].marker.color
    assert both.layout.showlegend and not one.layout.showlegend
    said = quadrant_sentences(standings(report.table_2, report.table_3))
    assert any(f"{HOSTILE} ({ABUSE})" in s for s in said)


def test_the_most_flagged_group_is_named_with_its_count() -> None:
    report = audits_made.found().report
    said = quadrant_sentences(standings(report.table_2, report.table_3, HATE))
    assert said[-1].startswith(f"Most often flagged without cause: {HOSTILE}, 6 of 12")


def correlation(*points: Point) -> Correlation:
    return Correlation(
        "identity necessity", "positive rate on F22", -0.5, None, None, len(points), 0.3, 0.1, 6,
        True, points, ("note one", "note two"),
    )  # fmt: skip


def test_correlations_are_drawn_point_by_point() -> None:
    found = correlation(Point(HATE, HOSTILE, 0.4, 0.8, 20, 30), Point(ABUSE, FEW, -0.1, 0.2, 4, 30))
    figure = correlation_chart(found, NAMED)
    assert figure is not None
    assert [(t.x[0], t.y[0]) for t in figure.data] == [(0.4, 0.8), (-0.1, 0.2)]
    assert [t.marker.symbol[0].endswith("-open") for t in figure.data] == [False, True]
    assert "<b>women" not in json.dumps(json.loads(figure.to_json())["data"])
    assert "1 of 2 points rest on fewer than 10 cases" in correlation_note(found)
    assert "hollow" not in correlation_note(correlation(found.points[0]))
    assert correlation_chart(replace(found, points=()), NAMED) is None


def test_many_points_are_named_only_where_there_is_room() -> None:
    crowd = [Point(HATE, f"group {i}", 0.9 + i / 1000, 0.1, 20, 30) for i in range(CROWDED + 1)]
    found = correlation(*crowd)
    figure = correlation_chart(found, NAMED)
    assert figure is not None
    assert len(figure.layout.annotations) < len(crowd)
    assert all(abs(a.ax) <= 6 and abs(a.ay) <= 4 for a in figure.layout.annotations)
    assert "Not every point has room" in correlation_note(found)
    # The axes are as wide as the values ask for, and no sliver.
    low, high = figure.layout.xaxis.range
    assert 0.25 < high - low < 0.4 and low < 0.9 < 0.916 < high


def test_correlations_and_points_as_frames() -> None:
    found = correlation(Point(HATE, FEW, 0.4, 0.8, 20, 30))
    hypotheses = (Hypothesis(3, "claim", (found,), ("sentence",)),)
    frame = correlations_frame(hypotheses)
    assert frame.loc[0, "rho"] == -0.5 and frame.loc[0, "notes"] == "note one; note two"
    points = points_frame(hypotheses)
    assert points.loc[0, ["hypothesis", "group", "x", "n_y"]].tolist() == [3, FEW, 0.4, 30]
    assert correlations_frame(()).empty and list(points_frame(()).columns) == list(points.columns)
