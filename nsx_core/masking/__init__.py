"""From words to masks: which words each draw replaces, and in which order draws are made.

A sampler lays out all masks of a budget. Draw j never changes: a larger budget only adds
draws, so a smaller one is a prefix.
"""

from __future__ import annotations

from collections.abc import Callable

from nsx_core.errors import UnknownNameError
from nsx_core.masking.balanced import balanced_masks
from nsx_core.masking.draws import draws_per_side
from nsx_core.masking.paper import paper_masks, paper_plan
from nsx_core.records import Mask, Side

__all__ = [
    "SAMPLERS",
    "Sampler",
    "balanced_masks",
    "draw_count",
    "draws_per_side",
    "paper_masks",
    "paper_plan",
    "sampler_named",
]

#: (n_words, budget, seed, text's key) -> masks in drawing order.
Sampler = Callable[[int, int, int, str], list[Mask]]

SAMPLERS: dict[str, Sampler] = {"balanced": balanced_masks, "paper": paper_plan}


def sampler_named(name: str) -> Sampler:
    """The sampler of that name, or an ``UnknownNameError`` with the nearest one."""
    if name not in SAMPLERS:
        raise UnknownNameError("sampler", name, SAMPLERS)
    return SAMPLERS[name]


def draw_count(name: str, n_words: int, budget: int) -> int:
    """How many masks the sampler of that name lays out, without laying them out."""
    sampler_named(name)
    # Every draw of the balanced sampler counts on both sides.
    sides = (Side.NECESSITY,) if name == "balanced" else tuple(Side)
    return sum(draws_per_side(n_words, budget, side) for side in sides)
