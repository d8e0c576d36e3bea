"""Weights in 8-bit whole numbers, for processors that multiply those much faster.

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

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

__all__ = ["Whole", "faster_here", "whole"]

LARGEST = 127
#: How the range is shared between activations (1) and weights (0); 0.6 diverged least here.
SMOOTHING = 0.6
#: A channel so many times the median one is multiplied in floating point.
OUTLIER = 25.0
_TINY = 1e-5


def faster_here() -> bool:
    """Whether this processor has instructions for 8-bit products, and no matrix unit for bf16."""
    return bool(torch.cpu._is_vnni_supported()) and not torch.cpu._is_amx_tile_supported()


@dataclass(frozen=True)
class Whole:
    """A weight matrix of d inputs and m outputs, ready for ``int8_kernels``.

    weight: int8[d, m], as ``torch._int_mm`` takes it; scale: float32[m], what 1 in it stands
    for; shrink: float32[d], what inputs are multiplied with first, 0 for a channel far out;
    norm: float32[c], what a norm before it gives these channels; channels: int64[c] and
    columns: float32[c, m], their places and weights in floating point.
    """

    weight: torch.Tensor
    scale: NDArray[np.float32]
    shrink: NDArray[np.float32]
    channels: NDArray[np.int64]
    norm: NDArray[np.float32]
    columns: NDArray[np.float32]


def whole(weight: torch.Tensor, reach: torch.Tensor, norm: torch.Tensor | None = None) -> Whole:
    """weight: float32[m, d]; reach: float32[d], at least 0, the largest absolute value that each
    input was seen to take; norm: float32[d], weights of the norm that the inputs come from, which
    are taken into ``shrink``.
    """
    far = reach > OUTLIER * reach.median()
    top = weight.abs().amax(0).clamp_min(_TINY)
    factor = reach.clamp_min(_TINY) ** SMOOTHING / top ** (1 - SMOOTHING)
    smoothed = weight * factor * ~far
    scale = (smoothed.abs().amax(1) / LARGEST).clamp_min(_TINY / LARGEST)
    norm = torch.ones_like(reach) if norm is None else norm
    return Whole(
        weight=(smoothed / scale[:, None]).round().to(torch.int8).t(),
        scale=scale.numpy(),
        shrink=(norm * ~far / factor).numpy(),
        channels=far.nonzero()[:, 0].numpy(),
        norm=norm[far].numpy(),
        columns=weight[:, far].t().contiguous().numpy(),
    )
