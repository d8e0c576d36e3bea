"""Training examples for infilling: masks drawn as explanations draw them, and batches.

Each pass over the corpus draws one mask a text from (seed, pass, position): a side, a size
k with probability proportional to 1/k, and a uniform subset of k words that is replaced
(necessity) or kept (sufficiency). One text in fifty is replaced whole, since a text of one
word is. An answer has at most 7 words, so a longer run gets one of its words kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from nsx_core.infilling.ilm_format import Encode, SpecialTokens, answer_ids, context_ids, runs
from nsx_core.seeding import generator
from nsx_core.settings import ANSWER_WORDS_MAX

WHOLE_TEXT_SHARE = 0.02
BUCKET_BATCHES = 64


@dataclass(frozen=True)
class Example:
    """Token ids of one training sequence; ids[answer_start:] are learned."""

    ids: list[int]
    answer_start: int


def draw_training_mask(n: int, rng: np.random.Generator) -> list[bool]:
    """bool[n], True = replaced, with no run longer than 7 words."""
    if n == 1 or rng.random() < WHOLE_TEXT_SHARE:
        mask = np.ones(n, dtype=bool)
    else:
        weights = 1 / np.arange(1, n)
        k = int(rng.choice(np.arange(1, n), p=weights / weights.sum()))
        chosen = np.zeros(n, dtype=bool)
        chosen[rng.choice(n, size=k, replace=False)] = True
        mask = chosen if rng.random() < 0.5 else ~chosen
    while True:
        long_runs = [r for r in runs(mask.tolist()) if r[1] - r[0] > ANSWER_WORDS_MAX]
        if not long_runs:
            return [bool(m) for m in mask]
        for first, last in long_runs:
            mask[rng.integers(first + 1, last - 1)] = False


def example(text: str, rng: np.random.Generator, encode: Encode, special: SpecialTokens) -> Example:
    """One training sequence of one text."""
    words = text.split()
    mask = draw_training_mask(len(words), rng)
    context = context_ids(words, mask, encode, special)
    return Example(context + answer_ids(words, mask, encode, special), len(context))


def examples_of_pass(
    texts: Sequence[str], seed: int, number: int, encode: Encode, special: SpecialTokens
) -> Iterator[Example]:
    """One example a text, in an order drawn from (seed, number of the pass)."""
    order = generator("ilm order", seed, number).permutation(len(texts))
    for position in order:
        rng = generator("ilm mask", seed, number, int(position))
        yield example(texts[position], rng, encode, special)


def batches_of_pass(
    texts: Sequence[str],
    seed: int,
    number: int,
    batch_size: int,
    encode: Encode,
    special: SpecialTokens,
) -> Iterator[list[Example]]:
    """Batches of about equal lengths: padding halved the rate where they were mixed."""
    shuffle = generator("ilm batches", seed, number)
    pool: list[Example] = []

    def cut() -> Iterator[list[Example]]:
        pool.sort(key=lambda e: len(e.ids))
        ready = [pool[i : i + batch_size] for i in range(0, len(pool), batch_size)]
        for index in shuffle.permutation(len(ready)):
            yield ready[index]

    for made in examples_of_pass(texts, seed, number, encode, special):
        pool.append(made)
        if len(pool) == batch_size * BUCKET_BATCHES:
            yield from cut()
            pool = []
    yield from cut()
