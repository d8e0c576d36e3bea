"""Growing Spheres on texts, after Laugel et al. 2017 (laugel-etal-2017).

There, points are drawn evenly from balls and shells around the original. The first ball is halved
until it holds no enemy, a point of the other class; then shells grow outwards until one appears;
the closest enemy is set back, feature by feature, to as few changes as possible.

Here the radius is the number of words replaced, and an enemy is a text that reaches the goal. A
ball or shell is sampled in word sets: its radii in equal shares, the sets of one radius evenly,
each with an infill of its own. So small radii are not lost among the far more numerous large ones.
The draws behind necessity and sufficiency count as samples too where they lie within; they have a
law of their own, and cost nothing. The closest enemy has the fewest words changed, then the
largest cosine with the original. ``giving_back`` is the last step.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb

import numpy as np

from nsx_core.counterfactual_records import Candidate, Ended
from nsx_core.counterfactuals.asking import Infills, Outcome, Search, Situation, SpentError
from nsx_core.counterfactuals.giving_back import Nearness, give_back
from nsx_core.counterfactuals.judged_texts import Asking, JudgedTexts
from nsx_core.errors import SettingsError
from nsx_core.seeding import generator

__all__ = ["SphereSampler", "text_spheres"]

#: So many shells reach from the original to the whole text; below it, a shell is one word wide.
_SHELLS = 12


def text_spheres(
    situation: Situation, samples: int = 64, closest: int = 3, narrowings: int = 4
) -> Search:
    """Search for the text with the fewest words changed that reaches the goal.

    samples >= 1: texts a ball or shell; closest >= 1: enemies from which words are given back;
    narrowings >= 0: infills of each narrower run. Raises ``SettingsError`` for other values.

    The outcome's texts: those that reach the goal, fewest words first, then the largest cosine;
    then the rest by gap. From the first one no single run of words can be given back, unless the
    budget ended the search.
    """
    for what, value, least in (
        ("A sphere's samples", samples, 1),
        ("The closest texts", closest, 1),
        ("The infills of a narrower run", narrowings, 0),
    ):
        if value < least:
            raise SettingsError(f"{what} are {least} or more, and {value} came.")
    return _search(situation, samples, closest, narrowings)


def _search(situation: Situation, samples: int, closest: int, narrowings: int) -> Search:
    texts, nearness = JudgedTexts(situation), Nearness(situation)
    sampler = SphereSampler(situation)
    ended, before = Ended.COMPLETE, None
    try:
        yield from _spheres(texts, sampler, samples)
        before = _fewest(texts.reaching())
        if before is not None:
            yield from give_back(texts, nearness, closest, narrowings)
    except SpentError:
        ended = Ended.BUDGET
    reaching = texts.reaching()
    notes = tuple(_found_notes(before, _fewest(reaching), ended))
    return Outcome((*nearness.ordered(reaching), *texts.others()), (), ended, notes)


def _spheres(texts: JudgedTexts, sampler: SphereSampler, samples: int) -> Asking:
    """Contract the ball until it holds no enemy, then grow shells until one does."""
    n = sampler.n_words
    radius = max(1, n // 2)
    while radius:
        if not _enemies(texts, 1, radius):
            yield from texts.asked(list(sampler.asks(1, radius, samples)))
        if not _enemies(texts, 1, radius):
            break
        radius //= 2
    width = -(-n // _SHELLS)
    while radius < n:
        outer = min(n, radius + width)
        # Also where an enemy is known here: a closer one may be among the samples.
        if texts.count(radius + 1, outer) < samples:
            yield from texts.asked(list(sampler.asks(radius + 1, outer, samples)))
        if _enemies(texts, radius + 1, outer):
            break
        radius = outer
    return []


class SphereSampler:
    """Draws word sets by the number of their words; never the same infill of a set twice."""

    def __init__(self, situation: Situation) -> None:
        self.n_words = len(situation.split.words)
        self._rng = generator("growing-spheres", situation.split.text, situation.seed)
        self._taken: Counter[tuple[bool, ...]] = Counter()

    def asks(self, low: int, high: int, count: int) -> list[Infills]:
        """``count`` infills of sets of low..high words, each size in an equal share.

        1 <= low <= high <= n_words. Where a size has fewer sets than its share, each of its sets
        gets several infills, as evenly as can be.
        """
        sizes = Counter(low + i * (high - low + 1) // count for i in range(count))
        masks: Counter[tuple[bool, ...]] = Counter()
        for size, share in sizes.items():
            masks.update(self._masks(size, share))
        asks = [Infills(mask, self._taken[mask], times) for mask, times in masks.items()]
        self._taken.update(masks)
        return asks

    def _masks(self, size: int, count: int) -> list[tuple[bool, ...]]:
        n = self.n_words
        if comb(n, size) <= 4 * count:
            every = list(combinations(range(n), size))
            order = self._rng.permutation(len(every)).tolist()
            chosen = [every[order[i % len(order)]] for i in range(count)]
        else:
            chosen = [tuple(self._rng.permutation(n)[:size].tolist()) for _ in range(count)]
        rows = np.zeros((count, n), dtype=np.bool_)
        for row, places in zip(rows, chosen, strict=True):
            row[list(places)] = True
        return [tuple(row) for row in rows.tolist()]


def _enemies(texts: JudgedTexts, low: int, high: int) -> bool:
    return any(low <= c.words_changed <= high for c in texts.reaching())


def _fewest(reaching: list[Candidate]) -> int | None:
    return min((c.words_changed for c in reaching), default=None)


def _found_notes(before: int | None, after: int | None, ended: Ended) -> list[str]:
    if after is None:
        return [] if ended is Ended.BUDGET else ["No sphere holds a text that reaches the goal."]
    if before is None:
        return [f"A text that reaches the goal was met at a radius of {_words(after)}."]
    met = f"The first text that reaches the goal was met at a radius of {_words(before)}"
    if before == after:
        return [f"{met}, and no word could be given back."]
    return [f"{met}, and {_words(before - after)} could be given back."]


def _words(count: int) -> str:
    return "1 word" if count == 1 else f"{count:,} words"
