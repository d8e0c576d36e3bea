"""A text that was changed by hand: which words differ, what that did, in words and as bars.

Words are those of ``nsx_core.words``. Runs of words are matched by difflib's longest common
blocks, which is what a reader sees as the change, and not always the fewest steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from nsx_core import words
from nsx_core.counterfactuals.criteria import edit_distance
from nsx_core.records import SplitText
from nsx_core.views import numbers
from nsx_core.views.markup import Node, direction, node
from nsx_core.views.sentences import quoted

__all__ = [
    "Step",
    "changes_sentence",
    "differences",
    "edit_sentence",
    "edit_view",
    "marked",
    "moved",
    "verdict",
]

#: With more changes than these a sentence counts them.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Step:
    """A run of words that stayed, or that gave way to others.

    before, after: the run in the original and in the edited text, '' where it has none there;
    words_before, words_after: of how many words; gap: what follows it, white space.
    """

    before: str
    after: str
    words_before: int
    words_after: int
    kept: bool
    gap: str = " "


def differences(text: str, edited: str) -> tuple[Step, ...]:
    """The steps from one text to the other, in reading order; raises ``TextError`` for either."""
    old, new = words.split(text), words.split(edited)
    first, second = [w.text for w in old.words], [w.text for w in new.words]
    # An edit by hand leaves most of a long text alone, and matching is quick without that.
    start = _shared(first, second)
    end = _shared(first[start:][::-1], second[start:][::-1])
    inner = SequenceMatcher(
        None, first[start : len(first) - end], second[start : len(second) - end], autojunk=False
    )
    runs = [("equal", 0, start, 0, start)]
    runs += [
        (kind, i + start, j + start, k + start, m + start)
        for kind, i, j, k, m in inner.get_opcodes()
    ]
    runs.append(("equal", len(first) - end, len(first), len(second) - end, len(second)))
    return tuple(
        Step(
            before=_cut(old, i, j),
            after=_cut(new, k, m),
            words_before=j - i,
            words_after=m - k,
            kept=kind == "equal",
            gap=_gap(new, m) if m > k else _gap(old, j),
        )
        for kind, i, j, k, m in runs
        if j > i or m > k
    )


def edit_sentence(
    steps: Sequence[Step], same: bool, label: str, before: float, after: float, limit: float
) -> str:
    """'With “women” in place of “Muslims”, the probability of hate falls from 0.93 to 0.41: ...'.

    same: whether the edited text is the original, character by character; before, after: P(label)
    of both, in 0..1; limit: the threshold.
    """
    first, second = (numbers.probability(p, limit) for p in (before, after))
    if same:
        side = "reaches" if before >= limit else "stays below"
        return (
            f"Nothing is changed yet. The probability of {label} is {first}, which {side} the "
            f"threshold of {numbers.threshold(limit)}: {verdict(before, limit)}."
        )
    if first == second:
        move = f"stays at {first}"
    else:
        move = f"{'falls' if after < before else 'rises'} from {first} to {second}"
    return f"{_with(steps)}, the probability of {label} {move}: {moved(before, after, limit)}."


def moved(before: float, after: float, limit: float) -> str:
    """'no longer predicted', 'now predicted', 'still predicted' or 'still not predicted'."""
    was, now = before >= limit, after >= limit
    if was is now:
        return "still predicted" if now else "still not predicted"
    return "now predicted" if now else "no longer predicted"


def verdict(probability: float, limit: float) -> str:
    """'predicted' or 'not predicted'."""
    return "predicted" if probability >= limit else "not predicted"


def changes_sentence(steps: Sequence[Step]) -> str:
    """'1 word exchanged, 2 added.'; exchanged is where one stands for another.

    No total: 'words changed' counts words of the original, and an added word is none of them.
    """
    changed = [s for s in steps if not s.kept]
    exchanged = sum(min(s.words_before, s.words_after) for s in changed)
    added = sum(max(0, s.words_after - s.words_before) for s in changed)
    gone = sum(max(0, s.words_before - s.words_after) for s in changed)
    if not changed:
        return "No word is changed."
    kinds = ((exchanged, "exchanged"), (added, "added"), (gone, "left out"))
    (first, verb), *others = [(count, what) for count, what in kinds if count]
    said = [f"{numbers.counted(first, 'word')} {verb}"]
    return f"{', '.join(said + [f'{count:,} {what}' for count, what in others])}."


def marked(steps: Sequence[Step]) -> tuple[Node | str, ...]:
    """The edited text, new words marked, and words that are gone crossed out before them."""
    made: list[Node | str] = []
    for number, step in enumerate(steps):
        gap = step.gap if number < len(steps) - 1 else ""
        if step.kept:
            made.append(step.after + gap)
            continue
        if step.before:
            made.append(node("s", step.before, dir=direction(step.before), title="left out"))
        if step.before and step.after:
            made.append(" ")
        if step.after:
            made.append(
                node("mark", step.after, cls="written", dir=direction(step.after), title="written")
            )
        made.append(gap)
    return tuple(made)


def edit_view(
    steps: Sequence[Step], edited: str, label: str, before: float, after: float, limit: float
) -> Node:
    """Both probabilities as bars with the threshold, and below them the words that changed."""
    rows = [_bar(name, p, limit) for name, p in (("before", before), ("now", after))]
    place = {"--limit": f"{limit:.2%}"}
    distance = edit_distance(" ".join(step.before for step in steps), edited)
    return node(
        "div",
        node("p", node("small", f"Probability of {label}"), cls="edit-title"),
        node(
            "div",
            *rows,
            node("span"),
            node(
                "span",
                node("span", f"threshold {numbers.threshold(limit)}", cls="edit-limit"),
                cls="edit-axis end" if limit > 0.5 else "edit-axis",
                properties=place,
            ),
            cls="edit-bars",
        ),
        node("p", *marked(steps), cls="edit-text", dir=direction(edited)),
        node("p", node("small", f"{changes_sentence(steps)} Edit distance: {distance:,}.")),
        cls="edited",
    )


def _bar(name: str, probability: float, limit: float) -> Node:
    said = verdict(probability, limit)
    fill = "edit-bar reaches" if probability >= limit else "edit-bar"
    place = {"--share": f"{min(max(probability, 0.0), 1.0):.2%}", "--limit": f"{limit:.2%}"}
    return node(
        "div",
        node("span", name, cls="name"),
        node("span", cls=fill, properties=place, aria_hidden="true"),
        node("span", numbers.probability(probability, limit), cls="value"),
        node("span", said, cls="said"),
        cls="edit-row",
    )


def _with(steps: Sequence[Step]) -> str:
    changed = [s for s in steps if not s.kept]
    if not changed:
        return "With other white space"
    if len(changed) > _NAMED:
        return f"With changes in {len(changed):,} places"
    said = [_named(step) for step in changed]
    listed = said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
    return f"With {listed}"


def _named(step: Step) -> str:
    if not step.after:
        return f"{quoted(step.before)} left out"
    if not step.before:
        return f"{quoted(step.after)} added"
    return f"{quoted(step.after)} in place of {quoted(step.before)}"


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words both begin with."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _cut(split: SplitText, first: int, last: int) -> str:
    """The text of words first..last-1 as it stands, gaps between them included."""
    if first == last:
        return ""
    return split.text[split.words[first].start : split.words[last - 1].end]


def _gap(split: SplitText, after: int) -> str:
    """What stands between word after-1 and the next."""
    if after == len(split.words):
        return " "
    return split.text[split.words[after - 1].end : split.words[after].start]
