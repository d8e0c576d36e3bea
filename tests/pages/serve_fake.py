"""Serve app.py on a port with the fake engine: python -m tests.pages.serve_fake PORT."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]
    import fake_engine
    from streamlit.web import cli

    sys.modules["nsx_core.jobs"] = fake_engine
    options = ["--server.port", sys.argv[1], "--server.address", "127.0.0.1", *sys.argv[2:]]
    cli.main(["run", str(ROOT / "app.py"), *options])
