"""The last step of the walk-through: every draw a square, and the count that makes the score."""

from __future__ import annotations

from collections.abc import Sequence

from nsx_core.records import Explanation, JudgedDraw, Side
from nsx_core.views.drilldown import counted, kept_share, mean_probability, weighted
from nsx_core.views.heatmap import shading
from nsx_core.views.markup import Node, node
from nsx_core.views.numbers import score
from nsx_core.views.sentences import quoted

__all__ = ["tally"]

#: More sizes than these are not told apart: the squares would be a page of their own.
_SIZES_SHOWN = 8


def tally(explanation: Explanation, index: int, side: Side) -> Node:
    """Squares, by the number of replaced words where that weighs them, and the formula."""
    draws = counted(explanation, index, side)
    sizes = _by_size(draws) if weighted(draws) else {}
    # Where a size has no draw another stands in for it, and a plain mean of rows is not the score.
    apart = 2 <= len(sizes) <= _SIZES_SHOWN and len(sizes) == len(explanation.words) - 1
    groups = list(sizes.values()) if apart else [draws]
    return node(
        "div",
        node(
            "p",
            node("span", "Counting", cls="step"),
            node("small", _said(explanation, index, side, apart)),
        ),
        *(_group(explanation, side, group, apart) for group in groups),
        node("p", _formula(explanation, index, side, groups), cls="formula"),
        cls="tally",
    )


def _by_size(draws: Sequence[JudgedDraw]) -> dict[int, tuple[JudgedDraw, ...]]:
    sizes = sorted({sum(j.draw.replaced) for j in draws})
    return {k: tuple(j for j in draws if sum(j.draw.replaced) == k) for k in sizes}


def _said(explanation: Explanation, index: int, side: Side, apart: bool) -> str:
    done = "replaces" if side is Side.NECESSITY else "keeps"
    word = quoted(explanation.words[index].word.text)
    what = "flipped" if side is Side.NECESSITY else f"labelled {explanation.label}"
    said = f"every draw that {done} {word} is one square"
    if explanation.settings.use_scores:
        said += f", stronger with a higher probability of {explanation.label}"
        said += "" if apart else "; the score compares their mean"
    else:
        said += f"; filled = {what}"
    return said + ("; each row, a number of replaced words, counts alike" if apart else "")


def _group(explanation: Explanation, side: Side, draws: Sequence[JudgedDraw], apart: bool) -> Node:
    squares, label = _squares(explanation, side, draws)
    strip = node("div", *squares, cls="strip", role="img", aria_label=label)
    if not apart:
        return strip
    size = sum(draws[0].draw.replaced)
    mean = "mean " if explanation.settings.use_scores else ""
    return node(
        "div",
        node("span", f"{size} replaced", cls="size"),
        strip,
        node("span", f"{mean}{_share(explanation, side, draws)}", cls="share"),
        cls="group",
    )


def _squares(
    explanation: Explanation, side: Side, draws: Sequence[JudgedDraw]
) -> tuple[list[Node], str]:
    """(squares, what they show in words)."""
    if explanation.settings.use_scores:
        values = sorted((j.probability for j in draws), reverse=True)
        squares = [node("span", cls="dot full", properties=shading(side, v)) for v in values]
        ends = f"probabilities from {score(values[-1])} to {score(values[0])}"
        return squares, f"{len(values)} squares, {ends}"
    filled = sorted((_counts(explanation, j, side) for j in draws), reverse=True)
    squares = [node("span", cls="dot full" if f else "dot") for f in filled]
    return squares, f"{sum(filled)} of {len(filled)} squares are filled"


def _share(explanation: Explanation, side: Side, draws: Sequence[JudgedDraw]) -> str:
    """What draws that weigh the same come to: their mean probability, or how many count."""
    if explanation.settings.use_scores:
        return score(sum(j.probability for j in draws) / len(draws))
    return f"{sum(_counts(explanation, j, side) for j in draws)} / {len(draws)}"


def _counts(explanation: Explanation, judged: JudgedDraw, side: Side) -> bool:
    if side is Side.NECESSITY:
        return judged.kept is not explanation.predicted
    return judged.kept


def _formula(
    explanation: Explanation, index: int, side: Side, groups: Sequence[Sequence[JudgedDraw]]
) -> str:
    word = explanation.words[index]
    value = score((word.necessity if side is Side.NECESSITY else word.sufficiency).value)
    mean = _mean_of(explanation, counted(explanation, index, side), side, groups)
    if side is Side.SUFFICIENCY:
        digits = 2 if explanation.settings.use_scores else 3
        return f"{mean} \u2212 {score(explanation.baseline, digits)} = {value}"
    if explanation.settings.use_scores:
        return f"{score(explanation.probability)} \u2212 {mean} = {value}"
    sign = "" if explanation.predicted else "\u2212"
    return f"{sign}{mean} = {value}"


def _mean_of(
    explanation: Explanation,
    draws: Sequence[JudgedDraw],
    side: Side,
    groups: Sequence[Sequence[JudgedDraw]],
) -> str:
    """The mean that the score compares, as it is counted."""
    if len(groups) > 1:
        parts = [_share(explanation, side, group) for group in groups]
        return f"({' + '.join(p.replace(' ', '') for p in parts)}) / {len(groups)}"
    if explanation.settings.use_scores:
        return score(mean_probability(draws))
    if not weighted(draws):
        return _share(explanation, side, draws)
    share = kept_share(draws)
    lost = side is Side.NECESSITY and explanation.predicted
    return score(1 - share if lost else share, 3)
