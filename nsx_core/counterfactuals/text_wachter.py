"""Counterfactual texts by the loss of Wachter et al. (wachter-etal-2017), over infills.

loss(x') = lambda * (P(x') - y')^2 + words changed / MAD + (1 - cosine) / MAD, both MADs over the
draws behind necessity and sufficiency (``distance.text_scales``). Texts have no gradient, so at
one lambda a start looks at its neighbours and moves to the best of them:

- its words infilled again;
- a word less, a word more, a word exchanged for another, infilled;
- for a set of several runs, one run or half of them put back to the original's words, the other
  answers staying as they are.

1. Every single word (of a long text, those that look best in the pool) is infilled a few times.
2. ``wachter.climb`` raises lambda until one start reaches the goal. Half of the starts begin, at
   each lambda, at the texts that are then the best of all known; the other half at random ones.
3. From the nearest texts that reach the goal on, distance alone is lowered among those that do,
   until ``_PATIENCE`` rounds have brought nothing.

All starts move in step, so that each list of asks is long.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from nsx_core import stopping
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
from nsx_core.counterfactuals.wachter import Schedule, Tried, climb, ranked
from nsx_core.errors import SettingsError
from nsx_core.infilling import runs
from nsx_core.seeding import generator

__all__ = ["TEXT_SCHEDULE", "wachter"]

TEXT_SCHEDULE = Schedule(start=1.0, factor=10.0, steps=4)
Mask = tuple[bool, ...]
Text = Tried[Candidate]
Key = Callable[[Text], float]
Answers = list[tuple[Candidate, ...]]
Moving = Generator[list[Ask], Answers, list[Text]]
_OPENING = 64  # infills of single words, and at most this many of one word
_OPENING_WORD = 6
_AGAIN = 2  # infills of a set each time it is asked for
_SHORTER, _PUT_BACK = 3, 3  # neighbours of these kinds a round
_CLIMBING_ROUNDS, _TIGHTENING_ROUNDS = 3, 12
_PATIENCE = 2


def wachter(
    situation: Situation, *, restarts: int = 8, schedule: Schedule = TEXT_SCHEDULE
) -> Search:
    """Texts that reach the goal, nearest to the original first, then the rest by their gap.

    The wanted probability and epsilon are ``situation.goal``'s. restarts >= 1: starts that move in
    step. ``Outcome.ranked`` holds every changed text that was seen, the pool's included, each once;
    none reaches the goal where none was found. Raises ``SettingsError``.
    """
    if not isinstance(restarts, int) or restarts < 1:
        raise SettingsError(f"There is 1 restart or more, and {restarts!r} came.")
    return _search(_Walk(situation), restarts, schedule)


def _search(walk: _Walk, restarts: int, schedule: Schedule) -> Search:
    ended = Ended.COMPLETE
    try:
        yield from walk.opening(restarts)
        starts = walk.random_starts(restarts)
        yield from climb(walk.at, starts, schedule, enough=1)
        near = walk.best(lambda t: t.distance if t.reached else np.inf, restarts)
        yield from walk.tighten([t for t in near if t.reached])
    except SpentError:
        ended = Ended.BUDGET
    best = ranked(walk.known.values())
    return Outcome(tuple(t.point for t in best), ended=ended, notes=walk.notes)


class _Walk:
    """Everything seen so far, and how to go on from it."""

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        self.n_words = len(situation.split.words)
        self.rng = generator("text-wachter", situation.split.text, situation.seed)
        cosines = self._cosines(situation.pool)
        self.scales, self.notes = text_scales(situation.pool, cosines)
        self.known: dict[str, Text] = {}
        self.next: dict[Mask, int] = {}
        self.texts: dict[Mask, set[str]] = {}
        self.written: set[tuple[Mask, tuple[str, ...]]] = set()
        self._learn(situation.pool, cosines)

    # What is known

    def _cosines(self, candidates: Sequence[Candidate]) -> NDArray[np.float64]:
        texts = list(dict.fromkeys(c.text for c in candidates))
        if not texts:
            return np.empty(0)
        found = dict(zip(texts, self.situation.cosines(texts), strict=True))
        return np.array([found[c.text] for c in candidates], np.float64)

    def _learn(self, candidates: Sequence[Candidate], cosines: NDArray[np.float64]) -> None:
        """Add changed texts; of one text, the form with the fewest words stays."""
        if not candidates:
            return
        table = text_features(candidates, cosines)
        goal = self.situation.goal
        for candidate, away in zip(candidates, distances(table, [0, 0], self.scales), strict=True):
            if candidate.unchanged:
                continue
            before = self.known.get(candidate.text)
            if before is None or candidate.words_changed < before.point.words_changed:
                p = candidate.probability
                self.known[candidate.text] = Tried(
                    candidate, float(away), goal.gap(p), goal.reached(p)
                )

    def best(self, key: Key, count: int) -> list[Text]:
        """The best of all known, no two of one word set."""
        chosen: dict[Mask, Text] = {}
        for tried in sorted(self.known.values(), key=key):
            chosen.setdefault(tried.point.replaced, tried)
            if len(chosen) == count:
                break
        return list(chosen.values())

    def random_starts(self, count: int) -> list[Text]:
        """Any known texts; fewer where fewer are known."""
        known = list(self.known.values())
        picked = self.rng.permutation(len(known))[:count]
        return [known[at] for at in picked]

    # How it goes on

    def opening(self, restarts: int) -> Moving:
        """A few infills of every single word, and of a random set a start where no pool is."""
        promising = self._promising()[:_OPENING]
        each = min(_OPENING_WORD, max(1, _OPENING // len(promising)))
        singles = [self._mask([word]) for word in promising]
        asks: list[Ask] = [ask for mask in singles for ask in self._infills(mask, 1)]
        if not self.situation.pool:
            sets = (self.rng.random(self.n_words) < self.rng.random() for _ in range(restarts))
            for mask in {tuple(s.tolist()): None for s in sets if s.sum() > 1}:
                asks += self._infills(mask, 1)
        if each > 1:
            asks += [ask for mask in singles for ask in self._infills(mask, each - 1)]
        yield from self._asked([asks])
        return []

    def at(self, weight: float, points: Sequence[Text]) -> Moving:
        """A minimiser for ``climb``: the loss at one lambda."""

        def key(tried: Text) -> float:
            return tried.loss(weight)

        best = self.best(key, len(points))
        begun = [best[k // 2 % len(best)] if k % 2 == 0 else p for k, p in enumerate(points)]
        ended = yield from self._descend(begun, key, _CLIMBING_ROUNDS, wider=True)
        return ended

    def tighten(self, points: Sequence[Text]) -> Moving:
        """Nearer texts that reach the goal."""
        ended = yield from self._descend(
            points,
            lambda t: t.distance if t.reached else np.inf,
            _TIGHTENING_ROUNDS + self.n_words.bit_length(),
            wider=False,
        )
        return ended

    def _descend(self, points: Sequence[Text], key: Key, rounds: int, wider: bool) -> Moving:
        """Each point moves to its best neighbour while that is better.

        Ends when the best of all has stood for ``_PATIENCE`` rounds; where lambda may still rise
        (wider), already when nobody has moved.
        """
        at, stood = list(points), 0
        for _ in range(rounds):
            if not at:
                break
            stopping.check()
            best = min(map(key, at))
            asks = [self._neighbours(t.point, wider) for t in at]
            if not any(asks):
                break
            seen = yield from self._asked(asks)
            ended = [min([t, *new], key=key) for t, new in zip(at, seen, strict=True)]
            moved = any(key(a) < key(b) for a, b in zip(ended, at, strict=True))
            stood = 0 if min(map(key, ended)) < best else stood + 1
            at = ended
            if (wider and not moved) or stood >= _PATIENCE:
                break
        return at

    def _asked(self, asks: list[list[Ask]]) -> Generator[list[Ask], Answers, list[list[Text]]]:
        """One list out of many, and the changed texts that came, by list."""
        sent = [ask for some in asks for ask in some]
        answers = iter((yield sent) if sent else [])
        came = [[c for got in islice(answers, len(some)) for c in got] for some in asks]
        everything = [c for some in came for c in some]
        for candidate in everything:
            self.texts.setdefault(candidate.replaced, set()).add(candidate.text)
        self._learn(everything, self._cosines(everything))
        return [[self.known[c.text] for c in some if c.text in self.known] for some in came]

    # Neighbours

    def _neighbours(self, candidate: Candidate, wider: bool) -> list[Ask]:
        mask = candidate.replaced
        inside = [j for j, r in enumerate(mask) if r]
        outside = [j for j, r in enumerate(mask) if not r]
        asks: list[Ask] = [*self._put_back(candidate)]
        if len(inside) > 1:
            for j in self._some(inside, _SHORTER):
                asks += self._infills(_without(mask, j), 1)
            if len(inside) > 3:
                asks += self._infills(_without(mask, *self._some(inside, len(inside) // 2)), 1)
        asks += self._infills(mask, _AGAIN)
        if outside:
            out, back = self._some(outside, 1)[0], self._some(inside, 1)[0]
            asks += self._infills(_with(_without(mask, back), out), 1)
        if outside and wider:
            asks += self._infills(_with(mask, self._some(outside, 1)[0]), 1)
        return asks

    def _put_back(self, candidate: Candidate) -> Iterable[Written]:
        """Some runs of it, and a random half of them, put back to the original's words."""
        found = runs(candidate.replaced)
        if len(found) < 2:
            return
        numbers = range(len(found))
        sets = [{k} for k in self._some(numbers, _PUT_BACK)]
        if len(found) > 3:
            sets.append(set(self._some(numbers, len(found) // 2)))
        for gone in sets:
            words = [j for k in gone for j in range(*found[k])]
            mask = _without(candidate.replaced, *words)
            answers = tuple(a for k, a in enumerate(candidate.answers) if k not in gone)
            if (mask, answers) not in self.written:
                self.written.add((mask, answers))
                yield Written(mask, answers)

    def _infills(self, mask: Mask, count: int) -> list[Ask]:
        """The next infills of a set; none of one that has only ever given one text."""
        first = self.next.get(mask, 0)
        if first >= 2 and len(self.texts.get(mask, ())) < 2:
            return []
        self.next[mask] = first + count
        return [Infills(mask, first, count)]

    def _promising(self) -> list[int]:
        """Word positions by the mean gap of the pool's draws that replace them, smallest first."""
        order = self.rng.permutation(self.n_words)
        if not self.situation.pool:
            return [int(j) for j in order]
        masks = np.array([c.replaced for c in self.situation.pool], np.float64)
        gaps = np.array([self.situation.goal.gap(c.probability) for c in self.situation.pool])
        counts = masks.sum(axis=0)
        means = np.divide(gaps @ masks, counts, out=np.ones(self.n_words), where=counts > 0)
        return [int(j) for j in order[np.argsort(means[order], kind="stable")]]

    def _mask(self, words: Iterable[int]) -> Mask:
        return _with((False,) * self.n_words, *words)

    def _some(self, among: Sequence[int], count: int) -> list[int]:
        picked = self.rng.permutation(len(among))[:count]
        return [among[at] for at in picked]


def _with(mask: Mask, *words: int) -> Mask:
    return tuple(r or j in words for j, r in enumerate(mask))


def _without(mask: Mask, *words: int) -> Mask:
    gone = set(words)
    return tuple(r and j not in gone for j, r in enumerate(mask))
