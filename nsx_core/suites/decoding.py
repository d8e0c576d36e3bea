"""The characters of a file: UTF-8 as a rule, UTF-16 by its mark, Windows-1252 with a note.

An audit on misread texts would be wrong without looking wrong. So a file that is not UTF-8 is
read as Windows-1252 (what spreadsheets for Western languages write, and for letters the same as
Latin-1) only where that gives a mostly plain text, and the suite says so.
"""

from __future__ import annotations

import codecs

from nsx_core.errors import DataError

__all__ = ["decoded"]

_FOREIGN_SHARE_MAX = 0.1  # above it, a text is hardly of a Western language
_ADVICE = "Save it as UTF-8 (in a spreadsheet: 'CSV UTF-8') and load it again."


def decoded(content: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    """The file's text without a byte order mark, and notes on how it was read.

    Raises ``DataError`` for an empty file, for one that is no text, and for an encoding that
    is not known.
    """
    text, notes = _read(content, name)
    if not text.strip():
        raise DataError(
            f"A suite needs a header and at least one row, and {name!r} is empty. Check the file."
        )
    return text, notes


def _read(content: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    # UTF-32's mark begins with UTF-16's; nobody writes it on purpose.
    wide = content[:4] in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
    if not wide and content[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return _utf16(content, name), (f"{name} is UTF-16 and was read as such.",)
    if content[:4] == b"PK\x03\x04" or b"\x00" in content:
        raise DataError(
            f"A suite is a text file (CSV, TSV, JSONL) or Parquet, and {name!r} is a binary file"
            + (
                ", perhaps a spreadsheet. Export it as 'CSV UTF-8' and load that."
                if content[:2] == b"PK"
                else f". {_ADVICE}"
            )
        )
    try:
        return content.decode("utf-8-sig"), ()
    except UnicodeDecodeError as reason:
        return _windows(content, name, reason)


def _utf16(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-16")
    except UnicodeDecodeError as reason:
        raise DataError(
            f"{name!r} begins like UTF-16 but is broken at byte {reason.start:,}. {_ADVICE}"
        ) from reason


def _windows(content: bytes, name: str, reason: UnicodeDecodeError) -> tuple[str, tuple[str, ...]]:
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        text = ""
    foreign = [character for character in text if not character.isascii()]
    if not text or len(foreign) > _FOREIGN_SHARE_MAX * len(text):
        line = content.count(b"\n", 0, reason.start) + 1
        raise DataError(
            f"A suite is encoded as UTF-8, and {name!r} is not: line {line:,} has the byte "
            f"0x{content[reason.start]:02x} where none such may stand. {_ADVICE}"
        ) from reason
    examples = ", ".join(dict.fromkeys(foreign[:50]))
    note = (
        f"{name} is not UTF-8 and was read as Windows-1252; {len(foreign):,} "
        f"{'character hangs' if len(foreign) == 1 else 'characters hang'} on that, such as "
        f"{examples[:30]}. If they look wrong, save the file as UTF-8."
    )
    return text, (note,)
