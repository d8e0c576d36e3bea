"""Explain one text, one batch a step.

``explaining`` is a generator, so that whoever drives it can show progress, stop between
batches, or let another explanation go first. Everything a batch learned is committed before
the step ends; a later run, of a larger budget or another classifier, starts from what is
there.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from nsx_core.batches import batch_spans, work
from nsx_core.catalogue import Catalogue
from nsx_core.classifying import Classifier, checked
from nsx_core.clock import Clock
from nsx_core.errors import CancelledError, ModelError
from nsx_core.pipeline.drawing import draws_by_batch
from nsx_core.pipeline.planning import Plan, plan
from nsx_core.pipeline.scored import explanation_of
from nsx_core.records import Draw, DrawSide, ExplainSettings, Explanation, Mask
from nsx_core.store import JobRow, Store

P = TypeVar("P")
R = TypeVar("R")
JUDGE_BATCH = 1024
#: Fewer new draws say little of how fast this computer is.
SPEED_DRAWS = 50
# No text this short can be cut by a classifier that reads 512 tokens.
NEVER_CUT_CHARACTERS = 500


@dataclass(frozen=True)
class Progress:
    """How far an explanation is: draws judged of all; written anew, and found in the store.

    ``partial`` is what the draws judged so far say: None before the first and after the last.
    ``stage`` is what the next step does: 'loading models', 'classifying' (draws that are
    stored), 'drawing' (new ones, classified too), or 'stored' where nothing is left to do.
    """

    done: int
    total: int
    infilled: int
    reused: int
    stage: str
    partial: Explanation | None = None


def explaining(
    todo: Plan,
    catalogue: Catalogue,
    store: Store,
    job: Callable[[Progress], JobRow] | None = None,
    drawn: Callable[[], None] = lambda: None,
    alone: Callable[[], bool] = lambda: True,
    watched: bool = True,
) -> Generator[Progress, None, Explanation]:
    """Explain step by step; each step yields its progress, the last returns the explanation.

    ``job`` makes the row that is committed together with a batch; ``drawn`` is called once for
    each new draw within a step, from any thread, and ``alone`` says there whether nobody else
    waits: draws of the next batch are then begun with those of the last. ``watched``: the first
    scores should come soon. Whoever stops it finds
    what was drawn in the store, batches that are not whole too.
    """
    stored = from_store(todo, catalogue, store)
    if stored is not None:
        yield Progress(len(todo.masks), len(todo.masks), 0, len(todo.masks), "stored")
        return stored
    clock = Clock()
    with clock.of("store"):
        store.remember_text(todo.split)
        judge, writer = todo.classifier, todo.infiller
        store.remember_model("classifier", judge.name, judge.fingerprint, judge.figures)
        store.remember_model("infiller", writer.name, writer.fingerprint, writer.figures)
        have = _stored_draws(todo, store)
    missing = [m for m in todo.masks if (m.side, m.number) not in have]
    reused, total = len(have), len(todo.masks)
    progress = Progress(0, total, 0, reused, "loading models")
    yield progress
    with clock.of("loading"):
        classifier = catalogue.classifier(todo.classifier.name)
        infiller = catalogue.infiller(todo.infiller.name) if missing else None
    _same_model(classifier.fingerprint, todo.classifier.fingerprint, classifier.name)
    unseen = classifier.unseen_words(todo.split.text)
    known = [have[m.side, m.number] for m in todo.masks if (m.side, m.number) in have]
    judged: dict[str, tuple[float, ...]] = {}
    batches: list[tuple[list[Draw], list[Mask]]] = [
        (known[i : i + JUDGE_BATCH], []) for i in range(0, len(known), JUDGE_BATCH)
    ]
    spans = batch_spans(len(missing), len(todo.split.words), len(todo.split.text), watched)
    batches += [([], missing[i:j]) for i, j in spans]
    batches = batches or [([], [])]
    stages = ["drawing" if masks else "classifying" for _, masks in batches]
    infilled = done = 0
    in_hand: dict[int, Draw] = {}
    if infiller is not None:
        _same_model(infiller.fingerprint, todo.infiller.fingerprint, infiller.name)
        # Nothing may slow down the first scores.
        writing = draws_by_batch(
            infiller, todo, [masks for _, masks in batches if masks], drawn,
            lambda: (infilled > 0 or not watched) and alone(), in_hand,
        )  # fmt: skip
    yield Progress(0, total, 0, reused, stages[0])
    try:
        for (found, masks), following in zip(batches, [*stages[1:], stages[-1]], strict=True):
            fresh: list[Draw] = []
            if masks:
                with clock.of("infilling"):
                    fresh = next(writing)
            texts = [d.text for d in [*found, *fresh]]
            if todo.split.text not in judged:
                texts.append(todo.split.text)
            with clock.of("store"):
                judged |= store.predictions(classifier.fingerprint, texts)
            new = _classified(classifier, [t for t in texts if t not in judged], clock)
            judged |= new
            for draw in fresh:
                have[draw.side, draw.number] = draw
            infilled, done = infilled + len(fresh), done + len(found) + len(fresh)
            progress = Progress(done, total, infilled, reused, following)
            if fresh or new:
                with clock.of("store"):
                    store.commit_batch(
                        todo.draws,
                        fresh,
                        classifier.fingerprint,
                        new,
                        job(progress) if job else None,
                    )
            if done < total:
                told = explanation_of(todo, have, judged, infilled, clock, unseen)
                progress = replace(progress, partial=told)
            yield progress
    except (CancelledError, GeneratorExit, KeyboardInterrupt):
        if in_hand:  # judged when the explanation is asked for again
            store.commit_batch(todo.draws, list(in_hand.values()), classifier.fingerprint, {}, None)
        raise
    if infilled >= SPEED_DRAWS:
        spent = clock.seconds()
        store.audits.keep_speed(
            todo.infiller.fingerprint, work(infilled, len(todo.split.words)),
            spent["infilling"] + spent.get("classifying", 0.0),
        )  # fmt: skip
    return explanation_of(todo, have, judged, infilled, clock, unseen)


def explained(
    text: str,
    classifier: str,
    infiller: str,
    settings: ExplainSettings,
    catalogue: Catalogue,
    store: Store,
    on_progress: Callable[[Progress], None] | None = None,
) -> Explanation:
    """Explain in one call. Raises what ``plan`` raises, and ``ModelError`` or ``StoreError``."""
    steps = explaining(plan(text, classifier, infiller, settings, catalogue), catalogue, store)
    return to_the_end(steps, on_progress)


def to_the_end(steps: Generator[P, None, R], on_progress: Callable[[P], None] | None = None) -> R:
    """What work done in steps returns; ``on_progress`` is told what each step yields."""
    while True:
        try:
            progress = next(steps)
        except StopIteration as end:
            result: R = end.value
            return result
        if on_progress:
            on_progress(progress)


def from_store(todo: Plan, catalogue: Catalogue, store: Store) -> Explanation | None:
    """The explanation when every draw and prediction is stored, without any model; else None."""
    clock = Clock()
    with clock.of("store"):
        have = _stored_draws(todo, store)
        if len(have) < len(todo.masks):
            return None
        wanted = {todo.split.text, *(d.text for d in have.values())}
        judged = store.predictions(todo.classifier.fingerprint, sorted(wanted))
    if len(judged) < len(wanted):
        return None
    text, unseen = todo.split.text, 0
    if len(text) > NEVER_CUT_CHARACTERS:
        unseen = catalogue.classifier(todo.classifier.name).unseen_words(text)
    return explanation_of(todo, have, judged, 0, clock, unseen)


def _classified(
    classifier: Classifier, texts: Sequence[str], clock: Clock
) -> dict[str, tuple[float, ...]]:
    distinct = list(dict.fromkeys(texts))
    if not distinct:
        return {}
    with clock.of("classifying"):
        answer = checked(classifier, distinct)
    return {t: tuple(float(p) for p in row) for t, row in zip(distinct, answer, strict=True)}


def _stored_draws(todo: Plan, store: Store) -> dict[tuple[DrawSide, int], Draw]:
    counts = {s: sum(m.side is s for m in todo.masks) for s in DrawSide}
    return {
        (draw.side, draw.number): draw
        for side in DrawSide
        if counts[side]
        for draw in store.draws(todo.draws.key, side, counts[side])
    }


def _same_model(loaded: str, planned: str, name: str) -> None:
    if loaded != planned:
        raise ModelError(
            f"The model {name!r} changed while the app was running: its fingerprint is "
            f"{loaded[:12]} and was {planned[:12]}. Start the app again."
        )
