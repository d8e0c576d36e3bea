"""Where in a text the placeholders of its template stand.

A template's fixed parts are laid against the text; what is left between them are the phrases.
White space, case, curly quotes and ``a``/``an`` before a placeholder may differ, as they do
where a template is filled in (``a [IDENTITY_S]`` beside ``an immigrant``). A phrase is never
guessed: where the fixed parts do not fit, or fit in two ways, the answer is a reason in words.
"""

from __future__ import annotations

import re
from functools import lru_cache

from nsx_core.suites.cases import Phrase

__all__ = ["named_phrase", "placeholders", "template_phrases"]

# [IDENTITY_P] as in HateCheck, {identity} as in CheckList.
_PLACEHOLDER = re.compile(r"\[([^\W\d_][\w -]{0,40})\]|\{([^\W\d_][\w -]{0,40})\}")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"'})
Found = tuple[tuple[Phrase, ...], str]


def placeholders(template: str) -> tuple[str, ...]:
    """The names of a template's placeholders, without brackets, in reading order."""
    return tuple(m.group(1) or m.group(2) for m in _PLACEHOLDER.finditer(template))


def template_phrases(text: str, template: str) -> Found:
    """What stands in the text for each placeholder, and '' or why nothing was found.

    All phrases come or none does. A placeholder that the text holds as it is written, such as
    ``[USER]``, is a part of the text and no phrase.
    """
    names, fixed = _parts(template)
    if not names:
        return (), ""
    plain, places = _plain(text)
    begin, stop = _inner(plain, 0, len(plain))
    spans, reason = _gaps(plain[begin:stop], fixed)
    if reason:
        return (), reason
    found = []
    for name, (start, end) in zip(names, spans, strict=True):
        start, end = _inner(plain, begin + start, begin + end)
        if plain[start:end] in (f"[{name.lower()}]", f"{{{name.lower()}}}"):
            continue
        if not any(map(str.isalnum, plain[start:end])):
            return (), f"nothing stands in the text for [{name}]"
        found.append(_phrase(text, places, start, end, name))
    return tuple(found), ""


def named_phrase(text: str, phrase: str) -> Found:
    """Where a phrase that a column names stands in the text; the first place if several.

    White space, case and curly quotes may differ. Whole words go before parts of words.
    """
    plain, places = _plain(text)
    wanted, _ = _plain(phrase.strip())
    if not any(map(str.isalnum, wanted)):
        return (), f"the phrase {phrase!r} names no word"
    within = at = plain.find(wanted)
    while at >= 0 and not _stands_free(plain, at, at + len(wanted)):
        at = plain.find(wanted, at + 1)
    at = within if at < 0 else at
    if at < 0:
        return (), f"the phrase {phrase!r} does not stand in the text"
    return (_phrase(text, places, at, at + len(wanted)),), ""


def _inner(plain: str, start: int, end: int) -> tuple[int, int]:
    """The span without the white space at its ends."""
    inside = plain[start:end]
    return start + len(inside) - len(inside.lstrip()), start + len(inside.rstrip())


def _phrase(text: str, places: list[int] | None, start: int, end: int, name: str = "") -> Phrase:
    """The phrase of the text that a span of its plain form stands for."""
    if places is not None:
        start, end = places[start], places[end - 1] + 1
    return Phrase(text[start:end], start, end, name)


def _stands_free(plain: str, start: int, end: int) -> bool:
    before = start > 0 and plain[start - 1].isalnum() and plain[start].isalnum()
    after = end < len(plain) and plain[end - 1].isalnum() and plain[end].isalnum()
    return not before and not after


@lru_cache(maxsize=4096)
def _parts(template: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """A template's placeholders, and the ways to write each of the fixed parts around them."""
    names = placeholders(template)
    # The pattern has two groups, of which one is None: every third piece is a fixed part.
    pieces = _PLACEHOLDER.split(template.strip())[::3]
    written = []
    for index, piece in enumerate(pieces):
        plain, _ = _plain(piece)
        ways = [plain]
        article = re.search(r"(?<!\w)an? $", plain)
        if article and index < len(names):
            other = "an " if article.group() == "a " else "a "
            ways.append(plain[: article.start()] + other)
        written.append(tuple(ways))
    return names, tuple(written)


def _plain(text: str) -> tuple[str, list[int] | None]:
    """The text as it is compared, and where each of its characters stood (None: where it is).

    Lower case, straight quotes, one space for any white space.
    """
    text = text.translate(_QUOTES)
    lower = text.lower()
    if len(lower) != len(text):  # as for İ, whose lower case is two characters
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    words = lower.split()
    tight = " ".join(words)
    if len(tight) + text[:1].isspace() + text[-1:].isspace() == len(lower) and words:
        lead, trail = " " * lower[:1].isspace(), " " * lower[-1:].isspace()
        return lead + tight + trail, None
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(lower):
        if not character.isspace():
            characters.append(character)
        elif not characters or characters[-1] != " ":
            characters.append(" ")
        else:
            continue
        places.append(place)
    return "".join(characters), places


def _gaps(plain: str, fixed: tuple[tuple[str, ...], ...]) -> tuple[list[tuple[int, int]], str]:
    """The spans between the fixed parts, and '' or why they are not known.

    The first part opens the text and the last one ends it. Those between are searched for from
    both ends: only where both searches agree is there one way alone. Linear in the text.
    """
    opening = next((way for way in fixed[0] if plain.startswith(way)), None)
    closing = next((way for way in fixed[-1] if plain.endswith(way)), None)
    if opening is None or closing is None:
        where = "beginning" if opening is None else "end"
        return [], f"the text and its template differ at the {where}"
    first, last = len(opening), len(plain) - len(closing)
    if first >= last:
        return [], "nothing stands in the text for the placeholder"
    forward: list[tuple[int, int]] = []
    backward: list[tuple[int, int]] = []
    at = first
    for ways in fixed[1:-1]:
        found = [(plain.find(way, at + 1, last - 1), len(way)) for way in ways]
        spans = [(start, start + length) for start, length in found if start >= 0]
        if not spans:
            return [], "the text and its template differ between two placeholders"
        forward.append(min(spans, key=lambda span: span[1]))
        at = forward[-1][1]
    at = last
    for ways in fixed[-2:0:-1]:
        found = [(plain.rfind(way, first + 1, at - 1), len(way)) for way in ways]
        backward.append(max((start, start + length) for start, length in found))
        at = backward[-1][0]
    if forward != backward[::-1]:
        return [], "the template's placeholders fit the text in more than one way"
    edges = [first, *(edge for span in forward for edge in span), last]
    return list(zip(edges[::2], edges[1::2], strict=True)), ""
