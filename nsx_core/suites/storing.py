"""A suite as bytes and back, so that an audit of an uploaded file can be gone on with."""

from __future__ import annotations

import hashlib
import json
import zlib
from dataclasses import asdict

from nsx_core.errors import DataError
from nsx_core.suites.cases import Case, Phrase, Suite

__all__ = ["read_back", "suite_id", "written"]


def written(suite: Suite) -> bytes:
    """Everything of the suite, as compressed JSON; equal suites give equal bytes."""
    return zlib.compress(_json(suite), 6)


def suite_id(suite: Suite) -> str:
    """sha256 (hex) of what the suite is made of: its cases, name and notes."""
    return hashlib.sha256(_json(suite)).hexdigest()


def read_back(content: bytes) -> Suite:
    """The suite that ``written`` was given; ``DataError`` for other bytes."""
    try:
        found = json.loads(zlib.decompress(content))
        cases = [
            Case(**case | {"phrases": tuple(Phrase(**one) for one in case["phrases"])})
            for case in found["cases"]
        ]
        return Suite(found["name"], found["sha256"], tuple(cases), tuple(found["notes"]))
    except (zlib.error, ValueError, KeyError, TypeError) as reason:
        raise DataError(
            f"A stored suite cannot be read: {reason!r}. Load its file again."
        ) from reason


def _json(suite: Suite) -> bytes:
    # ASCII, so that lone surrogates of odd files survive.
    return json.dumps(asdict(suite), ensure_ascii=True, separators=(",", ":")).encode("ascii")
