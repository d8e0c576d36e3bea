"""From masks to draws: what the infiller writes, and again where it wrote the words back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nsx_core.infilling import Infiller, checked_answers, is_unchanged, splice
from nsx_core.pipeline.planning import Plan
from nsx_core.records import Draw, InfillRequest, Mask
from nsx_core.seeding import child_seed
from nsx_core.settings import REDRAWS_MAX


def infill(
    infiller: Infiller, todo: Plan, masks: Sequence[Mask], drawn: Callable[[], None]
) -> list[Draw]:
    """One draw a mask; a draw equal to the original is drawn again where settings say so.

    ``drawn`` is called once for each draw as it comes, from any thread.
    """
    split, settings = todo.split, todo.settings
    texts = tuple(w.text for w in split.words)
    attempts = [0] * len(masks)

    def request(index: int) -> InfillRequest:
        mask = masks[index]
        seed = child_seed(
            "infill", todo.draws.text_id, mask.side.value, mask.number, settings.seed,
            attempts[index],
        )  # fmt: skip
        return InfillRequest(texts, split.spaces, mask.replaced, seed)

    def text_of(index: int, answer: tuple[str, ...]) -> str:
        return "".join(piece for piece, _ in splice(split, masks[index].replaced, answer))

    def again(index: int, answer: tuple[str, ...]) -> InfillRequest | None:
        most = REDRAWS_MAX if settings.generation.redraw_unchanged else 0
        if attempts[index] == most or not is_unchanged(split.text, text_of(index, answer)):
            drawn()
            return None
        attempts[index] += 1
        return request(index)

    answers = checked_answers(
        infiller,
        [request(index) for index in range(len(masks))],
        settings.generation,
        again,
    )
    draws = []
    for index, (mask, answer) in enumerate(zip(masks, answers, strict=True)):
        text = text_of(index, answer)
        same = is_unchanged(split.text, text)
        draws.append(
            Draw(mask.side, mask.number, mask.replaced, answer, text, same, attempts[index])
        )
    return draws
