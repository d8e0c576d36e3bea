"""Find the kept words in a counterfactual text; what lies between them are the answers.

A text is read as pieces between white space. Each run of kept words must stand in it letter for
letter, in order and unbroken, the first at the very start and the last at the very end where
the mask keeps those. Some infillers' detokenizers glue punctuation to a neighbour ('women' kept,
'women,' written): such a text aligns too, with the glued part counted to the answer, but is
not ``exact``. Among several alignments those win in which every run got an answer, and then
the one that finds each kept run earliest; which words are infilled is the same in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

__all__ = ["Alignment", "aligned"]

Segment = tuple[bool, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Alignment:
    """``answers``: the pieces written for each run of replaced words, in reading order.

    ``exact``: every kept word is a piece of its own, letter for letter.
    """

    answers: tuple[tuple[str, ...], ...]
    exact: bool

    @property
    def pieces(self) -> tuple[str, ...]:
        """All infilled pieces of the text."""
        return tuple(piece for answer in self.answers for piece in answer)


def aligned(words: Sequence[str], replaced: Sequence[bool], text: str) -> Alignment | None:
    """How ``text`` comes from replacing words, or None where kept words are lost.

    words: the original's words; replaced: bool[n_words].
    """
    pieces = text.split()
    marked = zip(replaced, words, strict=True)
    segments = [
        (is_replaced, tuple(word for _, word in group))
        for is_replaced, group in groupby(marked, key=lambda pair: bool(pair[0]))
    ]
    for exact in (True, False):
        for filled in (True, False):
            answers = _answers(segments, pieces, exact, filled)
            if answers is not None:
                return Alignment(tuple(answers), exact)
    return None


def _answers(
    segments: Sequence[Segment], pieces: Sequence[str], exact: bool, filled: bool
) -> list[tuple[str, ...]] | None:
    """Answers by the earliest match of each kept run; ``filled`` forbids empty ones."""
    answers: list[tuple[str, ...]] = []
    at, left = 0, ""  # where the open answer begins, and what is glued to the piece before it
    for number, (is_replaced, kept) in enumerate(segments):
        if is_replaced:
            continue
        first, last = number == 0, number == len(segments) - 1
        starts = range(at, len(pieces) - len(kept) + 1)
        starts = starts[:1] if first else starts[-1:] if last else starts
        for start in starts:
            window = pieces[start : start + len(kept)]
            glued = _glued(kept, window, exact, before=not first, after=not last)
            if glued is None:
                continue
            answer = _present(left, *pieces[at:start], glued[0])
            if first or answer or not filled:
                break
        else:
            return None
        if not first:
            answers.append(answer)
        at, left = start + len(kept), glued[1]
    if segments and segments[-1][0]:
        answer = _present(left, *pieces[at:])
        if filled and not answer:
            return None
        answers.append(answer)
    elif at != len(pieces):
        return None
    return answers


def _present(*pieces: str) -> tuple[str, ...]:
    return tuple(piece for piece in pieces if piece)


def _glued(
    kept: Sequence[str], window: Sequence[str], exact: bool, *, before: bool, after: bool
) -> tuple[str, str] | None:
    """What is glued to the kept run's (start, end), or None where the run is not there."""
    wanted, found = " ".join(kept), " ".join(window)
    if wanted == found:
        return "", ""
    if exact or wanted not in found:
        return None
    match = re.fullmatch(rf"(.*\W)??{re.escape(wanted)}(\W.*)?", found)
    if match is None:
        return None
    prefix, suffix = match.group(1) or "", match.group(2) or ""
    return (prefix, suffix) if (before or not prefix) and (after or not suffix) else None
