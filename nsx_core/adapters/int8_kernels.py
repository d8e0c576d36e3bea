"""What lies between the 8-bit products of a Llama layer, each a single pass over its rows.

As separate tensor operations these cost more time than the products: every one reads and writes
whole matrices, and is called from Python. Compiled once (numba, lam-etal-2015; kept on disk for
the next start), each reads a row, does all that has to be done with it, and writes it. No row's
numbers depend on another row or on how many there are.

Arrays are C-contiguous; n = rows, d = a product's inputs, m = its outputs. ``Side`` arrays of a
product are the channels that are multiplied in floating point: ``channels`` int64[c], ``columns``
float32[c, m], and what a row holds there, ``aside`` float32[n, at least c].
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = [
    "attend",
    "compiled",
    "exp",
    "gate",
    "logits",
    "normalize",
    "residual",
    "share_prefixes",
    "turn",
]

_f, _i = np.float32, np.int32
_ONE, _ZERO, _TINY, _LARGEST = _f(1), _f(0), _f(1e-9), _f(127)
_UNSIGNED = _i(0x7FFFFFFF)
# Added to a float of less than 2^22, its lowest bits are the rounded number.
_ROUNDING = _f(12_582_912)
# exp on float32: cephes' polynomial after taking out powers of two.
_LOG2E, _LN2_HIGH, _LN2_LOW = _f(1.44269504), _f(0.693359375), _f(-2.12194440e-4)
_HALF = np.uint32(16)
_LOWEST, _HIGHEST, _BIAS, _MANTISSA = _f(-80), _f(80), _i(127), _i(23)
_P0, _P1, _P2 = _f(1.98756915e-4), _f(1.39819995e-3), _f(8.33345191e-3)
_P3, _P4, _P5 = _f(4.16657959e-2), _f(1.66666655e-1), _f(5.00000012e-1)

_options: dict[str, Any] = {"nogil": True, "fastmath": True, "error_model": "numpy"}
_inlined: Any = njit(inline="always", **_options)


def compiled(function: Any) -> Any:
    """Compiled at its first call, and kept on disk where there is a place to write to.

    A change to an inlined function is seen by the kept kernels of its own file only.
    """
    try:
        return njit(cache=True, **_options)(function)
    except RuntimeError:  # a folder that is not ours: compile at every start
        return njit(**_options)(function)


@_inlined
def exp(x):  # type: ignore[no-untyped-def]
    """exp of a float32 up to 80, to six digits; 0 below -80."""
    within = min(max(x, _LOWEST), _HIGHEST)
    n = np.rint(within * _LOG2E)
    r = within - n * _LN2_HIGH - n * _LN2_LOW
    p = ((((_P0 * r + _P1) * r + _P2) * r + _P3) * r + _P4) * r + _P5
    found = (p * r * r + r + _ONE) * _i((_i(n) + _BIAS) << _MANTISSA).view(_f)
    return found if x >= _LOWEST else _ZERO


@_inlined
def _whole(row, shrink, into):  # type: ignore[no-untyped-def]
    """``row * shrink`` as whole numbers of 8 bits; returns what one of them stands for."""
    most = _i(0)
    for k in range(len(row)):
        # Of floats above zero the larger has the larger bits, and whole numbers compare faster.
        most = max(most, _f(row[k] * shrink[k]).view(_i) & _UNSIGNED)
    reached = max(_i(most).view(_f), _TINY)
    by = _LARGEST / reached
    for k in range(len(row)):
        into[k] = np.int8(_f(row[k] * shrink[k] * by + _ROUNDING).view(_i))
    return reached / _LARGEST


@_inlined
def _normalized(row, shrink, eps, channels, norm, whole, aside):  # type: ignore[no-untyped-def]
    """A row's root-mean-square norm, ``shrink`` holding the norm's weights, as whole numbers."""
    squares = _ZERO
    for k in range(len(row)):
        squares += row[k] * row[k]
    by = _ONE / np.sqrt(squares / _f(len(row)) + eps)
    for c in range(len(channels)):
        aside[c] = row[channels[c]] * norm[c] * by
    return _whole(row, shrink, whole) * by


@_inlined
def _halved(x):  # type: ignore[no-untyped-def]
    """The upper half of a float32's bits (bfloat16), rounded to the nearest."""
    bits = _f(x).view(np.uint32)
    return np.uint16((bits + np.uint32(0x7FFF) + ((bits >> _HALF) & np.uint32(1))) >> _HALF)


@_inlined
def _widened(kept, into):  # type: ignore[no-untyped-def]
    for t in range(len(into)):
        for k in range(into.shape[1]):
            into[t, k] = np.uint32(np.uint32(kept[t, k]) << _HALF).view(_f)


@_inlined
def _add_aside(aside, columns, to):  # type: ignore[no-untyped-def]
    for c in range(len(columns)):
        value, column = aside[c], columns[c]
        for k in range(len(to)):
            to[k] += value * column[k]


@compiled
def normalize(x, shrink, eps, channels, norm, whole, step, aside):  # type: ignore[no-untyped-def]
    """Root-mean-square norm of x float32[n, d] into whole int8[n, d], step float32[n]."""
    for r in range(len(x)):
        step[r] = _normalized(x[r], shrink, eps, channels, norm, whole[r], aside[r])


@compiled
def residual(sums, step, scale, columns, x, shrink, eps, channels, norm, whole, aside):  # type: ignore[no-untyped-def]
    """Add a product to x float32[n, d] and ``normalize`` it; step and aside are read and set.

    sums: int32[n, d]; scale: float32[d], what a whole number of an output's weights stands for.
    """
    for r in range(len(x)):
        row, summed, by = x[r], sums[r], step[r]
        for k in range(len(row)):
            row[k] += _f(summed[k]) * (by * scale[k])
        _add_aside(aside[r], columns, row)
        step[r] = _normalized(row, shrink, eps, channels, norm, whole[r], aside[r])


@compiled
def turn(  # type: ignore[no-untyped-def]
    sums, step, scale, columns, aside, cos, sin, row, position, layer, keys, values, queries
):
    """Finish a query-key-value product: queries and keys turned by position, keys and values kept.

    sums: int32[n, (heads + 2 kv_heads) * w], w = head_dim; cos, sin: float32[positions, w / 2];
    row, position: int64[n], where in the cache a token belongs; keys, values: uint16[layers,
    rows, kv_heads, capacity, w], bfloat16; queries: float32[n, heads, w].
    """
    heads, width = queries.shape[1:]
    kv_heads, half = keys.shape[2], width // 2
    joined = np.empty(sums.shape[1], np.float32)
    for r in range(len(sums)):
        summed, by, at = sums[r], step[r], position[r]
        for k in range(len(joined)):
            joined[k] = _f(summed[k]) * (by * scale[k])
        _add_aside(aside[r], columns, joined)
        c, s = cos[at], sin[at]
        for h in range(heads + kv_heads):
            first, second = joined[h * width :], joined[h * width + half :]
            if h < heads:
                to, upper = queries[r, h], queries[r, h, half:]
                for k in range(half):
                    a, b = first[k], second[k]
                    to[k] = a * c[k] - b * s[k]
                    upper[k] = b * c[k] + a * s[k]
            else:
                key = keys[layer, row[r], h - heads, at]
                upper_key = key[half:]
                for k in range(half):
                    a, b = first[k], second[k]
                    key[k] = _halved(a * c[k] - b * s[k])
                    upper_key[k] = _halved(b * c[k] + a * s[k])
        for h in range(kv_heads):
            own = joined[(heads + kv_heads + h) * width :]
            value = values[layer, row[r], h, at]
            for k in range(width):
                value[k] = _halved(own[k])


@compiled
def share_prefixes(layer, keys, values, shared):  # type: ignore[no-untyped-def]
    """Of each row's first ``shared`` int64[rows] positions, what the row before it holds there."""
    for r in range(1, len(shared)):
        for h in range(keys.shape[2]):
            for t in range(shared[r]):
                keys[layer, r, h, t] = keys[layer, r - 1, h, t]
                values[layer, r, h, t] = values[layer, r - 1, h, t]


@_inlined
def _attended(query, kept, held, weights, own):  # type: ignore[no-untyped-def]
    """``held`` float32[positions, w], weighed by the softmax of ``kept`` times ``query``."""
    width, length = len(query), len(kept)
    top = _f(-np.inf)
    for t in range(length):
        key, score = kept[t], _ZERO
        for k in range(width):
            score += query[k] * key[k]
        weights[t] = score
        top = max(top, score)
    total = _ZERO
    for t in range(length):
        weights[t] = exp(weights[t] - top)
        total += weights[t]
    for k in range(width):
        own[k] = _ZERO
    t = 0
    while t + 4 <= length:
        v0, v1, v2, v3 = held[t], held[t + 1], held[t + 2], held[t + 3]
        w0, w1, w2, w3 = weights[t], weights[t + 1], weights[t + 2], weights[t + 3]
        for k in range(width):
            own[k] += w0 * v0[k] + w1 * v1[k] + w2 * v2[k] + w3 * v3[k]
        t += 4
    while t < length:
        v0, w0 = held[t], weights[t]
        for k in range(width):
            own[k] += w0 * v0[k]
        t += 1
    by = _ONE / total
    for k in range(width):
        own[k] *= by


@compiled
def attend(  # type: ignore[no-untyped-def]
    queries, row, position, layer, keys, values, shrink, channels, whole, step, aside
):
    """Each token over the positions of its row up to its own, as whole int8[n, heads * w]."""
    heads, width = queries.shape[1:]
    kv_heads, capacity = keys.shape[2:4]
    together = heads // kv_heads
    mixed = np.empty(heads * width, np.float32)
    weights = np.empty(capacity, np.float32)
    kept = np.empty((capacity, width), np.float32)
    held = np.empty((capacity, width), np.float32)
    for r in range(len(queries)):
        length = position[r] + 1
        for g in range(kv_heads):
            _widened(keys[layer, row[r], g], kept[:length])
            _widened(values[layer, row[r], g], held[:length])
            for h in range(g * together, (g + 1) * together):
                own = mixed[h * width : (h + 1) * width]
                _attended(queries[r, h], kept[:length], held[:length], weights, own)
        for c in range(len(channels)):
            aside[r, c] = mixed[channels[c]]
        step[r] = _whole(mixed, shrink, whole[r])


@compiled
def gate(sums, step, scale, columns, shrink, channels, whole, aside):  # type: ignore[no-untyped-def]
    """silu(first half) times second half of a product, as whole int8[n, m / 2]."""
    half = sums.shape[1] // 2
    joined = np.empty(2 * half, np.float32)
    gates, ups = joined[:half], joined[half:]
    for r in range(len(sums)):
        summed, by = sums[r], step[r]
        for k in range(len(joined)):
            joined[k] = _f(summed[k]) * (by * scale[k])
        _add_aside(aside[r], columns, joined)
        for k in range(half):
            gates[k] = gates[k] / (_ONE + exp(-gates[k])) * ups[k]
        for c in range(len(channels)):
            aside[r, c] = gates[channels[c]]
        step[r] = _whole(gates, shrink, whole[r])


@compiled
def logits(sums, step, scale, columns, aside, found):  # type: ignore[no-untyped-def]
    """The last product, float32[n, m]."""
    for r in range(len(sums)):
        summed, by, to = sums[r], step[r], found[r]
        for k in range(len(to)):
            to[k] = _f(summed[k]) * (by * scale[k])
        _add_aside(aside[r], columns, to)
