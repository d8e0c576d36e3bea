"""How settled an explanation's scores are: over the draws so far, and against more of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nsx_core.counting import counted, size_weights
from nsx_core.records import Explanation, Growth, Side
from nsx_core.scoring import necessity, ranking, sufficiency
from nsx_core.seeding import child_seed

__all__ = ["SETTLED", "growth", "settled"]

#: Share of resamples in which the first words must keep their order.
SETTLED = 0.95
POINTS = 24


def settled(explanation: Explanation) -> bool:
    """Whether the order of the three most necessary words would stay, by 95 of 100 resamples."""
    masks, values = _side(explanation, Side.NECESSITY)
    weights = _weights(explanation, masks, Side.NECESSITY, range(len(explanation.words)))
    seed = child_seed("ranking", explanation.settings.seed)
    sizes = masks.sum(axis=1)
    return ranking.same_order_share(values, weights, sizes, seed) >= SETTLED


def growth(explanation: Explanation, words: Sequence[int]) -> list[Growth]:
    """Both scores of the given words against the number of draws, at most 24 points each."""
    total = len(explanation.draws)
    stops = (
        sorted({max(1, round(total * i / POINTS)) for i in range(1, POINTS + 1)}) if total else []
    )
    own = (
        explanation.probability if explanation.settings.use_scores else float(explanation.predicted)
    )
    found = []
    for side in Side:
        masks, values = _side(explanation, side)
        # The place of each of the side's draws among all of them.
        places = np.array(
            [i for i, j in enumerate(explanation.draws) if j.draw.side.counts_on(side)]
        )
        rows = []
        for stop in stops:
            n = int((places < stop).sum())
            weights = _weights(explanation, masks[:n], side, words)
            chosen = masks[:n, list(words)]
            if side is Side.NECESSITY:
                rows.append(necessity(own, values[:n], chosen, weights))
            else:
                rows.append(sufficiency(explanation.baseline, values[:n], chosen, weights))
        for column, word in enumerate(words):
            line = tuple(float(row[column]) for row in rows)
            found.append(Growth(word, side, tuple(stops), line))
    return found


def _side(explanation: Explanation, side: Side) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """(masks, what each draw counts) of one side, in drawing order."""
    draws = [j for j in explanation.draws if j.draw.side.counts_on(side)]
    masks = np.array([j.draw.replaced for j in draws], dtype=bool)
    values = [j.probability if explanation.settings.use_scores else float(j.kept) for j in draws]
    return masks.reshape(-1, len(explanation.words)), np.array(values)


def _weights(
    explanation: Explanation, masks: NDArray[np.bool_], side: Side, words: Sequence[int]
) -> NDArray[np.float64]:
    """float64[n_draws, len(words)]."""
    if any(j.draw.side.weighted for j in explanation.draws):
        return size_weights(masks, side, words)
    return counted(masks, side)[:, list(words)].astype(np.float64)
