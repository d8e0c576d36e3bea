"""Sampling from the smallest set of tokens that holds a share top_p (holtzman-etal-2020).

Each row brings its own uniform number, so a row's token depends on its logits and number
alone. Only tokens within a factor of exp(8) of the likeliest are sorted; a row whose such
tokens hold less than top_p is sorted whole, so the result is exact for every row.
"""

from __future__ import annotations

import torch

NEAR = 8.0


def sample(
    logits: torch.Tensor, uniform: torch.Tensor, temperature: float, top_p: float
) -> torch.Tensor:
    """int64[rows]: one token a row.

    logits: float32[rows, vocabulary], -inf where forbidden; uniform: float64[rows] in [0, 1);
    temperature > 0; top_p in (0, 1].
    """
    top = logits.max(-1, keepdim=True).values
    scaled = (logits - top) / temperature
    total = scaled.exp().sum(-1, keepdim=True)
    near = scaled > -NEAR
    count = near.sum(-1)
    row, token = near.nonzero(as_tuple=True)
    place = torch.arange(len(row)) - (count.cumsum(0) - count)[row]
    width = int(count.max())
    value = torch.full((len(logits), width), float("-inf"))
    value[row, place] = scaled[row, token]
    names = torch.zeros(len(logits), width, dtype=torch.long)
    names[row, place] = token
    value, order = value.sort(dim=-1, descending=True, stable=True)
    chosen, held = _cut(names.gather(-1, order), value, total, uniform, top_p)
    short = (held < top_p) & (count < logits.shape[-1])
    if bool(short.any()):
        value, token = scaled[short].sort(dim=-1, descending=True, stable=True)
        chosen[short] = _cut(token, value, total[short], uniform[short], top_p)[0]
    return chosen


def _cut(
    token: torch.Tensor,
    value: torch.Tensor,
    total: torch.Tensor,
    uniform: torch.Tensor,
    top_p: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    """(one token a row, the share that the given tokens hold); tokens come likeliest first."""
    mass = (value.exp() / total).double()
    cumulative = mass.cumsum(-1)
    inside = (cumulative - mass < top_p) & (mass > 0)
    held = torch.where(inside, mass, 0.0).sum(-1, keepdim=True)
    at = torch.searchsorted(cumulative, uniform[:, None] * held, right=True)
    last = inside.sum(-1, keepdim=True) - 1
    return token.gather(-1, torch.minimum(at, last))[:, 0], cumulative[:, -1]
