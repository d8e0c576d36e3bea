"""How settled an explanation's scores are: over the draws so far, and against more of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nsx_core.counting import counted, draw_weights, side_masks
from nsx_core.records import Explanation, Growth, Side
from nsx_core.scoring import necessity, ranking, sufficiency
from nsx_core.seeding import child_seed

__all__ = ["SETTLED", "growth", "settled"]

#: Share of resamples in which the first words must keep their order.
SETTLED = 0.95
POINTS = 24


def settled(explanation: Explanation) -> bool:
    """Whether the order of the three most necessary words would stay, by 95 of 100 resamples."""
    draws = [j.draw for j in explanation.draws]
    rows, masks = side_masks(draws, Side.NECESSITY, len(explanation.words))
    weights = draw_weights(draws, masks, Side.NECESSITY)
    if weights is None:
        weights = counted(masks, Side.NECESSITY).astype(np.float64)
    seed = child_seed("ranking", explanation.settings.seed)
    values = _values(explanation)[rows]
    return ranking.same_order_share(values, weights, masks.sum(axis=1), seed) >= SETTLED


def growth(explanation: Explanation, words: Sequence[int]) -> list[Growth]:
    """Both scores of the given words against the number of draws, at most 24 points each."""
    total, use_scores = len(explanation.draws), explanation.settings.use_scores
    stops = sorted(
        {max(1, round(total * i / POINTS)) for i in range(1, POINTS + 1)} if total else ()
    )
    own = explanation.probability if use_scores else float(explanation.predicted)
    draws, found = [j.draw for j in explanation.draws], []
    for side in Side:
        rows, masks = side_masks(draws, side, len(explanation.words))
        values = _values(explanation)[rows]
        lines = []
        for stop in stops:
            n = bisect_left(rows, stop)
            weights = draw_weights(draws, masks[:n], side, words)
            part = values[:n], masks[:n, list(words)], weights
            if side is Side.NECESSITY:
                lines.append(necessity(own, *part))
            else:
                lines.append(sufficiency(explanation.baseline, *part))
        for column, word in enumerate(words):
            scores = tuple(float(line[column]) for line in lines)
            found.append(Growth(word, side, tuple(stops), scores))
    return found


def _values(explanation: Explanation) -> NDArray[np.float64]:
    """float64[n_draws]: what each draw counts, its probability or 1 where the class is kept."""
    use_scores = explanation.settings.use_scores
    return np.array([j.probability if use_scores else float(j.kept) for j in explanation.draws])
