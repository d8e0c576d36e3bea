"""From a file to a suite: what is an error, and what is skipped and counted.

An error is what would make the whole suite mean something else: a column that is missing, a
label that is not understood, two cases with one id, a broken file. Skipped and counted in the
suite's notes is what concerns single rows: no text, no label, a text that cannot be split, one
that came before. A phrase that is not found leaves its case in, since it can be classified, with
the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path, PurePath

from nsx_core.errors import DataError, TextError
from nsx_core.settings import MAX_WORDS
from nsx_core.suites.cases import Case, Suite
from nsx_core.suites.derived import derived_functionality
from nsx_core.suites.fetching import HATECHECK_SHA256
from nsx_core.suites.mapping import Mapping, guessed_mapping, hateful_labels
from nsx_core.suites.phrases import named_phrase, template_phrases
from nsx_core.suites.tables import Table, read_table
from nsx_core.words import split

__all__ = ["read_suite", "suite_of"]


def read_suite(source: str | Path | bytes, mapping: Mapping | None = None, name: str = "") -> Suite:
    """The suite of a CSV, TSV, JSONL or Parquet file, or of an upload's bytes with its ``name``.

    Without a ``mapping`` the columns are told by their names, as HateCheck's are. Texts lose
    the white space around them. Without a column for the functionality, cases get one of
    ``derived.DERIVED``. Raises ``DataError`` and ``UnknownNameError``.
    """
    return suite_of(read_table(source, name), mapping)


def suite_of(table: Table, mapping: Mapping | None = None) -> Suite:
    """The suite of a table that was read before; see ``read_suite``."""
    chosen = (mapping or guessed_mapping(table.columns)).checked(table.columns, table.name)
    empty = [""] * len(table)
    column = {
        part: table.values[chosen.columns[part]] if part in chosen.columns else empty
        for part in ("text", "group", "phrase", "template", "functionality", "template_id")
    }
    ids = _ids(table, chosen)
    labels = hateful_labels(table.values[chosen.label], chosen, table.name)
    texts = [text.strip() for text in column["text"]]
    skipped: dict[str, list[int]] = {}
    cases, seen = [], set[str]()
    for row, text in enumerate(texts):
        reason = _why_skipped(text, labels[row])
        if not reason and text in seen:
            # Tables tell cases by their texts, and twice the same says nothing more.
            reason = "a text that an earlier row has"
        if reason:
            skipped.setdefault(reason, []).append(row + 1)
            continue
        seen.add(text)
        template = column["template"][row].strip()
        phrase = column["phrase"][row].strip()
        hateful, group = bool(labels[row]), column["group"][row].strip()
        functionality = column["functionality"][row].strip()
        if not chosen.functionality:
            functionality = derived_functionality(hateful, group)
        phrases, problem = (
            named_phrase(text, phrase) if phrase else template_phrases(text, template)
        )
        cases.append(
            Case(
                case_id=ids[row],
                text=text,
                hateful=hateful,
                functionality=functionality,
                group=group,
                template_id=column["template_id"][row].strip(),
                template=template,
                phrases=phrases,
                phrase_problem=problem,
            )
        )
    if not cases:
        raise DataError(
            f"A suite needs at least one row with a text and a label, and all {len(table):,} of "
            f"{table.name!r} are skipped: {'; '.join(skipped)}. Check the columns chosen."
        )
    notes = [*table.notes, *(_skip_note(reason, rows) for reason, rows in skipped.items())]
    known = {HATECHECK_SHA256: "HateCheck"}
    return Suite(
        known.get(table.sha256, PurePath(table.name).stem),
        table.sha256,
        tuple(cases),
        (*notes, *_phrase_notes(cases)),
    )


def _ids(table: Table, mapping: Mapping) -> list[str]:
    """One id a row: the column's, or the row's number where none is mapped."""
    if not mapping.id:
        return [str(row + 1) for row in range(len(table))]
    ids = [value.strip() for value in table.values[mapping.id]]
    rows: dict[str, list[int]] = {}
    for row, case_id in enumerate(ids, 1):
        rows.setdefault(case_id, []).append(row)
    if "" in rows:
        raise DataError(
            f"Every case has an id, and {_numbered(rows[''])} of {table.name!r} "
            f"{'has' if len(rows['']) == 1 else 'have'} none in the column {mapping.id!r}. Fill "
            "it in, or choose no column for the id: rows are then numbered."
        )
    twice = [(case_id, where) for case_id, where in rows.items() if len(where) > 1]
    if twice:
        shown = "; ".join(f"{case_id!r} in {_numbered(where)}" for case_id, where in twice[:3])
        more = f" and {len(twice) - 3:,} more ids" if len(twice) > 3 else ""
        raise DataError(
            f"Every case has an id of its own, and the column {mapping.id!r} of {table.name!r} "
            f"repeats {shown}{more}. Make them different, or choose no column for the id: rows "
            "are then numbered."
        )
    return ids


def _why_skipped(text: str, hateful: bool | None) -> str:
    if not text:
        return "no text"
    # Most texts are plainly short enough and hold a letter: splitting all would take long.
    if len(text) > MAX_WORDS or not any(map(str.isalnum, text)):
        try:
            split(text)
        except TextError as reason:
            return f"a text that cannot be used ({str(reason).split('. ')[0]})"
    return "no label" if hateful is None else ""


def _skip_note(reason: str, rows: Sequence[int]) -> str:
    which = "1 row is" if len(rows) == 1 else f"{len(rows):,} rows are"
    return f"{which} skipped, having {reason}: {_numbered(rows)}."


def _numbered(rows: Sequence[int]) -> str:
    if len(rows) == 1:
        return f"row {rows[0]:,}"
    shown = ", ".join(f"{row:,}" for row in rows[:5])
    return f"rows {shown}" + (f" and {len(rows) - 5:,} more" if len(rows) > 5 else "")


def _phrase_notes(cases: Sequence[Case]) -> list[str]:
    notes = []
    for problem, count in Counter(
        c.phrase_problem for c in cases if c.phrase_problem
    ).most_common():
        example = next(case.case_id for case in cases if case.phrase_problem == problem)
        notes.append(
            f"The phrase of {count:,} {'case' if count == 1 else 'cases'} was not found, as in "
            f"case {example!r}: {problem}."
        )
    if several := sum(len(case.phrases) > 1 for case in cases):
        notes.append(
            f"{several:,} {'case has' if several == 1 else 'cases have'} several phrases, each "
            "one unit; the first that names a group is the one whose scores count."
        )
    return notes
