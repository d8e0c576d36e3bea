"""One method on its way: what it asks next, and what that has cost."""

from __future__ import annotations

import time
from collections.abc import Callable

from nsx_core.counterfactual_search.answering import Answering
from nsx_core.counterfactuals.asking import Ask, Outcome, Search, SpentError

__all__ = ["Running"]


class Running:
    """A search and whoever answers it.

    asks: what it wants next; outcome: None until it ends. seconds: its own, and its share, by
    texts, of what was written and judged for several methods together.
    """

    def __init__(
        self, begun: Callable[[Callable[[], float]], Search], answering: Answering
    ) -> None:
        """``begun`` makes the search, given a clock of its own seconds."""
        self.answering, self.seconds = answering, 0.0
        self.asks: list[Ask] = []
        self.outcome: Outcome | None = None
        self._search = begun(lambda: self.seconds)
        self._send(None)

    def done(self, budget: int) -> int:
        """Calls so far; the whole budget once it has ended."""
        return budget if self.outcome is not None else self.answering.calls

    def step(self) -> None:
        """Answer what it asks, or tell it that the budget is spent."""
        began = time.perf_counter()
        if self.answering.spent:
            self._send(SpentError())
        else:
            self._send(self.answering.answers(self.asks))
        self.seconds += time.perf_counter() - began

    def _send(self, given):  # type: ignore[no-untyped-def]
        try:
            if isinstance(given, SpentError):
                self.asks = self._search.throw(given)
            else:
                self.asks = self._search.send(given)
        except StopIteration as end:
            self.outcome, self.asks = end.value, []
