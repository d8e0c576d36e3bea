"""Randomness as a function of what it is for, never of when it is drawn.

A child seed is the first eight bytes of the sha256 of its purpose's parts, so that the
same text, settings, seed and draw number always give the same draw, whatever batch,
process or machine it lands on.
"""

from __future__ import annotations

import hashlib
import json

import numpy as np


def child_seed(*parts: str | int) -> int:
    """A seed in 0..2**63-1 that depends on every part and on their order."""
    digest = hashlib.sha256(json.dumps(parts, ensure_ascii=True).encode("ascii")).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def generator(*parts: str | int) -> np.random.Generator:
    """A numpy generator seeded by ``child_seed(*parts)``."""
    return np.random.Generator(np.random.PCG64(child_seed(*parts)))
