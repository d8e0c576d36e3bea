"""Whether a runtime computes what ours does, and a row's numbers whatever its company.

Sequences of the infilling format are read token by token, as decoding steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from nsx_core.adapters.causal_infiller import CausalInfiller
from nsx_core.adapters.runtimes.protocol import CAPACITY, Runtime, Session
from nsx_core.infilling.ilm_format import answer_ids, context_ids

__all__ = ["Fidelity", "Read", "answers", "fidelity", "readings"]

#: Every fourth sequence is watched in other company.
APART = 4
SENTENCES = (
    "The train to the coast leaves early.", "My sister paints small pictures of birds.",
    "They planted tomatoes behind the old shed.", "We need more chairs for the meeting.",
    "He repaired the bicycle in one afternoon.", "The library closes at six on Fridays.",
    "Her letter arrived two weeks too late.", "Most visitors come here in the spring.",
    "You can see the bridge from here.", "The recipe asks for flour and butter.",
    "Our neighbour lent us a long ladder.", "The lake was frozen until late March.",
    "She teaches music at the local school.", "Both teams played well last night.",
    "The new printer needs another cable.", "I wrote down the address for you.",
    "Nobody had expected so much rain today.", "The museum shows maps and old coins.",
    "Their garden is full of yellow flowers.", "He reads the paper before breakfast.",
    "The bus stops in front of the bakery.", "We watched the boats come back slowly.",
    "This road follows the river for miles.", "The children built a house of cards.",
    "An engineer explained how the pump works.", "She forgot her umbrella in the office.",
    "The soup tastes better with some salt.", "People waited quietly outside the theatre.",
    "A farmer sold us eggs and honey.", "The lecture starts after the short break.",
    "My uncle collects stamps from many places.", "It takes an hour to walk there.",
)  # fmt: skip


@dataclass(frozen=True)
class Read:
    """A sequence: its token ids, and from which one on its answers are asked for."""

    ids: tuple[int, ...]
    answers_from: int


@dataclass(frozen=True)
class Fidelity:
    """How far a runtime is from float32, and how far a row's logits depend on its company.

    nats: mean Kullback-Leibler divergence of the next token, over the answers. neighbours: the
    largest difference of a logit where as many other rows stand beside; number: where fewer do,
    or none but fillers. Both 0 where rows are the same to the bit.
    """

    nats: float
    neighbours: float
    number: float


def readings(infiller: CausalInfiller) -> list[Read]:
    """Sequences: each sentence once with every second word replaced, once with the rest."""
    found = []
    for first in (0, 1):
        for sentence in SENTENCES:
            words = sentence.split()
            mask = [(i + first) % 2 == 0 for i in range(len(words))]
            context = context_ids(words, mask, infiller.encode, infiller.special)
            ids = [*context, *answer_ids(words, mask, infiller.encode, infiller.special)]
            found.append(Read(tuple(ids[:CAPACITY]), len(context) - 1))
    return found


def fidelity(
    runtime: Runtime, wanted: Sequence[NDArray[np.float32]], reads: Sequence[Read], few: int
) -> Fidelity:
    """``wanted``: ``answers`` of what is exact; ``few``: rows that a smaller company has."""
    every = list(_steps(runtime.session(len(reads)), reads))
    found = _asked(every, reads)
    pairs = zip(wanted, found, strict=True)
    nats = float(np.mean([nats for p, q in pairs for nats in _divergence(p, q)]))
    watched = list(range(0, len(reads), APART))

    def apart(rows: int, places: Sequence[int]) -> float:
        """The largest difference where the rows of ``places`` stand last among ``rows``."""
        chance = np.random.default_rng(rows)
        company = [
            Read(tuple(chance.permutation(reads[i % len(reads)].ids).tolist()), 0)
            for i in range(rows - len(places))
        ]
        again = _steps(runtime.session(rows), [*company, *(reads[i] for i in places)])
        differences = [
            np.abs(step[-len(places) :] - whole[list(places)]).max()
            for step, whole in zip(again, every, strict=False)
        ]
        return float(max(differences))

    fewer = max(apart(few, watched[:few]), apart(few, watched[:1]))
    return Fidelity(nats, apart(len(reads), watched), fewer)


def answers(runtime: Runtime, reads: Sequence[Read]) -> list[NDArray[np.float32]]:
    """float32[rows whose answers are being asked for, columns], step by step."""
    return _asked(_steps(runtime.session(len(reads)), reads), reads)


def _steps(session: Session, reads: Sequence[Read]) -> Iterator[NDArray[np.float32]]:
    """float32[rows, columns] after each step; a row that has ended repeats its last one."""
    last = np.array([len(read.ids) - 1 for read in reads])
    for step in range(last.max() + 1):
        position = np.minimum(step, last)
        tokens = [read.ids[at] for read, at in zip(reads, position.tolist(), strict=True)]
        yield session.step(np.array(tokens), position).copy()


def _asked(
    steps: Iterable[NDArray[np.float32]], reads: Sequence[Read]
) -> list[NDArray[np.float32]]:
    """A step's rows whose answers are being asked for, step by step."""
    return [
        step[[i for i, r in enumerate(reads) if r.answers_from <= at < len(r.ids)]]
        for at, step in enumerate(steps)
    ]


def _divergence(exact: NDArray[np.float32], found: NDArray[np.float32]) -> list[float]:
    p, q = (torch.from_numpy(x).double().log_softmax(-1) for x in (exact, found))
    nats: list[float] = (p.exp() * (p - q)).sum(-1).tolist()
    return nats
