"""Clean social media text as Balkir et al. (2022) do before training.

Mentions, links and emoji become the placeholders ``[USER]``, ``[URL]`` and ``[EMOJI]``;
HTML entities are decoded; the line-break marker of the Contextual Abuse Dataset and all
white space become single spaces. The classifiers see text cleaned this way in training
and in use. The infiller's corpus goes further: see ``without_placeholders``.
"""

from __future__ import annotations

import html
import re
import unicodedata

USER, URL, EMOJI = "[USER]", "[URL]", "[EMOJI]"
PLACEHOLDERS = (USER, URL, EMOJI)

_AMPERSANDS = re.compile(r"&(?:(?:amp|AMP);?|#0*38;|#[xX]0*26;)+")
_NUMBER = re.compile(r"&#0*([0-9]{1,8})[0-9]*")
_URL = re.compile(r"(?:https?://|www\.(?=\w))\S+|\b\w[\w-]*\.(?:com|org|net|co)/\S+", re.IGNORECASE)
_MENTION = re.compile(r"(?<![\w@])@\w+(?:@\w+)*")
_LINEBREAK = re.compile(r"\[linebreak\]", re.IGNORECASE)
_EMOJI = re.compile(
    "(?:[\U0001f1e6-\U0001f1ff]{2}"
    "|[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
    "[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]?"
    "(?:\u200d[\u2600-\u27bf\U0001f000-\U0001faff][\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]?)*)+"
)
_RUN_OF_PLACEHOLDERS = re.compile(r"(\[(?:USER|URL|EMOJI)\])(?:\s*\1)+")
_EDGE = re.compile(
    r"^(?:\s*(?:RT\b|\[USER\]|\[URL\]|\[EMOJI\])[\s:,]*)+|(?:[\s]*(?:\[USER\]|\[URL\]|\[EMOJI\]))+\s*$"
)


def clean(text: str) -> str:
    """The text with entities decoded, placeholders in, and single spaces."""
    text = _decoded(text)
    text = _LINEBREAK.sub(" ", text)
    text = _URL.sub(f" {URL} ", text)
    text = _MENTION.sub(USER, text)
    text = _EMOJI.sub(f" {EMOJI} ", text)
    text = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in text)
    text = " ".join(text.split())
    return _RUN_OF_PLACEHOLDERS.sub(r"\1", text)


def _decoded(text: str) -> str:
    """Entities decoded until none is left: tweets come with ``&amp;lt;``.

    Escaped ampersands go at once, however often they were escaped, and numbers are cut
    to eight digits, which is beyond every character (Python refuses to read 5,000).
    """
    while True:
        decoded = html.unescape(_NUMBER.sub(r"&#\1", _AMPERSANDS.sub("&", text)))
        if decoded == text:
            return text
        text = decoded


def without_placeholders(cleaned: str) -> str | None:
    """Strip placeholders and RT marks at both ends; None where one stands inside.

    An infiller trained on them would write them into every counterfactual text, where a
    reader takes them for content, so the corpus holds none at all.
    """
    text, before = cleaned, None
    while text != before:
        text, before = _EDGE.sub("", text).strip(" \"'|-:"), text
    if any(mark in text for mark in PLACEHOLDERS):
        return None
    return text
