"""Both recipes, resuming, the command line, cards and baselines."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertModel, BertTokenizer

from nsx_core.adapters import encoder_classifier
from nsx_core.adapters.encoder_classifier import EncoderClassifier
from nsx_core.adapters.manifest import Recipe, file_sha256, read_manifest, write_json
from nsx_core.classifying import checked
from nsx_core.errors import DataError, UnknownNameError
from nsx_core.training import classifiers
from nsx_core.training.agreement import measure_agreement
from nsx_core.training.baseline import BASELINE_FILE, measure_baseline
from nsx_core.training.cards import card
from nsx_core.training.datasets import Dataset, Split
from nsx_core.training.figures import figures
from nsx_core.training.fine_tuning import RECIPES, Learned, learn, recipe_named
from nsx_core.training.trained_folder import SHIPPED, train_classifier

WORDS = ["grim", "foul", "kind", "calm", "tea", "sun", "road", "[", "]", "user", "url", "emoji"]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT with random weights and a vocabulary of whole words."""
    folder = tmp_path_factory.mktemp("base")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {word: number for number, word in enumerate([*special, *WORDS])}
    BertTokenizer(vocab=vocabulary).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=24,
        initializer_range=0.2,
    )
    BertModel(config).save_pretrained(folder)
    return folder


def _split(n: int, seed: int) -> Split:
    chance = np.random.default_rng(seed)
    labels = (np.arange(n) % 3 == 0).astype(np.int64)
    texts = []
    for label in labels:
        words = [*chance.choice(["tea", "sun", "road"], size=int(chance.integers(1, 6)))]
        words.insert(int(chance.integers(len(words))), "grim" if label else "kind")
        texts.append(" ".join(words))
    return Split(tuple(texts), labels)


@pytest.fixture(scope="module")
def data() -> Dataset:
    return Dataset(
        "made", "hate", "", "CC0", _split(96, 1), _split(24, 2), _split(24, 3), ("A note.",)
    )


def _recipe(name: str, **changes: float) -> Recipe:
    quick = {"batch_size": 4, "learning_rate": 2e-2, "warmup_steps": 2, **changes}
    return recipe_named(name, **quick)


# --- learning


def test_both_recipes_learn_and_are_used_as_they_were_measured(
    tmp_path: Path, base: Path, data: Dataset
) -> None:
    for name in RECIPES:
        made = train_classifier(
            f"Made-{name}", data, _recipe(name), tmp_path, str(base), checkpoints=tmp_path / "c",
            quiet=True,
        )  # fmt: skip
        classifier = EncoderClassifier.load(tmp_path / f"Made-{name}")
        assert classifier.labels == ("not hate", "hate")
        assert classifier.explained_class == "hate"
        assert classifier.fingerprint == made.fingerprint
        answers = checked(classifier, list(data.test.texts))
        assert made.test == figures(data.test.labels, answers[:, 1] >= 0.5)
        assert made.dev.macro_f1 > 0.8, name  # guessing gives about 0.45
        assert made.max_tokens == 24
        assert made.baseline is None
        assert not list(tmp_path.glob(".Made*"))
    assert made.kind == "encoder-full"
    assert made.base_sha256 == ""
    assert classifier._tokenizer.tokenize("tea [USER]") == ["tea", "[USER]"]


def _learned(data: Dataset, base: Path, place: Path, stops: list[int | None], seed: int) -> Learned:
    for stop in stops:
        found = learn(data, _recipe("adapter"), base, seed, place, stop_after=stop, quiet=True)
    return found


def test_a_stopped_run_goes_on_to_the_same_weights(
    tmp_path: Path, base: Path, data: Dataset
) -> None:
    whole = _learned(data, base, tmp_path / "whole", [None], seed=5)
    parts = _learned(data, base, tmp_path / "parts", [1, 2, None], seed=5)
    other = _learned(data, base, tmp_path / "other", [None], seed=6)
    assert (whole.epoch, whole.dev) == (parts.epoch, parts.dev)
    assert all(torch.equal(whole.tensors[name], parts.tensors[name]) for name in whole.tensors)
    last = "epoch-2/weights.safetensors"
    assert file_sha256(tmp_path / "whole" / last) == file_sha256(tmp_path / "parts" / last)
    assert file_sha256(tmp_path / "whole" / last) != file_sha256(tmp_path / "other" / last)
    assert not torch.equal(whole.tensors["head.weight"], other.tensors["head.weight"])


def test_a_full_model_resumes_too(tmp_path: Path, base: Path, data: Dataset) -> None:
    recipe = dataclasses.replace(_recipe("paper"), epochs=2)
    learn(data, recipe, base, 0, tmp_path / "whole", quiet=True)
    learn(data, recipe, base, 0, tmp_path / "parts", stop_after=1, quiet=True)
    learn(data, recipe, base, 0, tmp_path / "parts", quiet=True)
    last = "epoch-1/weights.safetensors"
    assert file_sha256(tmp_path / "whole" / last) == file_sha256(tmp_path / "parts" / last)


def test_the_paper_recipe_has_the_papers_settings() -> None:
    paper = RECIPES["paper"]
    assert (paper.epochs, paper.batch_size, paper.learning_rate) == (3, 16, 5e-5)
    assert (paper.weight_decay, paper.warmup_steps, paper.lora_rank) == (0.01, 500, 0)
    with pytest.raises(UnknownNameError, match="No recipe is called 'papers'"):
        recipe_named("papers")


# --- command line, baseline, cards


def test_the_command_line_trains_measures_and_writes_the_card(
    tmp_path: Path, base: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.csv"
    rows = [f"{'grim' if row % 2 else 'kind'} tea {row},{row % 2}" for row in range(60)]
    path.write_text("text,label\n" + "\n".join(rows), encoding="utf-8")
    out = tmp_path / "models"
    common = ["--name", "Mine-hate", "--data", str(path), "--out", str(out)]
    extra = ["--source", "csv", "--base", str(base), "--checkpoints", str(tmp_path / "c")]
    quick = ["--epochs", "1", "--learning-rate", "0.01", "--lora-rank", "2", "--quiet"]
    assert classifiers.main([*common, *extra, *quick]) == 0
    assert "Mine-hate: test macro F1" in capsys.readouterr().out
    assert read_manifest(out / "Mine-hate").recipe.lora_rank == 2
    texts = tmp_path / "neutral.jsonl"
    texts.write_text('{"text": "kind tea"}\n\n{"text": "sun"}\n{"text": ""}\n', encoding="utf-8")
    assert classifiers.main(["baseline", "--texts", str(texts), "--models", str(out)]) == 0
    found = read_manifest(out / "Mine-hate").baseline
    assert found is not None
    assert (found.n, found.source) == (2, "neutral.jsonl")  # a blank text is none
    shown = (out / "Mine-hate" / "README.md").read_text(encoding="utf-8")
    assert "Of 2 neutral texts (neutral.jsonl)" in shown
    assert classifiers.main(["cards", "--models", str(out)]) == 0
    assert (out / "Mine-hate" / "README.md").read_text(encoding="utf-8") == shown
    assert str(tmp_path) not in shown
    capsys.readouterr()
    assert classifiers.main(["cards", "--models", str(out), "--name", "Mine-hat"]) == 2
    assert "Did you mean 'Mine-hate'?" in capsys.readouterr().err
    assert classifiers.main([*common[:2], "--data", str(path)]) == 2
    assert "Add `--source csv`" in capsys.readouterr().err


def test_the_baseline_is_exact_at_every_threshold(
    tmp_path: Path, base: Path, data: Dataset
) -> None:
    train_classifier(
        "B", data, _recipe("adapter", epochs=1), tmp_path, str(base), checkpoints=tmp_path / "c",
        quiet=True,
    )  # fmt: skip
    folder, texts = tmp_path / "B", list(data.test.texts)
    found = measure_baseline(folder, texts, "made")
    answers = EncoderClassifier.load(folder).predict_proba(texts)[:, 1]
    assert found.positives == int((answers >= 0.5).sum())
    assert found.rate == found.positives / 24
    assert found.mean_probability == pytest.approx(answers.mean(), abs=1e-5)
    kept = json.loads((folder / BASELINE_FILE).read_text(encoding="utf-8"))
    assert kept["fingerprint"] == found.fingerprint == read_manifest(folder).fingerprint
    probabilities = np.array(kept["probabilities"])
    assert (np.diff(probabilities) >= 0).all()
    for threshold in (0.05, 0.25, 0.5, 0.501, 0.9):
        assert (probabilities >= threshold).sum() == (answers >= threshold).sum()
    with pytest.raises(DataError, match="at least one neutral text"):
        measure_baseline(folder, [], "made")


def test_bfloat16_is_used_only_where_it_was_seen_to_agree(
    tmp_path: Path, base: Path, data: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    train_classifier(
        "B-hate", data, _recipe("adapter", epochs=1), tmp_path, str(base),
        checkpoints=tmp_path / "c", quiet=True,
    )  # fmt: skip
    folder, texts = tmp_path / "B-hate", list(data.test.texts)
    monkeypatch.setattr(encoder_classifier, "matrix_dtype", lambda at: torch.bfloat16)

    def format_of(classifier: EncoderClassifier) -> torch.dtype:
        return next(classifier._model.encoder.parameters()).dtype

    assert format_of(EncoderClassifier.load(folder)) == torch.float32
    table = tmp_path / "texts.jsonl"
    lines = [json.dumps({"text": text}) for text in [*texts, texts[0]]]
    table.write_text("\n".join(lines), encoding="utf-8")
    asked = ["agreement", "--texts", str(table), "--models", str(tmp_path), "--source", "made"]
    assert classifiers.main(asked) == 0
    found = read_manifest(folder).bfloat16
    assert found is not None and found.n == len(set(texts)) and found.source == "made"
    both = [
        EncoderClassifier.load(folder, dtype).predict_proba(list(dict.fromkeys(texts)))[:, 1]
        for dtype in (torch.float32, torch.bfloat16)
    ]
    assert 0 < np.abs(both[0] - both[1]).max() < 0.05
    assert found.same == int(((both[0] >= 0.5) == (both[1] >= 0.5)).sum())
    for same, dtype in ((995, torch.bfloat16), (994, torch.float32)):
        measured = dataclasses.replace(found, n=1_000, same=same)
        manifest = dataclasses.replace(read_manifest(folder), bfloat16=measured)
        write_json(folder / "model.json", manifest)
        assert format_of(EncoderClassifier.load(folder)) == dtype
        assert ("everywhere" in card(manifest)) == (dtype == torch.float32)
    with pytest.raises(DataError, match="at least one text"):
        measure_agreement(folder, [], "made")


def test_every_shipped_classifier_has_a_card_that_its_manifest_renders() -> None:
    from nsx_core.settings import SHIPPED_MODELS_FOLDER

    for name in SHIPPED:
        folder = SHIPPED_MODELS_FOLDER / name
        if not (folder / "model.json").is_file():
            pytest.skip(f"{name} is not trained yet")
        manifest = read_manifest(folder)
        assert (folder / "README.md").read_text(encoding="utf-8") == card(manifest)
        assert manifest.test is not None
        assert manifest.paper is not None
        assert (folder / "adapter.safetensors").stat().st_size < 4_000_000
