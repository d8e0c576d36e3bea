"""How far a search for counterfactuals is, in words, and what it asks for before it begins."""

from __future__ import annotations

from collections.abc import Sequence

from nsx_core.batches import LONG_WORK, work
from nsx_core.counterfactual_records import CounterfactualRequest, Method
from nsx_core.job import JobView
from nsx_core.views.counterfactual_marks import method_name
from nsx_core.views.numbers import counted
from nsx_core.views.sentences import progress_sentence, progress_share

__all__ = ["QUESTIONS", "long_search_sentence", "search_sentence", "search_share"]

#: What each method answers, for who has not searched yet.
QUESTIONS = {
    Method.WACHTER: "Which changed text reaches the goal and stays nearest to this one, in its "
    "words and in its meaning?",
    Method.SEDC: "Without which words is the goal reached, and none of them to spare?",
    Method.SPHERES: "How far from the text must one go until some text reaches the goal, and which "
    "of its changes can be taken back?",
    Method.ANCHORS: "Which words, kept, hold the prediction, whatever the others are?",
}
_CRITERIA, _LOADING, _WAITING = "criteria", "loading models", "waiting"


def search_sentence(job: JobView, request: CounterfactualRequest) -> str:
    """'Method 2 of 4, SEDC: 310 of at most 1,000 classifier calls'; before it, the explanation's."""
    if job.stage == "stopping":
        return "Stopping. What was written and judged is kept."
    number = _number(job.stage, request.methods)
    if number is not None:
        calls = max(0, job.done - number * request.budget)
        return (
            f"Method {number + 1} of {len(request.methods)}, {method_name(Method(job.stage))}: "
            f"{calls:,} of at most {counted(request.budget, 'classifier call')}"
        )
    if job.stage == _CRITERIA:
        return "Measuring how near to the original, and how fluent, each text is."
    first = "" if job.stage in (_LOADING, _WAITING) else "First the explanation. "
    return first + progress_sentence(
        job.stage, job.done, job.total, job.infilled, job.reused, job.rate, job.seconds_left,
        job.ahead,
    )  # fmt: skip


def search_share(job: JobView, request: CounterfactualRequest, draws: int) -> float:
    """How much of the explanation's draws and of all methods' calls is behind it, 0..1."""
    calls = request.budget * len(request.methods)
    if _number(job.stage, request.methods) is not None or job.stage == _CRITERIA:
        return progress_share(draws + job.done, draws + calls)
    if job.stage == _LOADING and job.total == calls:
        return progress_share(draws, draws + calls)
    return progress_share(min(job.done, draws), draws + calls)


def long_search_sentence(words: int, draws: int, request: CounterfactualRequest) -> str | None:
    """What a long search asks for, said before it begins; None where it takes seconds.

    draws: those of the explanation that comes first.
    """
    texts = draws + request.budget * len(request.methods)
    if work(texts, words) <= LONG_WORK:
        return None
    return (
        f"The text has {counted(words, 'word')}, and its explanation and the methods may need "
        f"{texts:,} changed texts of about that length: expect minutes to hours. A smaller "
        "budget or a shorter text takes less. You can stop at any time, and what is written by "
        "then is kept."
    )


def _number(stage: str, methods: Sequence[Method]) -> int | None:
    """Which of the methods the stage is, from 0; None for another stage."""
    return next((i for i, method in enumerate(methods) if method == stage), None)
