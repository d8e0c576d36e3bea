"""From masks to counterfactual texts: what an infiller must do, and the splice.

An infiller writes one answer for each run of consecutive replaced words. Kept words are
never its business: ``splice`` puts answers between them, letter for letter, in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from nsx_core.errors import ModelError
from nsx_core.infilling.ilm_format import runs
from nsx_core.records import GenerationSettings, InfillRequest, SplitText
from nsx_core.settings import ANSWER_WORDS_MAX

__all__ = ["Infiller", "checked_answers", "is_unchanged", "runs", "splice"]


@runtime_checkable
class Infiller(Protocol):
    """Masks in, answers out.

    ``fingerprint`` changes when the answers may change and is part of every draw's key.
    """

    @property
    def name(self) -> str: ...
    @property
    def fingerprint(self) -> str: ...

    def infill(
        self, requests: list[InfillRequest], settings: GenerationSettings
    ) -> list[tuple[str, ...]]:
        """One answer a run of replaced words, for each request in order.

        Equal requests and settings give equal answers, whatever else is in the list.
        """
        ...


def checked_answers(
    infiller: Infiller, requests: list[InfillRequest], settings: GenerationSettings
) -> list[tuple[str, ...]]:
    """The infiller's answers, single-spaced and cut at 7 words, or a ``ModelError``."""
    answers = infiller.infill(requests, settings)
    if len(answers) != len(requests):
        raise ModelError(
            f"Infiller {infiller.name!r} must answer each of {len(requests)} requests, "
            f"and gave {len(answers)} answers."
        )
    tidy = []
    for request, given in zip(requests, answers, strict=True):
        wanted = len(runs(request.replaced))
        if len(given) != wanted:
            raise ModelError(
                f"Infiller {infiller.name!r} must write one answer a run of replaced words: "
                f"{wanted} wanted, {len(given)} came."
            )
        tidy.append(tuple(" ".join(a.split()[:ANSWER_WORDS_MAX]) for a in given))
    return tidy


def splice(
    split: SplitText, replaced: Sequence[bool], answers: Sequence[str]
) -> tuple[tuple[str, bool], ...]:
    """Pieces (text, written by the infiller) whose concatenation is the counterfactual text.

    Gaps around kept words stay as they were; an empty answer also drops the gap before it
    (or, at the start, after it), so that deletion leaves no double space.
    """
    words, text = split.words, split.text
    pieces: list[tuple[str, bool]] = []
    at, drop_gap = 0, False

    def gap(upto: int) -> None:
        nonlocal at, drop_gap
        if upto > at and not drop_gap:
            pieces.append((text[at:upto], False))
        at, drop_gap = upto, False

    spans = dict(zip((f for f, _ in runs(replaced)), zip(runs(replaced), answers, strict=True)))
    index = 0
    while index < len(words):
        if index in spans:
            (first, last), answer = spans[index]
            if answer or first == 0:
                gap(words[first].start)
                if answer:
                    pieces.append((answer, True))
            at = words[last - 1].end
            drop_gap = not answer and first == 0
            index = last
        else:
            gap(words[index].start)
            pieces.append((text[words[index].start : words[index].end], False))
            at = words[index].end
            index += 1
    if at < len(text):
        pieces.append((text[at:], False))
    return tuple(pieces)


def is_unchanged(original: str, counterfactual: str) -> bool:
    """Whether the two are equal when case and white space are ignored."""
    return _squeezed(original) == _squeezed(counterfactual)


def _squeezed(text: str) -> str:
    return "".join(text.casefold().split())
