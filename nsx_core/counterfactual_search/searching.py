"""One text, one classifier: the explanation first, then method by method, then the criteria.

A generator, as ``nsx_core.pipeline.explaining``: whoever drives it can show progress, stop
between two lists of texts, or let others go first. What was written and judged is committed
before a step ends, so that a search that begins again repeats only its own thinking.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from nsx_core import pipeline
from nsx_core.catalogue import Catalogue
from nsx_core.counterfactual_records import (
    CounterfactualRequest,
    Findings,
    Method,
    MethodFound,
    Removal,
)
from nsx_core.counterfactual_search.answering import Answering, pool_of
from nsx_core.counterfactual_search.judging import Judging
from nsx_core.counterfactual_search.planning import CounterfactualPlan, planned
from nsx_core.counterfactual_search.running import Running
from nsx_core.counterfactuals.anchors import anchors
from nsx_core.counterfactuals.asking import Search, Situation
from nsx_core.counterfactuals.sedc import MASK_TOKEN, sedc
from nsx_core.counterfactuals.text_spheres import text_spheres
from nsx_core.counterfactuals.text_wachter import wachter
from nsx_core.infilling.deletion import DeletionInfiller
from nsx_core.infilling.mask_token import MaskTokenInfiller
from nsx_core.pipeline import Progress, WordSets, to_the_end
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

    Progress counts draws while it explains, then classifier calls of all methods; one that has
    ended counts its whole budget.
    """
    explanation = yield from pipeline.explaining(
        todo.explain, catalogue, store, job, drawn, alone, watched=False
    )
    goal = todo.open_goal(explanation.probability)
    yield Progress(0, _total(todo), 0, 0, "loading models")
    # Their seconds are no cost of a method.
    catalogue.classifier(todo.explain.classifier.name)
    catalogue.infiller(todo.explain.infiller.name)
    meaning = catalogue.meaning()
    word_sets = WordSets(todo.explain, catalogue, store, drawn)
    situation = Situation(
        todo.explain.split, goal, pool_of(explanation),
        _remembered(partial(meaning.cosines, todo.explain.split.text)),
        todo.explain.settings.seed,
    )  # fmt: skip
    judging = Judging(situation, catalogue.infiller(todo.explain.infiller.name))
    free = {explanation.text, *(j.draw.text for j in explanation.draws)}
    running = {
        method: Running(begun, Answering(situation.split, word_sets, free, todo.request.budget))
        for method, begun in _searches(situation, *_removal(todo, catalogue), todo.request).items()
    }
    yield from _driven(running, word_sets, todo, job)
    found = [judging.of_method(method, one) for method, one in running.items()]
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
    return to_the_end(searching(planned(request, catalogue), catalogue, store), on_progress)


def _removal(todo: CounterfactualPlan, catalogue: Catalogue) -> tuple[Removal, str]:
    """How SEDC removes words, and the mask token: that of the infiller, else the classifier's.

    An infiller that always writes the same has one text a word set, and no share to speak of.
    """
    writer = catalogue.infiller(todo.explain.infiller.name)
    removal = todo.request.removal
    if removal is Removal.INFILL and isinstance(writer, DeletionInfiller):
        removal = Removal.DELETION
    if removal is Removal.INFILL and isinstance(writer, MaskTokenInfiller):
        return Removal.MASK, writer.token
    own = getattr(catalogue.classifier(todo.explain.classifier.name), "mask_token", None)
    return removal, own or MASK_TOKEN


def _searches(
    situation: Situation, removal: Removal, token: str, request: CounterfactualRequest
) -> dict[Method, Callable[[Callable[[], float]], Search]]:
    begun: dict[Method, Callable[[Callable[[], float]], Search]] = {
        Method.WACHTER: lambda clock: wachter(situation),
        Method.SEDC: lambda clock: sedc(situation, removal, token, clock=clock),
        Method.SPHERES: lambda clock: text_spheres(situation),
        Method.ANCHORS: lambda clock: anchors(situation, request.precision, request.delta),
    }
    return {method: begun[method] for method in request.methods}


def _driven(
    running: dict[Method, Running],
    word_sets: WordSets,
    todo: CounterfactualPlan,
    job: Callable[[Progress], JobRow] | None,
) -> Generator[Progress, None, None]:
    """All methods to their ends, side by side: a step answers one list of asks of each.

    Together their lists are long enough to keep the infiller busy.
    """
    total = _total(todo)

    def progress() -> Progress:
        done = sum(one.done(todo.request.budget) for one in running.values())
        return Progress(done, total, word_sets.infilled, 0, "searching")

    yield progress()
    while active := [one for one in running.values() if one.outcome is None]:
        wanted = [one.answering.wanted(one.asks) for one in active]
        began = time.perf_counter()
        for part in word_sets.batches([infill for some in wanted for infill in some]):
            word_sets.probabilities([draw.text for draw in word_sets.infills(part)])
        spent, texts = time.perf_counter() - began, sum(map(len, wanted))
        for one, some in zip(active, wanted, strict=True):
            one.step()
            one.seconds += spent * len(some) / max(1, texts)
        word_sets.commit(job(progress()) if job else None)
        yield progress()


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
