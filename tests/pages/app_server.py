"""A Streamlit server of a test's own, on the fakes."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def served(script: str, home: Path, **environment: str) -> Iterator[str]:
    """The address of a server that runs the script, with its store in ``home``; stopped after."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", script]
        + ["--server.port", str(port), "--server.address", "127.0.0.1"],
        cwd=ROOT,
        env={**os.environ, "NSX_HOME": str(home), "NSX_FAKE_MODELS": "1", **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    base = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{base}/_stcore/health", timeout=1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield base
    finally:
        server.terminate()
        server.wait(timeout=10)
