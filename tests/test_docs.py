"""The documents say what is so: commands exist, names are explained, papers are listed."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import nsx_core
from nsx_core.cli import main as command_line
from nsx_core.errors import DataError
from nsx_core.settings import SHIPPED_MODELS_FOLDER
from nsx_core.training import readme

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
FILE_BYTES_MAX, TREE_BYTES_MAX = 20_000_000, 80_000_000
KEY = re.compile(r"(?<![\w/.-])[a-z]+(?:-[a-z]+)*-(?:19|20)\d\d(?:-[a-z]+)*(?![\w-])")


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


# --- commands ---------------------------------------------------------------------------


def _commands() -> list[tuple[str, str]]:
    """(document, command) for each command in a code block that is ours to keep."""
    found = []
    for document in DOCUMENTS:
        for block in re.findall(r"^```\w*\n(.*?)^```", _text(document), re.MULTILINE | re.DOTALL):
            for line in block.replace("\\\n", " ").splitlines():
                command = line.strip().removeprefix("$ ").removeprefix(".venv/bin/")
                if re.match(r"make\b|python -m nsx_core", command):
                    found.append((document.name, command))
    return found


COMMANDS = _commands()


def test_the_readme_names_its_two_commands_on_the_first_screen() -> None:
    first_screen = _text(ROOT / "README.md").splitlines()[:24]
    assert [line.split("#")[0].strip() for line in first_screen if line.startswith("make ")] == [
        "make app",
        "make test",
    ]


@pytest.mark.parametrize(("document", "command"), [c for c in COMMANDS if c[1].startswith("make")])
def test_make_knows_the_target(document: str, command: str) -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    arguments = shlex.split(command, comments=True)[1:]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
    done = subprocess.run(
        ["make", "-n", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{document}: {command}: {done.stderr}"


@pytest.mark.parametrize(("document", "command"), [c for c in COMMANDS if c[1].startswith("py")])
def test_the_module_and_its_options_exist(
    document: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, module, *arguments = shlex.split(command, comments=True)
    if module == "nsx_core":
        # It must parse; what it would do is tested in tests/test_cli.py.
        ran: list[object] = []
        monkeypatch.setattr("nsx_core.cli._explain", lambda *given: ran.append(given))
        monkeypatch.setattr("nsx_core.cli._models", lambda *given: ran.append(given))
        monkeypatch.setattr("nsx_core.cli_suites.fetch_suite", lambda *given: ran.append(given))
        monkeypatch.setattr("nsx_core.cli_audit.print_tables", lambda *given: ran.append(given))
        monkeypatch.setattr(
            "nsx_core.cli_counterfactuals.run_search", lambda *given: ran.append(given)
        )
        monkeypatch.setattr("nsx_core.cli_audit.run_audit", lambda *given: ran.append(given))
        assert command_line(arguments) == 0
        assert len(ran) == 1
        return
    source = _source_of(module)
    for option in (a for a in arguments if a.startswith("--")):
        assert f'"{option}"' in source, f"{document}: {command}: {option} is unknown"


def test_make_runs_modules_that_exist() -> None:
    modules = set(re.findall(r"-m (nsx_core[\w.]*)", _text(ROOT / "Makefile")))
    assert modules
    for module in modules:
        assert "def main(" in _source_of(module)


def test_a_docstrings_commands_name_modules_that_exist() -> None:
    for path in (ROOT / "nsx_core").rglob("*.py"):
        for module in re.findall(r"python -m (nsx_core(?:\.\w+)*)", _text(path)):
            _source_of(module)


def _source_of(module: str) -> str:
    stem = ROOT / module.replace(".", "/")
    places = [stem.with_suffix(".py"), stem / "__main__.py"]
    found = [place for place in places if place.is_file()]
    assert found, f"there is no module {module} to run"
    return _text(found[0])


def test_the_models_command_runs(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "nsx_core", "models", "--json"], cwd=ROOT, capture_output=True,
        text=True, check=False, env={**os.environ, "NSX_HOME": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert {row["kind"] for row in json.loads(done.stdout)} <= {"classifier", "infiller"}


# --- names ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", sorted((ROOT / "nsx_core").rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT))
)
def test_every_public_name_is_explained(path: Path) -> None:
    tree = ast.parse(_text(path))
    public = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
    ]
    bare = [node.name for node in public if not ast.get_docstring(node)]
    assert ast.get_docstring(tree), "the module has no docstring"
    assert not bare, f"without a docstring: {', '.join(bare)}"


def test_one_version_everywhere() -> None:
    project = tomllib.loads(_text(ROOT / "pyproject.toml"))["project"]
    assert project["version"] == nsx_core.__version__
    assert f"## {nsx_core.__version__}" in _text(ROOT / "CHANGELOG.md")


@pytest.mark.parametrize("name", ["requirements", "requirements-dev", "requirements-models"])
def test_requirements_are_pinned(name: str) -> None:
    lines = _text(ROOT / f"{name}.txt").replace("\\\n", " ").splitlines()
    packages = [line for line in lines if line and not line.startswith(("#", "-c "))]
    assert packages
    assert all(re.match(r"[\w.-]+==[\w.]+(\s|$)", line) for line in packages)
    if name == "requirements-models":
        assert all("--hash=sha256:" in line for line in packages)


# --- papers -----------------------------------------------------------------------------


def _entries() -> dict[str, str]:
    text = _text(ROOT / "docs" / "references.bib")
    found = re.findall(r"^@\w+\{([^,\s]+),\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)
    assert len(found) == len({key for key, _ in found}), "a key stands twice"
    return dict(found)


def test_papers_are_complete_and_listed_once() -> None:
    entries = _entries()
    titles = [re.search(r"title\s*=\s*\{(.+)\}", body) for body in entries.values()]
    assert all(titles)
    assert len({t.group(1).casefold() for t in titles if t}) == len(entries)
    for key, body in entries.items():
        assert KEY.fullmatch(key), f"{key} is no key like author-year or author-etal-year"
        year = re.search(r"year\s*=\s*\{(\d{4})\}", body)
        assert year, f"{key} has no year"
        assert year.group(1) in key
        assert "author" in body


def test_every_cited_paper_is_listed() -> None:
    places = [
        *DOCUMENTS,
        *(ROOT / "nsx_core").rglob("*.py"),
        *(ROOT / "pages").rglob("*.py"),
        *(ROOT / "assets").rglob("*.md"),
        *(ROOT / "assets").rglob("model.json"),
    ]
    cited = {(key, str(p.relative_to(ROOT))) for p in places for key in KEY.findall(_text(p))}
    entries = _entries()
    assert ("balkir-etal-2022", "nsx_core/masking/paper.py") in cited
    unknown = sorted(f"{place} cites {key}" for key, place in cited if key not in entries)
    assert not unknown, "\n".join(unknown)


# --- files ------------------------------------------------------------------------------


def test_the_task_table_names_files_that_exist() -> None:
    text = _text(ROOT / "docs" / "architecture.md")
    table = text.partition("## Which file for which task")[2]
    rows = [line for line in table.splitlines() if line.startswith("|")][2:]
    assert len(rows) > 20
    for row in rows:
        names = re.findall(r"`([^`]+)`", row)
        assert names, f"no file is named: {row}"
        for name in names:
            assert (ROOT / name).exists(), f"{name} is not there"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.name)
def test_links_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)\s]+)\)", _text(document))
    local = [t.partition("#")[0] for t in targets if "://" not in t and not t.startswith("#")]
    missing = [target for target in local if not (document.parent / target).exists()]
    assert not missing, f"{document.name} links to {', '.join(missing)}"


def _kept_files() -> list[Path]:
    """What is or would be committed."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=False,
    )  # fmt: skip
    if listed.returncode:
        pytest.skip("this is no git checkout")
    names = listed.stdout.decode().split("\0")
    return sorted({ROOT / name for name in names if name and (ROOT / name).is_file()})


def test_the_project_stays_small() -> None:
    sizes = {path: path.stat().st_size for path in _kept_files()}
    large = [str(p.relative_to(ROOT)) for p, size in sizes.items() if size > FILE_BYTES_MAX]
    assert not large
    assert sum(sizes.values()) <= TREE_BYTES_MAX


def test_no_file_names_a_registry_or_one_machine() -> None:
    # With a plus inside, so that this file does not name them either.
    hosts = ("py+pi.org", "python+hosted", "download.+pytorch", "registry.+npm")
    places = ("/+work/", "/+root/", "/tmp/+bash", "/opt/+wheels")
    forbidden = [name.replace("+", "") for name in (*hosts, *places)]
    found = []
    for path in _kept_files():
        content = path.read_bytes()
        found += [
            f"{path.relative_to(ROOT)} names {name}"
            for name in forbidden
            if re.search(rb"(?<![\w.])" + re.escape(name.encode()), content)
        ]
    assert not found, "\n".join(found)


# --- the README's model tables ----------------------------------------------------------


def test_the_model_tables_are_up_to_date() -> None:
    text = _text(ROOT / "README.md")
    assert readme.rendered(text, SHIPPED_MODELS_FOLDER) == text, (
        "run `python -m nsx_core.training.readme`"
    )


def test_the_model_tables_are_written_between_the_marks(tmp_path: Path) -> None:
    file = tmp_path / "README.md"
    file.write_text(f"before\n\n{readme.BEGIN}\nold\n{readme.END}\n\nafter\n", encoding="utf-8")
    models = tmp_path / "models"
    (models / "writer").mkdir(parents=True)
    infiller = {
        "kind": "causal-infiller",
        "name": "writer",
        "base": "b",
        "figures": {"x_share": 0.5},
    }
    (models / "writer" / "model.json").write_text(json.dumps(infiller), encoding="utf-8")
    arguments = ["--readme", str(file), "--models", str(models)]
    assert readme.main([*arguments, "--check"]) == 1
    assert readme.main(arguments) == 0
    assert readme.main([*arguments, "--check"]) == 0
    written = _text(file)
    assert written.startswith(f"before\n\n{readme.BEGIN}\n| infiller |")
    assert "| [writer](assets/models/writer/README.md) | b | x share 50.0% |\n" in written
    assert written.endswith(f"{readme.END}\n\nafter\n")


@pytest.mark.parametrize("text", ["", readme.BEGIN, f"{readme.END}{readme.BEGIN}"])
def test_a_readme_without_marks_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="once each"):
        readme.rendered(text, tmp_path)
