"""What it means that words 'are not there': infilled, masked or deleted, and tried.

Infilled: several texts a set, and the share of them that reach the goal decides. That share is
an estimate, and its interval is Wilson's (wilson-1927). Masked or deleted: one text a set, which
no chance has touched, so the share is 0 or 1 of 1 and its interval is the share itself; it says
nothing of other ways of doing without these words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from nsx_core.counterfactual_records import Candidate, Removal, Share
from nsx_core.counterfactuals.asking import Ask, Infills, Situation, Written
from nsx_core.errors import SettingsError
from nsx_core.infilling import runs
from nsx_core.scoring.wilson import wilson

__all__ = ["Remover", "Trial", "Words"]

#: Positions of words.
Words = frozenset[int]


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of removing a set of words.

    texts: the changed ones, those that cost nothing first. gap: their mean |P - target| in 0..1,
    the original's where there are none. counts: whether the share is large enough. complete: False
    where the budget ended before all its texts were judged.
    """

    words: Words
    texts: tuple[Candidate, ...]
    share: Share
    gap: float
    counts: bool
    complete: bool

    @property
    def order(self) -> tuple[float, int, list[int]]:
        """Ascending: the largest mean change towards the goal first, then the fewest words."""
        return self.gap, len(self.words), sorted(self.words)


class Remover:
    """Asks for the texts without given words, and judges what came."""

    def __init__(
        self,
        situation: Situation,
        removal: Removal,
        mask_token: str,
        infills: int,
        flip_share: float,
    ) -> None:
        if removal is Removal.MASK and mask_token.split() != [mask_token]:
            raise SettingsError(
                f"A mask token is one word without white space, and {mask_token!r} came. "
                "Choose, for example, [MASK]."
            )
        if infills < 1:
            raise SettingsError(f"A word set takes 1 or more infills, and {infills} came.")
        if not 0 < flip_share <= 1:
            raise SettingsError(
                "The share of texts that must reach the goal is above 0 and at most 1, and "
                f"{flip_share} came. Choose, for example, 0.5."
            )
        self.n_words = len(situation.split.words)
        self._goal = situation.goal
        self._removal, self._token = removal, mask_token
        self._infills, self.flip_share = infills, flip_share
        self._pool: dict[Words, list[Candidate]] = defaultdict(list)
        if removal is Removal.INFILL:
            for candidate in situation.pool:
                if not candidate.unchanged:
                    self._pool[frozenset(_places(candidate.replaced))].append(candidate)

    @property
    def sampled(self) -> bool:
        """Whether a set has several texts, and a share of them."""
        return self._removal is Removal.INFILL

    def possible(self, words: Words) -> bool:
        """Whether a text is left to judge: not where all words are deleted."""
        return self._removal is not Removal.DELETION or len(words) < self.n_words

    def cost(self, words: Words) -> int:
        """How many texts have to be asked for, beyond the pool's."""
        if self._removal is not Removal.INFILL:
            return 1
        return max(0, self._infills - len(self._pool.get(words, ())))

    def asks(self, words: Words) -> list[Ask]:
        """None where the pool's draws suffice, otherwise one ask."""
        cost = self.cost(words)
        if not cost:
            return []
        replaced = tuple(i in words for i in range(self.n_words))
        if self._removal is Removal.INFILL:
            return [Infills(replaced, 0, cost)]
        answer = self._token if self._removal is Removal.MASK else ""
        return [Written(replaced, (answer,) * len(runs(replaced)))]

    def trial(self, words: Words, answers: Sequence[Candidate]) -> Trial:
        """The set's texts, the pool's and those answered, and what they say."""
        changed = [c for c in answers if not c.unchanged]
        texts = (*self._pool.get(words, ()), *changed)
        gaps = [self._goal.gap(c.probability) for c in texts]
        share = self._share(sum(self._goal.reached(c.probability) for c in texts), len(texts))
        value = share.value
        return Trial(
            words,
            texts,
            share,
            sum(gaps) / len(gaps) if gaps else self._goal.gap(self._goal.original),
            counts=value is not None and value >= self.flip_share,
            complete=len(answers) == self.cost(words),
        )

    def _share(self, count: int, n: int) -> Share:
        if self._removal is Removal.INFILL or not n:
            low, high = wilson(count, n)
            return Share(count, n, float(low), float(high))
        return Share(count, n, count / n, count / n)


def _places(replaced: Sequence[bool]) -> list[int]:
    return [i for i, r in enumerate(replaced) if r]
