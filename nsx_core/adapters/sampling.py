"""Sampling from the smallest set of tokens that holds a share top_p (holtzman-etal-2020).

Each row brings its own uniform number, so a row's token depends on its logits and number
alone. No row is sorted unless it has to be: a token is drawn from all of them, and kept if
the tokens likelier than it hold less than top_p, which is what being in the set means. A row
whose token lies outside is drawn again, inside the set, with what its number still holds:
where in the outside it fell is uniform, too. Tokens as likely as the set's last are in it.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray


def sample(
    logits: torch.Tensor, uniform: torch.Tensor, temperature: float, top_p: float
) -> torch.Tensor:
    """int64[rows]: one token a row.

    logits: float32[rows, vocabulary], -inf where forbidden; uniform: float64[rows] in [0, 1);
    temperature > 0; top_p in (0, 1].
    """
    mass = (logits - logits.amax(-1, keepdim=True)).div_(temperature).exp_()
    cumulative = mass.cumsum(-1)
    total = cumulative[:, -1:]
    # The last token with mass is the first at which the sum is whole.
    last = torch.searchsorted(cumulative, total.contiguous())
    wanted = uniform[:, None] * total.double()
    place = torch.searchsorted(cumulative, wanted.float(), right=True)
    chosen = torch.minimum(place, last)
    own = mass.gather(-1, chosen)
    likelier = (mass * (mass > own)).sum(-1, keepdim=True)
    outside = (likelier >= top_p * total).nonzero()[:, 0]
    for row in outside.tolist():
        before = float(cumulative[row, chosen[row]] - own[row])
        chosen[row] = _inside(
            mass[row].numpy(), int(chosen[row]), float(wanted[row]) - before, top_p
        )
    return chosen[:, 0]


def _inside(mass: NDArray[np.float32], drawn: int, beyond: float, top_p: float) -> int:
    """A token of the set for a row that drew one outside of it, ``beyond`` into its mass."""
    likeliest = np.sort(mass)[::-1]
    held = likeliest.cumsum(dtype=np.float64)
    last = min(int(np.searchsorted(held, top_p * held[-1])), len(held) - 1)
    inside = mass >= likeliest[last]
    outer = np.where(inside, 0.0, mass.astype(np.float64))
    fell = outer[:drawn].sum() + min(max(beyond, 0.0), outer[drawn])
    inner = np.where(inside, mass.astype(np.float64), 0.0).cumsum()
    share = fell / outer.sum() if outer.any() else 0.0
    place = int(np.searchsorted(inner, share * inner[-1], side="right"))
    return min(place, int(np.searchsorted(inner, inner[-1])))
