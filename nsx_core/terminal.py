"""Texts for a terminal: one line, nothing that moves the cursor or colours the screen."""

from __future__ import annotations

__all__ = ["as_line"]


def as_line(text: str) -> str:
    """The text with what is not printable as an escape, lone surrogates as '?'."""
    encodable = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in encodable)
