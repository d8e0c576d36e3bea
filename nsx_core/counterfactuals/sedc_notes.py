"""What to know of a search for minimal word sets, in sentences."""

from __future__ import annotations

from math import comb

from nsx_core.counterfactual_records import Ended, WordSet
from nsx_core.counterfactuals.removing import Remover
from nsx_core.counterfactuals.tried_sets import TriedSets

__all__ = ["notes"]


def notes(
    remover: Remover,
    tried: TriedSets,
    found: tuple[WordSet, ...],
    ended: Ended,
    size_max: int,
    seconds_max: float,
    further: int | None,
) -> tuple[str, ...]:
    """How far the search went, why it stopped, and what its sets are worth."""
    done = _done(remover, tried)
    said = [_reach(remover, tried, done)]
    if ended is Ended.COMPLETE and further is not None and done < (tried.fewest() or 0):
        said.append(
            f"The search ended about {further:,} texts after its first set; others as small may "
            "not have been tried."
        )
    if ended is Ended.SIZE:
        said.append(f"Sets of more than {_words(size_max)} were not tried: that is the limit.")
    if ended is Ended.TIME:
        said.append(f"The time limit of {seconds_max:g} seconds ended the search.")
    everything = frozenset(range(remover.n_words))
    if not remover.possible(everything) and not tried.pruned(everything):
        said.append("Deleting all words leaves no text to judge, so that was not tried.")
    if found and remover.sampled:
        said.append(_rule(remover))
    unproven = sum(not s.proven for s in found)
    if unproven:
        said.append(
            f"{unproven} of the {len(found)} sets may not be minimal or may not hold: "
            "the search ended before all their texts, or all smaller sets, were tried."
        )
    return tuple(said)


def _rule(remover: Remover) -> str:
    share = remover.flip_share
    least = "half" if share == 0.5 else f"{100 * share:g} %"
    return f"The rule for a set: at least {least} of its texts reach the goal."


def _largest(remover: Remover) -> int:
    n = remover.n_words
    return n if remover.possible(frozenset(range(n))) else n - 1


def _done(remover: Remover, tried: TriedSets) -> int:
    return min(tried.exhausted_to(), _largest(remover))


def _reach(remover: Remover, tried: TriedSets, done: int) -> str:
    n, largest = remover.n_words, _largest(remover)
    part = tried.count_of_size(done + 1) if done < largest else 0
    some = f"{part:,} of the {comb(n, done + 1):,} sets of {_words(done + 1)}"
    if not done:
        return f"Tried were {some}." if largest else "There was no set of words to try."
    but = " or hold a smaller one that reaches the goal" if tried.fewest() else ""
    every = f"All sets of {'up to ' if done > 1 else ''}{_words(done)} were tried{but}"
    return f"{every}; so were {some}." if part else f"{every}."


def _words(count: int) -> str:
    return "1 word" if count == 1 else f"{count:,} words"
