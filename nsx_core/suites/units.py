"""A case's text split into words, its phrase being one of them.

``nsx_core.words`` joins a named phrase wherever it stands at word boundaries. A phrase that is
glued to letters (``womendisgust``) is no such phrase, so what is named to the splitter is the
phrase with the letters it is glued to, and the record says so.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from nsx_core.errors import DataError
from nsx_core.records import SplitText
from nsx_core.suites.cases import Case, Phrase
from nsx_core.words import split

__all__ = ["Units", "units"]


_POSSESSIVE = re.compile(r"['’]s\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Units:
    """What an explanation of a case needs.

    ``phrases`` go into ``ExplainSettings.phrases``; with them, ``split`` is what the
    explanation's words will be, and ``split.words[at]`` is the unit that holds the case's
    phrase (None: it has none). ``glued`` tells that the unit has letters of other words too, so
    that its scores are not the phrase's alone; a possessive's s is not counted as such.
    """

    phrases: tuple[str, ...]
    split: SplitText
    at: int | None
    glued: bool = False


def units(case: Case, splitter: str = "whitespace") -> Units:
    """The case's text in words, each of its phrases within one.

    Raises ``TextError`` where the text cannot be split (too long), ``UnknownNameError`` for the
    splitter, and ``DataError`` where no splitting makes the phrase one unit.
    """
    named = tuple(dict.fromkeys(_whole_words(case.text, phrase) for phrase in case.phrases))
    found = split(case.text, splitter, named)
    phrase = case.phrase
    if phrase is None:
        return Units(named, found, None)
    for at, word in enumerate(found.words):
        if word.start <= phrase.start and phrase.end <= word.end:
            outside = case.text[word.start : phrase.start] + case.text[phrase.end : word.end]
            glued = any(map(str.isalnum, _POSSESSIVE.sub("", outside)))
            return Units(named, found, at, glued)
    raise DataError(
        f"A phrase must be one unit of its text, and {phrase.text!r} of case {case.case_id!r} "
        f"is none under the splitter {splitter!r}. Take another splitter, or leave the case out."
    )


def _whole_words(text: str, phrase: Phrase) -> str:
    """The phrase, made longer until no letter or mark touches it from outside."""
    start, end = phrase.start, phrase.end
    while start > 0 and _belongs(text[start - 1]) and _belongs(text[start]):
        start -= 1
    while end < len(text) and _belongs(text[end - 1]) and _belongs(text[end]):
        end += 1
    return text[start:end]


def _belongs(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"
