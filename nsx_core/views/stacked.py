"""Heatmaps of several classifiers over one another, and of several texts (Figure 2 of the paper).

Columns are the words of a text, the same for every classifier, so that one compares down a
column. A long text is cut into lines of columns; each line has all classifiers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nsx_core.records import Explanation, Side
from nsx_core.views.heatmap import bar_floor, interval_bar, legend, shading
from nsx_core.views.markup import Node, direction, node, shortened
from nsx_core.views.numbers import UNDEFINED, interval, score
from nsx_core.views.sentences import alternative, by_necessity, prediction_sentence, quoted

__all__ = [
    "WORDS_MAX",
    "Row",
    "TextRows",
    "listed",
    "stacked",
    "stacked_sentence",
    "struck_here_sentence",
]

#: A figure of more would keep the browser busy; the Explain page shows all words of a text.
WORDS_MAX = 150
_WORD_CHARACTERS = 32
#: About how many characters wide a line of columns is, and the least that a column takes.
_LINE_CHARACTERS, _COLUMN_CHARACTERS = 66, 7
#: One line of this few words has room for larger ones.
_LARGE = 6


@dataclass(frozen=True, slots=True)
class Row:
    """One classifier on one text; without an explanation yet, ``said`` tells why."""

    classifier: str
    explanation: Explanation | None
    said: str = ""


@dataclass(frozen=True, slots=True)
class TextRows:
    """A text's words, as they are written, and its classifiers."""

    words: tuple[str, ...]
    rows: tuple[Row, ...]


def stacked(texts: Sequence[TextRows]) -> Node:
    """One legend, then for each text a grid of its words with a block of rows a classifier.

    A word's cells are a button that sends 'open' with 'text:row:word', each from 0; the button of
    a classifier sends 'text:row:'.
    """
    found = [r.explanation for t in texts for r in t.rows if r.explanation is not None]
    floor = bar_floor([word for e in found for word in e.words])
    return node(
        "div",
        _legend(found) if found else None,
        *(_grid(number, text, floor) for number, text in enumerate(texts)),
        cls="stacked-texts",
    )


def stacked_sentence(text: TextRows) -> str:
    """The most necessary word of each classifier, in one sentence."""
    tops: dict[str, list[str]] = {}
    for row in text.rows:
        if row.explanation is None or not row.explanation.predicted:
            continue
        ranked = by_necessity(row.explanation)
        if ranked:
            top = quoted(row.explanation.words[ranked[0]].word.text)
            tops.setdefault(top, []).append(row.classifier)
    absent = [r.classifier for r in text.rows if r.explanation and not r.explanation.predicted]
    said = []
    if len(tops) == 1 and len(next(iter(tops.values()))) > 1:
        said.append(
            f"The most necessary word is {next(iter(tops))} for {listed(next(iter(tops.values())))}."
        )
    elif tops:
        parts = [f"{top} for {listed(names)}" for top, names in tops.items()]
        said.append(f"The most necessary word is {listed(parts, '; ')}.")
    if absent:
        said.append(
            f"Not predicted by {listed(absent)}: necessity is then counted below zero, since "
            "replacing a word can only gain the label."
        )
    return " ".join(said)


def struck_here_sentence(text: str, count: int) -> str | None:
    """That draws which are struck out count on this page; None where there are none."""
    if not count:
        return None
    are = "text is" if count == 1 else "texts are"
    return (
        f"{count:,} counterfactual {are} struck out of {quoted(text)}. Here all draws count; the "
        "Explain page shows the scores without them."
    )


def _legend(found: Sequence[Explanation]) -> Node:
    shown = next((e for e in found if e.predicted), found[0])
    if len({e.label for e in found}) > 1:
        shown = replace(shown, label="the explained class")
    return legend(shown)


def _grid(number: int, text: TextRows, floor: float) -> Node:
    lines = _lines(text.words[:WORDS_MAX])
    large = len(lines) == 1 and len(text.words) <= _LARGE
    said = None
    if len(text.words) > WORDS_MAX:
        said = node(
            "p",
            f"The first {WORDS_MAX} of {len(text.words):,} words are shown. Open a classifier to "
            "see all.",
            cls="footnote",
        )
    return node(
        "div",
        *(_line(number, text, words, floor, large, words == lines[0]) for words in lines),
        said,
        cls="stacked wide",
    )


def _lines(words: Sequence[str]) -> list[range]:
    """Positions of the words of each line."""
    lines, begun, filled = [], 0, 0
    for at, word in enumerate(words):
        wide = max(len(shortened(word, _WORD_CHARACTERS)), _COLUMN_CHARACTERS)
        if at > begun and filled + wide > _LINE_CHARACTERS:
            lines.append(range(begun, at))
            begun, filled = at, 0
        filled += wide
    return [*lines, range(begun, len(words))]


def _line(
    number: int, text: TextRows, shown: range, floor: float, large: bool, first: bool
) -> Node:
    heads = [shortened(text.words[at], _WORD_CHARACTERS) for at in shown]
    blocks: list[Node] = [node("span", head, cls="word", dir=direction(head)) for head in heads]
    for at, row in enumerate(text.rows):
        name = f"{number}:{at}:"
        if first:
            blocks.append(_head(row, name))
        elif row.explanation is not None:
            blocks.append(node("div", node("strong", row.classifier), cls="row-head"))
        if row.explanation is not None:
            blocks += [_cells(row.explanation, index, floor, f"{name}{index}") for index in shown]
    return node(
        "div",
        *blocks,
        cls="stacked-line large" if large else "stacked-line",
        role="group",
        dir=direction(" ".join(text.words)),
        properties={"--columns": str(len(shown))},
        aria_label=" ".join(
            f"{row.classifier}: {alternative(row.explanation)}"
            for row in text.rows
            if first and row.explanation is not None
        )
        or "More words of the text",
        data_arrows="yes",
    )


def _head(row: Row, name: str) -> Node:
    sentence = prediction_sentence(row.explanation) if row.explanation else ""
    said = " ".join(
        part for part in (sentence.removeprefix(f"{row.classifier} "), row.said) if part
    )
    details = None
    if row.explanation is not None:
        details = node(
            "button",
            "Details",
            cls="details",
            type="button",
            aria_label=f"Details of {row.classifier}: open the Explain page",
            data_event="open",
            data_value=name,
            data_id=f"open-{name}",
        )
    return node(
        "div",
        node("strong", row.classifier),
        node("span", said, cls="said"),
        details,
        cls="row-head",
        dir="ltr",
    )


def _cells(explanation: Explanation, index: int, floor: float, value: str) -> Node:
    word = explanation.words[index]
    below = not explanation.predicted and not explanation.settings.use_scores
    cells, aloud = [], []
    for side in Side:
        estimate = getattr(word, side)
        known = estimate.value is not None
        # Words can only lose a label that nobody gave: -1 is then the strongest.
        far_end = -1.0 if side is Side.NECESSITY and below else 1.0
        cells.append(
            node(
                "span",
                node("span", score(estimate.value) if known else "\u2013", cls="number", dir="ltr"),
                interval_bar(estimate, floor),
                cls=f"cell {side}" if known else f"cell {side} undefined",
                properties=shading(side, estimate.value * far_end if known else None),
            )
        )
        aloud.append(
            f"{side} {score(estimate.value)}, interval {interval(estimate)}"
            if known
            else f"{side} {UNDEFINED}"
        )
    shown = shortened(word.word.text, _WORD_CHARACTERS)
    return node(
        "button",
        *cells,
        cls="block",
        type="button",
        title="Open on the Explain page",
        aria_label=f"{shown}, {explanation.classifier}: {'; '.join(aloud)}",
        data_event="open",
        data_value=value,
        data_id=f"open-{value}",
    )


def listed(parts: Sequence[str], between: str = ", ") -> str:
    """'a', 'a and b', 'a, b and c'; with another mark between them, only that mark."""
    if len(parts) == 1:
        return parts[0]
    last = " and " if between == ", " else between
    return f"{between.join(parts[:-1])}{last}{parts[-1]}"
