"""The counterfactual texts behind one score: rows, filters, order.

A draw counts for the necessity of every word it replaces or for the sufficiency of every word it
keeps; its sampler says for which, or for both. 'Kept' means the prediction for the explained
class is the original's, 'flipped' that it is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from nsx_core.counting import word_weights
from nsx_core.infilling import splice
from nsx_core.records import DrawSide, Explanation, JudgedDraw, Side, SplitText
from nsx_core.views.struck import Struck

__all__ = [
    "ORDERS",
    "PAGE_ROWS",
    "Kind",
    "Piece",
    "Row",
    "Selection",
    "Shown",
    "counted",
    "flips",
    "kept_share",
    "mean_probability",
    "pieces",
    "replaced_counts",
    "row",
    "rows",
    "selected",
    "weighted",
    "weights",
]

PAGE_ROWS = 25
Order = Literal["number", "replaced", "probability", "outcome"]
ORDERS: tuple[Order, ...] = ("number", "replaced", "probability", "outcome")


class Kind(StrEnum):
    """Who wrote a piece of a counterfactual text."""

    KEPT = "kept"
    WRITTEN = "written"
    CHOSEN = "chosen"


@dataclass(frozen=True, slots=True)
class Piece:
    """Some of a counterfactual text, and who wrote it."""

    text: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Row:
    """One counterfactual text as the drill-down shows it.

    ``weight`` is its share in the score of all draws, ``weight_without`` in that of the draws
    that are not struck out; ``struck`` says why it is, None where it is not.
    """

    number: int
    bits: str
    pieces: tuple[Piece, ...]
    text: str
    replaced: int
    probability: float
    flipped: bool
    unchanged: bool
    weight: float
    side: DrawSide
    weight_without: float
    struck: str | None = None

    @property
    def outcome(self) -> str:
        return "flipped" if self.flipped else "kept"


@dataclass(frozen=True, slots=True)
class Selection:
    """What a person asked to see: filters, then order, then a page counted from 0."""

    flips_only: bool = False
    replaced: int | None = None
    search: str = ""
    order: Order = "number"
    descending: bool = False
    page: int = 0
    struck_only: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """One page of rows, and where it stands among all that match."""

    rows: tuple[Row, ...]
    matching: tuple[Row, ...]
    first: int
    page: int
    pages: int


def counted(explanation: Explanation, index: int, side: Side) -> tuple[JudgedDraw, ...]:
    """The draws that the score of word ``index`` on this side is counted from."""
    replaced = side is Side.NECESSITY
    return tuple(
        j
        for j in explanation.draws
        if j.draw.side.counts_on(side) and j.draw.replaced[index] is replaced
    )


def weighted(draws: Sequence[JudgedDraw]) -> bool:
    """Whether the draws behind a score count by how many words they replace."""
    return any(j.draw.side.weighted for j in draws)


def weights(draws: Sequence[JudgedDraw]) -> tuple[float, ...]:
    """How much each of the draws behind one score counts; sum 1."""
    if not draws:
        return ()
    if not weighted(draws):
        return (1 / len(draws),) * len(draws)
    sizes = [sum(j.draw.replaced) for j in draws]
    return tuple(word_weights(sizes, len(draws[0].draw.replaced)).tolist())


def mean_probability(draws: Sequence[JudgedDraw]) -> float:
    """The draws' mean probability of the explained class, each by its weight."""
    return sum(w * j.probability for w, j in zip(weights(draws), draws, strict=True))


def kept_share(draws: Sequence[JudgedDraw]) -> float:
    """Share 0..1 of the draws with the explained class, each by its weight."""
    return sum(w for w, j in zip(weights(draws), draws, strict=True) if j.kept)


def flips(explanation: Explanation, draws: Iterable[JudgedDraw]) -> int:
    """How many of the draws are predicted other than the original."""
    return sum(j.kept is not explanation.predicted for j in draws)


def rows(
    explanation: Explanation, index: int, side: Side, struck: Struck | None = None
) -> tuple[Row, ...]:
    """Every counterfactual text behind one score, in the order drawn, the struck ones too."""
    draws = counted(explanation, index, side)
    left = counted(struck.without, index, side) if struck else draws
    shares = {j.draw: weight for j, weight in zip(left, weights(left), strict=True)}
    return tuple(
        row(explanation, j, index, struck, weight, shares.get(j.draw, 0.0))
        for j, weight in zip(draws, weights(draws), strict=True)
    )


def row(
    explanation: Explanation,
    judged: JudgedDraw,
    chosen: int | None,
    struck: Struck | None = None,
    weight: float = 0.0,
    weight_without: float = 0.0,
) -> Row:
    """One draw as a row; without a word ``chosen`` no word of it stands out."""
    draw = judged.draw
    return Row(
        number=draw.number,
        bits=draw.bits,
        pieces=pieces(explanation, judged, chosen),
        text=draw.text,
        replaced=sum(draw.replaced),
        probability=judged.probability,
        flipped=judged.kept is not explanation.predicted,
        unchanged=draw.unchanged,
        weight=weight,
        side=draw.side,
        weight_without=weight_without,
        struck=struck.reasons.get((draw.side, draw.number)) if struck else None,
    )


def pieces(explanation: Explanation, judged: JudgedDraw, chosen: int | None) -> tuple[Piece, ...]:
    """The counterfactual text cut where the infiller took over; word ``chosen`` by itself."""
    words = tuple(w.word for w in explanation.words)
    draw = judged.draw
    kept = [i for i, replaced in enumerate(draw.replaced) if not replaced]
    found, at = [], 0
    for text, written in splice(SplitText(explanation.text, words), draw.replaced, draw.answers):
        kind = Kind.WRITTEN if written else Kind.KEPT
        if not written and at < len(kept) and text == words[kept[at]].text:
            if kept[at] == chosen:
                kind = Kind.CHOSEN
            at += 1
        found.append(Piece(text, kind))
    return tuple(found)


def replaced_counts(rows: Sequence[Row]) -> tuple[int, ...]:
    """The numbers of replaced words that occur, ascending."""
    return tuple(sorted({r.replaced for r in rows}))


def selected(rows: Sequence[Row], selection: Selection) -> Shown:
    """The rows that match, in order, and one page of them; a page too far is the last one."""
    needle = selection.search.strip().casefold()
    matching = [
        r
        for r in rows
        if (r.flipped or not selection.flips_only)
        and (r.struck is not None or not selection.struck_only)
        and selection.replaced in (None, r.replaced)
        and needle in r.text.casefold()
    ]
    keys = {
        "number": lambda r: r.number,
        "replaced": lambda r: r.replaced,
        "probability": lambda r: r.probability,
        "outcome": lambda r: r.flipped,
    }
    matching.sort(key=lambda r: r.number)
    matching.sort(key=keys[selection.order], reverse=selection.descending)
    pages = max(1, -(-len(matching) // PAGE_ROWS))
    page = min(max(selection.page, 0), pages - 1)
    first = page * PAGE_ROWS
    return Shown(tuple(matching[first : first + PAGE_ROWS]), tuple(matching), first, page, pages)
