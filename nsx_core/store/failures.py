"""What went wrong, in words that say what to do.

DuckDB tells most file problems apart by their text only, so this module is the one place
that reads those texts (seen with DuckDB 2.0).
"""

from __future__ import annotations

import re
from pathlib import Path

from nsx_core.errors import StoreBusyError, StoreCorruptError, StoreError

_FULL = (
    "no space left",
    "file too large",
    "disk quota",
    "disk full",
    "not enough space",
    "failed to offload data block",
)
_BUSY = ("could not set lock", "conflicting lock", "used by another process", "already open in")
_DENIED = (
    "permission denied",
    "read-only file system",
    "operation not permitted",
    "access is denied",
)
_NEWER = ("trying to read a database file with version number", "newer version of duckdb")
_CORRUPT = (
    "not a valid duckdb database file",
    "corrupt",
    "checksum",
    "could not read enough bytes",
    "serialization error",
    "failed to deserialize",
    "replaying wal",
    "sqlite_scanner",
)


def is_broken_log(error: BaseException, path: Path) -> bool:
    """Whether the write-ahead log itself is damaged or belongs to another file.

    Replaying a good log can also stop for want of disk, memory or rights: those are not
    the log's fault, and setting it aside for them would lose what it holds.
    """
    other = (*_FULL, *_BUSY, *_DENIED, "out of memory", "interrupt")
    said = _said(error, path)
    return "replaying wal" in said and not _has(said, other)


def explained(error: BaseException, path: Path | None, losing: str = "") -> StoreError:
    """The ``StoreError`` for this cause.

    ``losing`` names what was not saved ('64 draws and 64 predictions'), empty for a read.
    """
    where = str(path) if path else "the store in memory"
    lost = f"{losing} could not be saved to {where}. " if losing else ""
    said = _said(error, path)
    if _has(said, _BUSY):
        return busy(path, _pid(error))
    if _has(said, _FULL):
        return StoreError(
            f"The disk is full: {lost or f'{where} could not be written. '}"
            "Everything saved before is kept, and nothing was written by half. Free some space "
            "and start again (only what is missing is computed), or set NSX_HOME to a folder "
            f"on another disk and move {path.parent if path else 'the files'} there to keep "
            f"what was saved. Cause: {error}"
        )
    if _has(said, _NEWER):
        return StoreError(
            f"{where} was written by a newer version of DuckDB than this one. {lost}Nothing was "
            f"changed. Install the requirements of the newer app, or set NSX_HOME to another "
            f"folder. Cause: {error}"
        )
    if _has(said, _CORRUPT):
        return StoreCorruptError(
            f"{where} is damaged or not a DuckDB file. {lost}Nothing was deleted. Move it aside "
            "and start again with an empty store (what can be computed is computed again), or "
            f"put a backup in its place. Cause: {error}"
        )
    if _has(said, _DENIED) or isinstance(error, PermissionError):
        return StoreError(
            f"{where} cannot be written. {lost}Give this user the right to write to the folder, "
            f"or set NSX_HOME to a folder that can be written. Cause: {error}"
        )
    if _has(said, ("is a directory", "not a directory")) or isinstance(
        error, FileExistsError | NotADirectoryError
    ):
        return StoreError(
            f"{where} cannot be the store: a folder lies where the file should be, or a file "
            f"where a folder should be. {lost}Set NSX_HOME to a folder. Cause: {error}"
        )
    if losing:
        return StoreError(f"{lost}Everything saved before is kept. Cause: {error}")
    return StoreError(
        f"{where} could not be used. Nothing was deleted. Check that its folder exists and can "
        f"be written, or set NSX_HOME to another folder. Cause: {error}"
    )


def busy(path: Path | None, pid: int | None) -> StoreBusyError:
    """Another process holds the file."""
    holder = f" (process {pid})" if pid is not None else ""
    return StoreBusyError(
        f"{path} is in use by the running app{holder}. Use the app that is open, close it "
        "first, or set NSX_HOME to another folder to work beside it."
    )


def _said(error: BaseException, path: Path | None) -> str:
    """The error's text without the folder's name, which may hold any of the words."""
    text = str(error)
    return (text.replace(str(path.parent), "") if path else text).lower()


def _has(said: str, signs: tuple[str, ...]) -> bool:
    return any(sign in said for sign in signs)


def _pid(error: BaseException) -> int | None:
    found = re.search(r"\bPID (\d+)", str(error))
    return int(found[1]) if found else None
