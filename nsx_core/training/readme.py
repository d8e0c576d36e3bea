"""Write the README's tables of shipped models from their manifests, so that no figure is typed.

    python -m nsx_core.training.readme            # write them
    python -m nsx_core.training.readme --check    # exit 1 where they are out of date

The tables stand between the two marks below; the rest of the file is left as it is.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nsx_core.adapters.manifest import MANIFEST_FILE, Manifest, holds_classifier, read_manifest
from nsx_core.errors import DataError
from nsx_core.settings import PROJECT_FOLDER, SHIPPED_MODELS_FOLDER

__all__ = ["BEGIN", "END", "main", "rendered", "tables"]

BEGIN, END = "<!-- models:begin -->", "<!-- models:end -->"
_NONE = "–"


def rendered(readme: str, models: Path) -> str:
    """The README with the tables of the models in ``models`` between the marks.

    ``DataError`` where the marks are missing, doubled or in the wrong order.
    """
    if (
        readme.count(BEGIN) != 1
        or readme.count(END) != 1
        or readme.index(END) < readme.index(BEGIN)
    ):
        raise DataError(f"The README holds {BEGIN} and after it {END}, once each. Put them back.")
    before, _, rest = readme.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n{tables(models)}\n{END}{after}"


def tables(models: Path) -> str:
    """One Markdown table of classifiers and one of infillers, without those that are missing."""
    folders = [path.parent for path in sorted(models.glob(f"*/{MANIFEST_FILE}"))]
    classifiers = [read_manifest(folder) for folder in folders if holds_classifier(folder)]
    infillers = [folder for folder in folders if not holds_classifier(folder)]
    parts = []
    if classifiers:
        parts.append(_classifiers(classifiers))
    if infillers:
        parts.append(_infillers(infillers))
    return "\n\n".join(parts) or "No model is shipped yet."


def main(argv: Sequence[str] | None = None) -> int:
    """Write or check the tables; 0 when they are up to date afterwards, else 1."""
    parser = argparse.ArgumentParser(prog="python -m nsx_core.training.readme")
    parser.add_argument("--check", action="store_true", help="change nothing")
    parser.add_argument("--readme", type=Path, default=PROJECT_FOLDER / "README.md")
    parser.add_argument("--models", type=Path, default=SHIPPED_MODELS_FOLDER)
    given = parser.parse_args(argv)
    readme = given.readme.read_text(encoding="utf-8")
    wanted = rendered(readme, given.models)
    if wanted == readme:
        return 0
    if given.check:
        print(f"{given.readme.name} is out of date: run `python -m nsx_core.training.readme`.")
        return 1
    given.readme.write_text(wanted, encoding="utf-8")
    return 0


def _classifiers(manifests: Sequence[Manifest]) -> str:
    rows = [
        "| classifier | learned from | macro F1 | micro F1 | the paper's BERT-base | neutral baseline |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for manifest in manifests:
        test, paper, baseline = manifest.test, manifest.paper, manifest.baseline
        cells = [
            f"[{manifest.name}](assets/models/{manifest.name}/README.md)",
            f"{manifest.data.name}, {manifest.data.licence}",
            f"{test.macro_f1:.3f}" if test else _NONE,
            f"{test.micro_f1:.3f}" if test else _NONE,
            f"{paper.macro_f1:.2f} / {paper.micro_f1:.2f}" if paper else _NONE,
            f"{baseline.rate:.2%} of {baseline.n:,}" if baseline else _NONE,
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _infillers(folders: Sequence[Path]) -> str:
    rows = ["| infiller | base model | measured |", "|---|---|---|"]
    for folder in folders:
        found: dict[str, Any] = json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8"))
        measured = [_stated(name, value) for name, value in found.get("figures", {}).items()]
        card = f"assets/models/{folder.name}/README.md"
        cells = [f"[{found['name']}]({card})", found["base"], "; ".join(measured) or _NONE]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _stated(name: str, value: object) -> str:
    if isinstance(value, float):
        shown = f"{value:.1%}" if name.endswith("_share") else f"{value:.2f}"
    else:
        shown = str(value)
    return f"{name.replace('_', ' ')} {shown}"


if __name__ == "__main__":
    raise SystemExit(main())
