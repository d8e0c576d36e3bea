"""An audit whose process is killed goes on where it was, and ends as if nothing had happened."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd

from nsx_core.auditing import AuditRequest
from nsx_core.engine import Engine
from nsx_core.fake_catalogue import fake_catalogue
from nsx_core.infilling.wordlist import WordListInfiller
from nsx_core.records import ExplainSettings, GenerationSettings, InfillRequest
from nsx_core.suites import Suite
from nsx_core.suites.starter import starter_suite

ROOT = Path(__file__).resolve().parents[1]


class Slow(WordListInfiller):
    """Slow enough to be killed in the middle."""

    def infill(
        self, requests: list[InfillRequest], settings: GenerationSettings
    ) -> list[tuple[str, ...]]:
        time.sleep(0.1)
        return super().infill(requests, settings)


def request() -> AuditRequest:
    whole = starter_suite()
    few = Suite("few", whole.sha256, whole.cases[:24])
    return AuditRequest(few, ("fake-hate", "fake-abuse"), "word-list", ExplainSettings(budget=20))


def started(home: Path) -> tuple[Engine, str]:
    """An engine on slow fakes, and the audit that it runs."""
    engine = Engine.start(home, fake_catalogue(infiller=Slow()))
    return engine, engine.audits.submit(request(), "killed")


def cases(engine: Engine, audit: str) -> pd.DataFrame:
    end = time.monotonic() + 120
    while engine.audits.card(audit).state in ("queued", "running"):
        assert time.monotonic() < end
        time.sleep(0.02)
    assert engine.audits.card(audit).state == "done"
    return engine.audits.found(audit, 0.5).cases


def run_until_killed(home: Path) -> None:
    """Run until some cases are done, then die without a word."""
    engine, audit = started(home)
    while engine.audits.card(audit).done < 4:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_audit_goes_on(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; sys.path.insert(0, 'tests'); "
        "from test_killed_audit import run_until_killed; run_until_killed(Path(sys.argv[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "killed")], cwd=ROOT, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL, done.stderr
    writer = WordListInfiller()
    engine = Engine.start(tmp_path / "killed", fake_catalogue(infiller=writer))
    try:
        (card,) = engine.audits.listed()
        # The job's row is committed with each case: none that it counts is missing.
        assert card.state == "interrupted" and 1 <= card.done <= 5
        kept = engine.store.audits.cases_done(card.id)
        assert len(kept) >= card.done
        engine.audits.resume(card.id)
        found = cases(engine, card.id)
        drawn_after = writer.requested
    finally:
        engine.close()
    other, audit = started(tmp_path / "whole")
    try:
        pd.testing.assert_frame_equal(cases(other, audit), found)
        assert drawn_after < other.catalogue.infiller("word-list").requested  # type: ignore[attr-defined]
    finally:
        other.close()
