"""Wachter et al. 2017 (wachter-etal-2017) on texts: the optimiser of ``wachter`` over infills.

The loss is lambda * (P - y')^2 + d, where d adds the words changed and the meaning moved (1 -
cosine of sentence embeddings), each divided by its median absolute deviation over the draws
behind necessity and sufficiency. A text has no gradient and no small step, so the minimiser is a
local search: from each start it asks for neighbouring texts (the same words infilled again, one
word less, one more, one exchanged, one run given back) and goes to the best, until none is better
or a round or two are over. Starts are the draw of least loss and others at random. Those that
reach the goal are then brought nearer to the original, as long as they still reach it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Sequence

import numpy as np

from nsx_core.counterfactual_records import Candidate, Ended
from nsx_core.counterfactuals.asking import (
    Ask,
    Infills,
    Outcome,
    Search,
    Situation,
    SpentError,
    Written,
)
from nsx_core.counterfactuals.distance import distances, text_features, text_scales
from nsx_core.counterfactuals.judged_texts import JudgedTexts
from nsx_core.counterfactuals.wachter import Answer, Schedule, Tried, climb, ranked
from nsx_core.errors import SettingsError
from nsx_core.infilling import runs
from nsx_core.records import text_hash
from nsx_core.seeding import generator

__all__ = ["SCHEDULE", "wachter"]

SCHEDULE = Schedule(start=1.0, factor=3.0, steps=8)
RESTARTS = 4
#: Rounds of neighbours at one lambda, and of coming nearer at the end.
ROUNDS, NEARER_ROUNDS = 2, 2
Replaced = tuple[bool, ...]
Step = Generator[list[Ask], list[tuple[Candidate, ...]], list[Tried[Candidate]]]


def wachter(
    situation: Situation, restarts: int = RESTARTS, schedule: Schedule = SCHEDULE
) -> Search:
    """Search for texts of least loss; ``Outcome.ranked``: by distance those that reach the goal.

    restarts >= 1, or a ``SettingsError``. Goal, target y' and tolerance epsilon are the
    situation's.
    """
    if not isinstance(restarts, int) or restarts < 1:
        raise SettingsError(f"Restarts are a whole number of at least 1, and {restarts!r} came.")
    return _search(situation, restarts, schedule)


def _search(situation: Situation, restarts: int, schedule: Schedule) -> Search:
    search = _TextSearch(situation)
    ended, answers = Ended.COMPLETE, ()
    try:
        starts = yield from search.starts(restarts, schedule.start)
        answers = yield from climb(search.minimised, starts, schedule)
        yield from search.nearer([a.tried for a in answers if a.tried.reached])
    except SpentError:
        ended = Ended.BUDGET
    order = ranked(search.tried([*search.texts.reaching(), *search.texts.others()]))
    notes = (*search.notes, *_ended_notes(answers, schedule))
    return Outcome(tuple(t.point for t in order), (), ended, notes)


class _TextSearch:
    """What has been judged, how far it lies, and which texts are neighbours."""

    def __init__(self, situation: Situation) -> None:
        self._situation, self.texts = situation, JudgedTexts(situation)
        pool = [c for c in situation.pool if not c.unchanged]
        self._scale, self.notes = text_scales(pool, situation.cosines([c.text for c in pool]))
        self._rng = generator("wachter", text_hash(situation.split.text), situation.seed)
        self._asked: Counter[Replaced] = Counter()

    def tried(self, candidates: Sequence[Candidate]) -> list[Tried[Candidate]]:
        """The candidates with their distances and gaps; d = 0 for the original itself."""
        cosines = self._situation.cosines([c.text for c in candidates])
        features = text_features(candidates, cosines)
        goal = self._situation.goal
        return [
            Tried(c, 0.0 if c.unchanged else d, goal.gap(c.probability), self.texts.reached(c))
            for c, d in zip(
                candidates, distances(features, [0.0, 0.0], self._scale).tolist(), strict=True
            )
        ]

    def starts(self, count: int, weight: float) -> Step:
        """The draw of least loss and others at random; without draws, single words infilled."""
        pool = [c for c in self._situation.pool if not c.unchanged]
        if not pool:
            n = len(self._situation.split.words)
            chosen = self._rng.permutation(n)[: 4 * count]
            singles = [tuple(i == j for i in range(n)) for j in sorted(chosen.tolist())]
            answers = yield from self.texts.asked([self._next(m, 1) for m in singles])
            pool = [c for given in answers for c in given if not c.unchanged]
        found = sorted(self.tried(pool), key=lambda t: (t.loss(weight), t.point.text))
        if not found:
            return []
        others = self._rng.permutation(np.arange(1, len(found)))[: count - 1]
        return [found[0], *(found[i] for i in others.tolist())]

    def minimised(self, weight: float, points: Sequence[Tried[Candidate]]) -> Step:
        """Each point's best neighbour at this lambda, and that one's, and so on."""
        here = list(points)
        moving = list(range(len(here)))
        for _ in range(ROUNDS):
            if not moving:
                break
            around = yield from self._around([here[k].point for k in moving])
            still = []
            for k, near in zip(moving, around, strict=True):
                best = min([here[k], *near], key=lambda t: (t.loss(weight), t.point.text))
                if best.loss(weight) < here[k].loss(weight):
                    still.append(k)
                here[k] = best
            moving = still
        return here

    def nearer(self, reached: Sequence[Tried[Candidate]]) -> Step:
        """The same, counting only texts that reach the goal, by distance alone."""
        here = list({t.point.text: t for t in reached}.values())
        for _ in range(NEARER_ROUNDS if here else 0):
            around = yield from self._around([t.point for t in here])
            better = [
                min([t, *(u for u in near if u.reached)], key=lambda u: (u.distance, u.point.text))
                for t, near in zip(here, around, strict=True)
            ]
            if better == here:
                break
            here = better
        return here

    def _around(
        self, points: Sequence[Candidate]
    ) -> Generator[list[Ask], list[tuple[Candidate, ...]], list[list[Tried[Candidate]]]]:
        """The neighbours of each point, asked for in one list."""
        asks = [self._neighbours(point) for point in points]
        answers = yield from self.texts.asked([ask for some in asks for ask in some])
        left = iter(answers)
        return [
            self.tried(
                [c for given in (next(left) for _ in some) for c in given if not c.unchanged]
            )
            for some in asks
        ]

    def _neighbours(self, point: Candidate) -> list[Ask]:
        n, mask = len(point.replaced), point.replaced
        changed = [i for i in range(n) if mask[i]]
        kept = [i for i in range(n) if not mask[i]]
        asks: list[Ask] = [self._next(mask, 2)]
        if len(changed) > 1:
            asks += [self._next(_moved(mask, off=i), 2) for i in self._some(changed, 3)]
            asks += _given_back(point)
        asks += [self._next(_moved(mask, on=i), 1) for i in self._some(kept, 2)]
        pairs = zip(self._some(changed, 2), self._some(kept, 2), strict=False)
        asks += [self._next(_moved(mask, on=j, off=i), 1) for i, j in pairs]
        return asks

    def _next(self, mask: Replaced, count: int) -> Infills:
        """The next infills of a word set that were not asked for yet."""
        first = self._asked[mask]
        self._asked[mask] += count
        return Infills(mask, first, count)

    def _some(self, of: Sequence[int], most: int) -> list[int]:
        chosen: list[int] = self._rng.permutation(np.array(of, dtype=np.int64))[:most].tolist()
        return chosen


def _moved(mask: Replaced, on: int | None = None, off: int | None = None) -> Replaced:
    return tuple((m or i == on) and i != off for i, m in enumerate(mask))


def _given_back(point: Candidate) -> list[Ask]:
    """The text with one run's own words in its place, for each run where there are several."""
    spans = runs(point.replaced)
    if len(spans) < 2:
        return []
    return [
        Written(
            tuple(m and not first <= i < last for i, m in enumerate(point.replaced)),
            tuple(a for j, a in enumerate(point.answers) if j != number),
        )
        for number, (first, last) in enumerate(spans)
    ]


def _ended_notes(answers: Iterable[Answer[Candidate]], schedule: Schedule) -> tuple[str, ...]:
    found = list(answers)
    if not found:
        return ()
    weights = [a.weight for a in found if a.tried.reached]
    if not weights:
        last = list(schedule.weights())[-1]
        return (
            f"The goal was reached from none of {len(found)} starts, up to lambda {last:,.0f}.",
        )
    low, high = min(weights), max(weights)
    at = f"lambda {low:,.0f}" if low == high else f"lambda {low:,.0f} to {high:,.0f}"
    return (f"The goal was reached from {len(weights)} of {len(found)} starts, at {at}.",)
