"""The text format of infilling by language modelling (Donahue et al. 2020).

::

    BOS  kept words and one BLANK a run of replaced words  START  answer END  answer END ...

Special tokens of SmolLM2's vocabulary serve as BLANK, START and END, so that no embedding is
added. They must differ: most of its unused special tokens share one embedding to the last
digit, so a model could neither tell BLANK from START nor give END a probability of its own.
These three differ from one another, and END from every other token. Training and generation
both build their contexts here and nowhere else. Words are joined by single spaces: every word
but the text's first carries its space.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

Encode = Callable[[str], list[int]]

#: Raise it when a model trained before would read or write otherwise (marks, layout).
FORMAT = 2


@dataclass(frozen=True)
class SpecialTokens:
    """Token ids of the format's marks."""

    bos: int
    blank: int
    start: int
    end: int


SMOLLM2_SPECIAL_TOKENS = {
    "bos": "<|endoftext|>",
    "blank": "<repo_name>",
    "start": "<jupyter_start>",
    "end": "<filename>",
}


def runs(mask: Sequence[bool]) -> list[tuple[int, int]]:
    """Runs of replaced words as (first, last + 1), in reading order."""
    found, at = [], 0
    for replaced, group in groupby(mask):
        length = len(list(group))
        if replaced:
            found.append((at, at + length))
        at += length
    return found


def context_ids(
    words: Sequence[str],
    mask: Sequence[bool],
    encode: Encode,
    special: SpecialTokens,
    spaces: Sequence[bool] | None = None,
) -> list[int]:
    """Token ids up to and with START.

    words: the text's words; mask: bool[n_words], True = replaced; spaces: bool[n_words],
    whether a word has a space before it (default: all but the first).
    """
    if spaces is None:
        spaces = [index > 0 for index in range(len(words))]
    ids = [special.bos]
    at = 0
    for replaced, group in groupby(mask):
        length = len(list(group))
        if replaced:
            ids.append(special.blank)
        else:
            span = range(at, at + length)
            ids.extend(encode("".join(" " * spaces[i] + words[i] for i in span)))
        at += length
    ids.append(special.start)
    return ids


def answer_ids(
    words: Sequence[str], mask: Sequence[bool], encode: Encode, special: SpecialTokens
) -> list[int]:
    """Token ids of all answers, each closed by END: what training learns to write."""
    ids: list[int] = []
    for first, last in runs(mask):
        ids.extend(encode(" " + " ".join(words[first:last])))
        ids.append(special.end)
    return ids
