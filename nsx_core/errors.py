"""Every error this package raises on purpose.

::

    NsxError
    |-- InputError            what the caller gave cannot be used
    |   |-- TextError         the text itself (empty, too long, not encodable)
    |   |-- SettingsError     a number or option out of its range
    |   |-- UnknownNameError  a classifier, infiller, source or column that does not exist
    |   `-- DataError         a file with missing columns, bad encoding, no rows
    |-- ModelError            a model broke its contract or cannot be loaded
    |   `-- MissingModelError its package or folder is not there
    |-- StoreError            the DuckDB file cannot be used
    |   |-- StoreBusyError    another process holds it
    |   `-- StoreCorruptError it is damaged
    `-- CancelledError        the person asked to stop

A message says the rule, what came, and what to do about it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class NsxError(Exception):
    """Base of every error raised on purpose."""


class InputError(NsxError):
    """What the caller gave cannot be used."""


class TextError(InputError):
    """The text cannot be explained."""


class SettingsError(InputError):
    """A setting is out of its range."""


class DataError(InputError):
    """A data file cannot be used."""


class UnknownNameError(InputError):
    """A name that does not exist, with the nearest one that does."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        near = difflib.get_close_matches(name, self.known, n=1, cutoff=0.5)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        listed = ", ".join(self.known) or "none"
        super().__init__(f"No {kind} is called {name!r}.{hint} Known: {listed}.")


class ModelError(NsxError):
    """A model broke its contract or cannot be loaded."""


class MissingModelError(ModelError):
    """A model's package or folder is not there."""


class StoreError(NsxError):
    """The DuckDB file cannot be used."""


class StoreBusyError(StoreError):
    """Another process holds the DuckDB file."""


class StoreCorruptError(StoreError):
    """The DuckDB file is damaged."""


class CancelledError(NsxError):
    """The person asked to stop."""
