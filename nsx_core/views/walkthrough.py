"""How one score came about, step by step, on the text's own draws (Figure 1 of the paper)."""

from __future__ import annotations

from nsx_core.infilling.deletion import DeletionInfiller
from nsx_core.infilling.mask_token import MaskTokenInfiller
from nsx_core.records import Explanation, JudgedDraw, Side
from nsx_core.views.draws_table import told
from nsx_core.views.drilldown import counted, pieces, weighted
from nsx_core.views.heatmap import shading
from nsx_core.views.markup import Node, direction, node, shortened
from nsx_core.views.numbers import probability
from nsx_core.views.sentences import word_sentence
from nsx_core.views.tally import tally

__all__ = ["examples", "walkthrough"]

_EXAMPLES = 3
_NAMES = {
    Side.NECESSITY: "Necessity: replace the word, and others at random",
    Side.SUFFICIENCY: "Sufficiency: keep the word, replace others at random",
}
_BALANCED = "take each number of words to replace in turn, and each word equally often; here"
_STEPS = {
    Side.NECESSITY: (
        ("Masking", "choose at random how many words to replace, then which, this one included"),
        ("Infilling", ""),
        ("Classifying", "does the classifier still give the label?"),
    ),
    Side.SUFFICIENCY: (
        ("Masking", "choose at random how many words to keep, then which, this one included"),
        ("Infilling", ""),
        ("Classifying", "does the label come from the kept words alone?"),
    ),
}


def walkthrough(explanation: Explanation, index: int) -> Node:
    """Both sides for word ``index``: three real draws through three steps, then the count."""
    sides = [s for s in Side if counted(explanation, index, s)]
    return node("div", *(_side(explanation, index, side) for side in sides), cls="walkthrough")


def examples(explanation: Explanation, index: int, side: Side) -> tuple[JudgedDraw, ...]:
    """Up to three draws behind the score: the first of different sizes, few replaced first."""
    first: dict[int, JudgedDraw] = {}
    draws = counted(explanation, index, side)
    for judged in draws:
        first.setdefault(sum(judged.draw.replaced), judged)
    by_size = [first[size] for size in sorted(first)]
    if len(by_size) > _EXAMPLES:
        return (by_size[0], by_size[len(by_size) // 2], by_size[-1])
    others = [j for j in draws if j not in by_size]
    return tuple(
        sorted(
            (by_size + others)[:_EXAMPLES],
            key=lambda j: (sum(j.draw.replaced), j.draw.number),
        )
    )


def _side(explanation: Explanation, index: int, side: Side) -> Node:
    heads = [
        node(
            "th",
            node("span", name, cls="step"),
            node("small", said or _infilling(explanation.infiller)),
            scope="col",
        )
        for name, said in _steps(explanation, index, side)
    ]
    body = [
        node(
            "tr",
            node(
                "td",
                *_masked(explanation, judged, index),
                cls="text",
                dir=direction(explanation.text),
            ),
            node(
                "td",
                *told(pieces(explanation, judged, index), judged.draw.unchanged),
                cls="text",
                dir=direction(explanation.text),
            ),
            node("td", *_verdict(explanation, judged)),
        )
        for judged in examples(explanation, index, side)
    ]
    return node(
        "section",
        node("h4", _NAMES[side]),
        node("table", node("thead", node("tr", *heads)), node("tbody", *body), cls="steps"),
        tally(explanation, index, side),
        node("p", word_sentence(explanation, index, side)),
        cls=f"side {side}",
        properties=shading(side, 0.66),
    )


def _steps(explanation: Explanation, index: int, side: Side) -> tuple[tuple[str, str], ...]:
    masking, *others = _STEPS[side]
    if weighted(counted(explanation, index, side)):
        done = "replaced" if side is Side.NECESSITY else "kept"
        masking = (masking[0], f"{_BALANCED} draws with this one {done}")
    return (masking, *others)


def _infilling(infiller: str) -> str:
    if infiller == DeletionInfiller().name:
        return "nothing is written: the gaps are closed"
    if infiller == MaskTokenInfiller().name:
        return "[MASK] goes into each gap"
    return f"{infiller}, the infiller, writes into the gaps"


def _masked(explanation: Explanation, judged: JudgedDraw, index: int) -> tuple[Node | str, ...]:
    """The original with each replaced word as a gap of about its width."""
    made: list[Node | str] = []
    at = 0
    for i, (word, replaced) in enumerate(zip(explanation.words, judged.draw.replaced, strict=True)):
        made.append(explanation.text[at : word.word.start])
        at = word.word.end
        if replaced:
            width = f"{min(max(len(word.word.text), 2), 14)}ch"
            made.append(
                node(
                    "span",
                    node("s", shortened(word.word.text, 24)),
                    cls="gap",
                    properties={"--width": width},
                    title="replaced",
                )
            )
        elif i == index:
            made.append(node("strong", shortened(word.word.text, 80), cls="chosen"))
        else:
            made.append(shortened(word.word.text, 80))
    made.append(explanation.text[at:])
    return tuple(made)


def _verdict(explanation: Explanation, judged: JudgedDraw) -> tuple[Node | str, ...]:
    outcome = "kept" if judged.kept is explanation.predicted else "flipped"
    shown = probability(judged.probability, explanation.settings.threshold)
    return (
        f"P({explanation.label}) = {shown} ",
        node("span", outcome, cls=f"outcome {outcome}"),
    )
