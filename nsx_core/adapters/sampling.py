"""Sampling from the smallest set of tokens that holds a share top_p (holtzman-etal-2020).

Each row brings its own uniform number, so a row's token depends on its logits and number
alone. No row is sorted: a token is drawn from all of them, and kept if
the tokens likelier than it hold less than top_p, which is what being in the set means. A row
whose token lies outside is drawn again, inside the set, with what its number still holds:
where in the outside it fell is uniform, too. Tokens as likely as the set's last are in it.
"""

from __future__ import annotations

import numpy as np
import torch

from nsx_core.adapters.int8_kernels import compiled, exp

# Sums are taken block by block, so that a token is sought in one block only.
_BLOCK = 256
_UNSIGNED = np.int32(0x7FFFFFFF)
_SIGN = np.int32(31)


def sample(
    logits: torch.Tensor, uniform: torch.Tensor, temperature: float, top_p: float
) -> torch.Tensor:
    """int64[rows]: one token a row.

    logits: float32[rows, vocabulary], -inf where forbidden; uniform: float64[rows] in [0, 1);
    temperature > 0; top_p in (0, 1].
    """
    found = torch.empty(len(logits), dtype=torch.long)
    _sampled(
        logits.contiguous().numpy(), uniform.numpy(), np.float32(1 / temperature), top_p,
        found.numpy(),
    )  # fmt: skip
    return found


@compiled
def _sampled(logits, uniform, sharpness, top_p, found):  # type: ignore[no-untyped-def]
    rows, n = logits.shape
    mass = np.empty(n, np.float32)
    blocks = np.empty(-(-n // _BLOCK), np.float64)
    for r in range(rows):
        total = _masses(logits[r], sharpness, mass, blocks)
        drawn, before = _drawn(mass, blocks, uniform[r] * total)
        likelier, own = np.float32(0), mass[drawn]
        for k in range(n):
            likelier += mass[k] if mass[k] > own else np.float32(0)
        if likelier >= top_p * total:
            drawn = _inside(mass, drawn, uniform[r] * total - before, top_p)
        found[r] = drawn


@compiled
def _masses(row, sharpness, mass, blocks):  # type: ignore[no-untyped-def]
    """exp of the row, its largest 0, and sums of blocks; returns the whole sum."""
    most = np.int32(-(2**31) + 1)
    for k in range(len(row)):
        # Of floats the order is that of their bits, those of negative ones turned round.
        bits = np.float32(row[k]).view(np.int32)
        most = max(most, bits ^ ((bits >> _SIGN) & _UNSIGNED))
    top = np.int32(most ^ ((most >> _SIGN) & _UNSIGNED)).view(np.float32)
    total = 0.0
    for b in range(len(blocks)):
        part, to = row[b * _BLOCK : (b + 1) * _BLOCK], mass[b * _BLOCK : (b + 1) * _BLOCK]
        held = np.float32(0)
        for k in range(len(part)):
            to[k] = exp((part[k] - top) * sharpness)
            held += to[k]
        blocks[b] = held
        total += blocks[b]
    return total


@compiled
def _drawn(mass, blocks, wanted):  # type: ignore[no-untyped-def]
    """(the token at which the sum passes ``wanted``, the sum before it); its mass is above 0."""
    before, b = 0.0, 0
    while b < len(blocks) - 1 and before + blocks[b] <= wanted:
        before += blocks[b]
        b += 1
    drawn, passed = -1, before
    for k in range(b * _BLOCK, min((b + 1) * _BLOCK, len(mass))):
        if mass[k] > 0:
            drawn, before = k, passed
            passed += mass[k]
            if passed > wanted:
                break
    if drawn < 0:  # rounding led past the last mass: the last token that has any
        for k in range(b * _BLOCK):
            if mass[k] > 0:
                drawn = k
        before -= mass[drawn]
    return drawn, before


@compiled
def _inside(mass, drawn, beyond, top_p):  # type: ignore[no-untyped-def]
    """A token of the set for a row that drew one outside of it, ``beyond`` into its mass."""
    least = _least(mass, top_p)
    inner = outer = fell = 0.0
    for k in range(len(mass)):
        if mass[k] >= least:
            inner += mass[k]
        else:
            outer += mass[k]
            if k < drawn:
                fell += mass[k]
    fell += min(max(beyond, 0.0), float(mass[drawn]))
    wanted = inner * (fell / outer if outer > 0 else 0.0)
    found, passed = -1, 0.0
    for k in range(len(mass)):
        if mass[k] >= least:
            found = k
            passed += mass[k]
            if passed > wanted:
                break
    return found


@compiled
def _least(mass, top_p):  # type: ignore[no-untyped-def]
    """The largest mass such that tokens of at least as much hold ``top_p`` of it all."""
    wanted = top_p * _held(mass, np.float32(0))
    # Halving the range of its bits, which floats above zero are ordered by; the top mass is 1.
    least, beyond = np.int32(0), np.float32(2).view(np.int32)
    while beyond - least > 1:
        middle = least + (beyond - least) // np.int32(2)
        if _held(mass, np.int32(middle).view(np.float32)) >= wanted:
            least = middle
        else:
            beyond = middle
    return np.int32(least).view(np.float32)


@compiled
def _held(mass, least):  # type: ignore[no-untyped-def]
    held = np.float32(0)
    for k in range(len(mass)):
        held += mass[k] if mass[k] >= least else np.float32(0)
    return held
