"""What the numbers say, in sentences; plain text, never markup."""

from __future__ import annotations

from collections.abc import Sequence

from nsx_core.records import Estimate, Explanation, JudgedDraw, Side
from nsx_core.views.drilldown import counted, flips, kept_share, mean_probability
from nsx_core.views.markup import direction, printable, shortened
from nsx_core.views.numbers import duration, interval, percent, probability, score, threshold
from nsx_core.views.struck import Struck
from nsx_core.words import hidden_characters

__all__ = [
    "alternative",
    "baseline_sentence",
    "by_necessity",
    "hidden_sentence",
    "long_sentence",
    "most_necessary",
    "necessity_sentence",
    "not_predicted_sentence",
    "prediction_sentence",
    "progress_sentence",
    "progress_share",
    "quoted",
    "settled_sentence",
    "stopped_sentence",
    "struck_count_sentence",
    "struck_sentence",
    "sufficiency_sentence",
    "unseen_sentence",
    "without_sentence",
    "word_sentence",
]

_OPEN, _CLOSE, _ISOLATE = "\u201c", "\u201d", {"rtl": "\u2067", "ltr": "\u2068"}
_POP = "\u2069"
_NAMED = 5
#: Below this a weighted share is not told from a plain one.
SHARES_DIFFER = 0.005
_BEFORE = {
    "waiting": "Waiting for its turn.",
    "loading models": "Loading the models.",
    "classifying": "Classifying what is drawn already.",
    "drawing": "Drawing the first counterfactual texts.",
}


def quoted(text: str, most: int = 48) -> str:
    """The word in quotation marks, its direction kept apart from the sentence's."""
    shown = printable(shortened(text, most))
    if direction(shown) == "rtl":
        shown = f"{_ISOLATE['rtl']}{shown}{_POP}"
    return f"{_OPEN}{shown}{_CLOSE}"


def prediction_sentence(explanation: Explanation) -> str:
    """What the classifier says of the original text."""
    use_scores, limit = explanation.settings.use_scores, explanation.settings.threshold
    side = "reaches" if explanation.predicted else "stays below"
    verdict = "predicted" if explanation.predicted else "not predicted"
    return (
        f"{explanation.classifier} gives the label {explanation.label} a probability of "
        f"{probability(explanation.probability, limit)}, which {side} the threshold of "
        f"{threshold(limit)}: {verdict}."
        + (" The scores count probabilities, not predictions." if use_scores else "")
    )


def not_predicted_sentence(classifier: str, label: str, found: float, limit: float) -> str | None:
    """Why the text is not explained unasked; None where the label is predicted."""
    if found >= limit:
        return None
    return (
        f"{classifier} gives the label {label} a probability of {probability(found, limit)}, "
        f"below the threshold of {threshold(limit)}. The scores say which words a positive prediction "
        "rests on, and here there is none."
    )


def unseen_sentence(unseen: int, classifier: str) -> str | None:
    """The banner for a text longer than the classifier reads."""
    if unseen <= 0:
        return None
    words = "word" if unseen == 1 else "words"
    return (
        f"{unseen} {words} unseen by the model: {classifier} cuts the text off before its end, "
        "so the last words cannot change its prediction."
    )


def hidden_sentence(explanation: Explanation) -> str | None:
    """Points out characters that nobody sees, with their codes; None where there are none."""
    count = hidden_characters(explanation.text)
    if not count:
        return None
    words = [w.word.text for w in explanation.words if hidden_characters(w.word.text)]
    named = ", ".join(f"{_OPEN}{_spelled(w)}{_CLOSE}" for w in words[:_NAMED])
    more = f" and {_number(len(words) - _NAMED, 'more word')}" if len(words) > _NAMED else ""
    where = f" They are in {named}{more}." if words else " They stand between words."
    return (
        f"{_number(count, 'character')} of the text cannot be seen or only steer the others."
        f"{where} A classifier may read such words otherwise than people do."
    )


def long_sentence(words: int, draws: int) -> str:
    """What a long text asks for, said before it begins."""
    return (
        f"The text has {_number(words, 'word')}, and its scores need {draws:,} counterfactual "
        "texts of about that length: expect minutes to hours. A smaller budget or a shorter text "
        "takes less. You can stop at any time, and what is drawn by then is kept."
    )


def word_sentence(explanation: Explanation, index: int, side: Side) -> str:
    """The sentence of one score."""
    if side is Side.NECESSITY:
        return necessity_sentence(explanation, index)
    return sufficiency_sentence(explanation, index)


def necessity_sentence(explanation: Explanation, index: int) -> str:
    """'When “women.” is replaced, 71 of 98 texts lose the label hate (necessity 0.72, ...).'"""
    word = explanation.words[index]
    name, label = quoted(word.word.text), explanation.label
    draws = counted(explanation, index, Side.NECESSITY)
    if not draws:
        return f"No draw replaces {name}, so its necessity is undefined (0 of 0)."
    if explanation.settings.use_scores:
        mean = mean_probability(draws)
        return (
            f"When {name} is replaced, the mean probability of {label} over {_texts(len(draws))} "
            f"goes from {score(explanation.probability)} to {score(mean)} "
            f"({_stated('necessity', word.necessity)})."
        )
    verb = "lose" if explanation.predicted else "gain"
    flipped = flips(explanation, draws)
    return (
        f"When {name} is replaced, {flipped} of {_texts(len(draws))} "
        f"{_agree(verb, flipped)} the label {label} "
        f"({_alike(draws)}{_stated('necessity', word.necessity)})."
    )


def sufficiency_sentence(explanation: Explanation, index: int) -> str:
    """'When “women.” is kept and other words are replaced, 40 of 98 texts keep the label ...'"""
    word = explanation.words[index]
    name, label = quoted(word.word.text), explanation.label
    if len(explanation.words) == 1:
        return (
            f"{name} is the only word, so nothing else can be replaced around it: its "
            "sufficiency is undefined."
        )
    draws = counted(explanation, index, Side.SUFFICIENCY)
    if not draws:
        return f"No draw keeps {name}, so its sufficiency is undefined (0 of 0)."
    stated = _stated("sufficiency", word.sufficiency)
    if explanation.settings.use_scores:
        mean = mean_probability(draws)
        return (
            f"When {name} is kept and other words are replaced, the mean probability of {label} "
            f"over {_texts(len(draws))} is {score(mean)}; on neutral text it is "
            f"{score(explanation.baseline)} (the neutral baseline), which leaves {stated}."
        )
    kept = sum(j.kept for j in draws)
    verb = "keep" if explanation.predicted else "get"
    alike = _alike(draws)
    share = f" ({alike}{percent(kept_share(draws))})" if alike else ""
    return (
        f"When {name} is kept and other words are replaced, {kept} of {_texts(len(draws))} "
        f"{_agree(verb, kept)} the label {label}{share}; {percent(explanation.baseline)} of "
        f"neutral texts get it anyway (the neutral baseline), which leaves {stated}."
    )


def struck_sentence(explanation: Explanation, struck: Struck) -> str:
    """How many texts are struck out; it stands above every score."""
    count, total = len(struck.reasons), _texts(len(explanation.draws), "counterfactual ")
    are, them = ("is", "it") if count == 1 else ("are", "them")
    return f"{count:,} of {total} {are} struck out. Scores: with {them}, and without {them}."


def without_sentence(struck: Struck, index: int, side: Side) -> str:
    """The sentence of one score, counted without the struck texts."""
    return f"Without {_those(struck)}: {word_sentence(struck.without, index, side)}"


def struck_count_sentence(struck: Struck, what: str) -> str:
    """Said where a figure, named by ``what``, counts all draws."""
    return f"{what} counts all draws, {_those(struck)} as well."


def baseline_sentence(explanation: Explanation) -> str:
    """How often the classifier gives the label to neutral text, or how probable it finds it."""
    if explanation.settings.use_scores:
        return (
            f"Neutral baseline: on neutral text {explanation.classifier} gives the label "
            f"{explanation.label} a mean probability of {score(explanation.baseline)}; "
            "sufficiency is counted from there."
        )
    return (
        f"Neutral baseline: {explanation.classifier} gives the label {explanation.label} to "
        f"{percent(explanation.baseline)} of neutral texts; sufficiency is counted from there."
    )


def alternative(explanation: Explanation) -> str:
    """The heatmap in words, for people who do not see it."""
    ranked = [explanation.words[i] for i in by_necessity(explanation)]
    count = len(explanation.words)
    said = f"Necessity and sufficiency of {_number(count, 'word')} for {explanation.label}."
    if ranked:
        first, last = ranked[0], ranked[-1]
        said += (
            f" The most necessary is {quoted(first.word.text)} ({score(first.necessity.value)}), "
            f"the least {quoted(last.word.text)} ({score(last.necessity.value)})."
        )
    return said


def by_necessity(explanation: Explanation) -> list[int]:
    """The words whose necessity is defined, highest first; of equals the first in the text."""
    values = [w.necessity.value for w in explanation.words]
    known = [i for i, value in enumerate(values) if value is not None]
    return sorted(known, key=lambda i: values[i] or 0.0, reverse=True)


def most_necessary(explanation: Explanation) -> int:
    """The word with the highest necessity, the first of equals; 0 where all are undefined."""
    return next(iter(by_necessity(explanation)), 0)


def progress_share(done: int, total: int) -> float:
    """How much is done, 0..1."""
    return min(max(done / total, 0.0), 1.0) if total > 0 else 0.0


def progress_sentence(
    stage: str,
    done: int,
    total: int,
    infilled: int,
    reused: int,
    rate: float,
    seconds_left: float | None,
    ahead: int = 0,
) -> str:
    """'128 of 522 draws, 80 newly written, 48 reused, 21 a second, about 19 s left', by dots.

    Before the first draw, what is being done, in words.
    """
    if stage == "stopping":
        return "Stopping. The draws of finished batches are kept."
    if stage == "waiting" and ahead:
        others = "another explanation" if ahead == 1 else f"{ahead} others"
        return f"Waiting for its turn behind {others}."
    if done == 0 and stage in _BEFORE:
        there = f" {reused:,} of {total:,} draws are there already." if reused else ""
        return _BEFORE[stage] + there
    parts = [f"{done:,} of {total:,} draws", f"{infilled:,} newly written, {reused:,} reused"]
    if rate > 0:
        parts.append(f"{rate:,.0f} a second" if rate >= 1 else f"{rate:.1f} a second")
    if seconds_left is not None:
        parts.append(f"about {duration(seconds_left)} left")
    return " \u00b7 ".join(parts)


def settled_sentence(done: int, total: int) -> str:
    """Why an explanation ended before its budget."""
    return (
        f"After {done:,} of {total:,} draws the order of the most necessary words would stay the same "
        "in at least 95 of 100 resamples of the draws. The intervals are as wide as these draws "
        "leave them."
    )


def stopped_sentence(infilled: int, reused: int, total: int) -> str:
    """What a stopped explanation leaves behind."""
    kept = infilled + reused
    if kept == 0:
        return "It was stopped before the first new draw; earlier draws, if any, are kept."
    return f"{kept:,} of {total:,} draws are kept and will be used again."


def _those(struck: Struck) -> str:
    count = len(struck.reasons)
    return "the one struck out" if count == 1 else f"the {count:,} struck out"


def _alike(draws: Sequence[JudgedDraw]) -> str:
    """How the draws are averaged, where that makes another share than the plain one."""
    plain = sum(j.kept for j in draws) / len(draws)
    if abs(kept_share(draws) - plain) < SHARES_DIFFER:
        return ""
    return "every number of replaced words counted alike: "


def _stated(name: str, estimate: Estimate) -> str:
    return f"{name} {score(estimate.value)}, 95 % interval {interval(estimate)}"


def _texts(count: int, which: str = "") -> str:
    return _number(count, f"{which}text")


def _spelled(word: str) -> str:
    """The word with the code of each hidden character in its place."""
    made = "".join(f"[U+{ord(c):04X}]" if hidden_characters(f"a{c}") else c for c in word)
    return shortened(made, 60)


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _agree(verb: str, count: int) -> str:
    return f"{verb}s" if count == 1 else verb
