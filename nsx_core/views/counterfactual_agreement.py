"""Whether the methods agree with the scores: what is changed with necessity, what is kept with
sufficiency."""

from __future__ import annotations

from nsx_core.counterfactual_records import Findings, Method, MethodFound
from nsx_core.records import Explanation, Side, WordScore
from nsx_core.views.counterfactual_marks import changed_words, method_name
from nsx_core.views.heatmap import shading
from nsx_core.views.markup import Node, direction, node, shortened
from nsx_core.views.numbers import score
from nsx_core.views.sentences import quoted
from nsx_core.views.stacked import listed

__all__ = ["agreement_sentence", "agreement_table", "best_set"]

_MARK = "\u25cf"
_DID = {True: "kept", False: "changed"}


def best_set(one: MethodFound, found: Findings) -> frozenset[int] | None:
    """The positions of the words that the method's best answer changes, or of an anchor's words.

    None where it has no answer; a word that an infiller wrote back as it was is not changed.
    """
    if one.method in (Method.SEDC, Method.ANCHORS) and one.sets:
        return frozenset(one.sets[0].words)
    if one.method is not Method.ANCHORS and one.listed:
        return changed_words(found.words, one.listed[0].candidate)
    return None


def agreement_table(found: Findings, explanation: Explanation) -> Node:
    """One row a word: its two scores, and in which methods' best answers it stands."""
    sets = {one.method: best_set(one, found) for one in found.found}
    heads = [
        node("th", "Word", scope="col"),
        node("th", "Necessity", scope="col", cls="number"),
        node("th", "Sufficiency", scope="col", cls="number"),
        *(
            node(
                "th",
                method_name(method),
                node("small", _DID[method is Method.ANCHORS]),
                scope="col",
                cls="mark",
            )
            for method in sets
        ),
    ]
    rows = [
        node(
            "tr",
            node("th", shortened(w.word.text), scope="row", cls="text", dir=direction(w.word.text)),
            *(_cell(explanation, w, side) for side in Side),
            *(_mark(at, method, words) for method, words in sets.items()),
        )
        for at, w in enumerate(explanation.words)
    ]
    caption = ["A dot: the word stands in the method\u2019s best answer."]
    if _changing(found):
        caption.append("Blue ones are changed, to be held against necessity.")
    if Method.ANCHORS in sets:
        caption.append("Orange ones are kept, to be held against sufficiency.")
    caption.append("A dash: the method has no answer.")
    table = node(
        "table",
        node("caption", " ".join(caption)),
        node("thead", node("tr", *heads)),
        node("tbody", *rows),
        cls="scores methods cf-agreement",
    )
    return node("div", table, cls="wide")


def agreement_sentence(found: Findings, explanation: Explanation) -> str:
    """Whether the most necessary word is changed, and the most sufficient one is kept.

    Only what a method was asked about: nothing of changes, or of the anchor, where none was run.
    """
    best = {one.method: words for one in found.found if (words := best_set(one, found)) is not None}
    said = []
    if _changing(found):
        said.append(_necessary(explanation, best))
    if any(one.method is Method.ANCHORS for one in found.found):
        said.append(_sufficient(explanation, best.get(Method.ANCHORS)))
    return " ".join(said)


def _changing(found: Findings) -> bool:
    """Whether a method that changes words was run."""
    return any(one.method is not Method.ANCHORS for one in found.found)


def _necessary(explanation: Explanation, found: dict[Method, frozenset[int]]) -> str:
    changed = {m: words for m, words in found.items() if m is not Method.ANCHORS}
    best = _strongest(explanation, Side.NECESSITY)
    if best is None:
        return "No word is necessary, so there is none to look for among the changes."
    named = _named(explanation, best, Side.NECESSITY)
    if not changed:
        return f"The most necessary word is {named}; no method found a change to hold against it."
    inside = [method_name(m) for m, words in changed.items() if best in words]
    outside = [method_name(m) for m, words in changed.items() if best not in words]
    if not outside:
        verb = ("changes", "both change")[len(inside) - 1] if len(inside) < 3 else "all change"
        return f"The most necessary word is {named}, and {listed(inside)} {verb} it."
    if not inside:
        verb = "does not change" if len(outside) == 1 else "do not change"
        return f"The most necessary word is {named}, but {listed(outside)} {verb} it."
    return (
        f"The most necessary word is {named}. In their best answers {listed(inside)} "
        f"{'changes' if len(inside) == 1 else 'change'} it, {listed(outside)} "
        f"{'does' if len(outside) == 1 else 'do'} not."
    )


def _sufficient(explanation: Explanation, kept: frozenset[int] | None) -> str:
    if not explanation.predicted:
        return (
            f"Sufficiency asks which words bring {explanation.label} about, and the anchor which "
            "ones hold that it is not predicted, so the two are not compared."
        )
    best = _strongest(explanation, Side.SUFFICIENCY)
    if best is None:
        return "No word is sufficient by itself, so there is none to look for in the anchor."
    named = _named(explanation, best, Side.SUFFICIENCY)
    if kept is None:
        return f"The most sufficient word is {named}; Anchors found no words to hold against it."
    if not kept:
        return f"The most sufficient word is {named}; the anchor needs no word at all."
    if len(kept) == len(explanation.words):
        return f"The most sufficient word is {named}; the anchor is the whole text."
    stands = "and it stands in the anchor" if best in kept else "but it is not in the anchor"
    return f"The most sufficient word is {named}, {stands}."


def _strongest(explanation: Explanation, side: Side) -> int | None:
    """The word furthest on the score's own side of 0, the first of equals; None where none is."""
    end = _far_end(explanation, side)
    shown = {
        at: strength
        for at, word in enumerate(explanation.words)
        if (value := _value(word, side)) is not None and (strength := value * end) > 0
    }
    return max(shown, key=lambda at: (shown[at], -at), default=None)


def _far_end(explanation: Explanation, side: Side) -> int:
    """-1 for necessity where words can only lose a label that nobody gave."""
    below = not explanation.predicted and not explanation.settings.use_scores
    return -1 if side is Side.NECESSITY and below else 1


def _named(explanation: Explanation, at: int, side: Side) -> str:
    word = explanation.words[at]
    return f"{quoted(word.word.text)} ({score(_value(word, side))})"


def _value(word: WordScore, side: Side) -> float | None:
    return (word.necessity if side is Side.NECESSITY else word.sufficiency).value


def _cell(explanation: Explanation, word: WordScore, side: Side) -> Node:
    value = _value(word, side)
    strength = None if value is None else value * _far_end(explanation, side)
    cell = node(
        "span",
        node("span", "\u2013" if value is None else score(value), cls="number"),
        cls="cell undefined" if value is None else "cell",
        properties=shading(side, strength),
    )
    return node("td", cell, cls="field")


def _mark(at: int, method: Method, words: frozenset[int] | None) -> Node:
    if words is None:
        return node("td", node("span", "\u2013", cls="cf-none", aria_label="no answer"), cls="mark")
    if at not in words:
        return node("td", cls="mark")
    kept = method is Method.ANCHORS
    mark = node(
        "span",
        _MARK,
        role="img",
        aria_label=_DID[kept],
        title=_DID[kept],
        cls="cf-mark",
        properties=shading(Side.SUFFICIENCY if kept else Side.NECESSITY, 0.6),
    )
    return node("td", mark, cls="mark")
