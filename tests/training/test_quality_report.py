"""The quality report's command from end to end, on fakes and a file of eight rows."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file

from nsx_core.adapters.causal_infiller import TOKENS_FILE
from nsx_core.classifying.fakes import KeywordClassifier
from nsx_core.infilling.wordlist import WordListInfiller
from nsx_core.quality.measuring import Models
from nsx_core.training import quality_report
from nsx_core.training.infiller_card import card

ROWS = [
    ("I hate women.", "necessity", "010", "I like all women."),
    ("I hate women.", "necessity", "010", "I like all women."),
    ("I hate women.", "necessity", "001", "I hate grim days $MENTION$"),
    ("I hate women.", "sufficiency", "110", "Few women."),
    ("I hate women.", "sufficiency", "011", "Ilove it"),  # cannot be aligned
    ("You women make me sick.", "necessity", "00001", "You women make me sick."),
    ("You women make me sick.", "sufficiency", "10111", "grim women, sing"),
    ("You women make me sick.", "sufficiency", "11011", "They make do"),
]
TRAINING = {
    "recipe": {
        "base": "tiny", "rank": 4, "learning_rate": 1e-3, "warmup": 3,
        "batch_size": 8, "steps": 20, "seed": 0,
    },
    "corpus": {
        "train": 90, "heldout": 10, "words_marking_abuse": 3, "seed": 0,
        "sources": {
            "labeled_data.csv": {"texts": 70, "train": 60, "held out": 7},
            "own.csv": {"texts": 40, "train": 30, "held out": 3},
        },
    },
    "tokens": 12345,
    "heldout_loss": {"untuned": 5.5, "tuned": 3.75},
    "log": [],
}  # fmt: skip


class LengthFluency:
    """Minus the number of words; NaN for blank texts."""

    def mean_log_probabilities(self, texts: list[str]) -> NDArray[np.float64]:
        return np.array([-float(len(t.split())) if t.strip() else np.nan for t in texts])


@pytest.fixture
def infiller_folder(tmp_path: Path) -> Path:
    base, folder = tmp_path / "tiny", tmp_path / "infiller"
    base.mkdir()
    folder.mkdir()
    save_file({"w": torch.ones(2)}, base / "model.safetensors")
    save_file({"w": torch.ones(2)}, folder / "adapter_model.safetensors")
    save_file({"ids": torch.tensor([1, 2])}, folder / TOKENS_FILE)
    manifest = {"name": "word-list", "base": str(base), "fingerprint": "x"}
    (folder / "model.json").write_text(json.dumps(manifest), encoding="utf-8")
    (folder / "training.json").write_text(json.dumps(TRAINING), encoding="utf-8")
    return folder


@pytest.fixture
def arguments(tmp_path: Path, infiller_folder: Path) -> list[str]:
    paper = tmp_path / "paper"
    paper.mkdir()
    columns = ["text", "side", "mask", "perturbed_text"]
    pd.DataFrame(ROWS, columns=columns).to_parquet(paper / quality_report.PAPER_FILE)
    heldout = tmp_path / "heldout.jsonl"
    lines = ["a calm sunny day", "grim news today", "tea and bread are fine", "we walk home"]
    heldout.write_text("".join(json.dumps({"text": t}) + "\n" for t in lines), encoding="utf-8")
    return [
        "--infiller", str(infiller_folder), "--paper", str(paper), "--heldout", str(heldout),
        "--classifier", str(tmp_path / "judge"), "--draws", "48", "--paired", "8",
        "--whole", "1",
    ]  # fmt: skip


def fakes(infiller: Path, classifier: Path) -> Models:
    return Models(WordListInfiller(), KeywordClassifier(["grim"]), "positive", LengthFluency())


def test_the_command_writes_report_figures_and_card(
    arguments: list[str], infiller_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert quality_report.main(arguments, fakes) == 0
    found = json.loads((infiller_folder / "quality.json").read_text(encoding="utf-8"))

    own = found["own"]
    assert (own["texts"], own["quality"]["draws"]) == (2, 48)
    assert own["quality"]["kept_intact"] == 1.0
    assert (own["positive"], own["neutral_sentences_positive"]) == (0.0, 0.25)
    assert "samples" not in own  # the suite's sentences are printed, never kept

    paired = found["paired"]
    assert (paired["rows"], paired["not_aligned"]) == (8, 1)
    authors = paired["authors"]
    assert authors["quality"]["draws"] == paired["ours"]["quality"]["draws"] == 7
    assert authors["quality"]["unchanged"] == pytest.approx(1 / 7)
    assert authors["quality"]["placeholder_draws"] == pytest.approx(1 / 7)
    assert authors["positive"] == pytest.approx(2 / 7)
    assert authors["log_probability"] == -4.0  # of 4 4 5 2 5 3 3
    assert authors["log_probability_without_placeholders"] == -3.5
    assert found["whole"]["draws"] == 5
    assert found["whole"]["authors"]["duplicates"] == pytest.approx(1 / 5)

    criteria = {c["name"]: c for c in found["criteria"]}
    assert len(criteria) == len(found["criteria"]) == 7 + 1 + 2 * 8 + 1
    assert criteria["held-out answer loss against the untuned base's"]["met"]
    assert criteria["kept words intact"]["met"]
    assert found["all_met"] == all(c["met"] for c in found["criteria"])

    figures = json.loads((infiller_folder / "model.json").read_text(encoding="utf-8"))["figures"]
    assert figures["kept_intact_share"] == 1.0
    assert figures["heldout_loss"] == 3.75
    assert figures["criteria_met"].endswith(f"of {len(criteria)}")

    shown = capsys.readouterr().out
    text = (infiller_folder / "README.md").read_text(encoding="utf-8")
    for place in (shown, text):
        table = place[place.index("| criterion |") :]
        for name, criterion in criteria.items():
            row = next(line for line in table.splitlines() if line.startswith(f"| {name} |"))
            assert row.endswith("| yes |" if criterion["met"] else "| **missed** |")
    assert "| MIT | 70 | 60 | 7 |" in text
    assert "| own.csv | see the source | 40 | 30 | 3 |" in text
    assert "12,345 tokens" in text and "3.750" in text
    assert 0 < sum("  ->  " in line for line in shown.splitlines()) <= 30


def test_the_same_seed_gives_the_same_report(arguments: list[str], tmp_path: Path) -> None:
    reports = []
    for name, seed in (("a", "0"), ("b", "0"), ("c", "1")):
        out = tmp_path / f"{name}.json"
        quality_report.main([*arguments, "--out", str(out), "--seed", seed], fakes)
        found = json.loads(out.read_text(encoding="utf-8"))
        del found["own"]["seconds"], found["own"]["draws_per_second"], found["settings"]
        reports.append(found)
    assert reports[0] == reports[1]
    assert reports[0] != reports[2]


def test_a_missing_training_record_is_said_and_counts_as_a_miss(
    arguments: list[str], infiller_folder: Path
) -> None:
    (infiller_folder / "training.json").unlink()
    assert quality_report.main(arguments, fakes) == 0
    found = json.loads((infiller_folder / "quality.json").read_text(encoding="utf-8"))
    assert not found["all_met"]
    text = (infiller_folder / "README.md").read_text(encoding="utf-8")
    assert "Not recorded." in text and "not measured" in text


def test_a_missing_file_is_said(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    arguments[arguments.index("--paper") + 1] = "no such folder"
    assert quality_report.main(arguments, fakes) == 2
    assert "must exist" in capsys.readouterr().err


def test_the_card_says_nothing_of_this_machine(
    arguments: list[str], infiller_folder: Path, tmp_path: Path
) -> None:
    quality_report.main(arguments, fakes)
    for file in ("quality.json", "README.md"):
        written = (infiller_folder / file).read_text(encoding="utf-8")
        assert str(tmp_path) not in written.replace(str(tmp_path / "tiny"), "")
    found = json.loads((infiller_folder / "quality.json").read_text(encoding="utf-8"))
    text = card({"name": "n", "base": "b"}, TRAINING, found)
    assert text.startswith("# n\n") and text.endswith("\n") and "None" not in text


def test_every_table_row_has_the_cells_of_its_head(
    arguments: list[str], infiller_folder: Path
) -> None:
    quality_report.main(arguments, fakes)
    cells = None
    for line in (infiller_folder / "README.md").read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            cells = None
            continue
        cells = cells or line.count("|")
        assert line.count("|") == cells, line
