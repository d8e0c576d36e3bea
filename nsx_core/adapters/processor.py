"""What the processor at hand is good at: device, number format, threads."""

from __future__ import annotations

import os

import torch


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


def usable_cores() -> int:
    """How many processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def set_threads(count: int | None = None) -> int:
    """Set the calling thread's torch threads, to ``count`` or the usable cores."""
    torch.set_num_threads(count or usable_cores())
    return torch.get_num_threads()
