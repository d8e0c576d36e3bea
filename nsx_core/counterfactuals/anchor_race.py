"""Candidates for an anchor of one size, raced against one another by KL-LUCB.

(kaufmann-kalyanakrishnan-2013, as ribeiro-etal-2018 use it.) A race, in lists of draws:

1. Every candidate is drawn a few times. *Out* are from then on those with upper bound < tau.
2. The ``_SECOND_AT_MOST`` with the highest precision that are not out are drawn some times more;
   of equal ones those go first that stand well in all judged texts.
3. Then, list by list: of the ``beam`` candidates with the highest precision so far all that are
   not out; and of the rest the one with the highest upper bound, unless that is out or comes
   within ``SEPARATED`` of the lowest lower bound of the beam. Where one is near its proof
   (precision >= tau), only such ones are drawn.
4. *Proven* is a candidate with precision >= tau and lower bound >= tau - tolerance. The race ends
   with the first list that proves one, or when all are out. It ends as well after ``_LISTS`` lists
   in which none was near, and no candidate has more than ``_LOOKS`` looks: that bounds the draws
   also where the infiller writes the same few texts for ever.

A candidate's draws at its look number t are fixed beforehand, so that its bounds hold at all
looks together (``nsx_core.counterfactuals.kl_bounds``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np

from nsx_core import stopping
from nsx_core.counterfactual_records import Candidate, Goal, Share
from nsx_core.counterfactuals.asking import Ask, Infills
from nsx_core.counterfactuals.kept_law import draw_masks
from nsx_core.counterfactuals.kl_bounds import exploration_rate, kl_bounds

__all__ = ["Arm", "Drawing", "Standard", "race"]

#: How near the bounds of the beam and of the rest come before the beam is taken to be the best.
SEPARATED = 0.15
#: The first list holds about this many draws, FEWEST to MOST a candidate.
_FIRST_LIST, _FEWEST, _MOST = 96, 6, 24
#: Draws of a candidate's second look, enough to rule out most, and of every later one: at the
#: defaults and 10 words, the third look proves a candidate that never fails.
_SECOND, _LATER, _SECOND_AT_MOST = 16, 56, 5
_LISTS, _LOOKS = 4, 8


@dataclass(frozen=True, slots=True)
class Standard:
    """What an anchor must reach; tau = ``precision``, all strictly between 0 and 1."""

    precision: float
    tolerance: float
    delta: float


@dataclass(slots=True, eq=False)
class Arm:
    """One candidate and its draws so far.

    words: positions, ascending; among: how many candidates its bounds are shared with; low, high:
    of its precision, 0 and 1 before the first look.
    """

    words: tuple[int, ...]
    among: int
    rng: np.random.Generator
    texts: list[Candidate] = field(default_factory=list)
    held: int = 0
    looks: int = 0
    low: float = 0.0
    high: float = 1.0

    @property
    def n(self) -> int:
        return len(self.texts)

    @property
    def precision(self) -> float:
        """Share of its texts that held the prediction; 0 before the first."""
        return self.held / self.n if self.n else 0.0

    @property
    def share(self) -> Share:
        return Share(self.held, self.n, self.low, self.high)

    def proven(self, standard: Standard) -> bool:
        """Whether it is an anchor, on what was drawn."""
        sure = self.low >= standard.precision - standard.tolerance
        return self.n > 0 and self.precision >= standard.precision and sure

    def out(self, standard: Standard) -> bool:
        """Whether its precision lies below tau, on what was drawn."""
        return self.high < standard.precision

    def look(self, texts: list[Candidate], goal: Goal, delta: float) -> None:
        """Count texts that were drawn, and set the bounds anew."""
        if not texts:
            return
        self.texts += texts
        self.held += sum(goal.held(text.probability) for text in texts)
        self.looks += 1
        level = exploration_rate(self.looks, _LOOKS, self.among, delta)
        self.low, self.high = kl_bounds(self.held, self.n, level)


class Drawing:
    """Asks for texts of D(z|A); no infill of a mask is asked for twice."""

    def __init__(self, n_words: int, goal: Goal, delta: float) -> None:
        self._n_words, self._goal, self._delta = n_words, goal, delta
        self._asked: Counter[tuple[bool, ...]] = Counter()

    def draw(
        self, arms: list[Arm], first: int
    ) -> Generator[list[Ask], list[tuple[Candidate, ...]], None]:
        """One look at each arm, in one list, the arms taking turns; ``first``: draws of a first.

        Draws after the first that the budget did not pay for are not counted: those that are
        answered all the same are texts known before, and would count for too much.
        """
        counts = [(first, _SECOND, _LATER)[min(arm.looks, 2)] for arm in arms]
        masks = [
            draw_masks(self._n_words, arm.words, count, arm.rng)
            for arm, count in zip(arms, counts, strict=True)
        ]
        turns = sorted((turn, at) for at, count in enumerate(counts) for turn in range(count))
        answers = yield [self._ask(masks[at][turn]) for turn, at in turns]
        texts: list[list[Candidate]] = [[] for _ in arms]
        for (_, at), answer in zip(turns, answers, strict=True):
            if not answer:
                break
            texts[at] += answer
        for arm, own in zip(arms, texts, strict=True):
            arm.look(own, self._goal, self._delta)

    def _ask(self, mask: tuple[bool, ...]) -> Infills:
        number = self._asked[mask]
        self._asked[mask] += 1
        return Infills(mask, number, 1)


def race(
    arms: list[Arm], standard: Standard, beam: int, drawing: Drawing
) -> Generator[list[Ask], list[tuple[Candidate, ...]], None]:
    """Draw for candidates of one size until the race ends; see the module's text."""
    first = min(max(_FIRST_LIST // len(arms), _FEWEST), _MOST)
    pending, lists = arms, 0
    while pending:
        stopping.check()
        yield from drawing.draw(pending, first)
        if any(arm.proven(standard) for arm in arms):
            return
        ranked = sorted(arms, key=lambda arm: (-arm.precision, -arm.n))
        left = [arm for arm in ranked if arm.looks < _LOOKS and not arm.out(standard)]
        near = [arm for arm in left if arm.precision >= standard.precision]
        if lists == 0:
            pending, lists = left[: max(_SECOND_AT_MOST, beam)], 1
        elif near:
            pending = near[:beam]
        elif lists < _LISTS:
            pending, lists = _racing(ranked, left, beam), lists + 1
        else:
            return


def _racing(ranked: list[Arm], left: list[Arm], beam: int) -> list[Arm]:
    """The beam's candidates that are left, and the strongest of the rest unless far behind."""
    best = ranked[:beam]
    drawn = [arm for arm in left if arm in best]
    rest = [arm for arm in left if arm not in best]
    if rest:
        strongest = max(rest, key=lambda arm: arm.high)
        if strongest.high - min(arm.low for arm in best) > SEPARATED:
            drawn.append(strongest)
    return drawn
