"""Both kinds of base learn, stop and go on, and leave a folder that writes answers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tiny_models import TEXTS, encoder_of, tiny_gpt2, tiny_llama, write_corpus
from transformers import AutoModelForCausalLM

from nsx_core.adapters.causal_infiller import CausalInfiller
from nsx_core.errors import DataError
from nsx_core.infilling import checked_answers
from nsx_core.records import GenerationSettings, InfillRequest
from nsx_core.training import infiller
from nsx_core.training.ilm import batches_of_pass
from nsx_core.training.infiller import Recipe, answer_loss, build_model, heldout_loss, main, train

# peft asks transformers a question that transformers is about to rename.
pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing.:FutureWarning"),
]

STEPS = 24
KINDS = {
    "llama": lambda folder: tiny_llama(folder),
    "gpt2": lambda folder: tiny_gpt2(folder),
    "untied gpt2": lambda folder: tiny_gpt2(folder, tied=False),
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus"))


class Trained:
    """One uninterrupted run of a kind of base."""

    def __init__(self, kind: str, folder: Path, corpus: Path) -> None:
        self.base, self.lean = KINDS[kind](folder / "base"), kind == "llama"
        self.corpus, self.out, self.checkpoint = corpus, folder / "out", folder / "checkpoint"
        self.recipe = Recipe(str(self.base), 4, 2e-2, 3, 16, STEPS)
        self.report = train(self.recipe, corpus, self.out, self.checkpoint, "tiny")


@pytest.fixture(scope="module", params=KINDS)
def trained(
    request: pytest.FixtureRequest, corpus: Path, tmp_path_factory: pytest.TempPathFactory
) -> Trained:
    return Trained(request.param, tmp_path_factory.mktemp("run"), corpus)


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_llama(tmp_path_factory.mktemp("llama"))


def test_the_loss_falls_and_is_recorded(trained: Trained) -> None:
    loss = trained.report["heldout_loss"]
    assert loss["tuned"] < loss["untuned"] - 0.5
    written = json.loads((trained.out / "training.json").read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps(trained.report))
    assert written["corpus"] == {"train": len(TEXTS) * 4}
    assert written["log"][-1]["step"] == STEPS


def test_the_folder_holds_what_a_model_needs(trained: Trained) -> None:
    calibrated = ["activation_reach.safetensors"] if trained.lean else []
    assert sorted(path.name for path in trained.out.iterdir()) == [
        *calibrated,
        "adapter_config.json",
        "adapter_model.safetensors",
        "model.json",
        "training.json",
        "written_tokens.safetensors",
    ]
    config = (trained.out / "adapter_config.json").read_text(encoding="utf-8")
    assert str(trained.base.parent) not in config
    assert json.loads(config)["base_model_name_or_path"] == "base"
    manifest = json.loads((trained.out / "model.json").read_text(encoding="utf-8"))
    assert manifest["kind"] == "causal-infiller"
    assert manifest["name"] == "tiny"
    weights = load_file(trained.out / "adapter_model.safetensors")
    assert {tensor.dtype for tensor in weights.values()} == {torch.bfloat16}
    assert not [name for name in weights if "lora" not in name and "trainable_tokens" not in name]
    ids = load_file(trained.out / "written_tokens.safetensors")["ids"].tolist()
    encode, special = encoder_of(trained.base)
    assert set(encode(TEXTS[0])) <= set(ids)
    assert not {special.bos, special.blank, special.start, special.end} & set(ids)


def test_the_folder_loads_and_writes_answers(trained: Trained) -> None:
    made = CausalInfiller.load(trained.out)
    requests = [
        InfillRequest(("I", "hate", "women."), (False, True, True), (False, True, False), seed)
        for seed in range(6)
    ]
    found = checked_answers(made, requests, GenerationSettings())
    assert all(1 <= len(answer.split()) <= 7 for (answer,) in found)
    assert made.infill(requests, GenerationSettings()) == CausalInfiller.load(trained.out).infill(
        requests, GenerationSettings()
    )


def test_a_loaded_folder_computes_what_was_trained(trained: Trained) -> None:
    """The same logits as the trained model, so new rows and their outputs came back."""
    model, _, special = build_model(trained.recipe)
    state = torch.load(trained.checkpoint / "state.pt", weights_only=True)
    model.load_state_dict(state["learned"], strict=False)
    made = CausalInfiller.load(trained.out, whole_numbers=False)
    encode, _ = encoder_of(trained.base)
    context = [special.bos, *encode("I hate"), special.blank, special.start]
    logits, _ = made.forward.prefill([context])
    with torch.inference_mode():
        whole = model.eval()(input_ids=torch.tensor([context])).logits[0, -1]
    whole = whole[made._vocabulary.ids].float()
    # The adapter is saved in bf16.
    torch.testing.assert_close(logits[0], whole, atol=0.15, rtol=0.02)
    assert torch.corrcoef(torch.stack([logits[0], whole]))[0, 1] > 0.999


def test_an_interrupted_run_goes_on_to_the_bit(
    trained: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0
    plain = infiller.answer_loss

    def breaking(model: object, batch: object) -> object:
        nonlocal calls
        calls += torch.is_grad_enabled()
        if calls > 10:
            raise KeyboardInterrupt
        return plain(model, batch)  # type: ignore[arg-type]

    arguments = (trained.recipe, trained.corpus, tmp_path / "out", tmp_path / "checkpoint", "tiny")
    monkeypatch.setattr(infiller, "answer_loss", breaking)
    with pytest.raises(KeyboardInterrupt):
        train(*arguments, checkpoint_seconds=0)
    assert not (tmp_path / "out").exists()
    monkeypatch.setattr(infiller, "answer_loss", plain)
    torch.rand(7)  # whatever else has drawn numbers in between
    report = train(*arguments)
    assert report["heldout_loss"] == trained.report["heldout_loss"]
    assert report["tokens"] == trained.report["tokens"]
    for name in ("adapter_model.safetensors", "written_tokens.safetensors", "model.json"):
        assert (tmp_path / "out" / name).read_bytes() == (trained.out / name).read_bytes()


def test_a_finished_run_is_written_again_and_another_recipe_starts_anew(
    llama: Path, corpus: Path, tmp_path: Path
) -> None:
    recipe = Recipe(str(llama), 4, 2e-2, 1, 16, 3)
    first = train(recipe, corpus, tmp_path / "a", tmp_path / "checkpoint")
    again = train(recipe, corpus, tmp_path / "b", tmp_path / "checkpoint")
    assert again == first
    fewer = train(replace(recipe, steps=2), corpus, tmp_path / "c", tmp_path / "checkpoint")
    assert fewer["heldout_loss"] == first["heldout_loss"]
    other = train(replace(recipe, seed=1, steps=2), corpus, tmp_path / "d", tmp_path / "checkpoint")
    assert other["log"][-1]["step"] == 2
    assert other["tokens"] < first["tokens"]


def test_a_run_may_begin_with_a_finished_adapter(llama: Path, corpus: Path, tmp_path: Path) -> None:
    recipe = Recipe(str(llama), 4, 2e-2, 1, 16, 12)
    first = train(recipe, corpus, tmp_path / "a", tmp_path / "one")
    gentle = replace(recipe, steps=1, learning_rate=1e-9)
    more = train(gentle, corpus, tmp_path / "b", tmp_path / "two", start_from=tmp_path / "a")
    assert more["tokens_before"] == first["tokens"]
    # The adapter is saved in bf16, so its loss comes back to three digits or so.
    assert more["heldout_loss"]["tuned"] == pytest.approx(first["heldout_loss"]["tuned"], abs=0.02)
    with pytest.raises(DataError, match="starts from an infiller's folder"):
        train(gentle, corpus, tmp_path / "c", tmp_path / "three", start_from=tmp_path / "none")


def test_the_loss_is_that_of_all_logits(llama: Path) -> None:
    encode, special = encoder_of(llama)
    model = AutoModelForCausalLM.from_pretrained(llama).eval()
    model.get_base_model = lambda: model
    losses, counts = [], []
    for batch in batches_of_pass(TEXTS, 0, 0, 5, encode, special):
        loss, n = answer_loss(model, batch)
        total, tokens = 0.0, 0
        for made in batch:
            ids = torch.tensor([made.ids])
            log_p = model(input_ids=ids).logits[0].log_softmax(-1).detach()
            for at in range(made.answer_start, len(made.ids)):
                total -= float(log_p[at - 1, made.ids[at]])
                tokens += 1
        assert n == tokens
        assert loss.item() == pytest.approx(total / tokens, abs=1e-5)
        losses.append(loss.item())
        counts.append(n)
    batches = list(batches_of_pass(TEXTS, 0, 0, 5, encode, special))
    mean = sum(x * n for x, n in zip(losses, counts, strict=True)) / sum(counts)
    assert heldout_loss(model, batches) == pytest.approx(mean, abs=1e-6)


def test_a_corpus_without_texts_is_refused(llama: Path, corpus: Path, tmp_path: Path) -> None:
    recipe = Recipe(str(llama), steps=1)
    for name in ("train", "heldout"):
        (tmp_path / f"{name}.jsonl").write_text('{"text": " "}\n', encoding="utf-8")
    with pytest.raises(DataError, match="needs train and held-out texts"):
        train(recipe, tmp_path, tmp_path / "out", tmp_path / "checkpoint")


def test_the_command_trains(
    llama: Path, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--corpus", str(corpus), "--out", str(tmp_path / "out"), "--threads", "1"]
    arguments += ["--checkpoint", str(tmp_path / "checkpoint"), "--base", str(llama)]
    assert main([*arguments, "--steps", "2", "--rank", "2", "--batch-size", "8"]) == 0
    printed = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert set(printed) == {"untuned", "tuned"}
    assert (tmp_path / "out" / "model.json").is_file()
