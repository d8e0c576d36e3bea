"""The tree of elements: nothing a person wrote becomes markup."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import made
import pytest

from nsx_core.records import Side
from nsx_core.views import drilldown
from nsx_core.views.draws_table import draws_table
from nsx_core.views.drilldown import Selection
from nsx_core.views.heatmap import heatmap
from nsx_core.views.markup import ATTRIBUTES, TAGS, Node, direction, node, printable, shortened
from nsx_core.views.scores_table import scores_table
from nsx_core.views.walkthrough import walkthrough

SCRIPT = Path(__file__).resolve().parents[2] / "assets" / "style" / "figure.js"


class Elements(HTMLParser):
    """Counts elements and attributes, and gathers text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.said = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.said += data


@pytest.mark.parametrize("text", made.HOSTILE)
def test_text_stays_text_in_html(text: str) -> None:
    parsed = Elements()
    parsed.feed(node("div", text, node("span", text, title=text)).as_html())
    assert parsed.tags == ["div", "span"]
    assert parsed.attributes == {"title"}
    assert parsed.said == text * 2


@pytest.mark.parametrize("word", [h for h in made.HOSTILE if "\n" not in h and " " not in h])
def test_every_figure_escapes_words_and_infills(word: str) -> None:
    text = f"{word} women"
    draws = tuple(
        made.judged(text, side, 0, bits, (word,), 0.4)
        for side, bits in ((Side.NECESSITY, "10"), (Side.SUFFICIENCY, "01"))
    )
    explanation = made.explanation(text, draws=draws)
    rows = drilldown.rows(explanation, 0, Side.NECESSITY)
    shown = drilldown.selected(rows, Selection())
    figures = [
        heatmap(explanation, 0),
        draws_table(explanation, Side.NECESSITY, shown, Selection(), len(rows)),
        walkthrough(explanation, 0),
        scores_table(explanation),
    ]
    for figure in figures:
        parsed = Elements()
        parsed.feed(figure.as_html())
        assert set(parsed.tags) <= TAGS
        assert not {a for a in parsed.attributes if a.startswith("on") or a in ("src", "href")}
        assert word in parsed.said


def test_data_keeps_text_as_strings() -> None:
    tree = node("div", "<b>", node("mark", "a&b", cls="written"), properties={"--x": "1"})
    assert tree.as_data() == {
        "t": "div",
        "p": {"--x": "1"},
        "c": ["<b>", {"t": "mark", "a": {"class": "written"}, "c": ["a&b"]}],
    }


@pytest.mark.parametrize(
    "build",
    [
        lambda: Node("script"),
        lambda: Node("img"),
        lambda: node("div", onclick="alert(1)"),
        lambda: node("div", href="javascript:alert(1)"),
        lambda: node("div", style="x"),
        lambda: node("div", properties={"color": "red"}),
    ],
)
def test_other_tags_and_attributes_are_refused(build: object) -> None:
    with pytest.raises(ValueError, match="allowed|custom properties"):
        build()  # type: ignore[operator]


def test_the_browser_has_the_same_allow_lists_and_no_markup_parser() -> None:
    script = SCRIPT.read_text(encoding="utf-8")

    def listed(name: str) -> set[str]:
        found = re.search(rf"const {name} = new Set\(\[(.*?)\]\)", script, re.S)
        assert found
        return set(json.loads("[" + found[1].strip().rstrip(",") + "]"))

    assert listed("TAGS") == TAGS
    assert listed("ATTRIBUTES") == ATTRIBUTES
    for parser in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert parser not in script


def test_surrogates_and_controls_become_visible() -> None:
    assert printable("a\ud800b\x00c\x1bd\te\nf\x7f") == "a\ufffdb\u2400c\u241bd\te\nf\u2421"
    data = node("div", "\udfff", title="\ud800").as_data()
    assert json.dumps(data).encode() and data["c"] == ["\ufffd"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("I hate", "ltr"), ("אני שונא", "rtl"), ("123 !", "ltr"), ("... أنا", "rtl"), ("", "ltr")],
)
def test_direction(text: str, wanted: str) -> None:
    assert direction(text) == wanted


def test_long_words_are_cut_in_the_middle() -> None:
    assert shortened("women") == "women"
    cut = shortened("x" * 5_000 + "end")
    assert len(cut) <= 48 and "\u2026" in cut and cut.endswith("end")
