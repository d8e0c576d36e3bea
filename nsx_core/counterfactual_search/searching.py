"""One text, one classifier: the explanation first, then method by method, then the criteria.

A generator, as ``nsx_core.pipeline.explaining``: whoever drives it can show progress, stop
between two lists of texts, or let others go first. What was written and judged is committed
before a step ends, so that a search that begins again repeats only its own thinking.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from nsx_core import pipeline
from nsx_core.catalogue import Catalogue
from nsx_core.clock import Clock
from nsx_core.counterfactual_records import (
    CounterfactualRequest,
    Findings,
    Method,
    MethodFound,
)
from nsx_core.counterfactual_search.answering import Answering, pool_of
from nsx_core.counterfactual_search.judging import Judging
from nsx_core.counterfactual_search.planning import CounterfactualPlan, planned
from nsx_core.counterfactuals.anchors import anchors
from nsx_core.counterfactuals.asking import Outcome, Search, Situation, SpentError
from nsx_core.counterfactuals.sedc import sedc
from nsx_core.counterfactuals.text_spheres import text_spheres
from nsx_core.counterfactuals.text_wachter import wachter
from nsx_core.pipeline import Progress, WordSets
from nsx_core.records import Explanation
from nsx_core.store import JobRow, Store

__all__ = ["searched", "searching"]

CRITERIA = "criteria"


def searching(
    todo: CounterfactualPlan,
    catalogue: Catalogue,
    store: Store,
    job: Callable[[Progress], JobRow] | None = None,
    drawn: Callable[[], None] = lambda: None,
    alone: Callable[[], bool] = lambda: True,
) -> Generator[Progress, None, Findings]:
    """Search step by step; see ``pipeline.explaining`` for ``job``, ``drawn`` and ``alone``.

    Progress counts draws while it explains, then classifier calls of all methods.
    """
    explanation = yield from pipeline.explaining(
        todo.explain, catalogue, store, job, drawn, alone, watched=False
    )
    yield Progress(0, _total(todo), 0, 0, "loading models")
    # Their seconds are no cost of a method.
    catalogue.classifier(todo.explain.classifier.name)
    catalogue.infiller(todo.explain.infiller.name)
    meaning = catalogue.meaning()
    word_sets = WordSets(todo.explain, catalogue, store, drawn)
    situation = Situation(
        todo.explain.split, todo.goal(explanation.probability), pool_of(explanation),
        _remembered(partial(meaning.cosines, todo.explain.split.text)),
        todo.explain.settings.seed,
    )  # fmt: skip
    judging = Judging(situation, catalogue.infiller(todo.explain.infiller.name))
    token = getattr(catalogue.classifier(todo.explain.classifier.name), "mask_token", None)
    searches = _searches(situation, todo.request, token)
    free = {explanation.text, *(j.draw.text for j in explanation.draws)}
    found: list[MethodFound] = []
    for number, (method, search) in enumerate(searches.items()):
        clock = Clock()
        answering = Answering(situation.split, word_sets, free, todo.request.budget)
        outcome = yield from _driven(search, method, answering, word_sets, clock, number, todo, job)
        with clock.of(CRITERIA):
            found.append(judging.of_method(method, outcome, answering))
        found[-1] = replace(found[-1], seconds=sum(clock.seconds().values()))
    total = _total(todo)
    yield Progress(total, total, word_sets.infilled, 0, CRITERIA)
    return _findings(todo, explanation, situation, found, judging, free)


def searched(
    request: CounterfactualRequest,
    catalogue: Catalogue,
    store: Store,
    on_progress: Callable[[Progress], None] | None = None,
) -> Findings:
    """Search in one call. Raises what ``planned`` raises, and ``ModelError`` or ``StoreError``."""
    steps = searching(planned(request, catalogue), catalogue, store)
    while True:
        try:
            progress = next(steps)
        except StopIteration as end:
            result: Findings = end.value
            return result
        if on_progress:
            on_progress(progress)


def _searches(
    situation: Situation, request: CounterfactualRequest, mask_token: str | None
) -> dict[Method, Search]:
    removing = {"mask_token": mask_token} if mask_token else {}
    made = {
        Method.WACHTER: lambda: wachter(situation),
        Method.SEDC: lambda: sedc(situation, request.removal, **removing),
        Method.SPHERES: lambda: text_spheres(situation),
        Method.ANCHORS: lambda: anchors(situation, request.precision, request.delta),
    }
    return {method: made[method]() for method in request.methods}


def _driven(
    search: Search,
    method: Method,
    answering: Answering,
    word_sets: WordSets,
    clock: Clock,
    number: int,
    todo: CounterfactualPlan,
    job: Callable[[Progress], JobRow] | None,
) -> Generator[Progress, None, Outcome]:
    """One method to its end, a step a list of asks."""
    base, total = number * todo.request.budget, _total(todo)
    yield Progress(base, total, word_sets.infilled, 0, str(method))
    try:
        with clock.of("searching"):
            asks = next(search)
        while True:
            if answering.spent:
                with clock.of("searching"):
                    asks = search.throw(SpentError())
                continue
            with clock.of("answering"):
                given = answering.answers(asks)
            progress = Progress(base + answering.calls, total, word_sets.infilled, 0, str(method))
            with clock.of("store"):
                word_sets.commit(job(progress) if job else None)
            yield progress
            with clock.of("searching"):
                asks = search.send(given)
    except StopIteration as end:
        outcome: Outcome = end.value
        return outcome


def _findings(
    todo: CounterfactualPlan,
    explanation: Explanation,
    situation: Situation,
    found: list[MethodFound],
    judging: Judging,
    free: set[str],
) -> Findings:
    table, note = judging.table()
    return Findings(
        key=todo.key,
        explanation=explanation.key,
        text=explanation.text,
        classifier=explanation.classifier,
        infiller=explanation.infiller,
        label=explanation.label,
        words=situation.split.words,
        goal=situation.goal,
        budget=todo.request.budget,
        free=len(free) - 1,
        found=tuple(found),
        table=table,
        fluency_note=note,
    )


def _total(todo: CounterfactualPlan) -> int:
    return todo.request.budget * len(todo.request.methods)


def _remembered(
    cosines: Callable[[Sequence[str]], NDArray[np.float64]],
) -> Callable[[Sequence[str]], NDArray[np.float64]]:
    """The same, asking about no text twice."""
    known: dict[str, float] = {}

    def ask(texts: Sequence[str]) -> NDArray[np.float64]:
        if new := [text for text in dict.fromkeys(texts) if text not in known]:
            known.update(zip(new, cosines(new).tolist(), strict=True))
        return np.array([known[text] for text in texts], dtype=np.float64)

    return ask
