"""Peak memory with the infiller and every classifier loaded, after one explanation each.

In a process of its own, so that what other benchmarks held does not count.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

from nsx_core.bench.figures import Figure

TEXT = "All these people annoy me."
_APP = "import streamlit; from nsx_core.bench.memory import main; main()"
# Kilobytes on Linux, bytes on macOS.
_UNIT = 1 if sys.platform == "darwin" else 1024


def memory_figures() -> list[Figure]:
    """Peak resident memory in GB (10^9 bytes), of a process that imports the app's own parts."""
    made = subprocess.run([sys.executable, "-c", _APP], capture_output=True, text=True, check=True)
    return [
        Figure(
            "peak memory, infiller and all classifiers",
            int(made.stdout.split()[-1]) / 1e9,
            "GB",
            2.5,
        )
    ]


def main() -> None:
    """Explain with every model, and print the peak in bytes."""
    from nsx_core import pipeline
    from nsx_core.catalogue import shipped_catalogue
    from nsx_core.records import ExplainSettings
    from nsx_core.store import Store

    catalogue = shipped_catalogue()
    with Store.open(":memory:") as store:
        for name, entry in catalogue.classifiers.items():
            if entry.problem is None:
                infiller = catalogue.default_infiller
                pipeline.explained(TEXT, name, infiller, ExplainSettings(), catalogue, store)
    print(_peak())


def _peak() -> int:
    """Bytes. Linux's ``ru_maxrss`` begins at what the parent held, so not that one there."""
    status = Path("/proc/self/status")
    if status.is_file():
        lines = status.read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT
