"""What is in a suite: counts, and its cases with the phrase marked in each text.

Kinds, pages and the table; which phrase a case has is decided in ``nsx_core.suites``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from nsx_core.audit_records import SuiteCard
from nsx_core.errors import NsxError
from nsx_core.suites import Case, Suite, Table, units
from nsx_core.suites.derived import DERIVED
from nsx_core.suites.fetching import HATECHECK
from nsx_core.suites.mapping import Mapping, hateful_labels
from nsx_core.views.markup import Node, direction, node, shortened
from nsx_core.views.numbers import counted, percent
from nsx_core.views.table_controls import pages_nav

__all__ = [
    "LABELS_MAX",
    "Labels",
    "PhraseKind",
    "PreviewRow",
    "cases_table",
    "counts_sentence",
    "fetch_sentence",
    "kind_names",
    "labels_of",
    "phrases_sentence",
    "preview_rows",
    "suite_names",
]

PAGE_ROWS = 10
#: More different values than this, and a column is hardly one of labels.
LABELS_MAX = 50
_TEXT_CHARACTERS = 600


class PhraseKind(StrEnum):
    """How a case's phrase was found in its text."""

    FOUND = "found"
    GLUED = "glued"
    MISSING = "missing"
    UNASKED = "unasked"


_KIND_NAMES = {
    PhraseKind.FOUND: "Found",
    PhraseKind.GLUED: "Glued to other letters",
    PhraseKind.MISSING: "Not found",
    PhraseKind.UNASKED: "No phrase named",
}


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """A case, how its phrase was found, and a reason in words where something is amiss."""

    case: Case
    kind: PhraseKind
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Labels:
    """A label column's different values, and those that mean 'hateful' as far as is understood.

    ``understood`` is False where a value is not.
    """

    values: tuple[str, ...]
    hateful: tuple[str, ...]
    understood: bool


def labels_of(table: Table, column: str) -> Labels:
    """The labels of a table's column, in the order in which they come."""
    counts = Counter(filter(None, map(str.strip, table.values[column])))
    values = tuple(counts)
    try:
        said = hateful_labels(values, Mapping("", column), table.name)
    except NsxError:
        return Labels(values, (), False)
    return Labels(values, tuple(v for v, is_so in zip(values, said, strict=True) if is_so), True)


def preview_rows(suite: Suite, splitter: str = "whitespace") -> tuple[PreviewRow, ...]:
    """A row a case, in the suite's order."""
    return tuple(_row(case, splitter) for case in suite.cases)


def _row(case: Case, splitter: str) -> PreviewRow:
    if case.phrase_problem:
        return PreviewRow(case, PhraseKind.MISSING, case.phrase_problem)
    if case.phrase is None:
        return PreviewRow(case, PhraseKind.UNASKED)
    try:
        found = units(case, splitter)
    except NsxError as reason:
        return PreviewRow(case, PhraseKind.MISSING, str(reason))
    if not found.glued or found.at is None:
        return PreviewRow(case, PhraseKind.FOUND)
    unit = found.split.words[found.at].text
    return PreviewRow(
        case,
        PhraseKind.GLUED,
        f"its unit is {shortened(unit)!r}, so the scores are not the phrase's alone",
    )


def counts_sentence(suite: Suite) -> str:
    """'301 cases, 8 groups, 12 functionalities, 43 % hateful.'"""
    hateful = sum(case.hateful for case in suite.cases)
    parts = [counted(len(suite.cases), "case"), counted(len(suite.groups), "group")]
    if not set(suite.functionalities) <= set(DERIVED):
        parts.append(counted(len(suite.functionalities), "functionality", "functionalities"))
    return ", ".join([*parts, f"{percent(hateful / len(suite.cases))} hateful."])


def phrases_sentence(rows: Sequence[PreviewRow]) -> str:
    """How many phrases were found, and what becomes of the cases without one."""
    kinds = Counter(row.kind for row in rows)
    found, missing = kinds[PhraseKind.FOUND] + kinds[PhraseKind.GLUED], kinds[PhraseKind.MISSING]
    if not found and not missing:
        return (
            "No case names its phrase, so none can be explained: choose a column for the phrase, "
            "or one for the template with a placeholder such as [IDENTITY_P] in it."
        )
    said = [f"{counted(found, 'phrase')} found."]
    if kinds[PhraseKind.GLUED]:
        said.append(
            f"{counted(kinds[PhraseKind.GLUED], 'of them is', 'of them are')} glued to letters of "
            "other words and scored with them."
        )
    if missing:
        said.append(
            f"{counted(missing, 'phrase')} not found: "
            f"{'this case is' if missing == 1 else 'these cases are'} classified, not explained."
        )
    if kinds[PhraseKind.UNASKED]:
        said.append(
            f"{counted(kinds[PhraseKind.UNASKED], 'case')} without a phrase: classified only."
        )
    return " ".join(said)


def kind_names(rows: Sequence[PreviewRow]) -> dict[str, str]:
    """What can be shown, '' for all, with how many there are; kinds that do not occur left out."""
    kinds = Counter(row.kind for row in rows)
    names = {"": f"All {len(rows):,}"}
    return names | {k: f"{name} {kinds[k]:,}" for k, name in _KIND_NAMES.items() if kinds[k]}


def cases_table(rows: Sequence[PreviewRow], kind: str, page: int) -> Node:
    """One page (from 0, the nearest there is) of the rows of one kind ('' = all)."""
    matching = [row for row in rows if kind in ("", row.kind)]
    pages = max(1, -(-len(matching) // PAGE_ROWS))
    page = min(max(page, 0), pages - 1)
    first = page * PAGE_ROWS
    shown = matching[first : first + PAGE_ROWS]
    headings = (("Case", ""), ("Text", "text"), ("Group", ""), ("Label", "outcome"))
    return node(
        "div",
        node(
            "table",
            node("caption", node("mark", "Marked", cls="written"), ": the phrase that is scored."),
            node("thead", node("tr", *(node("th", h, scope="col", cls=c) for h, c in headings))),
            node("tbody", *map(_case_row, shown)),
            cls="draws",
        ),
        None if shown else node("p", "No case is of this kind.", cls="nothing"),
        pages_nav(first, len(shown), len(matching), page, pages, "Pages of cases"),
        cls="cases",
    )


def _case_row(row: PreviewRow) -> Node:
    case = row.case
    said = {PhraseKind.MISSING: "not found: ", PhraseKind.GLUED: "glued: "}.get(row.kind, "")
    reason = node("div", node("small", said + row.reason)) if row.reason else None
    return node(
        "tr",
        node("td", shortened(case.case_id, 20)),
        node("td", *_marked(case), reason, cls="text", dir=direction(case.text)),
        node("td", shortened(case.group, 28) or "\u2013", cls="outcome"),
        node("td", "hateful" if case.hateful else "not hateful", cls="outcome"),
    )


def _marked(case: Case) -> tuple[Node | str, ...]:
    """The text, cut after some hundred characters unless the phrase stands later."""
    phrase = case.phrase
    if phrase is None:
        return (_cut(case.text),)
    before, after = case.text[: phrase.start], case.text[phrase.end :]
    if len(before) > _TEXT_CHARACTERS:
        before = f"\u2026{before[-_TEXT_CHARACTERS:]}"
    word = shortened(phrase.text, 80)
    return (before, node("mark", word, cls="written", dir=direction(word)), _cut(after))


def _cut(text: str) -> str:
    return text if len(text) <= _TEXT_CHARACTERS else f"{text[:_TEXT_CHARACTERS]}\u2026"


def suite_names(cards: Sequence[SuiteCard]) -> dict[str, str]:
    """'starter, 301 cases' by id; the beginning of the id goes with names that occur twice."""
    often = Counter(card.name for card in cards)
    return {
        card.id: f"{card.name}, {counted(card.cases, 'case')}"
        + (f" ({card.id[:6]})" if often[card.name] > 1 else "")
        for card in cards
    }


def fetch_sentence(cards: Sequence[SuiteCard]) -> str:
    """How HateCheck is got, '' where it is there."""
    if any(card.name == HATECHECK.name for card in cards):
        return ""
    return (
        f"The paper's suite, {HATECHECK.name} ({HATECHECK.licence}), is not here yet: "
        "`python -m nsx_core fetch hatecheck` gets it, once."
    )
