"""The rows that one core decodes at a time: a slot each, in the cache and in every tensor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch

from nsx_core.adapters.decoding.waiting import Waiting
from nsx_core.adapters.decoding.work import Work
from nsx_core.adapters.sampling import sample
from nsx_core.infilling.ilm_format import SpecialTokens
from nsx_core.settings import ANSWER_WORDS_MAX

__all__ = ["ANSWER_TOKENS_MAX", "Forward", "Slots", "Vocabulary"]

ANSWER_TOKENS_MAX = 20


class Forward(Protocol):
    """A model that reads contexts once and then one token a row.

    ``positions_max`` bounds a row's context and answers together. ``refills``: whether its
    cache can ``put`` new rows where finished ones were. ``restarts``: whether a step on the last
    token of a context gives what ``prefill`` gives, to the bit. A step's logits may be written
    over by the cache's next one.
    """

    @property
    def positions_max(self) -> int: ...
    @property
    def refills(self) -> bool: ...
    @property
    def restarts(self) -> bool: ...
    def prefill(self, contexts: list[list[int]]) -> tuple[torch.Tensor, Any]: ...
    def step(self, tokens: torch.Tensor, cache: Any) -> torch.Tensor: ...


@dataclass(frozen=True)
class Vocabulary:
    """The tokens that may be written, in the order of the forward pass's logits.

    ids: int64[n], END among them at place ``end``; starts_word: bool[n], the token opens a
    new word; end_bias: nats added to END's logit wherever an answer may end, so that answers
    are about as long as they should be (0 leaves the model as it is).
    """

    special: SpecialTokens
    ids: torch.Tensor
    starts_word: torch.Tensor
    end_bias: float = 0.0

    @property
    def end(self) -> int:
        return int((self.ids == self.special.end).nonzero()[0, 0])


class Slots:
    """Where each slot's row stands. Tensors are [slots]; a slot with ``open`` 0 is free."""

    def __init__(self, work: Work, waiting: Waiting, hand: int) -> None:
        self._work, self._waiting, self._hand = work, waiting, hand
        self._begin([])

    def _begin(self, taken: Sequence[int]) -> None:
        rows = [self._work.rows[i] for i in taken]
        self.number = torch.tensor(taken, dtype=torch.long)
        self.open = torch.tensor([r.answers for r in rows], dtype=torch.long)
        self.used = torch.tensor([len(r.context) for r in rows], dtype=torch.long)
        self.words, self.tokens = torch.zeros(2, len(rows), dtype=torch.long)
        self.chance = [np.random.Generator(np.random.PCG64(r.seed)) for r in rows]
        self.logits = torch.empty(0)
        self.cache: Any = None

    @torch.inference_mode()
    def filled(self, forward: Forward) -> bool:
        """Give free slots to waiting rows; False once no slot holds a row and none waits."""
        free = (self.open == 0).nonzero()[:, 0]
        count = len(self.open)
        if len(free) == count:
            taken = self._waiting.first(self._hand)
            self._begin(taken)
            if taken:
                self.logits, self.cache = self._read(taken, forward)
            return bool(taken)
        if 4 * len(free) < count:
            return True
        taken = []
        if forward.refills:
            taken = self._waiting.more(self._hand, len(free), self._waiting.positions_max // count)
        if taken:
            self._put(free[: len(taken)], taken, forward)
        else:
            self._keep((self.open > 0).nonzero()[:, 0])
        return True

    @torch.inference_mode()
    def step(
        self, forward: Forward, vocabulary: Vocabulary, temperature: float, top_p: float
    ) -> None:
        """Write one more token a row, and read what comes after it."""
        living = self.open > 0
        end = vocabulary.end
        self.logits[:, end] += vocabulary.end_bias
        self.logits[self.tokens == 0, end] = float("-inf")
        token = sample(self.logits, self._uniform(living), temperature, top_p)
        room = forward.positions_max - self.used
        opens = vocabulary.starts_word[token] | (self.tokens == 0)
        full = (self.words + opens > ANSWER_WORDS_MAX) | (self.tokens >= ANSWER_TOKENS_MAX)
        full |= (self.tokens > 0) & (room < 2 * self.open)
        token = torch.where(full, end, token)
        closed = (token == end) & living
        self.words = torch.where(closed, 0, self.words + opens)
        self.tokens = torch.where(closed, 0, self.tokens + 1)
        self.open = self.open - closed.long()
        self.used = self.used + 1
        self._write(vocabulary.ids[token].tolist(), closed.tolist(), living)
        ids = vocabulary.ids[token]
        ended = (living & (self.open == 0)).nonzero()[:, 0].tolist()
        over = [slot for slot in ended if not self._begun_again(slot, ids, forward)]
        if not bool((self.open > 0).any()):
            return
        if over:
            self.cache.free(torch.tensor(over))
        self.logits = forward.step(ids, self.cache)

    def _begun_again(self, slot: int, ids: torch.Tensor, forward: Forward) -> bool:
        """Ask what follows a row that has ended; True where it is decoded again in its slot.

        Its context is there still, so that nothing but the last token has to be read again.
        """
        number = int(self.number[slot])
        context = self._work.rows[number].context
        if self._work.finished(number):
            return False
        row = self._work.rows[number]
        if not forward.restarts or row.context != context:
            self._waiting.put_back(self._hand, number)
            return False
        self.open[slot], self.used[slot] = row.answers, len(context)
        self.words[slot] = self.tokens[slot] = 0
        self.chance[slot] = np.random.Generator(np.random.PCG64(row.seed))
        ids[slot], self.cache.length[slot] = context[-1], len(context) - 1
        return True

    def _write(self, ids: list[int], closed: list[bool], living: torch.Tensor) -> None:
        open_, number = self.open.tolist(), self.number.tolist()
        for slot in living.nonzero()[:, 0].tolist():
            answers = self._work.written[number[slot]]
            if not closed[slot]:
                answers[-1].append(ids[slot])
            elif open_[slot]:
                answers.append([])

    def _uniform(self, living: torch.Tensor) -> torch.Tensor:
        """float64[slots]: the next of each living row's own numbers."""
        pairs = zip(self.chance, living.tolist(), strict=True)
        return torch.tensor(
            [own.random() if lives else 0.0 for own, lives in pairs], dtype=torch.float64
        )

    def _read(self, taken: Sequence[int], forward: Forward) -> tuple[torch.Tensor, Any]:
        """(logits, cache) of the given rows, each distinct context read once."""
        wanted = [self._work.rows[i].context for i in taken]
        contexts = sorted(set(wanted))  # those that begin alike together
        place = {c: i for i, c in enumerate(contexts)}
        logits, cache = forward.prefill([list(c) for c in contexts])
        expand = torch.tensor([place[c] for c in wanted])
        return logits[expand], cache.take(expand)

    def _put(self, slots: torch.Tensor, taken: Sequence[int], forward: Forward) -> None:
        new = Slots(self._work, self._waiting, self._hand)
        new._begin(taken)
        logits, cache = self._read(taken, forward)
        self.cache.put(slots, cache)
        self.logits[slots] = logits
        for mine, theirs in (
            (self.number, new.number),
            (self.open, new.open),
            (self.used, new.used),
            (self.words, new.words),
            (self.tokens, new.tokens),
        ):
            mine[slots] = theirs
        for slot, chance in zip(slots.tolist(), new.chance, strict=True):
            self.chance[slot] = chance

    def _keep(self, slots: torch.Tensor) -> None:
        self.number, self.open, self.used = self.number[slots], self.open[slots], self.used[slots]
        self.words, self.tokens = self.words[slots], self.tokens[slots]
        self.chance = [self.chance[i] for i in slots.tolist()]
        self.cache, self.logits = self.cache.take(slots), self.logits[slots]
