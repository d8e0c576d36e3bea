"""Matrix products in 8-bit whole numbers, for processors that multiply those much faster.

A weight matrix has one scale an output channel, and what it is multiplied with one scale a
row. Sums of whole numbers are exact in any order, and no row's scale depends on another row,
so a row's numbers are the same in every batch.

A few input channels of a language model run far beyond the others and would take up a row's
whole range. So each channel is divided by a factor that its weights are multiplied with
(smoothing, xiao-etal-2023), chosen from its largest value on neutral text; the one or two
channels that are too far out even for that are multiplied in floating point and added
(dettmers-etal-2022).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F

__all__ = ["Product", "faster_here", "plain_product", "product"]

Product = Callable[[torch.Tensor], torch.Tensor]

LARGEST = 127
#: How the range is shared between activations (1) and weights (0); 0.6 diverged least here.
SMOOTHING = 0.6
#: A channel so many times the median one is multiplied in floating point.
OUTLIER = 25.0
_TINY = 1e-5


def faster_here() -> bool:
    """Whether this processor has instructions for 8-bit products, and no matrix unit for bf16."""
    return bool(torch.cpu._is_vnni_supported()) and not torch.cpu._is_amx_tile_supported()


def plain_product(weight: torch.Tensor) -> Product:
    """x -> x W^T in the weight's own format; weight [outputs, inputs]."""
    return lambda x: F.linear(x, weight)


def product(weight: torch.Tensor, reach: torch.Tensor) -> Product:
    """x -> about x W^T; weight float32[outputs, inputs], reach float32[inputs].

    ``reach``: the largest absolute value that each input was seen to take, at least 0.
    """
    far = reach > OUTLIER * reach.median()
    top = weight.abs().amax(0).clamp_min(_TINY)
    factor = reach.clamp_min(_TINY) ** SMOOTHING / top ** (1 - SMOOTHING)
    smoothed = weight * factor * ~far
    scale = (smoothed.abs().amax(1) / LARGEST).clamp_min(_TINY / LARGEST)
    whole = (smoothed / scale[:, None]).round().to(torch.int8).t()
    shrink = ~far / factor
    exact = [(channel, weight[:, channel].clone()) for channel in far.nonzero()[:, 0].tolist()]

    def multiplied(x: torch.Tensor) -> torch.Tensor:
        rows = x.reshape(-1, x.shape[-1]) * shrink
        reached = rows.abs().amax(-1, keepdim=True).div_(LARGEST).clamp_min_(_TINY / LARGEST)
        sums = torch._int_mm(rows.div_(reached).round_().to(torch.int8), whole)
        found = sums.float().mul_(reached).mul_(scale).view(*x.shape[:-1], -1)
        for channel, column in exact:
            # Row by row, where a small matrix product would add up as its size suits it.
            found.addcmul_(x[..., channel, None], column)
        return found

    return multiplied
