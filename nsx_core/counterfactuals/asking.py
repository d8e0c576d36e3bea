"""What a method that searches over texts asks for, and what it gets.

A method is a generator: it yields a list of asks, is sent one tuple of candidates an ask, and
returns an ``Outcome``. Whoever drives it writes the infills, asks the classifier and counts.
So a method knows no model and no store, and tests drive it with a fake world.

All asks of one list are answered together: long lists are cheaper than many short ones. Where
the budget ends within a list, the rest of the answers are shorter or empty; the next yield
then raises ``SpentError``, on which a method returns the best it has.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nsx_core.counterfactual_records import Candidate, Ended, Goal, WordSet
from nsx_core.records import SplitText

__all__ = ["Ask", "Infills", "Outcome", "Search", "Situation", "SpentError", "Written"]


class SpentError(Exception):
    """The budget pays for no further text: a signal to a method, never shown to a person."""


@dataclass(frozen=True, slots=True)
class Infills:
    """Infills number ``first`` .. ``first + count - 1`` of the words ``replaced``.

    replaced: bool[n_words], at least one True. The j-th infill of a word set never changes, so
    two methods, or two rounds, that ask for the same get the same text. Answered by as many
    candidates, in order; two of them may hold the same text.
    """

    replaced: tuple[bool, ...]
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class Written:
    """One text, given: ``answers`` (one a run of replaced words, '' = left out) in place.

    Answered by one candidate.
    """

    replaced: tuple[bool, ...]
    answers: tuple[str, ...]


Ask = Infills | Written


@dataclass(frozen=True, slots=True)
class Situation:
    """What every method starts from.

    pool: the draws behind necessity and sufficiency, judged, in the order of their numbers;
    texts that cost no call. Those with equal ``replaced`` are independent infills of it. cosines:
    float64[n_texts] in -1..1, of each text's sentence embedding with the original's. seed: of the
    method's own choices, through ``nsx_core.seeding.generator``.
    """

    split: SplitText
    goal: Goal
    pool: tuple[Candidate, ...]
    cosines: Callable[[Sequence[str]], NDArray[np.float64]]
    seed: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a method found: ``ranked`` are all texts that it was told of, the pool's or not, each
    once and best first, those that reach the goal before all others; see ``MethodFound`` for the rest.
    """

    ranked: tuple[Candidate, ...]
    sets: tuple[WordSet, ...] = ()
    ended: Ended = Ended.COMPLETE
    notes: tuple[str, ...] = field(default=())


Search = Generator[list[Ask], list[tuple[Candidate, ...]], Outcome]
