"""How good the counterfactual texts of one explanation are, beside the infiller's own report.

What is counted, and how, is the quality report's (``nsx_core.quality``). Its figures are means over
many texts; one explanation's are of one text, so they may differ without anything being wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nsx_core.quality import Alignment, Infilled, InfillerQuality, infiller_quality
from nsx_core.records import Draw, Explanation
from nsx_core.settings import THRESHOLD_DEFAULT
from nsx_core.views.drilldown import Row, row
from nsx_core.views.markup import Node, node
from nsx_core.views.model_figures import figure_meaning
from nsx_core.views.numbers import percent, score
from nsx_core.views.sentences import struck_count_sentence
from nsx_core.views.struck import Struck

__all__ = [
    "SAMPLE_TEXTS",
    "Judgement",
    "judgement",
    "quality_sentence",
    "quality_table",
    "sample",
    "sample_caption",
    "texts_to_judge",
]

SAMPLE_TEXTS = 10
#: A share of fewer texts than these says little.
FEW_TEXTS = 100
_NONE = "\u2013"


@dataclass(frozen=True, slots=True)
class Judgement:
    """Shares 0..1 that another classifier calls positive, None where there is nothing to call.

    ``texts``: of whole counterfactual texts; ``written``: of the infilled words alone.
    """

    classifier: str
    label: str
    texts: float | None
    written: float | None


def texts_to_judge(explanation: Explanation) -> list[str]:
    """What another classifier is asked: each counterfactual text, then each one's infilled words.

    Draws without an infilled word have no second text.
    """
    return [j.draw.text for j in explanation.draws] + _written(explanation)


def judgement(
    explanation: Explanation, classifier: str, label: str, probabilities: Sequence[float]
) -> Judgement:
    """What the classifier says; probabilities: P(label) of ``texts_to_judge``, in order."""
    called = [p >= THRESHOLD_DEFAULT for p in probabilities]
    count = len(explanation.draws)
    return Judgement(classifier, label, _share(called[:count]), _share(called[count:]))


def quality_sentence(explanation: Explanation, struck: Struck | None = None) -> str:
    """The figures in words, over how many texts, and whether these are few."""
    total = len(explanation.draws)
    found = _measured(explanation)
    unchanged, twice = round(found.unchanged * total), round(found.duplicates * total)
    texts = "counterfactual text" if total == 1 else f"{total:,} counterfactual texts"
    said = (
        f"Of {'the one' if total == 1 else 'the'} {texts}, {unchanged:,} came out as the original "
        f"and {twice:,} {'repeats' if twice == 1 else 'repeat'} an earlier text with the same words replaced. For each replaced "
        f"word {score(found.answer_ratio)} words were written on average."
    )
    if struck:
        said += " " + struck_count_sentence(struck, "This")
    if total < FEW_TEXTS:
        said += f" {total:,} texts are few: a share may be several points off by chance."
    return said


def quality_table(
    explanation: Explanation, report: Mapping[str, Any], other: Judgement | None
) -> Node:
    """One row a figure: of these texts, in the infiller's report where it has it, and what it is."""
    found = _measured(explanation)
    lines = [
        (
            "Unchanged",
            percent(found.unchanged, 1),
            "unchanged_share",
            "texts equal to the original, capital letters and blanks aside",
        ),
        (
            "Duplicates",
            percent(found.duplicates, 1),
            "duplicate_share",
            "texts that an earlier one with the same words replaced has too; the fewer words a "
            "text has, the more often the same are replaced",
        ),
        ("Length", score(found.length_ratio), "", "words of a text for each word of the original"),
        ("Written", score(found.answer_ratio), "", "words written for each word replaced"),
    ]
    if other:
        lines += [
            (
                "Called positive",
                _stated(other.texts),
                "",
                f"texts to which {other.classifier} gives the label {other.label}; kept words "
                "count as well",
            ),
            (
                "Infilled words called positive",
                _stated(other.written),
                "positive_share",
                f"the same of the infilled words alone; the report's are "
                f"{figure_meaning('positive_share')}",
            ),
        ]
    heads = (("", ""), ("These texts", "number"), ("Infiller's report", "number"), ("", ""))
    return node(
        "div",
        node(
            "table",
            node("thead", node("tr", *(node("th", h, scope="col", cls=cls) for h, cls in heads))),
            node(
                "tbody",
                *(
                    node(
                        "tr",
                        node("th", name, scope="row"),
                        node("td", here, cls="number"),
                        node("td", _stated(report.get(key)), cls="number"),
                        node("td", node("small", what)),
                    )
                    for name, here, key, what in lines
                ),
            ),
            cls="quality",
        ),
        cls="infill-quality",
    )


def sample(explanation: Explanation, struck: Struck | None = None) -> tuple[Row, ...]:
    """Ten of the texts, fewer where there are fewer, spread over the numbers of replaced words."""
    by_size: dict[int, list[int]] = {}
    for at, judged in enumerate(explanation.draws):
        by_size.setdefault(sum(judged.draw.replaced), []).append(at)
    sizes = sorted(by_size)
    if len(sizes) > SAMPLE_TEXTS:
        last = len(sizes) - 1
        sizes = [sizes[round(i * last / (SAMPLE_TEXTS - 1))] for i in range(SAMPLE_TEXTS)]
    # The first of every number, then the second of every number, and so on.
    turns = sorted((turn, size) for size in sizes for turn in range(len(by_size[size])))
    chosen = sorted((size, by_size[size][turn]) for turn, size in turns[:SAMPLE_TEXTS])
    return tuple(row(explanation, explanation.draws[at], None, struck) for _, at in chosen)


def sample_caption(explanation: Explanation, rows: Sequence[Row]) -> str:
    """What the sample is."""
    if len(rows) == len(explanation.draws):
        return "All of the counterfactual texts, few words replaced first."
    return (
        f"{len(rows)} of the {len(explanation.draws):,} counterfactual texts, spread over the "
        "numbers of replaced words, few first."
    )


def _measured(explanation: Explanation) -> InfillerQuality:
    return infiller_quality([_infilled(explanation, j.draw) for j in explanation.draws])


def _infilled(explanation: Explanation, draw: Draw) -> Infilled:
    """The draw as the report counts it, in words between white space: a phrase may be several."""
    replaced = tuple(
        is_replaced
        for word, is_replaced in zip(explanation.words, draw.replaced, strict=True)
        for _ in word.word.text.split()
    )
    answers = tuple(tuple(answer.split()) for answer in draw.answers)
    # The answers are known here, so they need not be found in the text.
    return Infilled(explanation.text, replaced, draw.text, draw.redraws, Alignment(answers, True))


def _written(explanation: Explanation) -> list[str]:
    found = (" ".join(" ".join(j.draw.answers).split()) for j in explanation.draws)
    return [text for text in found if text]


def _share(called: Sequence[bool]) -> float | None:
    return sum(called) / len(called) if called else None


def _stated(share: float | None) -> str:
    return _NONE if share is None else percent(share, 1)
