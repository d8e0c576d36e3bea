"""The starter suite: our own templates filled with the names of groups, for a first audit.

Written for this project in the form of HateCheck (rottger-etal-2021), whose names for
functionalities and columns it uses, so that every table runs on both; none of its sentences is
HateCheck's. It is small and mildly worded: it shows how an audit works and is no measure of how
a classifier does in the world. Two tables in assets/suites are the source, and
``python -m nsx_core.suites.starter`` makes the suite from them:

- starter_templates.csv: one template a row, with its functionality, label and direction;
- starter_fillers.csv: what may stand for a placeholder, and the group that it names.

A template is filled with every filler of its placeholder, in the order of the fillers.
"""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from nsx_core.errors import DataError
from nsx_core.settings import PROJECT_FOLDER
from nsx_core.suites.cases import Suite
from nsx_core.suites.phrases import placeholders
from nsx_core.suites.reading import read_suite
from nsx_core.suites.tables import Table, read_table

__all__ = ["FOLDER", "STARTER_FILE", "generated", "starter_suite"]

FOLDER = PROJECT_FOLDER / "assets" / "suites"
STARTER_FILE = FOLDER / "starter.csv"
COLUMNS = (
    "functionality", "case_id", "test_case", "label_gold", "target_ident", "direction",
    "focus_words", "focus_lemma", "ref_case_id", "ref_templ_id", "templ_id", "case_templ",
)  # fmt: skip


def starter_suite() -> Suite:
    """The suite that ships with the project."""
    return read_suite(STARTER_FILE)


def generated(templates: Table, fillers: Table) -> str:
    """The suite as CSV text, one case for each template and filler of its placeholder.

    Raises ``DataError`` for a template without exactly one placeholder, or one that has no
    fillers.
    """
    named: dict[str, list[tuple[str, str]]] = {}
    for place, group, value in _rows(fillers, "placeholder", "target_ident", "value"):
        named.setdefault(place, []).append((group, value))
    written = io.StringIO(newline="")
    out = csv.DictWriter(written, COLUMNS, restval="", lineterminator="\n")
    out.writeheader()
    case_id = 0
    for templ_id, functionality, label, direction, template in _rows(
        templates, "templ_id", "functionality", "label_gold", "direction", "case_templ"
    ):
        names = placeholders(template)
        if len(names) != 1 or names[0] not in named:
            raise DataError(
                f"A starter template has one placeholder, one of {', '.join(named)}, and template "
                f"{templ_id} has {', '.join(names) or 'none'}. Change the template."
            )
        for group, value in named[names[0]]:
            case_id += 1
            out.writerow(
                {
                    "functionality": functionality,
                    "case_id": case_id,
                    "test_case": _filled(template, names[0], value),
                    "label_gold": label,
                    "target_ident": group,
                    "direction": direction,
                    "templ_id": templ_id,
                    "case_templ": template,
                }
            )
    return written.getvalue()


def _rows(table: Table, *columns: str) -> list[tuple[str, ...]]:
    return list(zip(*(table.values[column] for column in columns), strict=True))


def _filled(template: str, name: str, value: str) -> str:
    if value[0].lower() in "aeiou":
        template = re.sub(rf"\b([Aa]) (?=\[{name}\])", r"\1n ", template)
    text = template.replace(f"[{name}]", value)
    return text[0].upper() + text[1:]


def main(folder: Path = FOLDER) -> int:
    """Write starter.csv from the two tables beside it."""
    text = generated(
        read_table(folder / "starter_templates.csv"), read_table(folder / "starter_fillers.csv")
    )
    (folder / STARTER_FILE.name).write_text(text, encoding="utf-8", newline="")
    print(f"{folder / STARTER_FILE.name}: {len(text.splitlines()) - 1} cases")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
