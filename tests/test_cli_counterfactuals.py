"""``counterfactuals`` on the fakes: JSON, lines, and what cannot be used."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nsx_core.cli import main
from nsx_core.counterfactual_records import Method
from nsx_core.fake_catalogue import fake_catalogue

TEXT = "I hate all of these noisy people"


def run(*arguments: str) -> int:
    given = ["counterfactuals", TEXT, "--classifier", "fake-hate", "--no-cache", "--draws", "20"]
    return main([*given, "--budget", "200", *arguments], fake_catalogue())


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert run(*arguments, "--json") == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def test_json_holds_every_method_and_every_text(capsys: pytest.CaptureFixture[str]) -> None:
    answer = found(capsys)
    assert [one["method"] for one in answer["methods"]] == list(Method)
    assert (answer["probability"], answer["target"], answer["budget"]) == (0.9, 0.0, 200)
    for one in answer["methods"]:
        best = one["counterfactuals"][0]
        assert best["replaced"] == [1]
        assert best["after"] == pytest.approx(0.1)
        assert best["valid"]
        assert one["calls"] <= 200
        assert one["says"]
    sedc, anchor = answer["methods"][1]["sets"][0], answer["methods"][3]["sets"][0]
    assert (sedc["kind"], sedc["words"], sedc["proven"]) == ("removed", ["hate"], True)
    assert (anchor["kind"], anchor["words"], anchor["proven"]) == ("kept", ["hate"], True)
    assert anchor["low"] >= 0.9
    texts = [row["text"] for row in answer["texts"]]
    assert len(set(texts)) == len(texts) >= answer["free_texts"]


def test_one_method_with_a_goal_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    answer = found(
        capsys,
        "--method",
        "sedc",
        "--removal",
        "deletion",
        "--target",
        "0.1",
        "--tolerance",
        "0.05",
    )
    assert [one["method"] for one in answer["methods"]] == ["sedc"]
    assert answer["methods"][0]["counterfactuals"][0]["text"] == TEXT.replace(" hate", "")
    assert (answer["target"], answer["tolerance"]) == (0.1, 0.05)


def test_lines_say_the_answer_of_each_method(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    lines = capsys.readouterr().out
    for method in Method:
        assert f"\n{method} (" in lines
    assert "hate" in lines
    assert "0.10" in lines


def test_where_there_is_none_that_is_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--target", "0.5", "--tolerance", "0", "--method", "wachter") == 0
    assert "No counterfactual found" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--method", "anchor"], "Did you mean 'anchors'"),
        (["--budget", "0"], "from 1 to 20000, and '0' came"),
        (["--target", "2"], "lies in 0 to 1, and 2.0 came"),
        (["--tolerance", "-1"], "epsilon"),
        (["--precision", "1"], "strictly between 0 and 1"),
        (["--phrase", "nobody"], "nobody"),
        (["--label", "love"], "love"),
        (["--threshold", "1"], "threshold"),
    ],
)
def test_what_cannot_be_used_is_said(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert run(*arguments) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert not printed.out
