"""A small tree of elements, the only way text becomes markup here.

A ``Node`` is a tag, attributes, custom properties (``--name``) and children; a string child
is text and stays text. ``as_data`` is what the browser component builds with createElement
and text nodes (assets/style/figure.js, same allow lists); ``as_html`` is the same tree as
escaped HTML for files. Tags and attributes outside the allow lists are refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

__all__ = [
    "ATTRIBUTES",
    "TAGS",
    "Node",
    "direction",
    "encodable",
    "node",
    "printable",
    "shortened",
]

TAGS = frozenset(
    ("div", "span", "p", "strong", "mark", "button", "s", "small", "section", "nav", "h4")
    + ("table", "caption", "thead", "tbody", "tr", "th", "td")
)
ATTRIBUTES = frozenset(("class", "role", "title", "dir", "type", "scope", "disabled"))
_SURROGATES = re.compile("[\ud800-\udfff]")
_CONTROLS = {c: chr(0x2400 + c) for c in range(32) if chr(c) not in "\t\n\r"} | {127: "\u2421"}
# Embeddings and overrides would turn what stands around them.
_CONTROLS |= {c: f"[U+{c:04X}]" for c in range(0x202A, 0x202F)}


@dataclass(frozen=True, slots=True)
class Node:
    """One element; see the module."""

    tag: str
    children: tuple[Node | str, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.tag not in TAGS:
            raise ValueError(f"<{self.tag}> is not one of the tags allowed: {sorted(TAGS)}.")
        for name in self.attributes:
            if name not in ATTRIBUTES and not name.startswith(("aria-", "data-")):
                raise ValueError(f"The attribute {name!r} is not allowed.")
        for name in self.properties:
            if not name.startswith("--"):
                raise ValueError(f"Only custom properties (--name) are set, and {name!r} came.")

    @property
    def text(self) -> str:
        """All text inside, in order."""
        return "".join(c if isinstance(c, str) else c.text for c in self.children)

    def as_data(self) -> dict[str, Any]:
        """A JSON-able tree: t tag, a attributes, p properties, c children."""
        data: dict[str, Any] = {"t": self.tag}
        if self.attributes:
            data["a"] = {k: printable(v) for k, v in self.attributes.items()}
        if self.properties:
            data["p"] = dict(self.properties)
        if self.children:
            data["c"] = [printable(c) if isinstance(c, str) else c.as_data() for c in self.children]
        return data

    def as_html(self) -> str:
        """The tree as HTML; every text and attribute value escaped."""
        attributes = "".join(f' {k}="{escape(printable(v))}"' for k, v in self.attributes.items())
        if self.properties:
            style = ";".join(f"{k}:{v}" for k, v in self.properties.items())
            attributes += f' style="{escape(style)}"'
        inside = "".join(
            escape(printable(c)) if isinstance(c, str) else c.as_html() for c in self.children
        )
        return f"<{self.tag}{attributes}>{inside}</{self.tag}>"


def node(
    tag: str,
    *children: Node | str | None,
    cls: str = "",
    properties: Mapping[str, str] | None = None,
    **attributes: str | None,
) -> Node:
    """A ``Node``; None children and attributes are left out, ``aria_label`` is aria-label."""
    named = {"class": cls} if cls else {}
    named |= {k.replace("_", "-"): v for k, v in attributes.items() if v is not None}
    return Node(tag, tuple(c for c in children if c is not None), named, properties or {})


def encodable(text: str) -> str:
    """The text with lone surrogates, which cannot be sent to a browser, as U+FFFD."""
    return _SURROGATES.sub("\ufffd", text)


def printable(text: str) -> str:
    """The text with lone surrogates, control and direction-override characters made visible."""
    return encodable(text).translate(_CONTROLS)


def shortened(text: str, most: int = 48) -> str:
    """The text, its middle left out where it is longer than ``most`` characters."""
    if len(text) <= most:
        return text
    half = (most - 1) // 2
    return f"{text[:half]}\u2026{text[-half:]}"


def direction(text: str) -> str:
    """'rtl' where the first strongly directed character runs right to left, else 'ltr'."""
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind in ("R", "AL"):
            return "rtl"
        if kind == "L":
            return "ltr"
    return "ltr"
