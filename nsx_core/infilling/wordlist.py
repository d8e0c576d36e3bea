"""An infiller for tests and trials: one to three neutral words a run, out of a list.

A shipped fake. It knows no grammar and reads no context; what it writes depends on the
request's seed and on nothing else, so a test can know every answer beforehand, and on its
counts, so a test can see what was computed and what came out of a store.
"""

from __future__ import annotations

from collections.abc import Sequence

from nsx_core.errors import SettingsError
from nsx_core.infilling.ilm_format import runs
from nsx_core.records import GenerationSettings, InfillRequest
from nsx_core.seeding import child_seed, generator
from nsx_core.settings import ANSWER_WORDS_MAX

__all__ = ["NEUTRAL_WORDS", "WordListInfiller"]

NEUTRAL_WORDS = (
    "the", "this", "every", "some", "garden", "morning", "window", "river", "letter", "table",
    "train", "music", "winter", "paper", "bread", "walk", "read", "open", "see", "find",
    "quiet", "early", "green", "often", "near", "today", "together", "slowly", "again", "with",
)  # fmt: skip


class WordListInfiller:
    """Writes ``fewest`` to ``most`` words of ``words`` for each run, each equally likely.

    ``calls`` counts calls of ``infill``; ``requested`` counts requests over all calls.
    """

    def __init__(
        self, words: Sequence[str] = NEUTRAL_WORDS, fewest: int = 1, most: int = 3
    ) -> None:
        if isinstance(words, str) or not words or any(word.split() != [word] for word in words):
            raise SettingsError(
                f"A word list holds one or more words without white space, and {words!r} came."
            )
        if not 1 <= fewest <= most <= ANSWER_WORDS_MAX:
            raise SettingsError(
                f"An answer has 1 to {ANSWER_WORDS_MAX} words, and {fewest} to {most} came."
            )
        self.words, self.fewest, self.most = tuple(words), fewest, most
        self.calls = self.requested = 0

    @property
    def name(self) -> str:
        return "word-list"

    @property
    def fingerprint(self) -> str:
        return f"word-list-1-{child_seed(self.fewest, self.most, *self.words):016x}"

    def infill(
        self, requests: list[InfillRequest], settings: GenerationSettings
    ) -> list[tuple[str, ...]]:
        """One answer of ``fewest`` to ``most`` words a run; ``settings`` change nothing."""
        self.calls += 1
        self.requested += len(requests)
        return [self._answers(request) for request in requests]

    def _answers(self, request: InfillRequest) -> tuple[str, ...]:
        rng = generator("word-list", request.seed)
        answers = []
        for _ in runs(request.replaced):
            length = int(rng.integers(self.fewest, self.most, endpoint=True))
            picked = rng.integers(0, len(self.words), length).tolist()
            answers.append(" ".join(self.words[at] for at in picked))
        return tuple(answers)
