"""The benchmark of counterfactual methods: which cases, and what the table says of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nsx_core.bench.counterfactuals import case_row, chosen, summary
from nsx_core.bench.page import counterfactuals_as_markdown, write_figures
from nsx_core.counterfactual_records import CounterfactualRequest, Method
from nsx_core.counterfactual_search import searched
from nsx_core.errors import DataError
from nsx_core.fake_catalogue import fake_catalogue
from nsx_core.records import ExplainRequest, ExplainSettings
from nsx_core.store import Store


def test_cases_are_spread_over_the_suite() -> None:
    texts = [str(i) for i in range(25)]
    assert chosen(texts, 5) == (["0", "5", "10", "15", "20"], 5)
    assert chosen(texts, 24)[0] == texts[:24]
    with pytest.raises(DataError, match="26 predicted cases are asked for, and the suite has 25"):
        chosen(texts, 26)


def test_a_row_a_method_with_shares_and_medians(store: Store, tmp_path: Path) -> None:
    catalogue = fake_catalogue()
    rows = []
    for text, budget in (("I hate this", 200), ("they hate that", 200), ("we hate him", 1)):
        explain = ExplainRequest(text, "fake-hate", "word-list", ExplainSettings(budget=10))
        found = searched(CounterfactualRequest(explain, budget=budget), catalogue, store)
        rows.append(json.loads(json.dumps(case_row(found, 2.0))))
    table = {row["method"]: row for row in summary(rows)}
    assert list(table) == list(Method)
    # A draw behind the scores flips each of them; Anchors counts its own texts alone.
    assert [row["valid"] for row in table.values()] == [3, 3, 3, 2]
    for row in table.values():
        assert row["low"] < row["valid"] / 3 <= row["high"] <= 1
        assert row["words_changed"] == 1
        assert row["fluency"] is None
        assert 0 < row["calls"] <= 200
    assert table["sedc"]["own"] == "words removed: 1 in the median, proven in 2 of 3"
    assert table["anchors"]["own"].endswith("proven in 2 of 3")
    page = counterfactuals_as_markdown(
        {
            "machine": "one core", "conditions": "nothing else ran", "cases": 3, "suite": "a suite", "classifier": "fake-hate",
            "label": "hate", "every": 1, "words": [3, 3], "budget": 200,
            "seconds": {"median": 2.0, "high": 2.5}, "methods": list(table.values()),
        }
    )  # fmt: skip
    assert "| sedc | 3 of 3 (0.44 to 1.00) | 1 |" in page
    assert "| none |" in page
    assert "2.0 s a case in the median" in page
    write_figures(tmp_path, "one core", [], None)
    assert json.loads((tmp_path / "benchmarks.json").read_text())["figures"] == []
    assert "Counterfactual" not in (tmp_path / "benchmarks.md").read_text()
