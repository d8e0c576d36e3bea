"""From masks to counterfactual texts: what an infiller must do, and the splice.

An infiller writes one answer for each run of consecutive replaced words. Kept words are
never its business: ``splice`` puts answers between them, letter for letter, in order.
"""

from __future__ import annotations

import unicodedata
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, runtime_checkable

from nsx_core.errors import ModelError
from nsx_core.infilling.ilm_format import runs
from nsx_core.records import GenerationSettings, InfillRequest, SplitText
from nsx_core.settings import ANSWER_WORDS_MAX

__all__ = [
    "Again",
    "Infiller",
    "answers_by_part",
    "checked_answers",
    "is_unchanged",
    "runs",
    "splice",
]

#: Told the place of a request and its answers, the request to answer in its stead, or None.
#: Called once for each answer that comes, from any thread, for one place never twice at a time.
Again = Callable[[int, tuple[str, ...]], InfillRequest | None]


@runtime_checkable
class Infiller(Protocol):
    """Masks in, answers out.

    ``fingerprint`` changes when the answers may change and is part of every draw's key.
    An infiller that answers as it goes may offer ``infill_parts(parts, settings, again, ahead)``:
    an iterator that has told ``again`` the last answer to each request of the first part when it
    first yields, of the second at the second, and so on; requests are numbered on from part to
    part. While ``ahead()`` it may take and begin a part before the one in hand has ended.
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
    (answers,) = answers_by_part(infiller, [requests], settings)
    return answers


def answers_by_part(
    infiller: Infiller,
    parts: Iterable[Sequence[InfillRequest]],
    settings: GenerationSettings,
    again: Again = lambda index, answers: None,
    ahead: Callable[[], bool] = lambda: True,
) -> Iterator[list[tuple[str, ...]]]:
    """The checked answers of each part, parts being taken as their turn comes.

    ``again`` may ask for another answer in place of one that came; the last one counts. While
    ``ahead()`` a part may be begun before the one in hand has ended.
    """
    asked: dict[int, InfillRequest] = {}
    answers: dict[int, tuple[str, ...]] = {}
    taken: deque[range] = deque()

    def taking() -> Iterator[Sequence[InfillRequest]]:
        count = 0
        for part in parts:
            asked.update(enumerate(part, count))
            taken.append(range(count, count + len(part)))
            count += len(part)
            yield part

    def told(index: int, given: tuple[str, ...]) -> InfillRequest | None:
        answers[index] = _tidy(infiller.name, asked[index], given)
        following = again(index, answers[index])
        if following is not None:
            asked[index] = following
        return following

    by_part = getattr(infiller, "infill_parts", None)
    if by_part is not None:
        working = by_part(taking(), settings, told, ahead)
    else:
        working = _one_call_a_try(infiller, taking(), settings, told)
    for _ in working:
        part = taken.popleft()
        for index in part:
            del asked[index]
        yield [answers.pop(index) for index in part]


def _one_call_a_try(
    infiller: Infiller,
    parts: Iterable[Sequence[InfillRequest]],
    settings: GenerationSettings,
    told: Again,
) -> Iterator[None]:
    count = 0
    for part in parts:
        left = dict(enumerate(part, count))
        count += len(part)
        while left:
            given = infiller.infill(list(left.values()), settings)
            if len(given) != len(left):
                raise ModelError(
                    f"Infiller {infiller.name!r} must answer each of {len(left)} requests, "
                    f"and gave {len(given)} answers."
                )
            following = {i: told(i, g) for i, g in zip(left, given, strict=True)}
            left = {i: request for i, request in following.items() if request is not None}
        yield


def _tidy(name: str, request: InfillRequest, given: tuple[str, ...]) -> tuple[str, ...]:
    wanted = len(runs(request.replaced))
    if isinstance(given, str) or not all(isinstance(answer, str) for answer in given):
        raise ModelError(
            f"Infiller {name!r} must answer with a tuple of strings, and {given!r} came."
        )
    if len(given) != wanted:
        raise ModelError(
            f"Infiller {name!r} must write one answer a run of replaced words: "
            f"{wanted} wanted, {len(given)} came."
        )
    return tuple(" ".join(a.split()[:ANSWER_WORDS_MAX]) for a in given)


def splice(
    split: SplitText, replaced: Sequence[bool], answers: Sequence[str]
) -> tuple[tuple[str, bool], ...]:
    """Pieces (text, written by the infiller) whose concatenation is the counterfactual text.

    replaced: bool[n_words]; answers: one a run of replaced words. Kept words stay letter for
    letter, and gaps around them stay as they were. An empty answer leaves one gap, the one
    after it where there are two, and none at an end of the text, so that deletion leaves no
    double space. A space is put where an answer or a deletion would otherwise make one word
    out of two that had no gap between them.
    """
    words, text = split.words, split.text
    pieces: list[tuple[str, bool]] = []
    answered = {run[0]: (run[1], a) for run, a in zip(runs(replaced), answers, strict=True)}
    at = index = 0
    owed = ""  # the gap before a deleted run
    before = "kept"  # or "written" or "deleted"
    while index < len(words):
        gap = text[at : words[index].start]
        last, piece = answered.get(index, (index + 1, words[index].text))
        now = "kept" if index not in answered else "written" if piece else "deleted"
        if now == "deleted":
            owed = gap
        else:
            if before == "deleted":
                gap = (gap or owed) if pieces else owed
            if not gap and pieces and {before, now} != {"kept"}:
                gap = " " if _is_letter(pieces[-1][0][-1]) and _is_letter(piece[0]) else ""
            pieces += [(gap, False)] if gap else []
            pieces.append((piece, now == "written"))
        at, index, before = words[last - 1].end, last, now
    rest = text[at:] if pieces else owed + text[at:]
    return (*pieces, (rest, False)) if rest else tuple(pieces)


def _is_letter(character: str) -> bool:
    return character.isalnum() or unicodedata.combining(character) > 0


def is_unchanged(original: str, counterfactual: str) -> bool:
    """Whether the two are equal when case and white space are ignored."""
    return _squeezed(original) == _squeezed(counterfactual)


def _squeezed(text: str) -> str:
    return "".join(text.casefold().split())
