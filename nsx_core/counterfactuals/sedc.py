"""SEDC, Martens and Provost 2014 (martens-provost-2014): minimal sets of words to do without.

A best-first search over word sets. All single words are tried first. Then the set whose removal
moved P most towards the goal, in the mean over its texts, is tried with each other word added,
and so on. A set that reaches the goal is written down, and sets that hold it are never tried. A
set is listed as proven only where none of its tried subsets counts and each subset of one word
less was tried; those that best-first search passed by are tried for that purpose.

Where we differ: the paper deletes words; we also infill them, several times a set, and then a set
counts when its share of texts that reach the goal is at least ``flip_share``. Lists of texts are
judged together, so that the next best sets may be tried along with the best one. And the
paper goes on to a number of iterations; here the search ends soon after its first set:

- all sets of at most as many words as the smallest one found are still tried, best first, and
  larger ones are not (they are worse explanations);
- but no more than ``further`` texts are asked for after the first set, other than to prove sets.

``further=None`` tries every set of up to ``size_max`` words that is not pruned.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from nsx_core.counterfactual_records import Candidate, Ended, Removal, SetKind, WordSet
from nsx_core.counterfactuals.asking import Outcome, Search, Situation, SpentError
from nsx_core.counterfactuals.criteria import edit_distance
from nsx_core.counterfactuals.judged_texts import JudgedTexts
from nsx_core.counterfactuals.removing import Remover, Trial
from nsx_core.counterfactuals.sedc_frontier import Frontier
from nsx_core.counterfactuals.sedc_notes import notes
from nsx_core.errors import SettingsError

__all__ = ["FURTHER", "MASK_TOKEN", "SECONDS_MAX", "SIZE_MAX", "sedc"]

MASK_TOKEN = "[MASK]"
#: Sets of more words explain little: the text that is left is another text.
SIZE_MAX = 6
SECONDS_MAX = 60.0
FURTHER = 256

Clock = Callable[[], float]


def sedc(
    situation: Situation,
    removal: Removal = Removal.INFILL,
    mask_token: str = MASK_TOKEN,
    infills: int = 8,
    flip_share: float = 0.5,
    size_max: int | None = SIZE_MAX,
    seconds_max: float = SECONDS_MAX,
    further: int | None = FURTHER,
    clock: Clock = time.monotonic,
) -> Search:
    """Search for minimal sets of words whose removal reaches the goal.

    removal: how words are taken out. mask_token: for ``Removal.MASK``, once a run. infills >= 1:
    texts a set for ``Removal.INFILL``; the pool's draws of that very set come first, all of them,
    and unchanged texts are not counted. flip_share in (0, 1]: the share of a set's texts that has
    to reach the goal. size_max >= 1: words a set, None = no limit. seconds_max > 0, by ``clock``;
    looked at between lists. further: see the module. Raises ``SettingsError`` for other values.

    The outcome's sets are ordered: proven first, then fewest words, largest share, smallest mean
    gap. Its texts: those of the sets that reach the goal (fewest words, largest share of the set,
    smallest edit distance), then others that reach it, then the rest by gap.
    """
    if size_max is not None and size_max < 1:
        raise SettingsError(f"Sets have at most 1 or more words, and {size_max} came.")
    if not seconds_max > 0:
        raise SettingsError(f"The time limit is above 0 seconds, and {seconds_max} came.")
    if further is not None and further < 0:
        raise SettingsError(
            f"The texts after the first set are 0 or more, or None for all, and {further} came."
        )
    remover = Remover(situation, removal, mask_token, infills, flip_share)
    n_words = len(situation.split.words)
    size = n_words if size_max is None else min(size_max, n_words)
    return _search(situation, remover, size, further, seconds_max, clock)


def _search(
    situation: Situation,
    remover: Remover,
    size_max: int,
    further: int | None,
    seconds_max: float,
    clock: Clock,
) -> Search:
    texts, frontier = JudgedTexts(situation), Frontier(situation, remover, size_max, further)
    begun, ended = clock(), Ended.COMPLETE
    try:
        while wanted := frontier.next_sets():
            if clock() - begun >= seconds_max:
                ended = Ended.TIME
                break
            yield from frontier.tried_now(wanted, texts)
        else:
            ended = Ended.SIZE if frontier.size_stopped_it() else Ended.COMPLETE
    except SpentError:
        ended = Ended.BUDGET
    tried = frontier.tried
    minimal = sorted(tried.minimal(), key=lambda t: (not tried.proven(t), *_merit(t)))
    found = tuple(_word_set(t, tried.proven(t), texts) for t in minimal)
    ranked = _ranked(minimal, texts)
    said = notes(remover, tried, found, ended, size_max, seconds_max, further)
    return Outcome(ranked, found, ended, said)


def _merit(trial: Trial) -> tuple[int, float, float, list[int]]:
    return len(trial.words), -(trial.share.value or 0.0), trial.gap, sorted(trial.words)


def _reaching(trial: Trial, texts: JudgedTexts) -> list[Candidate]:
    """The distinct texts of a set that reach the goal, nearest to the original first."""
    found = {c.text: c for c in trial.texts if texts.reached(c)}
    return sorted(
        found.values(), key=lambda c: (edit_distance(texts.original, c.text), texts.gap(c), c.text)
    )


def _word_set(trial: Trial, proven: bool, texts: JudgedTexts) -> WordSet:
    return WordSet(
        SetKind.REMOVED,
        tuple(sorted(trial.words)),
        trial.share,
        proven=proven,
        examples=tuple(_reaching(trial, texts)),
    )


def _ranked(minimal: list[Trial], texts: JudgedTexts) -> tuple[Candidate, ...]:
    ranked: dict[str, Candidate] = {}
    for trial in sorted(minimal, key=_merit):
        for candidate in _reaching(trial, texts):
            ranked.setdefault(candidate.text, candidate)
    for candidate in (*texts.reaching(), *texts.others()):
        ranked.setdefault(candidate.text, candidate)
    return tuple(ranked.values())
