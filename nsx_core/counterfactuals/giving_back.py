"""Feature selection on texts: give words back to a counterfactual as long as the goal stays reached.

The last step of Growing Spheres (laugel-etal-2017) sets features back to their original values,
one at a time, and keeps what does not lose the class. Here a feature is a run of replaced words.
A run is given back whole, its answer withdrawn and all other answers kept; or in part, a run of
several words by the word at either of its ends. Then its answer stays, shorter by a word at that
end where it has two or more, and as the narrower mask is another one, new infills of it are tried
too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nsx_core.counterfactual_records import Candidate
from nsx_core.counterfactuals.asking import Ask, Infills, Situation, Written
from nsx_core.counterfactuals.distance import words_apart
from nsx_core.counterfactuals.judged_texts import Asking, JudgedTexts
from nsx_core.infilling import runs

__all__ = ["Nearness", "give_back", "steps_back"]


class Nearness:
    """Orders texts: fewest words replaced, then fewest written, then the largest cosine."""

    def __init__(self, situation: Situation) -> None:
        self._cosines = situation.cosines
        self._known: dict[str, float] = {}

    def ordered(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """All of them in that order; cosines are asked for once a text."""
        new = list(dict.fromkeys(c.text for c in candidates if c.text not in self._known))
        if new:
            found = np.asarray(self._cosines(new), np.float64).tolist()
            self._known |= dict(zip(new, found, strict=True))
        return sorted(
            candidates,
            key=lambda c: (c.words_changed, words_apart(c), -self._known[c.text], c.text),
        )

    def nearest(self, candidates: Sequence[Candidate], count: int) -> list[Candidate]:
        """The first ``count`` of different word sets; only those that might be asked about."""
        sizes: dict[int, set[tuple[bool, ...]]] = {}
        for candidate in candidates:
            sizes.setdefault(candidate.words_changed, set()).add(candidate.replaced)
        reach = sets = 0
        for reach in sorted(sizes):
            sets += len(sizes[reach])
            if sets >= count:
                break
        chosen: dict[tuple[bool, ...], Candidate] = {}
        for candidate in self.ordered([c for c in candidates if c.words_changed <= reach]):
            chosen.setdefault(candidate.replaced, candidate)
        return list(chosen.values())[:count]


def give_back(texts: JudgedTexts, nearness: Nearness, closest: int, infills: int) -> Asking:
    """Try every step back from the closest texts that reach the goal, until none succeeds.

    Each round takes those of the ``closest`` >= 1 that were not gone through yet. It ends: where no
    step succeeds the closest stay as they are, and each success has a word less. Then no single run
    of theirs can be given back.
    """
    settled: set[tuple[str, tuple[bool, ...]]] = set()
    while True:
        nearest = nearness.nearest(texts.reaching(), closest)
        near = [c for c in nearest if (c.text, c.replaced) not in settled]
        if not near:
            return []
        yield from texts.asked(list(dict.fromkeys(s for c in near for s in steps_back(c, infills))))
        settled.update((c.text, c.replaced) for c in near)


def steps_back(candidate: Candidate, infills: int) -> list[Ask]:
    """All texts that are one step nearer to the original; none where one word is replaced."""
    replaced = list(candidate.replaced)
    steps: list[Ask] = []
    for at, (first, last) in enumerate(runs(replaced)):
        whole = replaced[:first] + [False] * (last - first) + replaced[last:]
        if any(whole):
            others = candidate.answers[:at] + candidate.answers[at + 1 :]
            steps.append(Written(tuple(whole), others))
        if last - first == 1:
            continue
        said = candidate.answers[at].split()
        for edge, kept in ((first, said[1:] or said), (last - 1, said[:-1] or said)):
            narrower = tuple(r and i != edge for i, r in enumerate(replaced))
            answers = list(candidate.answers)
            answers[at] = " ".join(kept)
            steps.append(Written(narrower, tuple(answers)))
            if infills:
                steps.append(Infills(narrower, 0, infills))
    return steps
