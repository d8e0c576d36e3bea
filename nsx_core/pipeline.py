"""The one place where the stages meet: text -> words -> masks -> infills -> predictions -> scores.

``explaining`` is a generator that does one batch a step, so that whoever drives it can show
progress, stop between batches, or let another explanation go first. Everything a batch
learned is committed before the step ends; a later run, of a larger budget or another
classifier, starts from what is there.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version

import numpy as np

import nsx_core
from nsx_core import masking, words
from nsx_core.batches import batch_spans
from nsx_core.catalogue import Catalogue, ClassifierEntry, InfillerEntry
from nsx_core.classifying import Classifier, checked, label_index, positive
from nsx_core.clock import Clock
from nsx_core.errors import ModelError
from nsx_core.infilling import Infiller, checked_answers, is_unchanged, splice
from nsx_core.records import (
    Draw,
    Estimate,
    ExplainSettings,
    Explanation,
    InfillRequest,
    JudgedDraw,
    Mask,
    Side,
    SplitText,
    WordScore,
)
from nsx_core.scoring import uncertainty
from nsx_core.seeding import child_seed
from nsx_core.settings import REDRAWS_MAX, checked_budget, checked_seed
from nsx_core.store import DrawSet, JobRow, Store, canonical_key, draw_set

JUDGE_BATCH = 1024
# No text this short can be cut by a classifier that reads 512 tokens.
NEVER_CUT_CHARACTERS = 500


@dataclass(frozen=True)
class Progress:
    """How far an explanation is: draws judged of all; written anew, and found in the store.

    ``stage`` is what the next step does: 'loading models', 'classifying' (draws that are
    stored), 'drawing' (new ones, classified too), or 'stored' where nothing is left to do.
    """

    done: int
    total: int
    infilled: int
    reused: int
    stage: str


@dataclass(frozen=True)
class Plan:
    """One explanation, all of it decided before any model runs."""

    split: SplitText
    classifier: ClassifierEntry
    infiller: InfillerEntry
    settings: ExplainSettings
    label: str
    draws: DrawSet
    masks: tuple[Mask, ...]

    @property
    def key(self) -> str:
        """Key of all that can change the explanation."""
        s = self.settings
        return canonical_key(
            {
                "draws": self.draws.key,
                "classifier": self.classifier.fingerprint,
                "label": self.label,
                "budget": s.budget,
                "threshold": float(s.threshold),
                "scores": s.use_scores,
            }
        )


def plan(
    text: str, classifier: str, infiller: str, settings: ExplainSettings, catalogue: Catalogue
) -> Plan:
    """Check everything the caller gave and lay out the masks.

    Raises ``TextError``, ``SettingsError``, ``UnknownNameError`` or ``ModelError``.
    """
    settings = replace(
        settings, budget=checked_budget(settings.budget), seed=checked_seed(settings.seed)
    )
    positive(np.zeros(1), settings.threshold)
    entry = catalogue.classifier_entry(classifier)
    writer = catalogue.infiller_entry(infiller)
    label = settings.label if settings.label is not None else entry.explained_label
    label_index(entry.labels, label)
    split = words.split(text, settings.splitter, settings.phrases)
    draws = draw_set(
        split, writer.name, writer.fingerprint, settings.generation, settings.sampler, settings.seed
    )
    sample = masking.sampler_named(settings.sampler)
    n = len(split.words)
    masks = [
        mask
        for side in Side
        for mask in sample(
            n,
            side,
            settings.seed,
            draws.text_id,
            0,
            masking.draws_per_side(n, settings.budget, side),
        )
    ]
    # Both sides in step, so that every prefix says something of each.
    masks.sort(key=lambda m: (m.number, m.side is Side.SUFFICIENCY))
    return Plan(split, entry, writer, settings, label, draws, tuple(masks))


def explaining(
    todo: Plan, catalogue: Catalogue, store: Store, job: Callable[[Progress], JobRow] | None = None
) -> Generator[Progress, None, Explanation]:
    """Explain step by step; each step yields its progress, the last returns the explanation.

    ``job`` makes the row that is committed together with a batch.
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
    known = [have[m.side, m.number] for m in todo.masks if (m.side, m.number) in have]
    judged: dict[str, tuple[float, ...]] = {}
    batches: list[tuple[list[Draw], list[Mask]]] = [
        (known[i : i + JUDGE_BATCH], []) for i in range(0, len(known), JUDGE_BATCH)
    ]
    spans = batch_spans(len(missing), len(todo.split.words), len(todo.split.text))
    batches += [([], missing[i:j]) for i, j in spans]
    batches = batches or [([], [])]
    stages = ["drawing" if masks else "classifying" for _, masks in batches]
    infilled = done = 0
    yield Progress(0, total, 0, reused, stages[0])
    for (found, masks), following in zip(batches, [*stages[1:], stages[-1]], strict=True):
        fresh: list[Draw] = []
        if masks:
            assert infiller is not None
            _same_model(infiller.fingerprint, todo.infiller.fingerprint, infiller.name)
            with clock.of("infilling"):
                fresh = _infill(infiller, todo, masks)
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
                    todo.draws, fresh, classifier.fingerprint, new, job(progress) if job else None
                )
        yield progress
    return _explanation(
        todo, have, judged, infilled, clock, classifier.unseen_words(todo.split.text)
    )


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
    while True:
        try:
            progress = next(steps)
        except StopIteration as end:
            result: Explanation = end.value
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
    return _explanation(todo, have, judged, 0, clock, unseen)


def rejudged(explanation: Explanation, threshold: float, entry: ClassifierEntry) -> Explanation:
    """The same draws and probabilities under another decision threshold; no model is asked."""
    settings = replace(explanation.settings, threshold=threshold)
    draws = [j.draw for j in explanation.draws]
    values = np.array([j.probability for j in explanation.draws])
    scored = _scores(
        [w.word for w in explanation.words], draws, values, explanation.probability,
        settings, entry, explanation.label,
    )  # fmt: skip
    return replace(explanation, settings=settings, **scored)


def _explanation(
    todo: Plan,
    have: dict[tuple[Side, int], Draw],
    judged: dict[str, tuple[float, ...]],
    infilled: int,
    clock: Clock,
    unseen: int,
) -> Explanation:
    column = label_index(todo.classifier.labels, todo.label)
    original = judged[todo.split.text]
    draws = [have[m.side, m.number] for m in todo.masks]
    values = np.array([judged[d.text][column] for d in draws], dtype=np.float64)
    with clock.of("scoring"):
        scored = _scores(
            todo.split.words, draws, values, original[column], todo.settings,
            todo.classifier, todo.label,
        )  # fmt: skip
    return Explanation(
        key=todo.key,
        text=todo.split.text,
        classifier=todo.classifier.name,
        infiller=todo.infiller.name,
        label=todo.label,
        settings=todo.settings,
        probabilities=dict(zip(todo.classifier.labels, original, strict=True)),
        probability=original[column],
        infilled=infilled,
        seconds=clock.seconds(),
        versions=_versions(todo),
        unseen_words=unseen,
        **scored,
    )


def _scores(split_words, draws, values, original, settings, entry, label):  # type: ignore[no-untyped-def]
    """The fields of an ``Explanation`` that follow from probabilities and threshold."""
    if entry.baseline is None:
        raise ModelError(f"{entry.name!r} has no neutral baseline, so sufficiency is undefined.")
    kept = positive(values, settings.threshold)
    predicted = bool(positive(np.array([original]), settings.threshold)[0])
    baseline = entry.baseline.value(label, entry.labels, settings.threshold, settings.use_scores)
    judged = values if settings.use_scores else kept.astype(np.float64)
    own = original if settings.use_scores else float(predicted)
    estimates: dict[Side, list[Estimate]] = {}
    for side in Side:
        rows = [i for i, d in enumerate(draws) if d.side is side]
        masks = np.array([draws[i].replaced for i in rows], dtype=bool).reshape(
            -1, len(split_words)
        )
        arguments = (
            judged[rows],
            masks,
            settings.use_scores,
            child_seed("interval", settings.seed),
        )
        if side is Side.NECESSITY:
            estimates[side] = uncertainty.necessity_estimates(own, *arguments)
        else:
            estimates[side] = uncertainty.sufficiency_estimates(baseline, *arguments)
    return {
        "predicted": predicted,
        "baseline": baseline,
        "words": tuple(
            WordScore(w, n, s)
            for w, n, s in zip(
                split_words, estimates[Side.NECESSITY], estimates[Side.SUFFICIENCY], strict=True
            )
        ),
        "draws": tuple(
            JudgedDraw(d, float(p), bool(k)) for d, p, k in zip(draws, values, kept, strict=True)
        ),
    }


def _infill(infiller: Infiller, todo: Plan, masks: Sequence[Mask]) -> list[Draw]:
    """One draw a mask; a draw equal to the original is drawn again where settings say so.

    All further attempts at such draws go into one more call: a call takes about as long for
    fifty rows as for ten, and the first attempt that changes the text is the same one.
    """
    drawn = [_attempts(infiller, todo, [(mask, 0) for mask in masks])]
    unchanged = [mask for mask, draw in zip(masks, drawn[0], strict=True) if draw.unchanged]
    if not unchanged or not todo.settings.generation.redraw_unchanged:
        return drawn[0]
    again = range(1, REDRAWS_MAX + 1)
    drawn.append(_attempts(infiller, todo, [(mask, a) for mask in unchanged for a in again]))
    last: dict[tuple[Side, int], Draw] = {}
    for draw in (*drawn[0], *drawn[1]):
        known = last.get((draw.side, draw.number))
        if known is None or known.unchanged:
            last[draw.side, draw.number] = draw
    return [last[mask.side, mask.number] for mask in masks]


def _attempts(infiller: Infiller, todo: Plan, wanted: Sequence[tuple[Mask, int]]) -> list[Draw]:
    """One draw for each (mask, attempt), in order."""
    split, settings = todo.split, todo.settings
    texts = tuple(w.text for w in split.words)
    requests = [
        InfillRequest(
            texts, split.spaces, mask.replaced,
            child_seed(
                "infill", todo.draws.text_id, mask.side.value, mask.number, settings.seed, attempt
            ),
        )
        for mask, attempt in wanted
    ]  # fmt: skip
    draws = []
    for (mask, attempt), answer in zip(
        wanted, checked_answers(infiller, requests, settings.generation), strict=True
    ):
        text = "".join(piece for piece, _ in splice(split, mask.replaced, answer))
        same = is_unchanged(split.text, text)
        draws.append(Draw(mask.side, mask.number, mask.replaced, answer, text, same, attempt))
    return draws


def _classified(
    classifier: Classifier, texts: Sequence[str], clock: Clock
) -> dict[str, tuple[float, ...]]:
    distinct = list(dict.fromkeys(texts))
    if not distinct:
        return {}
    with clock.of("classifying"):
        answer = checked(classifier, distinct)
    return {t: tuple(float(p) for p in row) for t, row in zip(distinct, answer, strict=True)}


def _stored_draws(todo: Plan, store: Store) -> dict[tuple[Side, int], Draw]:
    counts = {s: sum(m.side is s for m in todo.masks) for s in Side}
    return {
        (draw.side, draw.number): draw
        for side in Side
        if counts[side]
        for draw in store.draws(todo.draws.key, side, counts[side])
    }


def _same_model(loaded: str, planned: str, name: str) -> None:
    if loaded != planned:
        raise ModelError(
            f"The model {name!r} changed while the app was running: its fingerprint is "
            f"{loaded[:12]} and was {planned[:12]}. Start the app again."
        )


def _versions(todo: Plan) -> dict[str, str]:
    return {
        "nsx": nsx_core.__version__,
        "python": platform.python_version(),
        "torch": version("torch"),
        "classifier": todo.classifier.fingerprint[:16],
        "infiller": todo.infiller.fingerprint[:16],
    }
