"""The last step of the walk-through: every draw a square, and the count that makes the score.

Where each number of replaced words counts alike, rows show the numbers: one a row, or several,
a bunch of squares each, where a text is too long for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nsx_core.records import Explanation, JudgedDraw, Side
from nsx_core.views.drilldown import counted, weighted, weights
from nsx_core.views.heatmap import shading
from nsx_core.views.markup import Node, node
from nsx_core.views.numbers import score
from nsx_core.views.sentences import SHARES_DIFFER, quoted

__all__ = ["ROWS_MAX", "tally"]

#: More rows than these would be a page of their own.
ROWS_MAX = 8


@dataclass(frozen=True, slots=True)
class _Row:
    """Draws of some numbers of replaced words; ``weight`` is how many numbers they stand for."""

    bunches: tuple[tuple[JudgedDraw, ...], ...]
    mean: float
    weight: float


def tally(explanation: Explanation, index: int, side: Side) -> Node:
    """Squares, by the number of replaced words where that weighs them, and the formula."""
    draws = counted(explanation, index, side)
    rows = _rows(explanation, draws, side) if weighted(draws) else ()
    if len(rows) < 2:
        shown: tuple[Node, ...] = (_strip(explanation, side, (draws,)),)
        mean = _share(explanation, side, draws)
    else:
        shown = tuple(_row(explanation, side, row) for row in rows)
        mean = _sum(explanation, side, rows)
    note = _plainly(explanation, side, draws) if len(rows) > 1 else None
    return node(
        "div",
        node(
            "p",
            node("span", "Counting", cls="step"),
            node("small", _said(explanation, index, side, rows)),
        ),
        *shown,
        node("p", _formula(explanation, index, side, mean), cls="formula"),
        node("p", node("small", note)) if note else None,
        cls="tally",
    )


def _rows(explanation: Explanation, draws: Sequence[JudgedDraw], side: Side) -> tuple[_Row, ...]:
    """The draws by number of replaced words, the numbers spread evenly over the rows."""
    count = max(1, len(explanation.words) - 1)
    by_size: dict[int, list[tuple[JudgedDraw, float]]] = {}
    for judged, weight in zip(draws, weights(draws), strict=True):
        by_size.setdefault(sum(judged.draw.replaced), []).append((judged, weight))
    cut: dict[int, list[int]] = {}
    for at, size in enumerate(sorted(by_size)):
        # By rank where all fit a row each, else by number, so that rows span about as many.
        fits = len(by_size) <= ROWS_MAX
        cut.setdefault(at if fits else (size - 1) * ROWS_MAX // count, []).append(size)
    rows = []
    for sizes in cut.values():
        parts = [part for size in sizes for part in by_size[size]]
        weight = sum(w for _, w in parts)
        mean = sum(w * _value(explanation, j, side) for j, w in parts) / weight
        bunches = tuple(tuple(j for j, _ in by_size[size]) for size in sizes)
        rows.append(_Row(bunches, mean, weight * count))
    return tuple(rows)


def _said(explanation: Explanation, index: int, side: Side, rows: Sequence[_Row]) -> str:
    done = "replaces" if side is Side.NECESSITY else "keeps"
    word = quoted(explanation.words[index].word.text)
    what = "flipped" if side is Side.NECESSITY else f"labelled {explanation.label}"
    said = f"every draw that {done} {word} is one square"
    if explanation.settings.use_scores:
        said += f", stronger with a higher probability of {explanation.label}"
        said += "" if len(rows) > 1 else "; the score compares their mean"
    else:
        said += f"; filled = {what}"
    if len(rows) < 2:
        return said
    if all(len(row.bunches) == 1 for row in rows):
        said += "; each row is a number of replaced words, and every number counts alike"
    else:
        share = "mean probability" if explanation.settings.use_scores else "share filled"
        said += (
            "; each bunch is a number of replaced words, and every number counts alike: the mean "
            f"at the end of a row is that of its bunches, each with its own {share}"
        )
    there = sum(len(row.bunches) for row in rows)
    if there < len(explanation.words) - 1:
        said += ". A number without a draw takes the share of the nearest one that has some"
    return said


def _row(explanation: Explanation, side: Side, row: _Row) -> Node:
    first, last = (sum(row.bunches[at][0].draw.replaced) for at in (0, -1))
    sizes = f"{first}" if first == last else f"{first}\u2013{last}"
    return node(
        "div",
        node("span", f"{sizes} replaced", cls="size"),
        _strip(explanation, side, row.bunches),
        node("span", _end(explanation, side, row), cls="share"),
        cls="group",
    )


def _strip(explanation: Explanation, side: Side, bunches: Sequence[Sequence[JudgedDraw]]) -> Node:
    """The draws as squares, a bunch for each number of replaced words."""
    made, said = [], []
    for draws in bunches:
        squares, label = _squares(explanation, side, draws)
        alone = len(bunches) == 1
        size = sum(draws[0].draw.replaced)
        said.append(label if alone else f"{size} replaced: {label}")
        made += squares if alone else [node("span", *squares, cls="bunch", title=said[-1])]
    return node("div", *made, cls="strip", role="img", aria_label="; ".join(said))


def _squares(
    explanation: Explanation, side: Side, draws: Sequence[JudgedDraw]
) -> tuple[list[Node], str]:
    """(squares, what they show in words)."""
    if explanation.settings.use_scores:
        values = sorted((j.probability for j in draws), reverse=True)
        squares = [node("span", cls="dot full", properties=shading(side, v)) for v in values]
        ends = f"probabilities from {score(values[-1])} to {score(values[0])}"
        return squares, f"{len(values)} squares, {ends}"
    filled = sorted((bool(_value(explanation, j, side)) for j in draws), reverse=True)
    squares = [node("span", cls="dot full" if f else "dot") for f in filled]
    return squares, f"{sum(filled)} of {len(filled)} squares are filled"


def _value(explanation: Explanation, judged: JudgedDraw, side: Side) -> float:
    """What a draw adds to the mean: its probability, or 1 where its square is filled."""
    if explanation.settings.use_scores:
        return judged.probability
    if side is Side.NECESSITY:
        return float(judged.kept is not explanation.predicted)
    return float(judged.kept)


def _share(explanation: Explanation, side: Side, draws: Sequence[JudgedDraw]) -> str:
    """What draws that weigh the same come to: their mean probability, or how many count."""
    total = sum(_value(explanation, j, side) for j in draws)
    if explanation.settings.use_scores:
        return score(total / len(draws))
    return f"{total:.0f} / {len(draws)}"


def _end(explanation: Explanation, side: Side, row: _Row) -> str:
    """What a row comes to."""
    if len(row.bunches) > 1:
        return f"mean {score(row.mean, 3)}"
    mean = "mean " if explanation.settings.use_scores else ""
    return f"{mean}{_share(explanation, side, row.bunches[0])}"


def _sum(explanation: Explanation, side: Side, rows: Sequence[_Row]) -> str:
    """The rows' mean, each row by how many numbers of replaced words it stands for."""
    parts = [_end(explanation, side, r).removeprefix("mean ").replace(" ", "") for r in rows]
    if all(abs(row.weight - rows[0].weight) < 1e-9 for row in rows):
        return f"({' + '.join(parts)}) / {len(rows)}"
    written = [
        part if abs(row.weight - 1) < 1e-9 else f"{row.weight:.4g} \u00d7 {part}"
        for part, row in zip(parts, rows, strict=True)
    ]
    return f"({' + '.join(written)}) / {sum(row.weight for row in rows):.0f}"


def _plainly(explanation: Explanation, side: Side, draws: Sequence[JudgedDraw]) -> str | None:
    """The share that a reader would count from all squares, where the score is another."""
    values = [_value(explanation, j, side) for j in draws]
    plain = sum(values) / len(values)
    alike = sum(w * v for w, v in zip(weights(draws), values, strict=True))
    if abs(plain - alike) < SHARES_DIFFER:
        return None
    what = f"The plain mean of all {len(values)} probabilities is"
    if not explanation.settings.use_scores:
        what = f"Of all squares together {sum(values):.0f} / {len(values)} are filled, which is"
    return (
        f"{what} {score(plain, 3)}; with every number of replaced words counted alike it is "
        f"{score(alike, 3)}."
    )


def _formula(explanation: Explanation, index: int, side: Side, mean: str) -> str:
    word = explanation.words[index]
    value = score((word.necessity if side is Side.NECESSITY else word.sufficiency).value)
    if side is Side.SUFFICIENCY:
        digits = 2 if explanation.settings.use_scores else 3
        return f"{mean} \u2212 {score(explanation.baseline, digits)} = {value}"
    if explanation.settings.use_scores:
        return f"{score(explanation.probability)} \u2212 {mean} = {value}"
    gained = any(j.kept for j in counted(explanation, index, side)) and not explanation.predicted
    sign = "\u2212" if gained else ""
    return f"{sign}{mean} = {value}"
