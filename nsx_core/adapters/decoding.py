"""The generation engine: contexts in, answers out, in batches.

Draws that share a mask share one prefill, whose cache is then expanded to their rows. A
batch decodes until its rows have closed all their answers, so rows of as many answers go
together; finished rows leave it once they are a quarter of it. Randomness comes from each
row's own seed, never from the batch. Each processor core decodes a batch of its own, with
one thread: faster than sharing every product, and the same numbers on any count of cores.

A row that nears the model's last position gets its answers closed early, so that each still
has a token; a row too long even for that is refused before anything is decoded.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Protocol

import numpy as np
import torch

from nsx_core import stopping
from nsx_core.adapters.processor import usable_cores
from nsx_core.adapters.sampling import sample
from nsx_core.errors import ModelError
from nsx_core.infilling.ilm_format import SpecialTokens
from nsx_core.settings import ANSWER_WORDS_MAX

ROWS_MIN, ROWS_MAX = 16, 128
POSITIONS_MAX = 12_288
ANSWER_TOKENS_MAX = 20
UNIFORMS = 64


class Forward(Protocol):
    """A model that reads contexts once and then one token a row.

    ``positions_max`` bounds a row's context and answers together.
    """

    @property
    def positions_max(self) -> int: ...
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


@dataclass(frozen=True)
class Row:
    """One draw: its context, how many answers it needs, and its seed."""

    context: tuple[int, ...]
    answers: int
    seed: int


def decode(
    forward: Forward, vocabulary: Vocabulary, rows: Sequence[Row], temperature: float, top_p: float
) -> list[list[list[int]]]:
    """For each row, the token ids of each of its answers.

    Raises ``CancelledError`` within a step of the person's cancelling (``nsx_core.stopping``).
    """
    for row in rows:
        if len(row.context) + 2 * row.answers > forward.positions_max:
            raise ModelError(
                f"The infiller reads and writes at most {forward.positions_max} tokens a text, "
                f"and this one needs {len(row.context)} and {row.answers} answers. Shorten the "
                "text or use sentence units."
            )
    order = sorted(range(len(rows)), key=lambda i: (rows[i].answers, rows[i].context))
    found: list[list[list[int]]] = [[] for _ in rows]
    cores = usable_cores()
    # Dealt like cards, so that every core gets as many long rows as short ones.
    hands = min(cores, max(1, len(rows) // ROWS_MIN))
    dealt = [_packed([(i, rows[i]) for i in order[h::hands]]) for h in range(hands)]
    batches = [batch for turn in zip_longest(*dealt) for batch in turn if batch]

    asked = stopping.question()

    def run(batch: list[tuple[int, Row]]) -> list[list[list[int]]]:
        given = [row for _, row in batch]
        return _decode_batch(forward, vocabulary, given, temperature, top_p, asked)

    threads = torch.get_num_threads()
    try:
        with ThreadPoolExecutor(cores, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            for batch, answers in zip(batches, pool.map(run, batches), strict=True):
                for (index, _), answer in zip(batch, answers, strict=True):
                    found[index] = answer
    finally:
        torch.set_num_threads(threads)  # the pool's setting reaches the whole process
    return found


def _packed(rows: list[tuple[int, Row]]) -> list[list[tuple[int, Row]]]:
    """Batches of at most ROWS_MAX rows and POSITIONS_MAX cache positions."""
    batches: list[list[tuple[int, Row]]] = []
    longest = 0
    for index, row in rows:
        expected = len(row.context) + 8 * row.answers
        longest = max(longest, expected)
        full = batches and (
            len(batches[-1]) >= ROWS_MAX or (len(batches[-1]) + 1) * longest > POSITIONS_MAX
        )
        if not batches or full:
            batches.append([])
            longest = expected
        batches[-1].append((index, row))
    return batches


class _Progress:
    """Where each living row of a batch stands; all tensors are [living rows]."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.index = torch.arange(len(rows))
        self.open = torch.tensor([r.answers for r in rows])
        self.length = torch.tensor([len(r.context) for r in rows])
        self.words = torch.zeros(len(rows), dtype=torch.long)
        self.tokens = torch.zeros(len(rows), dtype=torch.long)
        self._generators = [np.random.Generator(np.random.PCG64(r.seed)) for r in rows]
        self._uniform = torch.empty(len(rows), 0, dtype=torch.float64)

    def uniform(self, at: int) -> torch.Tensor:
        """float64[living rows]: each row's number for step ``at``."""
        if at >= self._uniform.shape[1]:
            more = np.stack([g.random(UNIFORMS) for g in self._generators])
            self._uniform = torch.cat([self._uniform, torch.from_numpy(more)], dim=1)
        return self._uniform[self.index, at]

    def keep(self, rows: torch.Tensor) -> None:
        self.index, self.open = self.index[rows], self.open[rows]
        self.length = self.length[rows]
        self.words, self.tokens = self.words[rows], self.tokens[rows]


@torch.inference_mode()
def _decode_batch(
    forward: Forward,
    vocabulary: Vocabulary,
    rows: Sequence[Row],
    temperature: float,
    top_p: float,
    asked: stopping.Question,
) -> list[list[list[int]]]:
    stopping.check(asked)
    contexts = sorted({r.context for r in rows}, key=lambda c: (len(c), c))
    number = {c: i for i, c in enumerate(contexts)}
    logits, cache = forward.prefill([list(c) for c in contexts])
    expand = torch.tensor([number[r.context] for r in rows])
    logits, cache = logits[expand], cache.take(expand)
    state = _Progress(rows)
    written: list[list[list[int]]] = [[[]] for _ in rows]
    end, at = vocabulary.end, 0
    while True:
        stopping.check(asked)
        logits[:, end] += vocabulary.end_bias
        logits[state.tokens == 0, end] = float("-inf")
        token = sample(logits, state.uniform(at), temperature, top_p)
        room = forward.positions_max - state.length - at
        at += 1
        opens = vocabulary.starts_word[token] | (state.tokens == 0)
        full = (state.words + opens > ANSWER_WORDS_MAX) | (state.tokens >= ANSWER_TOKENS_MAX)
        full |= (state.tokens > 0) & (room < 2 * state.open)
        token = torch.where(full, end, token)
        closed = token == end
        state.words = torch.where(closed, 0, state.words + opens)
        state.tokens = torch.where(closed, 0, state.tokens + 1)
        state.open = state.open - closed.long()
        written_ids = vocabulary.ids[token].tolist()
        for index, value, is_end, left in zip(
            state.index.tolist(), written_ids, closed.tolist(), state.open.tolist(), strict=True
        ):
            if not is_end and left > 0:
                written[index][-1].append(value)
            elif is_end and left > 0:
                written[index].append([])
        living = (state.open > 0).nonzero()[:, 0]
        if not len(living):
            return written
        if 4 * len(living) <= 3 * len(state.open):
            state.keep(living)
            cache, token = cache.take(living), token[living]
        logits = forward.step(vocabulary.ids[token], cache)
