"""From masks to draws: what the infiller writes, and again where it wrote the words back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from nsx_core.infilling import Infiller, answers_by_part, is_unchanged, splice
from nsx_core.pipeline.planning import Plan
from nsx_core.records import Draw, InfillRequest, Mask
from nsx_core.seeding import child_seed
from nsx_core.settings import REDRAWS_MAX


def draws_by_batch(
    infiller: Infiller,
    todo: Plan,
    batches: Sequence[Sequence[Mask]],
    drawn: Callable[[], None],
    ahead: Callable[[], bool],
    in_hand: dict[int, Draw],
    seed_of: Callable[[Mask, int], int] | None = None,
) -> Iterator[list[Draw]]:
    """One draw a mask, batch by batch; one equal to the original is drawn again where settings
    say so.

    ``drawn`` is called once for each draw as it comes, ``ahead`` now and then, both from any
    thread: the second says whether a batch may be begun before the one in hand has ended.
    ``in_hand`` holds what is drawn and not yet handed over, whole batches or not. ``seed_of``: the
    seed of a mask's attempt, None = that of a numbered draw of an explanation.
    """
    split, settings = todo.split, todo.settings
    texts = tuple(w.text for w in split.words)
    masks: dict[int, Mask] = {}
    attempts: dict[int, int] = {}

    def request(index: int) -> InfillRequest:
        mask = masks[index]
        attempt = attempts[index]
        if seed_of is not None:
            seed = seed_of(mask, attempt)
        else:
            seed = child_seed(
                "infill", todo.draws.text_id, mask.side.value, mask.number, settings.seed, attempt
            )
        return InfillRequest(texts, split.spaces, mask.replaced, seed)

    def text_of(index: int, answer: tuple[str, ...]) -> str:
        return "".join(piece for piece, _ in splice(split, masks[index].replaced, answer))

    def again(index: int, answer: tuple[str, ...]) -> InfillRequest | None:
        most = REDRAWS_MAX if settings.generation.redraw_unchanged else 0
        if attempts[index] == most or not is_unchanged(split.text, text_of(index, answer)):
            in_hand[index] = draw(index, answer)
            drawn()
            return None
        attempts[index] += 1
        return request(index)

    def draw(index: int, answer: tuple[str, ...]) -> Draw:
        mask, text = masks[index], text_of(index, answer)
        same = is_unchanged(split.text, text)
        return Draw(mask.side, mask.number, mask.replaced, answer, text, same, attempts[index])

    def parts() -> Iterator[list[InfillRequest]]:
        count = 0
        for batch in batches:
            numbers = range(count, count + len(batch))
            masks.update(zip(numbers, batch, strict=True))
            attempts.update(dict.fromkeys(numbers, 0))
            count += len(batch)
            yield [request(index) for index in numbers]

    first = 0
    for answers in answers_by_part(infiller, parts(), settings.generation, again, ahead):
        numbers = range(first, first + len(answers))
        for index in numbers:
            del masks[index], attempts[index]
        first += len(answers)
        yield [in_hand.pop(index) for index in numbers]
