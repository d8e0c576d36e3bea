"""The command line's part on suites: ``python -m nsx_core fetch hatecheck``."""

from __future__ import annotations

import argparse
from pathlib import Path

from nsx_core.suites import read_suite
from nsx_core.suites.fetching import HATECHECK, PublicSuite, fetch

__all__ = ["add_fetch_command", "fetch_suite"]

_SUITES: dict[str, PublicSuite] = {"hatecheck": HATECHECK}


def add_fetch_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``fetch`` to the commands; its arguments go to ``fetch_suite``."""
    command = commands.add_parser("fetch", help="fetch a public test suite, once")
    command.add_argument("suite", choices=sorted(_SUITES), help="the suite")
    command.add_argument("--to", type=Path, help="a folder (default: suites under $NSX_HOME)")
    command.set_defaults(run=lambda given, catalogue: fetch_suite(given))


def fetch_suite(given: argparse.Namespace) -> None:
    """Fetch the suite and print where it lies, with its counts and licence.

    Raises ``DataError`` where it cannot be fetched or kept.
    """
    public = _SUITES[given.suite]
    path, now = fetch(public, given.to)
    suite = read_suite(path)
    print(f"{public.name} {'was fetched to' if now else 'is already at'} {path}")
    print(
        f"{len(suite.cases):,} cases, {len(suite.functionalities)} functionalities, "
        f"{len(suite.groups)} groups ({public.licence})"
    )
