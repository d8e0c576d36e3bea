"""A counterfactual text with its changes marked, and the original with a set of words marked."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from nsx_core.counterfactual_records import Candidate, Method, SetKind
from nsx_core.infilling import runs
from nsx_core.records import Side, Word
from nsx_core.views.heatmap import shading
from nsx_core.views.markup import Node, direction, node, shortened

__all__ = [
    "change_marked",
    "changed_words",
    "changes",
    "method_name",
    "method_names",
    "set_marked",
    "tint",
]

_NAMES = {
    Method.WACHTER: "Wachter",
    Method.SEDC: "SEDC",
    Method.SPHERES: "Growing Spheres",
    Method.ANCHORS: "Anchors",
}
#: A longer run or word is shown with its middle left out.
_CHARACTERS = 160
#: Of a text with more words only those near to a change are shown.
_WORDS_SHOWN, _AROUND = 80, 12
_CUT = " \u2026 "


def method_name(method: Method | None) -> str:
    """'Growing Spheres'; for the texts behind necessity and sufficiency, which none searched."""
    return "draw of the explanation" if method is None else _NAMES[method]


def method_names(methods: Sequence[Method]) -> str:
    """'Wachter, SEDC'; of no method as ``method_name`` says it."""
    return ", ".join(map(method_name, methods or (None,)))


def changes(words: Sequence[Word], candidate: Candidate) -> tuple[tuple[str, str], ...]:
    """(what stood there, what stands there now) of each change, in order; now '' = left out.

    Words that an answer repeats at either end of its run are left away, and a run that was written
    back as it was is no change.
    """
    return tuple(
        (" ".join(word.text for word in words[first:last]), new)
        for first, last, new in _edits(words, candidate)
    )


def changed_words(words: Sequence[Word], candidate: Candidate) -> frozenset[int]:
    """The positions of the words that ``changes`` tells of."""
    return frozenset(at for first, last, _ in _edits(words, candidate) for at in range(first, last))


def change_marked(text: str, words: Sequence[Word], candidate: Candidate) -> tuple[Node | str, ...]:
    """The text with the words that were replaced struck, each before what stands in its place.

    Of a long text only what stands near to a change.
    """
    edits = {first: (last, new) for first, last, new in _edits(words, candidate)}
    near = _near(len(words), changed_words(words, candidate))
    made: list[Node | str] = []
    at = index = 0
    while index < len(words):
        if index not in near:
            index, at = _cut(made, words, index, near)
            continue
        made.append(text[at : words[index].start])
        last, new = edits.get(index, (index + 1, None))
        old = text[words[index].start : words[last - 1].end]
        shown = shortened(old, _CHARACTERS)
        if new is None:
            made.append(shown)
        else:
            made.append(node("s", shown, cls="gone", dir=direction(old)))
            if new:
                made += [" ", node("mark", new, cls="written", dir=direction(new))]
        at, index = words[last - 1].end, last
    made.append(text[at:])
    return tuple(piece for piece in made if piece != "")


def set_marked(
    text: str, words: Sequence[Word], chosen: Collection[int], kind: SetKind
) -> tuple[Node | str, ...]:
    """The original text: removed words struck and shaded, or kept words shaded, the others faint.

    Of a long text only what stands near to the set.
    """
    near = _near(len(words), chosen)
    made: list[Node | str] = []
    at = index = 0
    while index < len(words):
        if index not in near:
            index, at = _cut(made, words, index, near)
            continue
        word = words[index]
        made.append(text[at : word.start])
        shown = shortened(word.text, _CHARACTERS)
        if index not in chosen:
            made.append(shown if kind is SetKind.REMOVED else node("span", shown, cls="cf-other"))
        elif kind is SetKind.REMOVED:
            inside = node("s", shown, cls="gone", dir=direction(shown))
            made.append(node("mark", inside, cls="written"))
        else:
            made.append(node("mark", shown, cls="written", dir=direction(shown)))
        at, index = word.end, index + 1
    made.append(text[at:])
    return tuple(piece for piece in made if piece != "")


def tint(kind: SetKind) -> dict[str, str]:
    """Necessity's colour for what is changed, sufficiency's for what is kept."""
    return shading(Side.NECESSITY if kind is SetKind.REMOVED else Side.SUFFICIENCY, 0.35)


def _edits(words: Sequence[Word], candidate: Candidate) -> list[tuple[int, int, str]]:
    """(first word, last word + 1, what stands there now) of each change, in order."""
    made = []
    for (first, last), answer in zip(runs(candidate.replaced), candidate.answers, strict=True):
        old, new = [word.text for word in words[first:last]], answer.split()
        # One word stays to say what new words were put beside.
        while old and new and old[0] == new[0] and (len(old) > 1 or len(new) == 1):
            del old[0], new[0]
            first += 1
        while old and new and old[-1] == new[-1] and (len(old) > 1 or len(new) == 1):
            del old[-1], new[-1]
        if old:
            made.append((first, first + len(old), " ".join(new)))
    return made


def _near(count: int, chosen: Collection[int]) -> Collection[int]:
    """The words that are shown: all of a short text, else those around the chosen ones."""
    if count <= _WORDS_SHOWN:
        return range(count)
    if not chosen:
        return range(_WORDS_SHOWN)
    return {
        at
        for middle in chosen
        for at in range(max(0, middle - _AROUND), min(count, middle + _AROUND + 1))
    }


def _cut(
    made: list[Node | str], words: Sequence[Word], index: int, near: Collection[int]
) -> tuple[int, int]:
    """Leave words out up to the next that is shown; where to go on: (word, character)."""
    made.append(_CUT)
    while index < len(words) and index not in near:
        index += 1
    return index, words[index].start if index < len(words) else words[-1].end
