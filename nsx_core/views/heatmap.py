"""The heatmap: each word over its necessity and its sufficiency (Figure 2 of the paper).

Words flow like text and wrap like text. A cell's colour, its number and its interval bar
all say the same score, so that colour is never the only sign.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from nsx_core.records import Estimate, Explanation, Side, WordScore
from nsx_core.views.colours import shade
from nsx_core.views.markup import Node, direction, node, shortened
from nsx_core.views.numbers import UNDEFINED, interval, score
from nsx_core.views.sentences import alternative
from nsx_core.views.struck import Struck

__all__ = ["bar_floor", "heatmap", "interval_bar", "legend", "shading"]

WORD_CHARACTERS = 32
_RAMP_STEPS = 12
_LARGE = 9
_FLOOR_STEP, _HARDLY_BELOW = 0.25, -0.02
#: What the legend's interval bar shows.
_SAMPLE = Estimate(0.5, 0.25, 0.75, 0)


def heatmap(explanation: Explanation, chosen: int | None, struck: Struck | None = None) -> Node:
    """The whole figure; word ``chosen`` is pressed.

    Where draws are struck out, the score without them stands below that of all draws, smaller.
    """
    floor = bar_floor(explanation.words)
    blocks: list[Node] = []
    ends = 0
    for index, word in enumerate(explanation.words):
        if "\n" in explanation.text[ends : word.word.start]:
            blocks.append(node("span", cls="break"))
        ends = word.word.end
        other = struck.without.words[index] if struck else None
        blocks.append(_block(explanation, word, index, chosen == index, floor, other))
    return node(
        "div",
        legend(explanation),
        node(
            "div",
            *blocks,
            cls="words" if len(explanation.words) > _LARGE else "words large",
            role="group",
            dir=direction(explanation.text),
            aria_label=alternative(explanation),
            data_arrows="yes",
        ),
        cls="heatmap",
    )


def legend(explanation: Explanation) -> Node:
    """Names, scales and what each says, in the order of the rows."""
    lost = "lost" if explanation.predicted else "gained"
    kept = "kept" if explanation.predicted else "given"
    below = "" if explanation.predicted else ", counted below zero"
    counts = "label"
    if explanation.settings.use_scores:
        counts, lost, kept, below = f"probability of {explanation.label}", "lost", "left", ""
    said = {
        Side.NECESSITY: f"{counts} {lost} when the word is replaced{below}",
        Side.SUFFICIENCY: f"{counts} {kept} when only other words are, less the baseline",
    }
    return node(
        "div",
        *(_scale(side, said[side], _far_end(explanation, side)) for side in Side),
        node(
            "div",
            interval_bar(_SAMPLE),
            node("span", "a score (tick) and its 95 % interval (line)", cls="said"),
            cls="scale key",
        ),
        cls="legend",
    )


def shading(side: Side, value: float | None) -> dict[str, str]:
    """Custom properties that colour a cell on light and on dark pages."""
    light, dark = shade(side, value, "light"), shade(side, value, "dark")
    return {
        "--paper-light": light.paper,
        "--ink-light": light.ink,
        "--paper-dark": dark.paper,
        "--ink-dark": dark.ink,
    }


def interval_bar(estimate: Estimate, floor: float = 0.0) -> Node:
    """A thin bar from ``floor`` to 1 with the interval as a line and the value as a tick."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return node("span", cls="interval empty", aria_hidden="true")
    left, right = _place(estimate.low, floor), _place(estimate.high, floor)
    return node(
        "span",
        node("span", cls="line"),
        node("span", cls="tick"),
        node("span", cls="zero") if floor < 0 else None,
        cls="interval",
        aria_hidden="true",
        properties={
            "--left": f"{left:.2f}%",
            "--width": f"{right - left:.2f}%",
            "--at": f"{_place(estimate.value, floor):.2f}%",
            "--zero": f"{_place(0.0, floor):.2f}%",
        },
    )


def bar_floor(words: Sequence[WordScore]) -> float:
    """Where every interval bar begins: at 0, or the quarter below the lowest score or interval."""
    lows = [e.low for w in words for e in (w.necessity, w.sufficiency) if e.low is not None]
    lowest = min(lows, default=0.0)
    # A sufficiency of nothing less a small baseline is too near 0 to be seen on a bar.
    return -math.ceil(-lowest / _FLOOR_STEP) * _FLOOR_STEP if lowest < _HARDLY_BELOW else 0.0


def _far_end(explanation: Explanation, side: Side) -> float:
    """The strongest score there can be: -1 where words can only lose a label nobody gave."""
    below = not explanation.predicted and not explanation.settings.use_scores
    return -1.0 if side is Side.NECESSITY and below else 1.0


def _block(
    explanation: Explanation,
    word: WordScore,
    index: int,
    pressed: bool,
    floor: float,
    other: WordScore | None,
) -> Node:
    shown = shortened(word.word.text, WORD_CHARACTERS)
    return node(
        "button",
        node("span", shown, cls="word", dir=direction(shown)),
        *(
            _cell(
                s,
                getattr(word, s),
                floor,
                _far_end(explanation, s),
                getattr(other, s) if other else None,
            )
            for s in Side
        ),
        cls="block",
        type="button",
        aria_pressed="true" if pressed else "false",
        aria_label=f"{shown}: {_spoken(word)}"
        + (f"; without the struck texts {_spoken(other)}" if other else ""),
        data_id=f"word-{index}",
        data_event="word",
        data_value=str(index),
    )


def _cell(
    side: Side, estimate: Estimate, floor: float, far_end: float, other: Estimate | None
) -> Node:
    known = estimate.value is not None
    strength = None if estimate.value is None else estimate.value * far_end
    return node(
        "span",
        node("span", _shortly(estimate), cls="number", dir="ltr"),
        interval_bar(estimate, floor),
        node("span", f"without: {_shortly(other)}", cls="without", dir="ltr") if other else None,
        cls=f"cell {side}" if known else f"cell {side} undefined",
        properties=shading(side, strength),
    )


def _scale(side: Side, said: str, far_end: float) -> Node:
    return node(
        "div",
        node("span", str(side), cls="name"),
        node("span", "0", cls="end"),
        node(
            "span",
            *(
                node("span", properties=shading(side, i / _RAMP_STEPS))
                for i in range(_RAMP_STEPS + 1)
            ),
            cls="ramp",
            aria_hidden="true",
        ),
        node("span", score(far_end, 0), cls="end"),
        node("span", said, cls="said"),
        cls="scale",
    )


def _shortly(estimate: Estimate) -> str:
    return "\u2013" if estimate.value is None else score(estimate.value)


def _spoken(word: WordScore) -> str:
    return f"{_aloud('necessity', word.necessity)}; {_aloud('sufficiency', word.sufficiency)}"


def _aloud(name: str, estimate: Estimate) -> str:
    if estimate.value is None:
        return f"{name} {UNDEFINED}"
    return f"{name} {score(estimate.value)}, interval {interval(estimate)}, {estimate.n} draws"


def _place(value: float, floor: float) -> float:
    return (min(max(value, floor), 1.0) - floor) / (1.0 - floor) * 100
