"""Small explanations made by hand, so that every number in a test can be checked by eye."""

from __future__ import annotations

from collections.abc import Iterator

from nsx_core.infilling import is_unchanged, splice
from nsx_core.records import (
    Draw,
    DrawSide,
    Estimate,
    ExplainSettings,
    Explanation,
    JudgedDraw,
    Side,
    SplitText,
    Word,
    WordScore,
)
from nsx_core.views.markup import Node

NOTHING = Estimate(None, None, None, 0)
HOSTILE = (
    "<script>alert(1)</script>",
    "-->",
    "a&b",
    "![x](http://evil.example/p.png)",
    "\"'><img src=x onerror=alert(1)>",
    "two\nlines",
)


def split(text: str) -> SplitText:
    """White-space words of a text."""
    found, at = [], 0
    for part in text.split():
        start = text.index(part, at)
        at = start + len(part)
        found.append(Word(part, start, at))
    return SplitText(text, tuple(found))


def judged(
    text: str,
    side: Side | DrawSide,
    number: int,
    bits: str,
    answers: tuple[str, ...],
    probability: float,
    threshold: float = 0.5,
) -> JudgedDraw:
    """One judged draw; ``bits`` as in ``Draw.bits``."""
    replaced = tuple(b == "1" for b in bits)
    written = "".join(p for p, _ in splice(split(text), replaced, answers))
    draw = Draw(
        DrawSide(str(side)), number, replaced, answers, written, is_unchanged(text, written)
    )
    return JudgedDraw(draw, probability, probability >= threshold)


def explanation(
    text: str,
    scores: list[tuple[Estimate, Estimate]] | None = None,
    draws: tuple[JudgedDraw, ...] = (),
    probability: float = 0.9,
    **settings: object,
) -> Explanation:
    """An explanation with these scores and draws; undefined scores unless given."""
    words = split(text).words
    pairs = scores or [(NOTHING, NOTHING)] * len(words)
    made = ExplainSettings(label="hate", **settings)  # type: ignore[arg-type]
    return Explanation(
        key="k" * 64,
        draw_set="d" * 64,
        text=text,
        classifier="Vidgen2021-hate",
        infiller="neutral",
        label="hate",
        settings=made,
        probabilities={"hate": probability, "other": 1 - probability},
        probability=probability,
        predicted=probability >= made.threshold,
        baseline=0.012,
        words=tuple(WordScore(w, n, s) for w, (n, s) in zip(words, pairs, strict=True)),
        draws=draws,
        infilled=len(draws),
        seconds={},
        versions={},
    )


def three_words() -> Explanation:
    """'I hate women.' with four draws a side, scores counted by hand."""
    text = "I hate women."
    n, s = Side.NECESSITY, Side.SUFFICIENCY
    draws = (
        judged(text, n, 0, "001", ("bread",), 0.1),
        judged(text, n, 1, "011", ("like tea",), 0.2),
        judged(text, n, 2, "101", ("They", "men."), 0.8),
        judged(text, n, 3, "100", ("We",), 0.95),
        judged(text, s, 0, "110", ("all of the",), 0.7),
        judged(text, s, 1, "010", ("like",), 0.3),
        judged(text, s, 2, "011", ("am home",), 0.05),
        judged(text, s, 3, "101", ("You", "it"), 0.6),
    )
    scores = [
        (Estimate(0.0, 0.0, 0.66, 2), Estimate(-0.012, -0.012, 0.6, 2)),
        (Estimate(1.0, 0.2, 1.0, 1), Estimate(0.988, 0.2, 0.988, 1)),
        (Estimate(2 / 3, 0.208, 0.939, 3), Estimate(0.488, 0.08, 0.89, 2)),
    ]
    return explanation(text, scores, draws)


def nodes(tree: Node) -> Iterator[Node]:
    """The tree's elements in order."""
    yield tree
    for child in tree.children:
        if isinstance(child, Node):
            yield from nodes(child)


def having(tree: Node, cls: str) -> list[Node]:
    """Elements with a class."""
    return [n for n in nodes(tree) if cls in n.attributes.get("class", "").split()]
