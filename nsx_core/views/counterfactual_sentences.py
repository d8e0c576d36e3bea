"""What was found, in sentences that need no statistics; plain text, never markup."""

from __future__ import annotations

from collections.abc import Sequence

from nsx_core.counterfactual_records import (
    Counterfactual,
    Ended,
    Findings,
    Goal,
    Method,
    MethodFound,
    Share,
    WordSet,
)
from nsx_core.records import Word
from nsx_core.views.counterfactual_marks import changes
from nsx_core.views.numbers import counted, percent, probability, score, threshold
from nsx_core.views.sentences import quoted
from nsx_core.views.stacked import listed

__all__ = [
    "answer_sentence",
    "change_sentence",
    "criteria_sentence",
    "ended_sentence",
    "goal_sentence",
    "kept_sentence",
    "method_sentence",
    "removed_sentence",
    "words_named",
]

_CHANGES_TOLD = 4


def goal_sentence(found: Findings) -> str:
    """What the classifier says of the text, what is wanted instead, and what that may cost."""
    goal, label = found.goal, found.label
    verdict = "predicted" if goal.predicted else "not predicted"
    return (
        f"{found.classifier} gives the label {label} a probability of "
        f"{probability(goal.original, goal.threshold)}: {verdict} at a threshold of "
        f"{threshold(goal.threshold)}. {_wanted(goal, label)} "
        f"{counted(found.free, 'changed text')} behind necessity and sufficiency "
        f"{'is' if found.free == 1 else 'are'} there already; beyond "
        f"{'it' if found.free == 1 else 'them'} each method may ask the classifier about "
        f"{counted(found.budget, 'text')}."
    )


def criteria_sentence() -> str:
    """How to judge a counterfactual text."""
    return (
        "A good counterfactual text is valid: it gets the probability that is wanted. It stays "
        "near the original: few words changed, few steps of editing (edit distance), and much the "
        "same meaning (cosine, 1 where it is the same). And it reads like something a person "
        "might write: fluency is 0 where the infiller finds it as likely as the original, and "
        "below 0 where less. There is seldom one best text, so all are kept, and ranked."
    )


def method_sentence(one: MethodFound, found: Findings) -> str:
    """The plain answer of one method: its best."""
    return answer_sentence(one, found, 0)


def answer_sentence(one: MethodFound, found: Findings, shown: int) -> str:
    """The same for the text ``shown`` among those listed, from 0: of SEDC, for its set of words."""
    if one.method is Method.ANCHORS:
        if one.sets:
            return kept_sentence(one.sets[0], one, found)
        return f"No words to keep were tested within {counted(found.budget, 'call')}."
    if one.method is Method.SEDC:
        if one.sets:
            return removed_sentence(_set_of(one, shown), one, found)
        if one.listed:
            return (
                "No words were found without which most texts reach the goal, but single texts "
                f"do. {change_sentence(one.listed[shown], found)}"
            )
    if one.listed:
        return change_sentence(one.listed[shown], found)
    asked = f"within {counted(found.budget, 'call')}"
    if one.ended is Ended.COMPLETE:
        asked = f"in {one.calls:,} of {counted(found.budget, 'call')}"
    said = f"No counterfactual found {asked}"
    if one.nearest is None:
        return f"{said}; there was no changed text to judge."
    return f"{said}; the nearest reached {probability(one.nearest.after, found.goal.threshold)}."


def change_sentence(text: Counterfactual, found: Findings) -> str:
    """'If “disgust” were “impress”, the probability would fall from 0.93 to 0.08.'"""
    limit = found.goal.threshold
    parts = []
    told = changes(found.words, text.candidate)
    for old, new in told[:_CHANGES_TOLD]:
        parts.append(f"{quoted(old)} {f'were {quoted(new)}' if new else 'were left out'}")
    if len(told) > _CHANGES_TOLD:
        parts.append(f"{counted(len(told) - _CHANGES_TOLD, 'more place')} were changed")
    before, after = probability(text.before, limit), probability(text.after, limit)
    if not parts:
        return f"The text stays as it is, with a probability of {after}."
    verb = "fall" if text.after < text.before else "rise"
    moved = f"{verb} from {before} to {after}" if before != after else f"stay at {after}"
    return f"If {listed(parts)}, the probability would {moved}."


def removed_sentence(chosen: WordSet, one: MethodFound, found: Findings) -> str:
    """'If “Muslims” were not there, the prediction would be lost in 7 of 8 texts (...).'"""
    goal = found.goal
    if goal != Goal.flip(goal.original, goal.threshold):
        what = "the wanted probability would be reached"
    elif goal.predicted:
        what = "the prediction would be lost"
    else:
        what = f"{found.label} would be predicted"
    share = chosen.share
    words = words_named(found.text, found.words, chosen.words)
    often = ""
    if share.n > 1:
        often = f" in {_of(share)} ({score(share.low)} to {score(share.high)})"
    said = (
        f"{'If' if chosen.proven else f'{_doubt(one)} if'} {words} were not there, {what}{often}."
    )
    others = len(one.sets) - 1
    if not others:
        return said
    return f"{said} There {'is' if others == 1 else 'are'} {counted(others, 'more such set')} of words."


def kept_sentence(chosen: WordSet, one: MethodFound, found: Findings) -> str:
    """'Keeping “Muslims disgust” is enough: the prediction held in 118 of 120 texts (...).'"""
    share = chosen.share
    if not share.n:
        if chosen.proven:
            return "Only the whole text holds the prediction."
        return f"No words to keep could be tested within {counted(found.budget, 'call')}."
    what = "the prediction held" if found.goal.predicted else f"{found.label} stayed not predicted"
    held = f"{what} in {_of(share, 'draw')} (at least {score(share.low)} with these bounds)"
    if not chosen.words:
        if chosen.proven:
            return f"The prediction holds whatever is replaced: {held}."
        return f"{_doubt(one)} without keeping any word, {held}."
    words = words_named(found.text, found.words, chosen.words)
    if chosen.proven:
        said = f"Keeping {words} is enough: {held}."
    else:
        said = f"{_doubt(one)} keeping {words}, {held}."
    if chosen.coverage is not None:
        it = "It stands" if len(chosen.words) == 1 else "They stand together"
        said += f" {it} in {percent(chosen.coverage)} of perturbed texts."
    return said


def ended_sentence(one: MethodFound, found: Findings) -> str:
    """Why the method stopped, and what it asked for."""
    asked = f"{one.calls:,} of {counted(found.budget, 'call')}"
    return {
        Ended.COMPLETE: f"It ended by itself after {asked}.",
        Ended.BUDGET: f"Its budget was spent: {asked}.",
        Ended.TIME: f"It ended at its limit of time, after {asked}.",
        Ended.SIZE: f"It tried no larger sets of words and ended after {asked}.",
    }[one.ended]


def words_named(text: str, words: Sequence[Word], chosen: Sequence[int]) -> str:
    """'“Muslims disgust” and “much.”': neighbours in one pair of quotation marks."""
    groups: list[list[int]] = []
    for index in chosen:
        if groups and index == groups[-1][-1] + 1:
            groups[-1].append(index)
        else:
            groups.append([index])
    named = [quoted(text[words[g[0]].start : words[g[-1]].end]) for g in groups]
    return listed(named) if named else "no word"


def _wanted(goal: Goal, label: str) -> str:
    if goal == Goal.flip(goal.original, goal.threshold):
        no = "no longer " if goal.predicted else ""
        return f"Wanted: the least change after which {label} is {no}predicted."
    near = f"{threshold(goal.target)}, give or take {threshold(goal.tolerance)}"
    side = ", on the other side of the threshold" if goal.crosses else ""
    return f"Wanted: the least change after which its probability is {near}{side}."


def _doubt(one: MethodFound) -> str:
    first = {Ended.BUDGET: "Best within the budget", Ended.TIME: "Best within the time"}
    return f"{first.get(one.ended, 'Best of what was tried')}, not proven:"


def _of(share: Share, what: str = "text") -> str:
    return f"{share.count:,} of {counted(share.n, what)}"


def _set_of(one: MethodFound, shown: int) -> WordSet:
    """The set whose words the shown text changes; the first where it is of none."""
    if one.listed:
        mask = one.listed[min(shown, len(one.listed) - 1)].candidate.replaced
        words = tuple(at for at, replaced in enumerate(mask) if replaced)
        for chosen in one.sets:
            if chosen.words == words:
                return chosen
    return one.sets[0]
