"""Phrases as one line that a person types: a semicolon between two, ;; for one within a phrase."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["listed", "written"]

_PHRASE = re.compile(r"(?:[^;]|;;)+")


def listed(line: str) -> tuple[str, ...]:
    """'black people; trans women' as two phrases; blank ones are left out."""
    found = (part.replace(";;", ";").strip() for part in _PHRASE.findall(line))
    return tuple(dict.fromkeys(phrase for phrase in found if phrase))


def written(phrases: Sequence[str]) -> str:
    """The line that ``listed`` reads these phrases from."""
    return "; ".join(phrase.replace(";", ";;") for phrase in phrases)
