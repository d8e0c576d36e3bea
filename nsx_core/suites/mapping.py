"""Which column of a file is what, and which values of its label column mean 'hateful'."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from nsx_core.errors import DataError, UnknownNameError

__all__ = ["Mapping", "guessed_mapping"]


@dataclass(frozen=True, slots=True)
class Mapping:
    """The column for each part of a case, '' where the file has none; text and label are needed.

    ``hateful`` are the label column's values that mean 'hateful', every other value then
    meaning 'not hateful'; left empty, the usual words and 0 and 1 are understood.
    """

    text: str
    label: str
    group: str = ""
    phrase: str = ""
    template: str = ""
    id: str = ""
    functionality: str = ""
    template_id: str = ""
    hateful: tuple[str, ...] = ()

    @property
    def columns(self) -> dict[str, str]:
        """The mapped parts and their columns, without those that have none."""
        parts = (f.name for f in fields(self) if f.name != "hateful")
        return {part: column for part in parts if (column := str(getattr(self, part)))}

    def checked(self, columns: Sequence[str], name: str) -> Mapping:
        """This mapping where it fits the file's columns, or an error.

        Raises ``DataError`` for a missing text or label, or a column mapped twice, and
        ``UnknownNameError`` for a column that the file ``name`` does not have.
        """
        for part in ("text", "label"):
            if not getattr(self, part):
                raise DataError(
                    f"A suite needs a column for the {part}, and none of {name!r} is named as "
                    f"one. Say which it is: {', '.join(map(repr, columns)) or 'it has none'}."
                )
        taken: dict[str, str] = {}
        for part, column in self.columns.items():
            if column not in columns:
                raise UnknownNameError(f"column of {name!r}", column, columns)
            if part in ("text", "label") and column in taken:
                raise DataError(
                    f"Text and label come from columns of their own, and {column!r} is given for "
                    f"{taken[column]} and {part}. Choose two."
                )
            taken[column] = part
        return self


# Lower case, without anything but letters and digits; earlier names win.
_NAMES: dict[str, tuple[str, ...]] = {
    "text": ("testcase", "text", "sentence", "comment", "tweet", "content", "post", "message"),
    "label": ("labelgold", "label", "goldlabel", "gold", "hateful", "ishateful", "hate", "class"),
    "group": ("targetident", "group", "targetgroup", "identity", "identitygroup", "target"),
    "phrase": ("phrase", "identityphrase", "identityterm", "term"),
    "template": ("casetempl", "template", "templatetext", "templ"),
    "id": ("caseid", "id", "textid", "key"),
    "functionality": ("functionality", "function", "functionaltest", "test", "category"),
    "template_id": ("templid", "templateid"),
}


def guessed_mapping(columns: Sequence[str]) -> Mapping:
    """A mapping by the columns' names; a part that no column is named like stays ''.

    HateCheck's own columns are all recognised. Only whole names count: a column called
    'text_length' is not taken for the text.
    """
    plain = {re.sub(r"[^a-z0-9]", "", column.lower()): column for column in reversed(columns)}
    found: dict[str, Any] = {}
    for part, names in _NAMES.items():
        column = next((plain[name] for name in names if name in plain), "")
        found[part] = "" if column in found.values() else column
    return replace(Mapping("", ""), **found)


_HATEFUL = {"hateful", "hate", "hatespeech", "1", "true", "yes", "y"}
_NOT_HATEFUL = {"nonhateful", "nothateful", "nonhate", "nothate", "nohate", "neutral", "none"}
_NOT_HATEFUL |= {"normal", "nothatespeech", "nonhatespeech", "nohatespeech", "0", "false", "no"}
_NOT_HATEFUL |= {"n"}


def hateful_labels(values: Sequence[str], mapping: Mapping, name: str) -> list[bool | None]:
    """Whether each label says 'hateful'; None for an empty one.

    Raises ``DataError`` for a value that is not understood, and for ``mapping.hateful`` values
    that the column does not hold.
    """
    kinds = {value: value.strip() for value in dict.fromkeys(values)}
    listed = _listed([kind for kind in dict.fromkeys(kinds.values()) if kind])
    if mapping.hateful:
        wanted = {value.strip() for value in mapping.hateful}
        if absent := sorted(wanted - set(kinds.values())):
            raise DataError(
                f"The values that mean 'hateful' stand in the column {mapping.label!r} of "
                f"{name!r}, and {absent[0]!r} does not. The column holds: {listed}."
            )
        said: dict[str, bool | None] = {v: k in wanted if k else None for v, k in kinds.items()}
    else:
        said = {value: _understood(kind) if kind else None for value, kind in kinds.items()}
        odd = [kind for value, kind in kinds.items() if kind and said[value] is None]
        if odd:
            row = next(i for i, value in enumerate(values, 1) if value.strip() == odd[0])
            raise DataError(
                f"A label says hateful or non-hateful (or 1 or 0, yes or no, true or false), and "
                f"row {row:,} of {name!r} says {odd[0]!r} in the column {mapping.label!r}. Say "
                f"which values mean 'hateful', or choose another column. It holds: {listed}."
            )
    return [said[value] for value in values]


def _understood(label: str) -> bool | None:
    plain = re.sub(r"[\s_-]+", "", label.lower())
    if plain in _NOT_HATEFUL:
        return False
    return True if plain in _HATEFUL else None


def _listed(kinds: Sequence[str]) -> str:
    more = f" and {len(kinds) - 10:,} more" if len(kinds) > 10 else ""
    return ", ".join(repr(kind[:60]) for kind in kinds[:10]) + more
