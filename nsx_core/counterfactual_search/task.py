"""A search for counterfactuals as a task of the queue."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import asdict, dataclass
from typing import Any

from nsx_core import batches
from nsx_core.catalogue import Catalogue
from nsx_core.counterfactual_records import Findings
from nsx_core.counterfactual_search.planning import CounterfactualPlan
from nsx_core.counterfactual_search.searching import searching
from nsx_core.pipeline import Progress
from nsx_core.records import Explanation
from nsx_core.store import Store
from nsx_core.tasks import Hooks

__all__ = ["CounterfactualTask"]


@dataclass(frozen=True)
class CounterfactualTask:
    """See ``nsx_core.tasks.Task``. One that gives way begins again from what is stored."""

    plan: CounterfactualPlan

    kind = "counterfactuals"
    job_id = None

    @property
    def key(self) -> str:
        return self.plan.key

    @property
    def total(self) -> int:
        return len(self.plan.explain.masks)

    @property
    def work(self) -> int:
        asked = self.plan.request
        texts = len(self.plan.explain.masks) + asked.budget * len(asked.methods)
        return batches.work(texts, len(self.plan.explain.split.words))

    def request(self) -> dict[str, Any]:
        """The text's id, the models' names, and what is asked."""
        asked = asdict(self.plan.request)
        explain = asked.pop("explain")
        return {
            "text_id": self.plan.explain.draws.text_id,
            "classifier": explain["classifier"],
            "infiller": explain["infiller"],
            "settings": explain["settings"],
            **asked,
        }

    def steps(
        self, catalogue: Catalogue, store: Store, hooks: Hooks
    ) -> Generator[Progress, None, Findings]:
        """See ``searching``."""
        return searching(self.plan, catalogue, store, hooks.row, hooks.drawn, hooks.alone)

    def settled(self, partial: Explanation, threshold: float) -> bool:
        """Never: it is the search that is asked for, not its explanation."""
        return False
