"""Where the time of a run goes, by kind of operation, as torch's profiler and a clock see it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from torch._C._profiler import _ExperimentalConfig
from torch.profiler import ProfilerActivity, profile

from nsx_core.adapters import int8_kernels, sampling

__all__ = ["KINDS", "REST", "shares_by_kind"]

#: Names of operations, without their ``aten::``, by what they are for.
KINDS: dict[str, tuple[str, ...]] = {
    "matrix products": ("mm", "addmm", "_int_mm"),
    "attention": ("bmm", "baddbmm", "_softmax", "masked_fill_", "index_copy_")
    + ("_scaled_dot_product_flash_attention_for_cpu",),
    "sampling": ("sort", "cumsum", "exp", "exp_", "searchsorted", "multinomial", "topk", "gt")
    + ("nonzero", "gather", "scatter", "argmax"),
    "copies": ("copy_", "cat", "index", "index_select", "_index_put_impl_", "fill_", "clone")
    + ("embedding", "constant_pad_nd"),
    "elementwise": ("mul", "mul_", "add", "add_", "sub", "div", "div_", "neg", "abs", "amax")
    + ("round_", "clamp_min_", "silu", "pow", "mean", "rsqrt", "sum", "max", "le", "where")
    + ("addcmul_", "rms_norm", "_fused_rms_norm"),
}
#: Compiled kernels, by module and what they are for.
_KERNELS: dict[str, tuple[ModuleType, tuple[str, ...]]] = {
    "attention": (int8_kernels, ("attend", "turn", "share_prefixes")),
    "elementwise": (int8_kernels, ("normalize", "residual", "gate", "logits")),
    "sampling": (sampling, ("_sampled",)),
}
REST = "the rest, Python included"


def shares_by_kind(action: Callable[[], object], threads: int) -> dict[str, float]:
    """Percent of the time of ``threads`` threads that each kind of operation takes; sums to 100.

    ``threads``: how many threads the action keeps busy with operations of its own; those that
    share one product count once, with the thread that asked for it.
    """
    every = _ExperimentalConfig(profile_all_threads=True)
    with _kernel_seconds() as kernels:
        begin = time.perf_counter()
        with profile(activities=[ProfilerActivity.CPU], experimental_config=every) as seen:
            action()
            seconds = (time.perf_counter() - begin) * threads
    spent = {e.key.removeprefix("aten::"): e.self_cpu_time_total / 1e6 for e in seen.key_averages()}
    named = {
        kind: sum(spent.get(n, 0.0) for n in names) + sum(kernels.get(kind, ()))
        for kind, names in KINDS.items()
    }
    named[REST] = max(0.0, seconds - sum(named.values()))
    whole = sum(named.values())
    return {kind: 100 * value / whole for kind, value in named.items()}


@contextmanager
def _kernel_seconds() -> Iterator[dict[str, list[float]]]:
    """Seconds of each call of a compiled kernel within the block, by kind."""
    spent: dict[str, list[float]] = {kind: [] for kind in _KERNELS}

    def timed(kernel: Callable[..., Any], seconds: list[float]) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            begin = time.perf_counter()
            try:
                return kernel(*arguments)
            finally:
                seconds.append(time.perf_counter() - begin)

        return run

    plain = [(m, n, getattr(m, n), kind) for kind, (m, names) in _KERNELS.items() for n in names]
    for module, name, kernel, kind in plain:
        setattr(module, name, timed(kernel, spent[kind]))
    try:
        yield spent
    finally:
        for module, name, kernel, _ in plain:
            setattr(module, name, kernel)
