"""The word sets that were tried: which count, which are minimal, which need no trial."""

from __future__ import annotations

from collections.abc import Iterator

from nsx_core.counterfactuals.removing import Remover, Trial, Words

__all__ = ["TriedSets"]


class TriedSets:
    """All trials so far. A set that holds a smaller one that counts is pruned: never tried."""

    def __init__(self, remover: Remover) -> None:
        self._remover = remover
        self._n_words = remover.n_words
        self.trials: dict[Words, Trial] = {}
        self._counting: list[Words] = []

    def add(self, trial: Trial) -> None:
        """Take note of it; of the sets that count only the smallest prune."""
        self.trials[trial.words] = trial
        if trial.counts and not self.pruned(trial.words):
            self._counting = [w for w in self._counting if not trial.words < w]
            self._counting.append(trial.words)

    def pruned(self, words: Words) -> bool:
        """Whether it holds, or is, a set that counts."""
        return any(found <= words for found in self._counting)

    def wanted(self, words: Words) -> bool:
        """Whether a trial of it could tell something new."""
        return words not in self.trials and self._remover.possible(words) and not self.pruned(words)

    def minimal(self) -> list[Trial]:
        """Sets that count, none of whose tried subsets does."""
        return [self.trials[words] for words in self._counting]

    def fewest(self) -> int | None:
        """The number of words of the smallest set that counts."""
        return min((len(words) for words in self._counting), default=None)

    def untried_subsets(self) -> list[Words]:
        """Sets to try before those that count may be called minimal: one word smaller."""
        return list(
            dict.fromkeys(
                smaller
                for words in self._counting
                for smaller in _one_fewer(words)
                if self.wanted(smaller)
            )
        )

    def proven(self, trial: Trial) -> bool:
        """Whether it and all its subsets one word smaller were tried with all their texts."""
        return trial.complete and all(map(self._complete, _one_fewer(trial.words)))

    def one_more(self, words: Words) -> Iterator[Words]:
        """Sets of one word more that hold it and are not pruned, tried or not."""
        for place in range(self._n_words):
            if place not in words:
                larger = words | {place}
                if self._remover.possible(larger) and not self.pruned(larger):
                    yield larger

    def exhausted_to(self) -> int:
        """The largest size up to which every set was tried or is pruned."""
        level: set[Words] = {frozenset()}
        for size in range(1, self._n_words + 1):
            above: set[Words] = set()
            for words in level:
                for larger in self.one_more(words):
                    if not self._complete(larger):
                        return size - 1
                    above.add(larger)
            level = above
        return self._n_words

    def count_of_size(self, size: int) -> int:
        """How many sets of so many words were tried with all their texts."""
        return sum(t.complete and len(t.words) == size for t in self.trials.values())

    def _complete(self, words: Words) -> bool:
        trial = self.trials.get(words)
        return trial is not None and trial.complete


def _one_fewer(words: Words) -> Iterator[Words]:
    if len(words) > 1:
        for place in sorted(words):
            yield words - {place}
