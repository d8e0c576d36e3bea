"""How far a search for counterfactuals is, in words, and what it asks for before it begins."""

from __future__ import annotations

from nsx_core.batches import LONG_WORK, work
from nsx_core.counterfactual_records import CounterfactualRequest, Method
from nsx_core.job import JobView
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
_SEARCHING, _CRITERIA, _LOADING, _WAITING = "searching", "criteria", "loading models", "waiting"


def search_sentence(job: JobView, request: CounterfactualRequest) -> str:
    """'2,653 of 4,000 classifier calls ... by 4 methods side by side'; before, the explanation."""
    if job.stage == "stopping":
        return "Stopping. What was written and judged is kept."
    if job.stage == _SEARCHING:
        methods = len(request.methods)
        who = "one method" if methods == 1 else f"{methods} methods side by side"
        return (
            f"Searching by {who}: {job.done:,} of {counted(job.total, 'classifier call')} made, or "
            f"not needed by a method that has ended \u00b7 {job.infilled:,} newly written"
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
    loading_late = job.stage == _LOADING and job.total == calls
    if job.stage in (_SEARCHING, _CRITERIA) or loading_late:
        return progress_share(draws + job.done, draws + calls)
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
