"""Audit tables: every figure with its interval and n, marks of small cells, undefined as such."""

from __future__ import annotations

import json
from dataclasses import replace

import audits_made
import made
import pandas as pd
import pytest
from audits_made import ABUSE, FEW, HATE, HOSTILE, NEVER

from nsx_core.audit.group_pairs import group_pairs
from nsx_core.audit_records import SeedRow
from nsx_core.errors import DataError
from nsx_core.views.audit_cells import (
    DAGGER,
    Cell,
    as_value,
    floor_of,
    from_value,
    name_of,
    signed,
)
from nsx_core.views.audit_files import audit_table
from nsx_core.views.audit_groups import pair_sentence, pair_table, pairs_matrix, turned
from nsx_core.views.audit_matrix import matrix
from nsx_core.views.audit_tables import (
    attributions_table,
    costs_table,
    differences_table,
    functions_table,
    p_value,
    rates_table,
    seeds_table,
)
from nsx_core.views.heatmap import shading
from nsx_core.views.markup import Node
from nsx_core.views.numbers import score


def button(tree: Node, *names: str) -> Node:
    """The button of this value; there is exactly one."""
    return next(n for n in made.nodes(tree) if n.attributes.get("data-value") == as_value(*names))


def test_a_cell_says_mean_interval_spread_and_n_and_is_shaded_by_its_own_score() -> None:
    found = audits_made.found()
    tree = matrix(found.report.table_2, "Title")
    row = next(r for r in found.report.table_2 if (r.classifier, r.group) == (HATE, HOSTILE))
    cell = button(tree, HATE, HOSTILE, "necessity")
    assert row.measure == "necessity" and row.score.low is not None and row.score.std is not None
    assert score(row.score.value) in cell.text and f"n {row.score.n}" in cell.text
    assert f"std {score(row.score.std)}" in cell.text and score(row.score.low) in cell.text
    assert cell.properties == shading("necessity", row.score.value)  # type: ignore[arg-type]
    assert made.having(cell, "line") and cell.attributes["data-event"] == "cell"
    assert json.loads(cell.attributes["data-value"]) == [HATE, HOSTILE, "necessity"]
    assert "14 cases" in cell.attributes["aria-label"]
    assert DAGGER not in cell.text


def test_a_cell_of_few_cases_is_marked_and_the_mark_is_explained() -> None:
    tree = matrix(audits_made.found().report.table_2, "Title")
    cell = button(tree, HATE, FEW, "necessity")
    assert DAGGER in cell.text and "few" in cell.attributes["class"].split()
    assert "fewer than 10 cases" in cell.attributes["title"]
    assert "fewer than 10 cases" in "".join(n.text for n in made.having(tree, "footnote"))
    only_many = [r for r in audits_made.found().report.table_2 if r.group == HOSTILE]
    assert DAGGER not in matrix(only_many, "Title").text


def test_an_undefined_cell_says_so_and_shows_no_number() -> None:
    cell = button(matrix(audits_made.found().report.table_2, "Title"), ABUSE, NEVER, "sufficiency")
    assert "undefined" in cell.text and "0 of 4" in cell.text and "0.00" not in cell.text
    assert "undefined" in cell.attributes["class"].split()


def test_with_struck_texts_each_cell_has_the_value_without_them() -> None:
    found = audits_made.found(struck=True)
    assert found.report_without_struck is not None
    tree = matrix(found.report.table_2, "Title", without=found.report_without_struck.table_2)
    wanted = next(
        r.score.value
        for r in found.report_without_struck.table_2
        if (r.classifier, r.group, r.measure) == (HATE, HOSTILE, "necessity")
    )
    assert f"without: {score(wanted)}" in button(tree, HATE, HOSTILE, "necessity").text
    assert "without" not in matrix(found.report.table_2, "Title").text


def test_the_chosen_cell_is_pressed_and_no_other() -> None:
    chosen = Cell(HATE, FEW, "sufficiency")
    tree = matrix(audits_made.found().report.table_2, "Title", chosen)
    pressed = [n for n in made.nodes(tree) if n.attributes.get("aria-pressed") == "true"]
    assert [json.loads(n.attributes["data-value"]) for n in pressed] == [[HATE, FEW, "sufficiency"]]


def test_bars_begin_below_zero_where_scores_do() -> None:
    rows = audits_made.found().report.table_2
    lowest = min(v for r in rows for v in (r.score.low, r.score.value) if v is not None)
    assert -0.25 <= lowest < -0.02 and floor_of(rows) == -0.25
    assert floor_of([r for r in rows if r.measure == "necessity"]) == 0.0
    assert "from \u22120.25 to 1" in matrix(rows, "Title").text


def test_values_of_clicks_come_back_as_they_were() -> None:
    names = ('a|b"', "", "\n")
    assert from_value(as_value(*names), 3) == names
    for wrong in ("", "x", "[1, 2, 3]", '["a"]', '{"a": 1}'):
        with pytest.raises(DataError, match="A click names"):
            from_value(wrong, 3)


def test_names_and_signs() -> None:
    assert name_of("") == "(no group)" and len(name_of("x" * 300)) == 39
    assert [signed(v) for v in (0.123, -0.1, 0.001, -0.001, None)] == [
        "+0.12", "\u22120.10", "0.00", "0.00", "undefined",
    ]  # fmt: skip
    assert [p_value(p) for p in (None, 0.0004, 0.0461)] == ["\u2013", "< 0.001", "0.046"]


def test_markup_in_names_and_texts_stays_text() -> None:
    found = audits_made.found()
    for tree in (matrix(found.report.table_2, "Title"), functions_table(found.report.table_1)):
        written = tree.as_html()
        assert "<b>" not in written and "&lt;b&gt;" in written


def test_table_1_has_numbers_only_where_the_suite_does() -> None:
    rows = audits_made.found().report.table_1
    said = functions_table(rows).text
    assert "F3" in said and "derog_dehum_h" in said and "hateful" in said and "23" in said
    plain = [r for r in rows if r.functionality == "target_obj_nh"]
    assert "No." in functions_table(plain).text


def test_rates_say_positives_of_n_and_undefined() -> None:
    rows = audits_made.found().report.table_3
    said = [n.text for n in made.having(rates_table(rows), "rate")]
    assert any("50 %" in t and "6 of 12" in t for t in said)
    assert any("undefined" in t and "0 of 0" in t for t in said)
    assert DAGGER in "".join(t for t in said if "3 of 3" in t)


def test_table_4_stands_beside_ours_unshaded() -> None:
    report = audits_made.found(methods=True).report
    tree = attributions_table(report.table_4, report.table_2, "Title")
    heads = [n.text for n in made.nodes(tree) if n.attributes.get("scope") == "col"]
    assert heads == ["Classifier", "Group", "necessity", "sufficiency", "SHAP", "LIME"]
    assert "\u22120.25" in tree.text and "undefined" in tree.text
    assert not [n for n in made.nodes(tree) if "--paper-light" in n.properties]


def test_pairs_without_a_test_say_why() -> None:
    pairs = audits_made.found().report.pairs
    said = differences_table(pairs, "Title", "Classifiers").text
    assert f"{HATE} against {ABUSE}" in said and "+0.30" in said and "No test" not in said
    few = [group_pairs(audits_made.found().cases, HATE, (HOSTILE, FEW))[0].difference]
    assert "No test: not enough: 5 shared templates" in differences_table(few, "T", "Groups").text


def test_costs_without_seconds_or_cases() -> None:
    said = costs_table(audits_made.found().costs).text
    assert "200" in said and "0.66" in said and "undefined" in said
    assert "nobody measured" not in said
    (own, _) = audits_made.found().costs
    some = costs_table([replace(own, timed=5)]).text
    assert "12 (5 cases)" in some and "2.50" in some and "nobody measured" in some
    assert replace(own, seconds=None, timed=0).seconds_a_case is None


def test_seeds_have_an_interval_where_there_are_several() -> None:
    several = SeedRow(HATE, HOSTILE, "SHAP permutation", 0.8123, 0.79, 0.83, 5, 12)
    one = SeedRow(HATE, FEW, "SHAP permutation", 0.5, None, None, 1, 3)
    said = seeds_table([several, one]).text
    assert "0.812" in said and "0.790 to 0.830" in said and "none" in said
    frame = audit_table(
        replace(audits_made.found(), seeds=(several, one)), "table-4-shap-over-seeds"
    )
    assert frame["value"].tolist() == [0.8123, 0.5] and frame["seeds"].tolist() == [5, 1]


def test_two_groups_side_by_side_either_way_round() -> None:
    pairs = group_pairs(audits_made.found().cases, HATE, (HOSTILE, FEW))
    one = replace(pairs[0], difference=replace(pairs[0].difference, low=0.3, high=0.5))
    other = turned(one, FEW)
    assert turned(one, HOSTILE) is one and turned(other, HOSTILE) == one
    assert (other.difference.low, other.difference.high) == (-0.5, -0.3)
    assert (other.first_mean, other.second_mean) == (one.second_mean, one.first_mean)
    tree = pair_table([one, pairs[1]])
    assert score(one.first_mean) in tree.text and signed(one.difference.value) in tree.text
    first, second = made.having(tree, "first")[0], made.having(tree, "second")[0]
    assert first and second and made.having(tree, "dumbbell")[0].properties["--first"]
    assert "No conclusion" in pair_sentence(one, 2) and "not enough" in pair_sentence(one, 2)


def test_a_pair_of_groups_is_said_with_its_test() -> None:
    cases = audits_made.found().cases
    cases = cases[cases["group"] == HOSTILE]
    lower = cases.assign(group=FEW, necessity=cases["necessity"] - 0.2)
    both = pd.concat([cases, lower])
    pair, same = group_pairs(both, HATE, (FEW, HOSTILE))
    said = pair_sentence(pair, 2)
    assert f"the necessity of {HOSTILE} is higher by 0.20 than that of {FEW}" in said
    assert "corrected for 2 tests" in said and "would be rare" in said
    assert "the same to two decimals" in pair_sentence(same, 2)
    assert "leaves open" in pair_sentence(same, 2)


def test_the_matrix_of_pairs_is_antisymmetric() -> None:
    groups = (HOSTILE, FEW, NEVER)
    pairs = group_pairs(audits_made.found().cases, HATE, groups)
    tree = pairs_matrix(pairs, groups, "necessity", (FEW, HOSTILE))
    over, under = button(tree, HOSTILE, FEW), button(tree, FEW, HOSTILE)
    assert "+0.42" in over.text or "+0.40" in over.text
    assert over.text.replace("+", "\u2212") == under.text
    assert under.attributes["aria-pressed"] == "true" != over.attributes["aria-pressed"]
    assert "undefined" in button(tree, HOSTILE, NEVER).text
