"""Test suites for audits: read, checked, with the phrase of every case as a span of its text.

``read_suite`` takes HateCheck's CSV (rottger-etal-2021) or an auditor's own file with a
``Mapping``; ``units`` makes a case ready to be explained. Pure but for reading files; no model.
"""

from nsx_core.suites.cases import Case, Phrase, Suite
from nsx_core.suites.mapping import Mapping, guessed_mapping
from nsx_core.suites.phrases import placeholders
from nsx_core.suites.reading import read_suite, suite_of
from nsx_core.suites.tables import Table, read_table
from nsx_core.suites.units import Units, units

__all__ = [
    "Case",
    "Mapping",
    "Phrase",
    "Suite",
    "Table",
    "Units",
    "guessed_mapping",
    "placeholders",
    "read_suite",
    "read_table",
    "suite_of",
    "units",
]
