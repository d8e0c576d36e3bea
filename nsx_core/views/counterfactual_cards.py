"""One method's answer: in a sentence, as a text with its changes marked, and by its criteria."""

from __future__ import annotations

from collections.abc import Iterable

from nsx_core.counterfactual_records import (
    Candidate,
    Counterfactual,
    Findings,
    Method,
    MethodFound,
    SetKind,
    WordSet,
)
from nsx_core.records import Estimate
from nsx_core.views.counterfactual_marks import (
    change_marked,
    changed_words,
    method_name,
    set_marked,
    tint,
)
from nsx_core.views.counterfactual_sentences import (
    answer_sentence,
    ended_sentence,
    words_named,
)
from nsx_core.views.heatmap import interval_bar
from nsx_core.views.markup import Node, direction, node
from nsx_core.views.numbers import counted, percent, probability, score

__all__ = ["breakers", "card", "word_sets"]

_ASKS = {
    Method.WACHTER: "The nearest text that gets the wanted probability, in words and in meaning.",
    Method.SEDC: "The fewest words whose removal reaches the goal.",
    Method.SPHERES: "The first text that reaches the goal, going outwards a word at a time.",
    Method.ANCHORS: "The fewest words that, kept, hold the prediction whatever the others are.",
}
#: JSON has the others.
_SETS_SHOWN = 30
_NOT_MEASURED = "not measured"


def card(one: MethodFound, found: Findings, shown: int) -> Node:
    """The answer; shown: which of the listed texts, from 0, the last where it is beyond them."""
    at = min(max(shown, 0), max(len(one.listed) - 1, 0))
    text = one.listed[at] if one.listed else one.nearest
    if one.method is Method.ANCHORS and one.sets and not one.listed:
        # It looks for what holds: how near a text came to the goal is no answer of it.
        text = None
    name = method_name(one.method)
    lines = " ".join((ended_sentence(one, found), *one.notes))
    return node(
        "section",
        node("h4", name, node("small", _ASKS[one.method])),
        node("p", answer_sentence(one, found, at), cls="cf-said"),
        _anchor(one, found),
        *(_text(one, found, text) if text else ()),
        _figures(
            (
                ("Calls", f"{one.calls:,} of {found.budget:,}"),
                ("Infills", f"{one.written:,}"),
                ("Seconds", score(one.seconds, 1)),
            ),
            "Cost",
        ),
        node("p", lines, cls="footnote"),
        cls="cf-card",
        properties=tint(SetKind.REMOVED),
        aria_label=name,
    )


def word_sets(one: MethodFound, found: Findings) -> Node | None:
    """SEDC's minimal sets, or the anchor, on the whole text and as a table; None without any."""
    if not one.sets:
        return None
    best = one.sets[0]
    inside = set_marked(found.text, found.words, best.words, best.kind)
    if best.kind is SetKind.REMOVED:
        shares, said = "Reached", "to do without, which are replaced or taken out"
    else:
        shares, said = "Held", "to keep, while others are replaced"
    heads = [("Words", ""), (shares, "number"), ("Share and interval", "cf-between")]
    if best.kind is SetKind.KEPT:
        heads += [("Precision, at least", "number"), ("Coverage", "number")]
    rows = (_set_row(word_set, found) for word_set in one.sets[:_SETS_SHOWN])
    more, several = len(one.sets) - _SETS_SHOWN, len(one.sets) > 1
    count = counted(len(one.sets), "set")
    rest = f" The best {_SETS_SHOWN} are here, JSON has {more:,} more." if more > 0 else ""
    table = node(
        "table",
        node("caption", f"{count} of words {said}{', the best first' if several else ''}.{rest}"),
        node("thead", node("tr", *(node("th", h, scope="col", cls=c) for h, c in heads))),
        node("tbody", *rows),
        cls="cf-sets",
    )
    return node(
        "div",
        _flow(found, inside),
        node("div", table, cls="wide"),
        cls="cf-word-sets",
        properties=tint(best.kind),
    )


def breakers(one: MethodFound, found: Findings) -> Node | None:
    """The texts that lost the prediction though the anchor's words stood; None without any."""
    if one.method is not Method.ANCHORS or not one.sets or not one.sets[0].breakers:
        return None
    anchor = one.sets[0]
    broke = anchor.share.n - anchor.share.count
    listed = len(anchor.breakers)
    caption = (
        f"The prediction was lost in {broke:,} of {counted(anchor.share.n, 'text')} with these "
        f"words kept{', those with the fewest changes first' if listed > 1 else ''}."
    )
    heads = (("Text that broke it", "text"), ("Probability", "number"), ("Words changed", "number"))
    table = node(
        "table",
        node("caption", caption),
        node("thead", node("tr", *(node("th", h, scope="col", cls=c) for h, c in heads))),
        node("tbody", *(_breaker(candidate, found) for candidate in anchor.breakers)),
        cls="plain cf-breakers",
    )
    return node("div", table, cls="wide cf-tall", properties=tint(SetKind.REMOVED))


def _anchor(one: MethodFound, found: Findings) -> Node | None:
    """The anchor on the whole text; None for other methods."""
    if one.method is not Method.ANCHORS or not one.sets:
        return None
    best = one.sets[0]
    inside = set_marked(found.text, found.words, best.words, best.kind)
    return node("div", _flow(found, inside), properties=tint(best.kind))


def _text(one: MethodFound, found: Findings, text: Counterfactual) -> tuple[Node | None, ...]:
    lead = None
    if not one.listed:
        lead = "The nearest text:"
    elif one.method is Method.SEDC:
        lead = "For example:"
    elif one.method is Method.ANCHORS:
        lead = "A text that reaches the goal, met on the way:"
    return (
        node("p", lead, cls="footnote") if lead else None,
        _flow(found, change_marked(found.text, found.words, text.candidate)),
        _criteria(found, text),
    )


def _criteria(found: Findings, text: Counterfactual) -> Node:
    limit = found.goal.threshold
    fluency = _NOT_MEASURED if text.fluency is None else score(text.fluency)
    return _figures(
        (
            ("P before", probability(text.before, limit)),
            ("P after", probability(text.after, limit)),
            ("Valid", "yes" if text.valid else "no"),
            ("Words changed", f"{text.words_changed:,} of {len(found.words):,}"),
            ("Edit distance", f"{text.edit_distance:,}"),
            ("Cosine", score(text.cosine)),
            ("Fluency", fluency),
        ),
        "Criteria",
    )


def _figures(pairs: Iterable[tuple[str, str]], label: str) -> Node:
    made = (
        node("span", node("small", name), node("span", value, cls="value"), cls="cf-figure")
        for name, value in pairs
    )
    return node("div", *made, cls="cf-figures", role="group", aria_label=label)


def _set_row(word_set: WordSet, found: Findings) -> Node:
    share = word_set.share
    named = words_named(found.text, found.words, word_set.words)
    if word_set.kind is SetKind.KEPT and len(word_set.words) == len(found.words):
        named = "the whole text"
    cells = [
        node(
            "th",
            named,
            None if word_set.proven else node("small", "not proven", cls="end"),
            scope="row",
            cls="text",
        ),
        node("td", f"{share.count:,} of {share.n:,}", cls="number"),
        node(
            "td",
            interval_bar(Estimate(share.value, share.low, share.high, share.n)),
            node("small", f"{score(share.low)} to {score(share.high)}") if share.n else None,
            cls="cf-between",
        ),
    ]
    if word_set.kind is SetKind.KEPT:
        least = score(share.low) if share.n else "\u2013"
        covered = "\u2013" if word_set.coverage is None else percent(word_set.coverage)
        cells += [node("td", least, cls="number"), node("td", covered, cls="number")]
    return node("tr", *cells)


def _breaker(candidate: Candidate, found: Findings) -> Node:
    inside = change_marked(found.text, found.words, candidate)
    changed = len(changed_words(found.words, candidate))
    return node(
        "tr",
        node("td", *inside, cls="text", dir=direction(found.text)),
        node("td", probability(candidate.probability, found.goal.threshold), cls="number"),
        node("td", f"{changed:,}", cls="number"),
    )


def _flow(found: Findings, inside: tuple[Node | str, ...]) -> Node:
    return node("p", *inside, cls="cf-text", dir=direction(found.text))
