"""The app's engine: models, store and jobs of one process, behind one small surface."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nsx_core import batches, pipeline, striking, words
from nsx_core.auditing.audits import Audits
from nsx_core.auditing.shipping import load_shipped
from nsx_core.catalogue import Catalogue, ClassifierEntry, InfillerEntry, shipped_catalogue
from nsx_core.classifying import checked
from nsx_core.comparing import CompareTask, Kept
from nsx_core.comparison_records import Comparison
from nsx_core.counterfactual_records import Counterfactual, CounterfactualRequest, Findings
from nsx_core.counterfactual_search import planned
from nsx_core.counterfactual_search.task import CounterfactualTask
from nsx_core.counterfactuals.ranking import reranked
from nsx_core.errors import SettingsError, StoreError
from nsx_core.fake_catalogue import trial_catalogue
from nsx_core.job import JobView
from nsx_core.jobs import INTERACTIVE, JobQueue
from nsx_core.latest import Latest
from nsx_core.noting import Notes
from nsx_core.pipeline import Plan
from nsx_core.precomputed import load_examples
from nsx_core.records import DrawSide, ExplainRequest, Explanation, Growth, Strike
from nsx_core.settings import STORE_FILE, data_folder
from nsx_core.store import Store
from nsx_core.tasks import ExplainTask

__all__ = ["Classified", "Cost", "Engine", "ExplainRequest"]

#: How many are held; findings are some megabytes each.
RESULTS_KEPT, FINDINGS_KEPT = 64, 16


@dataclass(frozen=True)
class Classified:
    """A classifier's answer on one text."""

    probabilities: dict[str, float]
    unseen_words: int


@dataclass(frozen=True)
class Cost:
    """What an explanation asks for before it begins; ``long`` = ask the person first."""

    words: int
    draws: int
    long: bool


class Engine:
    """Models, store and jobs of one process; every method may be called from any thread."""

    def __init__(self, store: Store, catalogue: Catalogue, warnings: tuple[str, ...] = ()) -> None:
        self.store, self.catalogue, self._warnings = store, catalogue, warnings
        self._results: Latest[Explanation] = Latest(RESULTS_KEPT)
        self._compared = Kept()
        self._found: Latest[Findings] = Latest(FINDINGS_KEPT)
        self._jobs = JobQueue(store, catalogue, self._keep)
        self.audits = Audits(store, catalogue, self._jobs)
        self.notes = Notes(store, catalogue)

    @classmethod
    def start(cls, home: Path | None = None, catalogue: Catalogue | None = None) -> Engine:
        """Open the store under ``home`` (default: settings.data_folder()) and start.

        Raises ``StoreError`` or one of its kinds.
        """
        if catalogue is None:
            fakes = os.environ.get("NSX_FAKE_MODELS")
            catalogue = trial_catalogue() if fakes else shipped_catalogue()
        store = Store.open((home or data_folder()) / STORE_FILE)
        try:
            load_examples(catalogue, store)
            load_shipped(catalogue, store)
        except StoreError as error:
            # A full disk, say: what is stored can still be looked at.
            return cls(store, catalogue, (f"The examples could not be stored. {error}",))
        except BaseException:
            store.close()
            raise
        return cls(store, catalogue)

    def close(self) -> None:
        """Stop within the batch in hand, leave unfinished jobs interrupted, close the store."""
        self._jobs.close()
        self.store.close()

    @property
    def note(self) -> str | None:
        """What a visitor should know of the models, None where they are the real ones."""
        return self.catalogue.note

    @property
    def warnings(self) -> tuple[str, ...]:
        """What opening the store had to set aside, or could not do."""
        return (*self.store.warnings, *self._warnings)

    def classifiers(self) -> list[ClassifierEntry]:
        """All classifiers, those with a problem included."""
        return list(self.catalogue.classifiers.values())

    def infillers(self) -> list[InfillerEntry]:
        """All infillers, those with a problem included."""
        return list(self.catalogue.infillers.values())

    def classify(self, text: str, classifier: str) -> Classified:
        """The classifier's probabilities of one text; raises ``TextError`` or ``ModelError``."""
        entry = self.catalogue.classifier_entry(classifier)
        words.split(text)
        known = self.store.predictions(entry.fingerprint, [text])
        if text in known and len(text) <= pipeline.NEVER_CUT_CHARACTERS:
            return Classified(dict(zip(entry.labels, known[text], strict=True)), 0)
        # Not on the inference thread: a visitor must not wait for another's batch of draws.
        model = self.catalogue.classifier(classifier)
        row = [float(p) for p in checked(model, [text])[0]]
        unseen = model.unseen_words(text)
        self.store.commit_batch(None, [], entry.fingerprint, {text: row}, None)
        return Classified(dict(zip(entry.labels, row, strict=True)), unseen)

    def plan(self, request: ExplainRequest) -> Plan:
        """The request, checked; raises what ``pipeline.plan`` raises."""
        r = request
        return pipeline.plan(r.text, r.classifier, r.infiller, r.settings, self.catalogue)

    def cost(self, request: ExplainRequest) -> Cost:
        """How many words and draws the request means; raises what ``plan`` raises."""
        todo = self.plan(request)
        n_words, draws = len(todo.split.words), len(todo.masks)
        return Cost(n_words, draws, batches.work(draws, n_words) > batches.LONG_WORK)

    def submit(
        self,
        request: ExplainRequest,
        urgency: int = INTERACTIVE,
        early: float | None = None,
        visitor: str = "",
    ) -> str:
        """Queue the request and return its job's id; an equal one that runs is joined.

        ``early``: end as 'settled' once the order of the first three words is clear at this
        decision threshold (0 to 1); None = draw the whole budget. ``visitor`` names who asks, so
        that one visitor's cancelling does not stop another's job.
        """
        return self._jobs.submit(ExplainTask(self.plan(request)), urgency, early, visitor)

    def job(self, job_id: str, visitor: str = "") -> JobView:
        """The job's state now; ``UnknownNameError`` for one that is not known here."""
        return self._jobs.view(job_id, visitor)

    def partial(self, job_id: str) -> Explanation | None:
        """What a running job's draws say so far; None before the first batch and at the end."""
        return self._jobs.partial(job_id)

    def cancel(self, job_id: str, visitor: str = "") -> None:
        """Stop the job: at once where it waits, else within the batch in hand.

        What is committed stays. Where another visitor goes on looking at it, it goes on for them,
        and its state is 'left' for whoever cancelled. Who gives no name stops it for all.
        """
        self._jobs.cancel(job_id, visitor)

    def leave(self, job_id: str) -> None:
        """A visitor looks at something else: stop the job unless another one asks for it."""
        self._jobs.leave(job_id)

    def result(self, job_id: str) -> Explanation | None:
        """The finished job's explanation, from memory or from the store."""
        todo = self._jobs.task(job_id)
        if not isinstance(todo, ExplainTask):
            return None
        found = self._results.get(todo.key)
        if found is None and self.job(job_id).state == "done":
            found = pipeline.from_store(todo.plan, self.catalogue, self.store)
        return found

    def cached(self, request: ExplainRequest) -> Explanation | None:
        """The explanation if nothing is missing for it, else None; no model runs."""
        todo = self.plan(request)
        found = self._results.get(todo.key)
        if found is None:
            found = pipeline.from_store(todo, self.catalogue, self.store)
            if found is not None:
                self._keep(found)
        return found

    def compare(self, request: ExplainRequest, threshold: float, visitor: str = "") -> str:
        """Queue SHAP, LIME and faithfulness beside a finished explanation; returns the job's id.

        Raises ``SettingsError`` where the explanation is not finished, and what ``plan`` raises.
        """
        found = self.cached(request)
        if found is None:
            raise SettingsError(
                "Methods are compared on a finished explanation, and this one has draws missing. "
                "Explain the text first."
            )
        todo = self.plan(request)
        task = CompareTask(todo, self.rejudged(found, threshold), self._compared.others(todo))
        return self._jobs.submit(task, INTERACTIVE, None, visitor)

    def comparison(self, request: ExplainRequest, threshold: float) -> Comparison | None:
        """The comparison at this threshold where it was made and is still kept, else None."""
        return self._compared.comparison(self.plan(request), threshold)

    def counterfactuals(self, request: CounterfactualRequest, visitor: str = "") -> str:
        """Queue a search for counterfactuals, its explanation first; returns the job's id.

        Raises what ``counterfactual_search.planned`` raises, and ``SettingsError`` where the text
        is known to reach the goal as it stands.
        """
        task = CounterfactualTask(planned(request, self.catalogue))
        explained = self.cached(request.explain)
        if explained is not None:
            task.plan.open_goal(explained.probability)
        return self._jobs.submit(task, INTERACTIVE, None, visitor)

    def found_counterfactuals(self, request: CounterfactualRequest) -> Findings | None:
        """What the search found where it was made and is still kept, else None."""
        return self._found.get(planned(request, self.catalogue).key)

    def reranked(
        self, findings: Findings, strength: float, target: float, tolerance: float
    ) -> tuple[Counterfactual, ...]:
        """All texts by Wachter's loss at this lambda, valid anew for this goal; no model runs.

        Raises ``SettingsError`` for a strength, target or tolerance out of its range.
        """
        goal = replace(findings.goal, target=target, tolerance=tolerance)
        return reranked(findings.table, goal, strength)

    def remember_text(self, text: str) -> str:
        """Store a text for a link; returns its id. Raises ``TextError``."""
        return self.store.remember_text(words.split(text))

    def text(self, text_id: str) -> str | None:
        """The text of a link's id, or None."""
        return self.store.text(text_id)

    def rejudged(self, explanation: Explanation, threshold: float) -> Explanation:
        """The explanation under another decision threshold; no model runs."""
        entry = self.catalogue.classifier_entry(explanation.classifier)
        return pipeline.rejudged(explanation, threshold, entry)

    def growth(self, explanation: Explanation, words: Sequence[int]) -> list[Growth]:
        """The words' scores against the number of draws."""
        return pipeline.growth(explanation, words)

    def _keep(self, found: Any) -> None:
        if isinstance(found, Comparison):
            self._compared.keep(found)
        elif isinstance(found, Findings):
            self._found.keep(found.key, found)
        elif isinstance(found, Explanation):
            self._results.keep(found.key, found)

    def strike(self, explanation: Explanation, side: DrawSide, number: int, reason: str) -> None:
        """Strike out one of its draws; ``SettingsError`` for no reason or no such draw."""
        striking.strike(self.store, explanation, side, number, reason)

    def take_back(self, explanation: Explanation, side: DrawSide, number: int) -> None:
        """Take the strike of one of its draws back."""
        striking.take_back(self.store, explanation, side, number)

    def struck(self, explanation: Explanation) -> tuple[Strike, ...]:
        """The strikes that stand now, of draws that the explanation has."""
        return striking.struck(self.store, explanation)

    def without(
        self, explanation: Explanation, struck: Collection[tuple[DrawSide, int]]
    ) -> Explanation:
        """The explanation scored on its draws less these; no model runs."""
        entry = self.catalogue.classifier_entry(explanation.classifier)
        return pipeline.without(explanation, struck, entry)

    def probabilities(
        self, texts: Sequence[str], classifier: str, label: str | None = None
    ) -> list[float]:
        """P(label) of each text by a classifier, None = the class it explains; 0..1, in order.

        What the store lacks is classified in one call and kept. Raises ``ModelError`` or
        ``UnknownNameError``.
        """
        entry = self.catalogue.classifier_entry(classifier)
        return pipeline.probabilities(texts, entry, self.catalogue, self.store, label)
