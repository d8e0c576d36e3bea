"""A counterfactual text with its changes marked, and the original with a set of words marked."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from nsx_core.counterfactual_records import Candidate, Method, SetKind
from nsx_core.infilling import runs
from nsx_core.records import Side, Word
from nsx_core.views.heatmap import shading
from nsx_core.views.markup import Node, direction, node, shortened

__all__ = ["NAMES", "change_marked", "changes", "method_name", "set_marked", "tint"]

#: As they are shown.
NAMES = {
    Method.WACHTER: "Wachter",
    Method.SEDC: "SEDC",
    Method.SPHERES: "Growing Spheres",
    Method.ANCHORS: "Anchors",
}
_WORD_CHARACTERS = 80


def changes(words: Sequence[Word], candidate: Candidate) -> tuple[tuple[str, str], ...]:
    """(what stood there, what stands there now) of each run of replaced words, in order.

    Words that an answer repeats at either end of its run are left away; now '' = left out. A run
    that was written back as it was is no change.
    """
    made = []
    for (first, last), answer in zip(runs(candidate.replaced), candidate.answers, strict=True):
        old, new = [word.text for word in words[first:last]], answer.split()
        for end in (0, -1):
            # One word stays to say what new words were put beside.
            while old and new and old[end] == new[end] and (len(old) > 1 or len(new) == 1):
                del old[end], new[end]
        if old:
            made.append((" ".join(old), " ".join(new)))
    return tuple(made)


def method_name(method: Method | None) -> str:
    """'Growing Spheres'; 'Draws' for the texts behind necessity and sufficiency."""
    return "Draws" if method is None else NAMES[method]


def change_marked(text: str, words: Sequence[Word], candidate: Candidate) -> tuple[Node | str, ...]:
    """The text with the words that were replaced struck, each before what stands in its place."""
    answered = {
        first: (last, answer)
        for (first, last), answer in zip(runs(candidate.replaced), candidate.answers, strict=True)
    }
    made: list[Node | str] = []
    at = index = 0
    while index < len(words):
        made.append(text[at : words[index].start])
        last, answer = answered.get(index, (index + 1, None))
        old = text[words[index].start : words[last - 1].end]
        shown = shortened(old, _WORD_CHARACTERS)
        if answer is None or answer == old:
            made.append(shown)
        else:
            made.append(node("s", shown, cls="gone", dir=direction(old)))
            if answer:
                made += [" ", node("mark", answer, cls="written", dir=direction(answer))]
        at, index = words[last - 1].end, last
    made.append(text[at:])
    return tuple(piece for piece in made if piece != "")


def set_marked(
    text: str, words: Sequence[Word], chosen: Collection[int], kind: SetKind
) -> tuple[Node | str, ...]:
    """The original text: removed words struck, or kept words marked and the others faint."""
    made: list[Node | str] = []
    at = 0
    for index, word in enumerate(words):
        made.append(text[at : word.start])
        shown = shortened(word.text, _WORD_CHARACTERS)
        if kind is SetKind.REMOVED:
            made.append(node("s", shown, cls="gone") if index in chosen else shown)
        elif index in chosen:
            made.append(node("mark", shown, cls="written", dir=direction(shown)))
        else:
            made.append(node("span", shown, cls="other"))
        at = word.end
    made.append(text[at:])
    return tuple(piece for piece in made if piece != "")


def tint(kind: SetKind) -> dict[str, str]:
    """Necessity's colour for what is changed, sufficiency's for what is kept."""
    return shading(Side.NECESSITY if kind is SetKind.REMOVED else Side.SUFFICIENCY, 0.35)
