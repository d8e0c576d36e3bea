"""From an explanation of a case to what the store keeps of it."""

from __future__ import annotations

import numpy as np

from nsx_core.counting import counted, draw_weights, side_masks
from nsx_core.records import Explanation, Side
from nsx_core.store import CaseRows

__all__ = ["case_rows"]


def case_rows(
    explained: Explanation, case_number: int, phrase_at: int, masked: bool, fresh: bool
) -> CaseRows:
    """The words' scores, and the draws that count for the word at ``phrase_at``.

    fresh: all draws of the case were written in this run, so that what it took was measured.
    """
    measured = fresh and "classifying" in explained.seconds
    spent = sum(explained.seconds.get(stage, 0.0) for stage in ("infilling", "classifying"))
    return CaseRows(
        masked=masked,
        classifier=explained.classifier,
        case_number=case_number,
        draw_set=explained.draw_set,
        phrase_at=phrase_at,
        words=[
            (place, w.word.text, place == phrase_at, w.necessity.value, w.sufficiency.value)
            for place, w in enumerate(explained.words)
        ],
        draws=_counted(explained, phrase_at),
        calls=len(explained.draws),
        texts=len({j.draw.text for j in explained.draws}),
        seconds=spent if measured else None,
    )


def _counted(explained: Explanation, at: int) -> list[tuple[str, int, int, bool, float, float]]:
    draws = [j.draw for j in explained.draws]
    found = []
    for side in Side:
        rows, masks = side_masks(draws, side, len(explained.words))
        if not rows:
            continue
        counts = counted(masks, side)[:, at]
        weights = draw_weights(draws, masks, side, [at])
        if weights is None:
            weights = counts[:, None] / max(1, int(counts.sum()))
        for place in np.flatnonzero(counts):
            judged, weight = explained.draws[rows[place]], float(weights[place, 0])
            draw = judged.draw
            found.append(
                (
                    draw.side.value, draw.number, sum(draw.replaced), draw.replaced[at], weight,
                    judged.probability,
                )
            )  # fmt: skip
    return found
