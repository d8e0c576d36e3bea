"""The files of a store: the database, its log, copies and what was set aside."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from nsx_core.errors import StoreError

#: What DuckDB keeps beside a database file: the write-ahead log and its two successors
#: while a checkpoint or a recovery runs.
LOG_SUFFIXES = (".wal", ".wal.checkpoint", ".wal.recovery")


def log_of(path: Path, suffix: str = ".wal") -> Path:
    """The write-ahead log beside a database file."""
    return path.with_name(path.name + suffix)


def free_name(path: Path, word: str) -> Path:
    """``path`` with a word and the time appended, such that nothing has that name yet."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    taken, name = 0, path.with_name(f"{path.name}.{word}-{stamp}")
    while name.exists():
        taken += 1
        name = path.with_name(f"{path.name}.{word}-{stamp}-{taken}")
    return name


def log_size(path: Path) -> int:
    """Bytes in the write-ahead log, 0 where there is none."""
    try:
        return log_of(path).stat().st_size
    except OSError:
        return 0


def set_log_aside(path: Path) -> Path:
    """Rename the write-ahead log so that the database opens without it."""
    log = log_of(path)
    return log.rename(free_name(log, "set-aside"))


def move_aside(path: Path) -> Path:
    """Rename a database file and its logs; returns the database file's new path."""
    if not path.is_file():
        raise StoreError(f"There is no file {path} to move aside.")
    target = free_name(path, "set-aside")
    try:
        path.rename(target)
        for suffix in LOG_SUFFIXES:
            log = log_of(path, suffix)
            if log.exists():
                log.rename(log_of(target, suffix))
    except OSError as error:
        raise StoreError(
            f"{path} could not be moved aside to {target}. Move it by hand, or set NSX_HOME to "
            f"another folder. Cause: {error}"
        ) from error
    return target


def copy_beside(path: Path, word: str) -> Path:
    """A copy of a database file that no connection of this process has open.

    It must be closed: closing any handle on a file drops the process's locks on it, and
    with them the protection against a second process.
    """
    target = free_name(path, word)
    partial = target.with_name(target.name + ".partial")
    try:
        shutil.copyfile(path, partial)
        partial.rename(target)
    except OSError:
        partial.unlink(missing_ok=True)
        raise
    return target
