"""Fetch HateCheck (rottger-etal-2021, CC BY 4.0) once, the same bytes for everybody.

The address names a revision and the bytes are compared with a checksum, so that a table made
today and one made next year are made from the same cases. The file comes under its name only
when it is whole and right.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import os
import tempfile
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from nsx_core.errors import DataError
from nsx_core.settings import data_folder

__all__ = ["HATECHECK", "HATECHECK_SHA256", "PublicSuite", "fetch", "fetched_file"]

_TIMEOUT_SECONDS = 30.0
HATECHECK_SHA256 = "ecf0dc1e93fccc90b6f880e632b19e635c0f0a68b3157915a9e20b6938f121cf"


@dataclass(frozen=True, slots=True)
class PublicSuite:
    """A file at a public address; ``size`` in bytes and ``sha256`` in hex are its own."""

    name: str
    address: str
    file_name: str
    size: int
    sha256: str
    licence: str


HATECHECK = PublicSuite(
    "HateCheck",
    "https://raw.githubusercontent.com/paul-rottger/hatecheck-data/"
    "d84302298ceeb34f4b0dde2d8a1f4932c2caa612/test_suite_cases.csv",
    "hatecheck.csv",
    664_630,
    HATECHECK_SHA256,
    "CC BY 4.0, Röttger et al. 2021",
)


def fetched_file(suite: PublicSuite = HATECHECK, folder: Path | None = None) -> Path:
    """Where ``fetch`` puts the suite: in the folder, or in ``suites`` of the data folder."""
    return (data_folder() / "suites" if folder is None else folder) / suite.file_name


def fetch(suite: PublicSuite = HATECHECK, folder: Path | None = None) -> tuple[Path, bool]:
    """The suite's file, and whether it was fetched now (False: it was there, whole and right).

    Raises ``DataError`` without a connection, where other bytes come than expected, and where
    the file cannot be written; nothing is then left under its name, nor beside it.
    """
    path = fetched_file(suite, folder)
    try:
        if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == suite.sha256:
            return path, False
    except OSError as reason:
        raise _unwritable(path, reason) from reason
    content = _download(suite)
    found = hashlib.sha256(content).hexdigest()
    if found != suite.sha256:
        raise DataError(
            f"{suite.name} is known by its sha256, {suite.sha256[:16]}..., and other bytes came "
            f"from {suite.address} ({found[:16]}..., {len(content):,} bytes). Nothing was kept. "
            "Try again, or on another network: some put a page of their own in a file's place."
        )
    _write(path, content)
    return path, True


def _download(suite: PublicSuite) -> bytes:
    try:
        with urllib.request.urlopen(suite.address, timeout=_TIMEOUT_SECONDS) as answer:
            # One byte more than expected tells a longer file without reading all of it.
            return bytes(answer.read(suite.size + 1))
    except urllib.error.HTTPError as reason:
        said = f"the server answered {reason.code}"
        reason.close()
        raise _unreachable(suite, said) from reason
    except urllib.error.URLError as reason:
        raise _unreachable(suite, str(reason.reason)) from reason
    except (OSError, http.client.HTTPException) as reason:
        raise _unreachable(suite, str(reason) or type(reason).__name__) from reason


def _unreachable(suite: PublicSuite, said: str) -> DataError:
    return DataError(
        f"{suite.name} is fetched from {suite.address}, and that failed: {said}. Try again with a "
        "connection, or bring the file from another computer and give its path; the starter "
        "suite needs no connection."
    )


def _write(path: Path, content: bytes) -> None:
    """Beside its place first, then moved there in one step."""
    partial = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(prefix=".fetching-", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError as reason:
        raise _unwritable(path, reason) from reason
    finally:
        if partial:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(partial)


def _unwritable(path: Path, reason: OSError) -> DataError:
    return DataError(
        f"The suite is kept as {path}, and that cannot be used: {reason.strerror}. Make room or "
        "permission there, or name another folder in NSX_HOME."
    )
