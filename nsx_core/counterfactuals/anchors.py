"""Anchors (ribeiro-etal-2018): the smallest set of words that, kept, holds the prediction.

The precision of a set A is the share of texts of D(z|A) (``nsx_core.counterfactuals.kept_law``)
with the text's own prediction; D keeps A, some of the other words, and has the infiller write the
rest. A is an **anchor** when its precision so far is >= tau and its lower bound is >= tau -
tolerance. Sets are tried by size, the empty set first, so that a prediction which never changes
has the empty anchor; those of the next size are the ``beam`` best of the last one, each with one
word more. Within a size they race (``nsx_core.counterfactuals.anchor_race``), and the search
stops at the first size with an anchor. Of several, the one with the largest coverage, then the
highest precision: coverage is the same for all sets of one size, so precision decides.

All words together hold the prediction by definition, with no draw: the answer when nothing
smaller does.

The draws behind necessity and sufficiency do not count for a precision, though they cost nothing:
their masks follow another law (the balanced one, or sizes drawn with 1/k for the empty and larger
sets). With the search's own draws they only rank sets of one size, by how often the prediction
held in texts in which all words of the set stand: to choose the beam, and the sets to try where
there are more than ``_TRIED`` of a size. A set ranked wrongly may cost a smaller anchor, never a
bound: those rest on the set's own draws.

Where we differ: the perturbations are ours; the smallest set comes before the largest coverage;
the beam is ranked as said, since a race long enough to tell close candidates apart is dear; for the
same reason the race is bounded in lists and looks.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nsx_core.counterfactual_records import Candidate, Ended, Goal, SetKind, Share, WordSet
from nsx_core.counterfactuals.anchor_race import Arm, Drawing, Standard, race
from nsx_core.counterfactuals.asking import Outcome, Search, Situation, SpentError
from nsx_core.counterfactuals.kept_law import coverage
from nsx_core.errors import SettingsError
from nsx_core.seeding import generator
from nsx_core.settings import DELTA_DEFAULT, PRECISION_DEFAULT

__all__ = ["BEAM", "BREAKERS_MAX", "TOLERANCE", "anchors"]

BEAM, TOLERANCE, BREAKERS_MAX = 2, 0.05, 50
#: Sets of one size that are drawn for at most; sets that are shown beside the anchor at most.
_TRIED, _BESIDE = 32, 4


def anchors(
    situation: Situation,
    precision: float = PRECISION_DEFAULT,
    delta: float = DELTA_DEFAULT,
    *,
    beam: int = BEAM,
    tolerance: float | None = None,
) -> Search:
    """Search for the anchor; the outcome's ``sets`` hold it first, then others of its size.

    precision (tau), delta: strictly between 0 and 1; delta is how often the bounds of one size's
    candidates may fail. beam >= 1. tolerance: in 0 to below precision; None: ``TOLERANCE``, or as
    much as the precision itself leaves (1 - tau, tau / 2) where that is less. Raises ``SettingsError`` at once for
    anything else.

    Where the budget ends first, the one set returned has ``proven`` False: among those not ruled
    out, the one with the highest lower bound. A set of all words has a share of 0 of 0 draws with
    bounds 1 and 1. ``ranked`` are all changed texts that were drawn.
    """
    for name, value, example in (("precision", precision, "0.95"), ("delta", delta, "0.05")):
        if not 0 < value < 1:
            raise SettingsError(
                f"An anchor's {name} lies strictly between 0 and 1, and {value} came. "
                f"Choose, for example, {example}."
            )
    if tolerance is None:
        tolerance = min(TOLERANCE, 1 - precision, precision / 2)
    if not 0 <= tolerance < precision:
        raise SettingsError(
            f"An anchor's tolerance lies in 0 to below its precision of {precision}, and "
            f"{tolerance} came. Choose, for example, {min(TOLERANCE, 1 - precision, precision / 2):g}."
        )
    if beam < 1:
        raise SettingsError(f"A beam holds at least 1 set, and {beam} came. Choose, say, {BEAM}.")
    return _search(situation, Standard(precision, tolerance, delta), beam)


def _search(situation: Situation, standard: Standard, beam: int) -> Search:
    n = len(situation.split.words)
    drawing = Drawing(n, situation.goal, standard.delta)
    judged: list[Arm] = []
    left_out = False
    sets: list[tuple[int, ...]] = [()]
    try:
        for _ in range(n):
            tried = _best_standing(sets, situation, judged, _TRIED)
            left_out |= len(tried) < len(sets)
            arms = [Arm(words, len(tried), _rng(words, n, situation.seed)) for words in tried]
            judged += arms
            yield from race(arms, standard, beam, drawing)
            if any(arm.proven(standard) for arm in arms):
                break
            sets = _one_word_more(_best_standing(tried, situation, judged, beam), n)
    except SpentError:
        return _spent(judged, situation, standard, _left_out(left_out))
    proven = sorted(
        (arm for arm in judged if arm.proven(standard)),
        key=lambda arm: (-arm.precision, -arm.low, arm.words),
    )
    ranked = _ranked(judged, situation.goal)
    if not proven:
        whole = WordSet(SetKind.KEPT, tuple(range(n)), Share(0, 0, 1.0, 1.0), coverage(n, n))
        return Outcome(ranked, (whole,), notes=(_of_whole(n, standard), *_left_out(left_out)))
    found = tuple(_word_set(arm, situation, True) for arm in proven[: 1 + _BESIDE])
    return Outcome(ranked, found, notes=(_rule(standard), *_left_out(left_out)))


def _spent(
    judged: list[Arm], situation: Situation, standard: Standard, notes: tuple[str, ...]
) -> Outcome:
    drawn = [arm for arm in judged if arm.n] or judged
    best = max(drawn, key=lambda arm: (not arm.out(standard), arm.low, arm.precision))
    said = (
        "The budget ended before any set of words was proven to hold the prediction in "
        f"{100 * standard.precision:g} % of texts. Whether the one shown does is open: its lower "
        f"bound is {best.low:.2f}."
    )
    if best.out(standard):
        said = (
            "The budget ended before a set of words was found that holds the prediction in "
            f"{100 * standard.precision:g} % of texts. The one shown holds it less often than "
            f"that, and came nearest: its lower bound is {best.low:.2f}."
        )
    sets = (_word_set(best, situation, False),)
    return Outcome(_ranked(judged, situation.goal), sets, Ended.BUDGET, (said, *notes))


def _rule(standard: Standard) -> str:
    wanted, sure = 100 * standard.precision, 100 * (standard.precision - standard.tolerance)
    return (
        f"The rule for an anchor: it held in at least {wanted:g} % of its draws and, with a "
        f"confidence of {100 * (1 - standard.delta):g} %, would in at least {sure:g} % of all."
    )


def _left_out(some: bool) -> tuple[str, ...]:
    if not some:
        return ()
    return (
        f"Of the sets of one size at most {_TRIED} were tried: those with which the prediction "
        "held most often in the texts judged before.",
    )


def _of_whole(n: int, standard: Standard) -> str:
    if n == 1:
        return (
            "The text has one word, which is the whole text: kept, it holds the prediction by "
            "definition."
        )
    return (
        "No smaller set of words was proven to hold the prediction in "
        f"{100 * standard.precision:g} % of texts. All words together are the text itself, which "
        "holds it by definition."
    )


def _best_standing(
    sets: list[tuple[int, ...]], situation: Situation, judged: list[Arm], count: int
) -> list[tuple[int, ...]]:
    """The ``count`` sets whose words, standing, held best in all texts judged so far.

    A set's own draws are among them, so that one the race tried longest is known best.
    """
    if len(sets) <= count:
        return sets
    texts = [*situation.pool, *(text for arm in judged for text in arm.texts)]
    kept = ~np.array([text.replaced for text in texts], dtype=np.bool_)
    held = np.array([situation.goal.held(text.probability) for text in texts])

    def standing(words: tuple[int, ...]) -> float:
        stands = kept[:, list(words)].all(axis=1)
        # One text that held and one that did not are added: few texts say little.
        return float((held[stands].sum() + 1) / (stands.sum() + 2))

    best = sorted(sets, key=lambda words: (-standing(words), words))[:count]
    return sorted(best)


def _one_word_more(sets: list[tuple[int, ...]], n: int) -> list[tuple[int, ...]]:
    more = {tuple(sorted({*words, at})) for words in sets for at in range(n) if at not in words}
    return sorted(more)


def _rng(words: tuple[int, ...], n: int, seed: int) -> np.random.Generator:
    bits = "".join("1" if at in words else "0" for at in range(n))
    return generator("anchors", bits, seed)


def _word_set(arm: Arm, situation: Situation, proven: bool) -> WordSet:
    goal = situation.goal
    lost = _distinct(
        sorted(
            (text for text in arm.texts if not goal.held(text.probability)),
            key=lambda text: (text.words_changed, goal.gap(text.probability), text.text),
        )
    )
    breakers = tuple(text for text, _ in zip(lost, range(BREAKERS_MAX), strict=False))
    share = coverage(len(situation.split.words), len(arm.words))
    return WordSet(SetKind.KEPT, arm.words, arm.share, share, proven, breakers=breakers)


def _ranked(judged: list[Arm], goal: Goal) -> tuple[Candidate, ...]:
    def order(text: Candidate) -> tuple[bool, int, float, str]:
        valid, gap = goal.reached(text.probability), goal.gap(text.probability)
        return not valid, text.words_changed if valid else 0, gap, text.text

    changed = (text for arm in judged for text in arm.texts if not text.unchanged)
    return tuple(_distinct(sorted(changed, key=order)))


def _distinct(texts: list[Candidate]) -> Iterator[Candidate]:
    seen: set[str] = set()
    for text in texts:
        if text.text not in seen:
            seen.add(text.text)
            yield text
