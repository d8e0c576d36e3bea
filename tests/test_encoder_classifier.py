"""The encoder classifier: order, duplicates, batching, cuts, odd texts and errors."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from transformers import BertConfig, BertModel, BertTokenizer

from nsx_core.adapters import encoder as enc
from nsx_core.adapters.encoder_classifier import EncoderClassifier
from nsx_core.adapters.manifest import (
    FORMAT,
    DataSummary,
    Figures,
    Manifest,
    Recipe,
    file_sha256,
    fingerprint,
    read_manifest,
    write_json,
)
from nsx_core.classifying import Classifier, checked
from nsx_core.errors import MissingModelError, ModelError

WORDS = ["grim", "kind", "tea", "sun", "road", "?", "[", "]", "user"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A classifier's folder on a tiny random BERT, written by hand."""
    base = tmp_path_factory.mktemp("base")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {word: number for number, word in enumerate([*special, *WORDS])}
    BertTokenizer(vocab=vocabulary).save_pretrained(base)
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=12,
    )  # fmt: skip
    BertModel(config).save_pretrained(base)
    encoder = enc.load_encoder(base)
    tensors = {"head.weight": torch.randn(2, 16), "head.bias": torch.zeros(2)}
    for name in enc.linear_names(encoder):
        rows, columns = encoder.get_submodule(name).get_parameter("weight").shape
        tensors[f"encoder.{name}.lora_A"] = torch.randn(2, columns) / 4
        tensors[f"encoder.{name}.lora_B"] = torch.randn(rows, 2) / 4
    made = tmp_path_factory.mktemp("models") / "Tiny-hate"
    made.mkdir()
    save_file(tensors, made / "adapter.safetensors")
    manifest = Manifest(
        format=FORMAT,
        name="Tiny-hate",
        kind="encoder-adapter",
        base=str(base),
        base_sha256=enc.base_sha256(base),
        labels=("not hate", "hate"),
        explained_class="hate",
        max_tokens=12,
        recipe=Recipe("adapter", lora_rank=2, lora_alpha=4),
        lora_targets=("dense", "key", "query", "value"),
        seed=0,
        best_epoch=1,
        decision_shift=0.0,
        data=DataSummary("made", "hate", "", "CC0", (1, 1), (1, 1), (1, 1), ()),
        dev=Figures(1, 1, 1.0, 1.0, 1.0, 1.0),
        test=None,
        paper=None,
        baseline=None,
        weights_sha256=file_sha256(made / "adapter.safetensors"),
        fingerprint="",
    )
    write_json(
        made / "model.json", dataclasses.replace(manifest, fingerprint=fingerprint(manifest))
    )
    return made


@pytest.fixture(scope="module")
def classifier(folder: Path) -> EncoderClassifier:
    return EncoderClassifier.load(folder)


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "copy"))


def _texts() -> list[str]:
    chance = np.random.default_rng(0)
    return [" ".join(chance.choice(WORDS, size=int(chance.integers(0, 20)))) for _ in range(40)]


def test_it_keeps_the_contract(classifier: EncoderClassifier) -> None:
    assert isinstance(classifier, Classifier)
    assert classifier.name == "Tiny-hate"
    assert classifier.labels == ("not hate", "hate")
    assert checked(classifier, _texts()).shape == (40, 2)
    assert checked(classifier, []).shape == (0, 2)


def test_order_does_not_depend_on_batches_or_duplicates(classifier: EncoderClassifier) -> None:
    texts = _texts()
    alone = np.vstack([classifier.predict_proba([text]) for text in texts])
    assert len(set(np.round(alone[:, 1], 6))) > 20
    together = classifier.predict_proba(texts)
    np.testing.assert_allclose(together, alone, atol=1e-6)
    order = np.random.default_rng(1).permutation(120) % 40
    shuffled = classifier.predict_proba([texts[row] for row in order])
    np.testing.assert_array_equal(shuffled, together[order])
    classifier.tokens_per_batch = 20
    try:
        np.testing.assert_allclose(classifier.predict_proba(texts), alone, atol=1e-6)
    finally:
        classifier.tokens_per_batch = enc.TOKENS_PER_BATCH


def test_each_distinct_text_is_asked_once(
    classifier: EncoderClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    real = enc.EncoderWithHead.forward

    def counted(
        self: enc.EncoderWithHead, input_ids: torch.Tensor, attention_mask: torch.Tensor
    ) -> torch.Tensor:
        asked.append(len(input_ids))
        return real(self, input_ids, attention_mask)

    monkeypatch.setattr(enc.EncoderWithHead, "forward", counted)
    answers = classifier.predict_proba(["tea", "sun", "tea", " tea ", "&#116;ea"])
    assert sum(asked) == 2
    assert (answers[0] == answers[2:]).all()


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("not enough memory: 9 bytes")])
def test_a_batch_that_does_not_fit_is_halved(
    classifier: EncoderClassifier, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    texts = _texts()
    expected = classifier.predict_proba(texts)
    real, sizes = enc.EncoderWithHead.forward, []
    most = 3

    def tight(
        self: enc.EncoderWithHead, input_ids: torch.Tensor, attention_mask: torch.Tensor
    ) -> torch.Tensor:
        sizes.append(len(input_ids))
        if len(input_ids) > most:
            raise error
        return real(self, input_ids, attention_mask)

    monkeypatch.setattr(enc.EncoderWithHead, "forward", tight)
    np.testing.assert_allclose(classifier.predict_proba(texts), expected, atol=1e-6)
    assert max(sizes) > most
    most = 0
    with pytest.raises(ModelError, match="does not fit into memory"):
        classifier.predict_proba(["tea"])


def test_another_failure_is_not_taken_for_a_lack_of_memory(
    classifier: EncoderClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> torch.Tensor:
        raise RuntimeError("shapes differ")

    monkeypatch.setattr(enc.EncoderWithHead, "forward", broken)
    with pytest.raises(RuntimeError, match="shapes differ"):
        classifier.predict_proba(["tea"])


def test_empty_texts_and_lone_surrogates_are_answered(classifier: EncoderClassifier) -> None:
    answers = checked(classifier, ["", "  ", "tea \ud800", "tea ?", "\udfff"])
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[2], answers[3])
    assert classifier.unseen_words("\ud800" * 3) == 0


def test_unseen_words_counts_what_begins_after_the_cut(classifier: EncoderClassifier) -> None:
    # 12 tokens hold ten words between the two special tokens.
    assert classifier.unseen_words("") == 0
    assert classifier.unseen_words("tea " * 10) == 0
    assert classifier.unseen_words("tea " * 13) == 3
    # A word cut in two ('sun?tea' is three tokens) was seen in part.
    assert classifier.unseen_words("tea " * 9 + "sun?tea road") == 1
    long = "tea " * 30
    shorter = classifier.predict_proba(["tea " * 10])
    np.testing.assert_array_equal(classifier.predict_proba([long]), shorter)


def test_merged_lora_answers_as_the_two_matrices_would(folder: Path) -> None:
    from safetensors.torch import load_file

    manifest = read_manifest(folder)
    encoder = enc.load_encoder(Path(manifest.base))
    name = enc.linear_names(encoder)[0]
    layer = encoder.get_submodule(name)
    states = torch.randn(3, 16)
    before = layer(states)
    stored = load_file(folder / "adapter.safetensors")
    a, b = stored[f"encoder.{name}.lora_A"], stored[f"encoder.{name}.lora_B"]
    matrices = {key[len("encoder.") :]: part for key, part in stored.items() if ".lora_" in key}
    enc.merge_lora(encoder, matrices, 2.0)
    torch.testing.assert_close(layer(states), before + 2 * states @ a.T @ b.T)
    with pytest.raises(ModelError, match="belongs to another base model"):
        enc.merge_lora(encoder, {"other.lora_A": a}, 2.0)


def test_the_fingerprint_follows_what_can_change_an_answer(folder: Path) -> None:
    manifest = read_manifest(folder)
    assert manifest.fingerprint == fingerprint(manifest)
    for change in (
        {"weights_sha256": "0"},
        {"base_sha256": "0"},
        {"labels": ("a", "hate")},
        {"max_tokens": 8},
    ):
        assert fingerprint(dataclasses.replace(manifest, **change)) != manifest.fingerprint
    assert fingerprint(dataclasses.replace(manifest, seed=9)) == manifest.fingerprint


def test_a_missing_folder_file_or_base_says_what_to_do(copy: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingModelError, match=r"model\.json.*nsx_core\.training\.classifiers"):
        EncoderClassifier.load(tmp_path / "nowhere")
    _change(copy, base=str(tmp_path / "gone"))
    with pytest.raises(MissingModelError, match="neither a known name, nor a folder"):
        EncoderClassifier.load(copy)
    (copy / "adapter.safetensors").unlink()
    with pytest.raises(MissingModelError, match=r"needs 'adapter\.safetensors'"):
        EncoderClassifier.load(copy)


def test_a_damaged_folder_says_what_is_wrong(copy: Path) -> None:
    weights = copy / "adapter.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-1])
    with pytest.raises(ModelError, match="damaged or another model's"):
        EncoderClassifier.load(copy)
    weights.write_bytes(b"no tensors")
    _change(copy, weights_sha256=file_sha256(weights))
    with pytest.raises(ModelError, match="must be a safetensors file"):
        EncoderClassifier.load(copy)
    save_file({"head.weight": torch.zeros(2, 16)}, weights)
    _change(copy, weights_sha256=file_sha256(weights))
    with pytest.raises(ModelError, match="belongs to another base model"):
        EncoderClassifier.load(copy)
    _change(copy, base_sha256="0" * 64)
    with pytest.raises(ModelError, match="Install the pinned version"):
        EncoderClassifier.load(copy)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": 99}, "its format is 99"),
        ({"kind": "other"}, "its kind is 'other'"),
        ({"explained_class": "x"}, "explained class 'x' is not a label"),
        ({"surprise": 1}, "surprise"),
    ],
)
def test_a_manifest_of_another_form_is_refused(
    copy: Path, change: dict[str, object], words: str
) -> None:
    _change(copy, **change)
    with pytest.raises(ModelError, match=words):
        read_manifest(copy)


def test_a_manifest_that_is_no_json_is_refused(copy: Path) -> None:
    (copy / "model.json").write_text("{", encoding="utf-8")
    with pytest.raises(ModelError, match="cannot be read as one"):
        read_manifest(copy)


def _change(folder: Path, **fields: object) -> None:
    path = folder / "model.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**found, **fields}), encoding="utf-8")
