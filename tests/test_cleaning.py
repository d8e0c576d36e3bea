"""Cleaning: entities, placeholders, white space; and what the infiller's corpus drops."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsx_core.cleaning import PLACEHOLDERS, clean, without_placeholders

PARTS = st.sampled_from(
    [
        "a", "B1", " ", "\n", "\t", "\u2028", "\x00", "@", "@@", "#", ".", ":", "/", "&", ";", "[", "]",
        "amp;", "amp", "#38;", "#64;", "#1;", "#x1f600;", "lt;", "&lt;", "&amp;", "&#", "0", "http://",
        "www.", "x.com/", "RT", "[USER]", "[URL]", "[EMOJI]", "[linebreak]", "[line", "break]", "USER",
        "\U0001f600", "\U0001f44d\U0001f3fd", "\u2764\ufe0f", "\u200d", "\ufe0f", "\U0001f1e9\U0001f1ea",
        "e\u0301", "\ud800", "ß", '"', "-", "|",
    ]
)  # fmt: skip
MESSY = st.lists(PARTS, max_size=14).map("".join)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("a &lt;b&gt; &amp; c", "a <b> & c"),
        ("&amp;lt; and &amp;amp;amp;quot;", '< and "'),
        ("it&#39;s &#x27;so&#x27;", "it's 'so'"),
        ("&amp&amp; &ampamp;", "&& &"),
        ("&#38;#38;lt;", "<"),
        ("R&B and AT&T; &nosuch;", "R&B and AT&T; &nosuch;"),
    ],
)
def test_entities_are_decoded_however_often_they_were_escaped(raw: str, expected: str) -> None:
    assert clean(raw) == expected


def test_numbers_of_any_length_are_read_and_deep_escapes_end() -> None:
    assert clean("a &#" + "9" * 5_000 + "; b") == "a \ufffd b"
    assert clean("a &#" + "0" * 5_000 + "65; b") == "a A b"
    assert clean("a &" + "amp;" * 50_000 + "lt; b") == "a < b"
    assert clean("a &" + "#38;amp;#x26;" * 20_000 + "lt; b") == "a < b"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("@bob hi", "[USER] hi"),
        ("hi @bob_1! and .@ann", "hi [USER]! and .[USER]"),
        ("@bob@ann hi", "[USER] hi"),
        ("me@home.org and a_b@c", "me@home.org and a_b@c"),
        ("@@bob @ bob", "@@bob @ bob"),
        ("see http://t.co/x?y=1 now", "see [URL] now"),
        ("see:https://a.b/c", "see: [URL]"),
        ("HTTP://A.B www.a.b/c bit.co/x", "[URL]"),
        ("Awww...so nice www.", "Awww...so nice www."),
        ("no link.com here", "no link.com here"),
        ("fine\U0001f600\U0001f601 day", "fine [EMOJI] day"),
        ("\U0001f44d\U0001f3fd \u2764\ufe0f", "[EMOJI]"),
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467!", "[EMOJI] !"),
        ("\U0001f1e9\U0001f1ea \U0001f1eb\U0001f1f7", "[EMOJI]"),
        ("a[linebreak]b [LINEBREAK] [linebreak] c", "a b c"),
        ("  a\t\tb\r\n c\u2028d\x00e\u00a0 ", "a b c d e"),
        ("@a @b @c: http://x.y http://z.w \U0001f600", "[USER]: [URL] [EMOJI]"),
        ("@a http://x.y @b", "[USER] [URL] [USER]"),
        ("", ""),
    ],
)  # fmt: skip
def test_placeholders_and_white_space(raw: str, expected: str) -> None:
    assert clean(raw) == expected


def test_lone_surrogates_and_joiners_stay() -> None:
    assert clean("a \ud800 b\u200dc") == "a \ud800 b\u200dc"


@given(MESSY | st.text(max_size=40))
def test_cleaning_again_changes_nothing(raw: str) -> None:
    once = clean(raw)
    assert clean(once) == once
    assert once == " ".join(once.split())


@pytest.mark.parametrize(
    ("cleaned", "expected"),
    [
        ("RT [USER]: I like it", "I like it"),
        ("[USER] [URL] I like it [URL] [EMOJI]", "I like it"),
        ("RT [USER]: RT [USER]: yes", "yes"),
        ('"RT "RT yes', "yes"),
        ("- RT: well, [EMOJI]", "well,"),
        ("RTs are cool", "RTs are cool"),
        ("I like RT and ART", "I like RT and ART"),
        ("I like [USER] a lot", None),
        ("I like it [URL].", None),
        ('"[USER] hi', "hi"),
        ("[USER]", ""),
        ("RT", ""),
        ("", ""),
        ("'quoted'", "quoted"),
    ],
)
def test_placeholders_are_stripped_at_the_ends_and_refused_inside(
    cleaned: str, expected: str | None
) -> None:
    assert without_placeholders(cleaned) == expected


@given(MESSY)
def test_what_is_left_holds_no_placeholder_and_stays(raw: str) -> None:
    left = without_placeholders(clean(raw))
    if left is not None:
        assert not any(mark in left for mark in PLACEHOLDERS)
        assert without_placeholders(left) == left
