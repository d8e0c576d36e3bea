"""The rules of docs/architecture.md, checked on what the modules import, without running them."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import nsx_core

ROOT = Path(__file__).resolve().parent.parent
STAGES = ("words", "masking", "infilling", "classifying", "scoring", "uncertainty")
SHARED = ("records", "settings", "errors", "seeding", "counting", "spreadsheet", "terminal")
COMMON = {f"nsx_core.{name}" for name in SHARED}
MODEL_LIBRARIES = {"torch", "transformers", "peft", "tokenizers", "huggingface_hub"}
MODEL_LIBRARIES |= {"numba", "onnx", "onnxruntime", "openvino", "llama_cpp"}
LINES_MAX, PUBLIC_NAMES_MAX = 400, 15
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "manager", "managers", "common", "misc"}


@dataclass(frozen=True)
class Module:
    """A file and the full names of what it imports, at any depth of nesting."""

    name: str
    path: Path
    imports: tuple[tuple[str, int], ...]

    def breaches(self, *forbidden: str) -> list[str]:
        """Imports of the forbidden names, or of anything below them, as 'file:line imports x'."""
        return [self.said(name, line) for name, line in self.imports if _below(name, *forbidden)]

    def said(self, name: str, line: int) -> str:
        return f"{self.path.relative_to(ROOT)}:{line} imports {name}"


def _below(name: str, *parents: str) -> bool:
    return any(name == parent or name.startswith(f"{parent}.") for parent in parents)


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(tree: ast.Module, module: str, is_package: bool) -> Iterator[tuple[str, int]]:
    for found in ast.walk(tree):
        if isinstance(found, ast.Import):
            for alias in found.names:
                yield alias.name, found.lineno
        elif isinstance(found, ast.ImportFrom):
            source = found.module or ""
            if found.level:
                parts = module.split(".")
                above = parts[: len(parts) - found.level + is_package]
                source = ".".join([*above, source] if source else above)
            for alias in found.names:
                yield f"{source}.{alias.name}", found.lineno


def _module(path: Path) -> Module:
    name = _name(path)
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    return Module(name, path, tuple(_imports(tree, name, path.stem == "__init__")))


def _modules(*places: str) -> list[Module]:
    paths = [p for place in places for p in sorted((ROOT / place).rglob("*.py"))]
    return [_module(path) for path in paths]


CORE = _modules("nsx_core")
SCREENS = [_module(ROOT / "app.py"), *_modules("pages")]


def test_the_walk_finds_the_code() -> None:
    names = {module.name for module in CORE}
    assert {"nsx_core", "nsx_core.pipeline", "nsx_core.scoring", "nsx_core.store"} <= names
    joining = [module for module in CORE if _below(module.name, "nsx_core.pipeline")]
    assert any(m.breaches("nsx_core.scoring") for m in joining), "it imports the stages"


def test_relative_and_nested_imports_are_seen() -> None:
    tree = ast.parse("def f():\n    from ..store import rows\n    import torch.nn\n")
    assert set(_imports(tree, "nsx_core.adapters.encoder", False)) == {
        ("nsx_core.store.rows", 2),
        ("torch.nn", 3),
    }
    tree = ast.parse("from . import rows")
    assert list(_imports(tree, "nsx_core.store", True)) == [("nsx_core.store.rows", 1)]


def _reaching_beyond(part: str, *allowed: str) -> list[str]:
    """What a part of the project imports of the rest, other than what it may."""
    own = f"nsx_core.{part}"
    return [
        module.said(name, line)
        for module in CORE
        if _below(module.name, own)
        for name, line in module.imports
        if _below(name, "nsx_core") and not _below(name, own, *allowed, *COMMON)
    ]


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_imports_only_what_all_share(stage: str) -> None:
    breaches = _reaching_beyond(stage)
    assert not breaches, "\n".join(breaches)


def test_what_all_share_imports_no_stage() -> None:
    breaches = [
        module.said(name, line)
        for module in CORE
        if module.name in COMMON
        for name, line in module.imports
        if _below(name, "nsx_core") and not _below(name, *COMMON)
    ]
    assert not breaches, "\n".join(breaches)


@pytest.mark.parametrize(("part", "stage"), [("suites", "words"), ("audit", "scoring")])
def test_what_audits_are_made_of_knows_one_stage(part: str, stage: str) -> None:
    breaches = _reaching_beyond(part, f"nsx_core.{stage}")
    assert not breaches, "\n".join(breaches)


def test_other_methods_know_one_stage_and_keep_their_packages_to_themselves() -> None:
    breaches = _reaching_beyond("attributing", "nsx_core.infilling", "nsx_core.stopping")
    elsewhere = [m for m in [*CORE, *SCREENS] if not _below(m.name, "nsx_core.attributing")]
    breaches += [said for module in elsewhere for said in module.breaches("shap", "lime")]
    assert not breaches, "\n".join(breaches)


def test_counterfactual_methods_know_no_model_and_no_store() -> None:
    allowed = [
        f"nsx_core.{n}" for n in ("counterfactual_records", "infilling", "scoring", "stopping")
    ]
    breaches = _reaching_beyond("counterfactuals", *allowed)
    assert not breaches, "\n".join(breaches)


def test_only_the_store_imports_duckdb() -> None:
    elsewhere = [m for m in [*CORE, *SCREENS] if not _below(m.name, "nsx_core.store")]
    breaches = [said for module in elsewhere for said in module.breaches("duckdb")]
    assert not breaches, "\n".join(breaches)


def test_only_adapters_and_training_import_model_libraries() -> None:
    allowed = ("nsx_core.adapters", "nsx_core.training")
    elsewhere = [m for m in [*CORE, *SCREENS] if not _below(m.name, *allowed)]
    breaches = [said for module in elsewhere for said in module.breaches(*MODEL_LIBRARIES)]
    assert not breaches, "\n".join(breaches)


def test_the_core_knows_no_screen() -> None:
    breaches = [said for m in CORE for said in m.breaches("streamlit", "pages", "app", "tests")]
    assert not breaches, "\n".join(breaches)


def test_pages_reach_neither_database_nor_models() -> None:
    forbidden = (
        "duckdb", *MODEL_LIBRARIES, "tests",
        "nsx_core.store", "nsx_core.adapters", "nsx_core.training",
    )  # fmt: skip
    breaches = [said for module in SCREENS for said in module.breaches(*forbidden)]
    assert not breaches, "\n".join(breaches)


def test_views_draw_and_do_nothing_else() -> None:
    forbidden = (
        "duckdb", "streamlit", *MODEL_LIBRARIES,
        "nsx_core.store", "nsx_core.adapters", "nsx_core.training", "nsx_core.pipeline",
    )  # fmt: skip
    views = [m for m in CORE if _below(m.name, "nsx_core.views")]
    breaches = [said for module in views for said in module.breaches(*forbidden)]
    assert views
    assert not breaches, "\n".join(breaches)


def test_the_engine_starts_without_loading_a_model_library() -> None:
    code = (
        "import sys, nsx_core.cli, nsx_core.engine\n"
        "print(*{name.split('.')[0] for name in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert "nsx_core" in loaded
    assert not loaded & {*MODEL_LIBRARIES, "streamlit", "shap", "lime"}


def test_no_module_is_too_long() -> None:
    paths = [m.path for m in [*CORE, *SCREENS]] + sorted((ROOT / "tests").rglob("*.py"))
    lengths = {p: len(p.read_text(encoding="utf-8").splitlines()) for p in paths}
    long = [f"{p.relative_to(ROOT)}: {n} lines" for p, n in lengths.items() if n > LINES_MAX]
    assert not long, f"at most {LINES_MAX} lines a module: " + "; ".join(long)


def test_names_say_what_is_inside() -> None:
    paths = [m.path for m in [*CORE, *SCREENS]] + sorted((ROOT / "tests").rglob("*.py"))
    empty = [
        str(p.relative_to(ROOT))
        for p in paths
        if EMPTY_NAMES & {*p.relative_to(ROOT).parts, p.stem}
    ]
    assert not empty


def test_the_public_surface_is_small() -> None:
    public = getattr(nsx_core, "__all__", None)
    assert public is not None, "nsx_core names its public surface in __all__"
    assert len(public) <= PUBLIC_NAMES_MAX
    assert all(hasattr(nsx_core, name) for name in public)


def test_page_scripts_lie_one_level_below_pages() -> None:
    flat = [p.name for p in (ROOT / "pages").glob("*.py")]
    assert not flat, f"an address would reach {flat} without app.py having run"
    tree = ast.parse((ROOT / "app.py").read_text(encoding="utf-8"))
    scripts = [
        value.value
        for value in ast.walk(tree)
        if isinstance(value, ast.Constant)
        and isinstance(value.value, str)
        and value.value.startswith("pages/")
    ]
    assert scripts
    for script in scripts:
        assert len(Path(script).parts) == 3, f"{script} must lie one level below pages/"
        assert (ROOT / script).is_file(), f"app.py names {script}, which is not there"
