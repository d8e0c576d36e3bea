"""From a text to its words: the units that are replaced or kept as a whole.

Method: Balkir et al. (balkir-etal-2022) score the pieces between white space, punctuation
attached; that is the splitter ``whitespace``. Two more are ours: ``punctuation`` makes runs of
punctuation and of emoji pieces of their own, and ``sentence`` makes whole sentences the units
of a long text. Never a classifier's sub-word tokens, so that scores of two classifiers
compare.

A word is a span of the original text. Spans are in reading order, do not overlap and are
never empty, so words and the gaps between them give the text back exactly, whatever it
holds: emoji and ZWJ sequences, combining marks, control characters, lone surrogates.

- White space is what ``str.isspace`` says: no-break and ideographic spaces are, NUL and
  zero-width characters are not and stay in the word they touch.
- A piece of nothing but invisible characters (control, format, fillers) is no word, as nobody
  could see or point at it: it stays in the gap.
- A named phrase makes one word of every piece it touches, punctuation attached to those
  pieces included. It matches whatever its case and white space, at word boundaries, but
  code point by code point (no Unicode normalisation). Among sentence units it can only join
  sentences, never cut one.
"""

# ruff: noqa: RUF001  the punctuation of many scripts is meant as it stands

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from nsx_core.errors import SettingsError, TextError, UnknownNameError
from nsx_core.records import SplitText, Word
from nsx_core.settings import MAX_WORD_CHARACTERS, MAX_WORDS

__all__ = [
    "SPLITTERS",
    "absent_phrases",
    "check_phrases",
    "hidden_characters",
    "phrase_spans",
    "phrases_at",
    "split",
]

Span = tuple[int, int]
_HOPELESS = 10 * MAX_WORDS  # so many pieces that no phrase or gap brings them under the limit


def split(text: str, splitter: str = "whitespace", phrases: Sequence[str] = ()) -> SplitText:
    """The text and its words, 1 to ``settings.MAX_WORDS`` of them.

    Raises ``TextError`` for what is no text, has nothing visible, too many words or too long
    a word; ``UnknownNameError`` for the splitter; ``SettingsError`` for an unusable phrase.
    """
    if not isinstance(text, str):
        raise TextError(f"A text is a string, and {type(text).__name__} came. Give one string.")
    if splitter not in SPLITTERS:
        raise UnknownNameError("splitter", splitter, SPLITTERS)
    patterns = [_phrase_pattern(phrase) for phrase in _checked_phrases(phrases)]
    if splitter != "sentence" and (pieces := len(text.split())) > _HOPELESS:
        raise _too_many(pieces, "word")
    spans = [(a, b) for a, b in SPLITTERS[splitter](text) if any(map(_visible, text[a:b]))]
    if not spans:
        raise TextError(
            "A text needs at least one visible character, and this one "
            + (f"has {len(text):,}, all blank or invisible. " if text else "is empty. ")
            + "Write at least one word."
        )
    spans = _joined(text, spans, patterns)
    _check_limits(spans, splitter)
    return SplitText(text, tuple(Word(text[a:b], a, b) for a, b in spans))


def absent_phrases(text: str, phrases: Sequence[str]) -> list[str]:
    """Those of the phrases that do not stand in the text as ``split`` would find them."""
    return [p for p in _checked_phrases(phrases) if _standing(text, p) is None]


def check_phrases(text: str, phrases: Sequence[str]) -> None:
    """Raise ``SettingsError`` where a phrase is blank or does not stand in the text."""
    if absent := absent_phrases(text, phrases):
        raise SettingsError(
            f"A phrase must stand in the text, and {absent[0]!r} does not. Check its spelling, or "
            "leave it out."
        )


def phrase_spans(text: str, phrases: Sequence[str]) -> tuple[Span, ...]:
    """Where each phrase stands first, in the order of the text; absent ones are left out."""
    spans = set()
    for phrase in _checked_phrases(phrases):
        found = _standing(text, phrase)
        if found is not None:
            spans.add(found)
    return tuple(sorted(spans))


def phrases_at(text: str, spans: Sequence[Span]) -> tuple[str, ...]:
    """The phrases that stand at spans of the text, white space in them as one blank each.

    Raises ``SettingsError`` for a span beyond the text, blank, or through the middle of a word.
    """
    for start, end in spans:
        if not 0 <= start < end <= len(text):
            raise SettingsError(
                f"A phrase lies within the text's {len(text):,} characters, and {start}-{end} came."
            )
        if not any(map(_visible, text[start:end])):
            raise SettingsError(f"A phrase has a visible character, and {start}-{end} has none.")
        if _cuts_a_word(text, start) or _cuts_a_word(text, end):
            raise SettingsError(f"A phrase is of whole words, and {start}-{end} cuts through one.")
    return tuple(" ".join(text[start:end].split()) for start, end in spans)


def hidden_characters(text: str) -> int:
    """How many characters cannot be seen, such as a zero-width joiner within a word.

    White space is not counted, nor what joins or dresses an emoji.
    """
    return sum(
        not character.isspace()
        and not _visible(character)
        and (before.isalnum() or before.isspace())
        for before, character in zip(" " + text, text, strict=False)
    )


def _check_limits(spans: list[Span], splitter: str) -> None:
    unit = "sentence unit" if splitter == "sentence" else "word"
    if len(spans) > MAX_WORDS:
        raise _too_many(len(spans), unit)
    number, length = max(enumerate((b - a for a, b in spans), 1), key=lambda pair: pair[1])
    if length > MAX_WORD_CHARACTERS:
        raise TextError(
            f"A {unit} has at most {MAX_WORD_CHARACTERS:,} characters, and {unit} {number:,} "
            f"has {length:,}. Shorten it."
        )


def _too_many(count: int, unit: str) -> TextError:
    advice = "Shorten it."
    if unit == "word":
        advice += " (The command line takes sentences as units: --splitter sentence.)"
    return TextError(f"A text has at most {MAX_WORDS:,} {unit}s, and {count:,} came. {advice}")


# --- what can be seen -------------------------------------------------------------------

# Blank though their Unicode category says letter, mark or symbol.
_FILLERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\ufff0-\ufff8\U000e0000-\U000e0fff]"
)


def _visible(character: str) -> bool:
    return not (
        character.isspace()
        or unicodedata.category(character) in ("Cc", "Cf")
        or _FILLERS.match(character)
    )


# --- splitters: text -> spans -----------------------------------------------------------


def _whitespace_spans(text: str) -> list[Span]:
    return [match.span() for match in re.finditer(r"\S+", text)]


# One code a character, so that one pattern can see kinds: d digit, w other word material,
# j joins within a word (don't, well-known), x censors within one (f**k), m also starts one
# (@name, #tag), n joins digits (1,000), p other punctuation, s emoji and other pictures,
# c goes with what is before it (marks, joiners, modifiers), blank white space.
_WORD = r"c*(?:mc*)?(?:[wd]c*)++(?:(?:[jxm]c*|[xm]++c*|(?<=d)n(?=d))(?:[wd]c*)++)*+"
_PIECE = re.compile(rf"{_WORD}|c*(?:sc*)++|c*(?:(?!mc*[wd])[pjnmx]c*)++|c+")
_LISTED_KINDS = {"'": "j", "’": "j", "-": "j", "‐": "j", "‑": "j", "·": "j", "&": "j", "_": "w"}
_LISTED_KINDS |= {"*": "x", "@": "m", "#": "m", ".": "n", ",": "n", ":": "n"}
_URL = re.compile(r"\b(?:https?://|www\.)\S*[^\s.,;:!?\"'’”)\]}>]", re.IGNORECASE)
_ZERO_WIDTH_JOINER = "\u200d"


def _kind(character: str) -> str:
    if character.isspace():
        return " "
    if character in _LISTED_KINDS:
        return _LISTED_KINDS[character]
    category = unicodedata.category(character)
    if category[0] == "M" or not _visible(character):
        return "c"
    if category[0] == "P":
        return "p"
    if category == "So" or (category == "Sk" and not character.isascii()):
        return "s"
    return "d" if category == "Nd" else "w"


def _punctuation_spans(text: str) -> list[Span]:
    kinds = [_kind(character) for character in text]
    for index, character in enumerate(text[:-1]):
        if character == _ZERO_WIDTH_JOINER and kinds[index + 1] != " ":
            kinds[index + 1] = "c"
    for match in _URL.finditer(text):
        kinds[match.start() : match.end()] = "w" * (match.end() - match.start())
    return [match.span() for match in _PIECE.finditer("".join(kinds))]


_CLOSERS = "\"'’”»)\\]」』）】"
_SENTENCE_END = re.compile(rf"([.!?…‽。！？｡؟۔।॥])[{_CLOSERS}]*\Z")
_CHUNK = re.compile(rf"[^\s。！？｡]*+[。！？｡]+[{_CLOSERS}]*|[^\s。！？｡]+")
_LINE_BREAK = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_ABBREVIATION = re.compile(r"(?:[a-hj-z]|mrs?|ms|drs?|prof|rev|st|vs|e\.g|i\.e|cf|jr|sr)\.", re.I)


def _sentence_spans(text: str) -> list[Span]:
    chunks = [match.span() for match in _CHUNK.finditer(text)]
    spans: list[Span] = []
    first = 0
    for index, (start, end) in enumerate(chunks):
        after = chunks[index + 1] if index + 1 < len(chunks) else None
        if after is None or _ends_sentence(text[start:end], text[end : after[0]], text[after[0]]):
            spans.append((chunks[first][0], end))
            first = index + 1
    return spans


def _ends_sentence(chunk: str, gap: str, following: str) -> bool:
    """Whether a sentence ends after this chunk: at its end mark, or at a line break."""
    if _LINE_BREAK.search(gap):
        return True
    while chunk and not _visible(chunk[-1]):
        chunk = chunk[:-1]
    found = _SENTENCE_END.search(chunk)
    if found is None:
        return False
    goes_on = following.islower() or _ABBREVIATION.fullmatch(chunk.lstrip("\"'“‘(["))
    return not (found.group(1) in ".…" and goes_on)


SPLITTERS: dict[str, Callable[[str], list[Span]]] = {
    "whitespace": _whitespace_spans,
    "punctuation": _punctuation_spans,
    "sentence": _sentence_spans,
}


# --- named phrases ----------------------------------------------------------------------


def _checked_phrases(phrases: Sequence[str]) -> list[str]:
    if isinstance(phrases, str):
        raise SettingsError(f"Phrases come as a list, and one string came: give [{phrases!r}].")
    for phrase in phrases:
        if not isinstance(phrase, str) or not any(map(_visible, phrase)):
            raise SettingsError(
                f"A phrase names at least one visible character, and {phrase!r} came. "
                "Remove it from the list."
            )
    return list(phrases)


def _phrase_pattern(phrase: str) -> re.Pattern[str]:
    return re.compile(r"\s+".join(map(re.escape, phrase.split())), re.IGNORECASE)


def _standing(text: str, phrase: str) -> Span | None:
    """Where the phrase stands first without cutting a word."""
    for match in _phrase_pattern(phrase).finditer(text):
        if not _cuts_a_word(text, match.start()) and not _cuts_a_word(text, match.end()):
            return match.span()
    return None


def _joined(text: str, spans: list[Span], patterns: list[re.Pattern[str]]) -> list[Span]:
    """The spans, those that a phrase touches made into one."""
    starts, ends = [a for a, _ in spans], [b for _, b in spans]
    goes_on = [False] * len(spans)  # whether the span belongs to the one before it
    for pattern in patterns:
        for match in pattern.finditer(text):
            if _cuts_a_word(text, match.start()) or _cuts_a_word(text, match.end()):
                continue
            touched = range(bisect_right(ends, match.start()), bisect_left(starts, match.end()))
            for index in touched[1:]:
                goes_on[index] = True
    joined: list[Span] = []
    for (start, end), more in zip(spans, goes_on, strict=True):
        joined.append((joined.pop()[0] if more else start, end))
    return joined


def _cuts_a_word(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    if unicodedata.category(text[at])[0] == "M":
        return True
    goes_on = text[at - 1].isalnum() or unicodedata.category(text[at - 1])[0] == "M"
    return goes_on and text[at].isalnum()
