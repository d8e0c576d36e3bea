"""Infills of chosen word sets, and what the classifier says of them: stored, or made now.

The draws of an explanation replace random word sets. Here the caller chooses them: infill j of a
word set is a function of the text, the set, the infiller, its settings, the seed and j, and is
kept as draw j of a draw set of its own. So whoever asks for it again, for another method or
another classifier, finds it in the store.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nsx_core.batches import batch_spans
from nsx_core.catalogue import Catalogue
from nsx_core.classifying import checked, label_index
from nsx_core.pipeline.drawing import draws_by_batch
from nsx_core.pipeline.planning import Plan
from nsx_core.records import Draw, DrawSide, Mask
from nsx_core.seeding import child_seed
from nsx_core.store import DrawSet, JobRow, Store, draw_set

__all__ = ["WordSets"]

_SIDE = DrawSide.NECESSITY  # a word set is what is replaced
Replaced = tuple[bool, ...]


class WordSets:
    """The word sets of one plan's text, judged by its classifier.

    drawn: called once for each new infill, from any thread. ``infilled`` counts those. Whatever
    is new is committed by ``commit``, or with the next call where it is not.
    """

    def __init__(
        self, plan: Plan, catalogue: Catalogue, store: Store, drawn: Callable[[], None]
    ) -> None:
        self._plan, self._catalogue, self._store, self._drawn = plan, catalogue, store, drawn
        self._column = label_index(plan.classifier.labels, plan.label)
        self._draws: dict[Replaced, dict[int, Draw]] = {}
        self._judged: dict[str, float] = {}
        self._fresh: list[tuple[DrawSet, list[Draw]]] = []
        self._predictions: dict[str, tuple[float, ...]] = {}
        self.infilled = 0

    def batches(
        self, wanted: Sequence[tuple[Replaced, int]]
    ) -> list[Sequence[tuple[Replaced, int]]]:
        """The wanted infills in parts of which each is one batch of the infiller's."""
        split = self._plan.split
        spans = batch_spans(len(wanted), len(split.words), len(split.text), watched=False)
        return [wanted[first:last] for first, last in spans]

    def infills(self, wanted: Sequence[tuple[Replaced, int]]) -> list[Draw]:
        """Infill j of each word set, in order; raises what the infiller raises.

        wanted: (bool[n_words], j >= 0), True = replaced. What was drawn is kept where the work is
        stopped half way.
        """
        self._look_up({replaced for replaced, _ in wanted})
        missing = [
            Mask(_SIDE, number, replaced)
            for replaced, number in dict.fromkeys(wanted)
            if number not in self._draws[replaced]
        ]
        if missing:
            self._write(missing)
        return [self._draws[replaced][number] for replaced, number in wanted]

    def probabilities(self, texts: Sequence[str]) -> list[float]:
        """P(explained class) of each text, in order, in 0..1; raises what the classifier raises."""
        fingerprint = self._plan.classifier.fingerprint
        unknown = [text for text in dict.fromkeys(texts) if text not in self._judged]
        if unknown:
            stored = self._store.predictions(fingerprint, unknown)
            if new := [text for text in unknown if text not in stored]:
                model = self._catalogue.classifier(self._plan.classifier.name)
                rows = checked(model, new).tolist()
                made = {text: tuple(row) for text, row in zip(new, rows, strict=True)}
                self._predictions |= made
                stored |= made
            self._judged |= {text: row[self._column] for text, row in stored.items()}
        return [self._judged[text] for text in texts]

    def commit(self, job: JobRow | None) -> None:
        """Save what is new together with the job's row."""
        if self._fresh or self._predictions:
            fingerprint = self._plan.classifier.fingerprint
            self._store.commit_sets(self._fresh, fingerprint, self._predictions, job)
            self._fresh, self._predictions = [], {}

    def _look_up(self, asked: set[Replaced]) -> None:
        new = {self._set(r).key: r for r in asked if r not in self._draws}
        if not new:
            return
        stored = self._store.draws_of_sets(list(new), _SIDE)
        for key, replaced in new.items():
            self._draws[replaced] = {draw.number: draw for draw in stored.get(key, [])}

    def _write(self, missing: list[Mask]) -> None:
        infiller = self._catalogue.infiller(self._plan.infiller.name)
        in_hand: dict[int, Draw] = {}
        new: list[Draw] = []
        try:
            for drawn in draws_by_batch(
                infiller, self._plan, [missing], self._drawn, lambda: False, in_hand, self._seed
            ):
                new += drawn
        finally:
            new += in_hand.values()
            by_set: dict[Replaced, list[Draw]] = {}
            for draw in new:
                self._draws[draw.replaced][draw.number] = draw
                by_set.setdefault(draw.replaced, []).append(draw)
            self._fresh += [(self._set(replaced), draws) for replaced, draws in by_set.items()]
            self.infilled += len(new)
            if len(new) < len(missing):
                # Stopped: nothing that was written is lost.
                self.commit(None)

    def _set(self, replaced: Replaced) -> DrawSet:
        plan = self._plan
        bits = "".join("1" if r else "0" for r in replaced)
        return draw_set(
            plan.split, plan.infiller.name, plan.infiller.fingerprint,
            plan.settings.generation, f"words {bits}", plan.settings.seed,
        )  # fmt: skip

    def _seed(self, mask: Mask, attempt: int) -> int:
        plan = self._plan
        return child_seed(
            "word set", plan.draws.text_id, mask.bits, mask.number, plan.settings.seed, attempt
        )
