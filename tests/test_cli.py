"""The command line, in process on the fakes, and kill -9 on a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nsx_core import pipeline
from nsx_core.cli import main
from nsx_core.fake_catalogue import fake_catalogue
from nsx_core.records import ExplainSettings
from nsx_core.store import Store

TEXT = "I hate women."


def run(*arguments: str, store: Path | None = None) -> int:
    where = ["--store", str(store)] if store else ["--no-cache"]
    return main(["explain", *arguments, *where, "--quiet"], fake_catalogue())


def explained(capsys: pytest.CaptureFixture[str], *arguments: str, **where: Path) -> dict:  # type: ignore[type-arg]
    assert run(TEXT, "--classifier", "fake-hate", "--json", *arguments, **where) == 0
    answer: dict[str, object] = json.loads(capsys.readouterr().out)
    return answer


def test_json_holds_what_was_promised(capsys: pytest.CaptureFixture[str]) -> None:
    found = explained(capsys)
    assert found["text"] == TEXT
    assert [w["text"] for w in found["words"]] == ["I", "hate", "women."]
    assert [TEXT[w["start"] : w["end"]] for w in found["words"]] == ["I", "hate", "women."]
    for word in found["words"]:
        for side in ("necessity", "sufficiency"):
            score = word[side]
            assert score["low"] <= score["value"] <= score["high"]
            assert score["n"] > 0
    assert found["prediction"] == "hate"
    assert found["probabilities"] == {"not hate": pytest.approx(0.1), "hate": 0.9}
    assert found["baseline"] == pytest.approx(0.02)
    assert found["budget"] == 100
    assert found["draws"] == {
        "necessity": 225,
        "sufficiency": 225,
        "total": 225,  # each draw counts on both sides
        "infilled_now": 225,
    }
    assert {"infilling", "classifying", "scoring", "store", "total"} <= set(found["seconds"])
    assert {"nsx", "python", "torch", "classifier", "infiller"} <= set(found["versions"])


def test_equal_seeds_give_equal_scores_with_and_without_the_cache(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    store = tmp_path / "a.duckdb"
    plain = explained(capsys)["words"]
    first = explained(capsys, "--budget", "30", store=store)
    grown = explained(capsys, store=store)
    again = explained(capsys, store=store)
    assert first["words"] != plain
    assert grown["words"] == again["words"] == plain
    assert grown["draws"]["infilled_now"] < 450
    assert again["draws"]["infilled_now"] == 0
    assert explained(capsys, "--seed", "1")["words"] != plain


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["", "--classifier", "fake-hate"], "text"),
        (["  ", "--classifier", "fake-hate"], "text"),
        (["word " * 2001, "--classifier", "fake-hate"], "2,001"),
        ([TEXT, "--classifier", "fake-hat"], "Did you mean 'fake-hate'"),
        ([TEXT, "--classifier", "fake-hate", "--budget", "0"], "10 to 400"),
        ([TEXT, "--classifier", "fake-hate", "--budget", "-5"], "'-5' came"),
        ([TEXT, "--classifier", "fake-hate", "--budget", "lots"], "'lots' came"),
        ([TEXT, "--classifier", "fake-hate", "--budget", "1_00"], "'1_00' came"),
        ([TEXT, "--classifier", "fake-hate", "--seed", "x"], "The seed"),
        ([TEXT, "--classifier", "fake-hate", "--threshold", "1"], "strictly between"),
        ([TEXT, "--classifier", "fake-hate", "--infiller", "gpt"], "No infiller"),
        ([TEXT, "--classifier", "fake-hate", "--label", "rude"], "No label"),
        ([TEXT, "--classifier", "fake-hate", "--splitter", "x"], "splitter"),
        ([TEXT, "--classifier", "fake-hate", "--phrase", "men are"], "'men are' does not"),
        ([TEXT, "--classifier", "fake-hate", "--phrase", "men"], "'men' does not"),
    ],
)
def test_bad_input_ends_with_2_and_a_reason(
    capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    assert run(*arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert says in shown.err
    assert "Traceback" not in shown.err


def test_a_folder_that_cannot_hold_the_store(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("not a folder")
    assert run(TEXT, "--classifier", "fake-hate", store=tmp_path / "file" / "a.duckdb") == 2
    assert "file" in capsys.readouterr().err


def test_a_damaged_store_is_named_and_left_alone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "a.duckdb"
    path.write_bytes(b"this is no database" * 500)
    before = path.read_bytes()
    assert run(TEXT, "--classifier", "fake-hate", store=path) == 2
    assert str(path) in capsys.readouterr().err
    assert path.read_bytes() == before


def test_the_table_hides_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("hate \x1b[31mred\x07 " + "a" * 300, "--classifier", "fake-hate") == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "…" in shown


def test_models_lists_every_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "--json"], fake_catalogue()) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [r["name"] for r in rows] == ["fake-hate", "fake-abuse", "word-list"]
    assert main(["models"], fake_catalogue()) == 0
    assert "fake-abuse" in capsys.readouterr().out


CHILD = """
import sys, time
from nsx_core import pipeline
from nsx_core.fake_catalogue import fake_catalogue
from nsx_core.infilling.wordlist import WordListInfiller
from nsx_core.records import ExplainSettings
from nsx_core.store import Store

class Slow(WordListInfiller):
    def infill(self, requests, settings):
        time.sleep(0.1)
        return super().infill(requests, settings)

catalogue = fake_catalogue(infiller=Slow())
pipeline.explained(
    "I hate all women here, and so on and on.", "fake-hate", "word-list",
    ExplainSettings(budget=400), catalogue, Store.open(sys.argv[1]),
    lambda p: print(p.done, flush=True),
)
"""


@pytest.mark.parametrize(("option", "value"), [("--temperature", "inf"), ("--top-p", "nan")])
def test_sampling_that_cannot_be_is_refused_before_a_model_loads(
    option: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(TEXT, "--classifier", "fake-hate", option, value) == 2
    assert "temperature is above 0 and finite" in capsys.readouterr().err


@pytest.mark.parametrize("batches", [1, 4])
def test_kill_9_loses_at_most_the_batch_in_flight(tmp_path: Path, batches: int) -> None:
    path = tmp_path / "nsx.duckdb"
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    )
    assert child.stdout is not None
    done = 0
    with child:
        for line in child.stdout:
            done = int(line)
            if done >= batches * 200:
                time.sleep(0.03 * batches)
                child.send_signal(signal.SIGKILL)
                break
    assert child.returncode == -signal.SIGKILL
    catalogue = fake_catalogue()
    with Store.open(path) as store:
        seen: list[pipeline.Progress] = []
        found = pipeline.explained(
            "I hate all women here, and so on and on.",
            "fake-hate",
            "word-list",
            ExplainSettings(budget=400),
            catalogue,
            store,
            seen.append,
        )
    reused = seen[0].reused
    assert reused >= done > 0
    assert found.infilled == len(found.draws) - reused
    with Store.open(":memory:") as empty:
        fresh = pipeline.explained(
            found.text, "fake-hate", "word-list", found.settings, fake_catalogue(), empty
        )
    assert fresh.words == found.words
