"""From masks to draws: what the infiller writes, and again where it wrote the words back."""

from __future__ import annotations

from collections.abc import Sequence

from nsx_core.infilling import Infiller, checked_answers, is_unchanged, splice
from nsx_core.pipeline.planning import Plan
from nsx_core.records import Draw, DrawSide, InfillRequest, Mask
from nsx_core.seeding import child_seed
from nsx_core.settings import REDRAWS_MAX


def infill(infiller: Infiller, todo: Plan, masks: Sequence[Mask]) -> list[Draw]:
    """One draw a mask; a draw equal to the original is drawn again where settings say so.

    All further attempts at such draws go into one more call: a call takes about as long for
    fifty rows as for ten, and the first attempt that changes the text is the same one.
    """
    drawn = [_attempts(infiller, todo, [(mask, 0) for mask in masks])]
    unchanged = [mask for mask, draw in zip(masks, drawn[0], strict=True) if draw.unchanged]
    if not unchanged or not todo.settings.generation.redraw_unchanged:
        return drawn[0]
    again = range(1, REDRAWS_MAX + 1)
    drawn.append(_attempts(infiller, todo, [(mask, a) for mask in unchanged for a in again]))
    last: dict[tuple[DrawSide, int], Draw] = {}
    for draw in (*drawn[0], *drawn[1]):
        known = last.get((draw.side, draw.number))
        if known is None or known.unchanged:
            last[draw.side, draw.number] = draw
    return [last[mask.side, mask.number] for mask in masks]


def _attempts(infiller: Infiller, todo: Plan, wanted: Sequence[tuple[Mask, int]]) -> list[Draw]:
    """One draw for each (mask, attempt), in order."""
    split, settings = todo.split, todo.settings
    texts = tuple(w.text for w in split.words)
    requests = [
        InfillRequest(
            texts, split.spaces, mask.replaced,
            child_seed(
                "infill", todo.draws.text_id, mask.side.value, mask.number, settings.seed, attempt
            ),
        )
        for mask, attempt in wanted
    ]  # fmt: skip
    draws = []
    for (mask, attempt), answer in zip(
        wanted, checked_answers(infiller, requests, settings.generation), strict=True
    ):
        text = "".join(piece for piece, _ in splice(split, mask.replaced, answer))
        same = is_unchanged(split.text, text)
        draws.append(Draw(mask.side, mask.number, mask.replaced, answer, text, same, attempt))
    return draws
