"""Opening the file: alone, locked down, and past a damaged log.

The order matters. The limits are set while connecting, because replaying the log needs
them; the locks come right after, before anyone else gets a cursor.
"""

from __future__ import annotations

import contextlib
import re
import threading
from pathlib import Path
from typing import TypeAlias

import duckdb

from nsx_core.errors import StoreBusyError
from nsx_core.store import files
from nsx_core.store.failures import busy, explained, is_broken_log

Cursor: TypeAlias = duckdb.DuckDBPyConnection

MEMORY_LIMIT = "1GB"
#: The classifier and the infiller need the processor more than the store does.
THREADS = 2
#: Files are written in this format whatever DuckDB reads them, so that an update of DuckDB
#: never turns a store into one that the version before cannot open.
STORAGE_VERSION = "v1.5.0"

_open_here: set[str] = set()
_open_here_lock = threading.Lock()


def opened(path: Path | None, warnings: list[str]) -> Cursor:
    """A configured connection to the file, or to a new database in memory for None.

    What had to be set aside is added to ``warnings``. Raises the ``StoreError`` of whatever
    is in the way.
    """
    try:
        if path is None:
            connection = _connect(None)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = _connect_past_log(path, warnings)
        try:
            _lock_down(connection, path)
        except BaseException:
            connection.close()
            raise
        return connection
    except (duckdb.ConnectionException, duckdb.InvalidInputException) as error:
        said = str(error)
        if "different configuration" in said or "has been locked" in said:
            raise busy(path, None) from error
        raise explained(error, path) from error
    except (duckdb.Error, OSError, UnicodeError) as error:
        raise explained(error, path) from error


def claim(path: Path) -> None:
    """Take the file for one ``Database``; ``StoreBusyError`` where another one has it.

    A second connection in this process would share DuckDB's instance but not the writer.
    """
    with _open_here_lock:
        if str(path) in _open_here:
            raise StoreBusyError(
                f"{path} is in use by the running app: it is already open in this process. Use "
                "the store that is open, or close it first."
            )
        _open_here.add(str(path))


def release(path: Path | None) -> None:
    """Give back what ``claim`` took."""
    with _open_here_lock:
        _open_here.discard(str(path))


def located(path: Path | str) -> Path:
    """The path that a store's messages and locks go by: absolute, links followed."""
    try:
        return Path(path).expanduser().resolve()
    except (OSError, RuntimeError) as error:
        raise explained(error, Path(path)) from error


def set_aside(path: Path | str) -> Path:
    """Rename a damaged store and its log with the time; returns the new path.

    Nothing is deleted. Raises ``StoreBusyError`` where this process has the file open and
    ``StoreError`` where it does not exist or cannot be renamed. Meant to be offered after
    ``StoreCorruptError``, which no file in use by another process gives.
    """
    file = located(path)
    with _open_here_lock:
        if str(file) in _open_here:
            raise StoreBusyError(f"{file} is open in this app: close it before moving it aside.")
        return files.move_aside(file)


def _temporary_folder(path: Path | None) -> str:
    return str(path.with_name(path.name + ".tmp")) if path else ""


def _connect(path: Path | None) -> Cursor:
    return duckdb.connect(
        str(path) if path else ":memory:",
        config={
            "memory_limit": MEMORY_LIMIT,
            "threads": THREADS,
            "temp_directory": _temporary_folder(path),
            "storage_compatibility_version": STORAGE_VERSION,
            # Without these, opening a SQLite file by mistake goes to the network.
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        },
    )


def _lock_down(connection: Cursor, path: Path | None) -> None:
    """No SQL, whoever wrote it, reaches a file but the store's own; in this order."""
    allowed = [_temporary_folder(path)] if path else []
    quoted = ", ".join("'" + folder.replace("'", "''") + "'" for folder in allowed)
    connection.execute(f"SET allowed_directories = [{quoted}]")
    # Tables come by registration only, never out of a caller's local variables.
    connection.execute("SET python_enable_replacements = false")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _connect_past_log(path: Path, warnings: list[str]) -> Cursor:
    had_log = files.log_size(path) > 0
    try:
        connection = _connect(path)
    except duckdb.Error as error:
        if not is_broken_log(error, path):
            raise
        connection = _connect_without_damage(path, str(error), warnings)
    return _with_log_checked(path, connection, warnings) if had_log else connection


def _connect_without_damage(path: Path, said: str, warnings: list[str]) -> Cursor:
    log, aside = files.log_of(path), files.set_log_aside(path)
    # What was committed before the damage is still good: replay the log up to there.
    good = re.search(r"entry at byte position (\d+)", said)
    if good:
        with contextlib.suppress(duckdb.Error):
            log.write_bytes(aside.read_bytes()[: int(good[1])])
            connection = _connect(path)
            warnings.append(_log_warning(path, aside, "What it held after the damage is missing"))
            return connection
        log.unlink(missing_ok=True)
    connection = _connect(path)
    warnings.append(_log_warning(path, aside, "What was saved last is missing"))
    return connection


def _with_log_checked(path: Path, connection: Cursor, warnings: list[str]) -> Cursor:
    """Set aside a log that DuckDB has silently ignored.

    DuckDB takes a log that does not begin like one (all zeros after a power cut, say)
    for absent and overwrites it later. A log that was read is gone after a checkpoint.
    """
    try:
        connection.execute("CHECKPOINT").fetchall()
    except duckdb.Error:  # a full disk, say: reading must still work
        connection.close()
        return _connect(path)
    if files.log_size(path) > 0:
        aside = files.set_log_aside(path)
        warnings.append(_log_warning(path, aside, "What was saved last is missing"))
    return connection


def _log_warning(path: Path, aside: Path, missing: str) -> str:
    return (
        f"The log beside {path} was damaged and has been set aside as {aside.name}. "
        f"{missing}; it is computed again when it is needed, but notes and jobs of the last "
        "minutes may have to be entered again."
    )
