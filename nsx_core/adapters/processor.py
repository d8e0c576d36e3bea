"""What the processor at hand is good at: device, number format, threads."""

from __future__ import annotations

import os
import statistics
import time

import torch

from nsx_core.errors import SettingsError


def device() -> torch.device:
    """Where training and classifying run: CUDA where there is one, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def matrix_dtype(at: torch.device) -> torch.dtype:
    """bf16 on CUDA and on processors with AMX, else fp32.

    AVX512-bf16 without AMX multiplies at half the rate of fp32 (docs/decisions.md).
    """
    if at.type == "cuda" or torch.cpu._is_amx_tile_supported():
        return torch.bfloat16
    return torch.float32


def product_rates(rows: int = 128, inputs: int = 576, outputs: int = 3072) -> dict[str, float]:
    """Billion multiply-adds a second on one thread, by number format, the median of many tries."""
    x, weight = torch.randn(rows, inputs), torch.randn(inputs, outputs)
    made = {
        "float32": (torch.mm, x, weight),
        "bfloat16": (torch.mm, x.bfloat16(), weight.bfloat16()),
        "int8": (torch._int_mm, x.to(torch.int8), weight.to(torch.int8)),
    }
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    rates = {}
    with torch.inference_mode():
        for name, (multiply, *given) in made.items():
            seconds = []
            for _ in range(40):
                begin = time.perf_counter()
                multiply(*given)
                seconds.append(time.perf_counter() - begin)
            rates[name] = rows * inputs * outputs / statistics.median(seconds) / 1e9
    torch.set_num_threads(threads)
    return rates


def out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ran out, on the processor or on a GPU."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return any(words in str(error).lower() for words in ("out of memory", "not enough memory"))


def usable_cores() -> int:
    """How many processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def set_threads(count: int | None = None) -> int:
    """Set the calling thread's torch threads, to ``count`` or the usable cores.

    Raises ``SettingsError`` for a count below 1.
    """
    if count is not None and count < 1:
        raise SettingsError(f"A number of threads is 1 or more, and {count} came. Leave it out.")
    torch.set_num_threads(count or usable_cores())
    return torch.get_num_threads()
