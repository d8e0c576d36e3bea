"""One visit in a real browser: explain, choose words by mouse and keys, follow the link."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium")
ROOT = Path(__file__).resolve().parents[2]
READY = "[data-testid=stApp][data-test-script-state=notRunning]"
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the path"),
]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The app on a free port, with the fake engine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "pages" / "serve_fake.py"), str(port)],
        cwd=ROOT,
        env={**os.environ, "NSX_FAKE_RATE": "800"},
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


@pytest.fixture
def browser() -> Iterator[object]:
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield chromium
        chromium.close()


def test_a_visit(address: str, browser: object) -> None:
    asked: list[str] = []
    faults: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 900})  # type: ignore[attr-defined]
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.on("request", lambda r: asked.append(r.url))
    page.on("pageerror", lambda e: faults.append(str(e)))
    page.on("dialog", lambda d: faults.append(d.message))
    page.goto(address)
    page.wait_for_selector(READY)
    page.get_by_role("button", name="women.: necessity 1.00").wait_for()

    # A hostile text: nothing runs, nothing is fetched.
    text = "women <script>alert(1)</script> ![x](http://e.example/p.png) go"
    page.get_by_label("Text", exact=True).fill(text)
    page.get_by_role("button", name="Explain", exact=True).click()
    page.get_by_role("button", name="<script>alert(1)</script>: necessity").wait_for()
    page.wait_for_selector(READY)

    # By mouse.
    page.get_by_role("button", name="<script>alert(1)</script>: necessity").click()
    page.get_by_text("When “<script>alert(1)</script>” is replaced").wait_for()
    assert page.locator('.block[aria-pressed="true"]').count() == 1

    # By keys: arrows move the focus, Enter chooses, the focus stays.
    page.locator(".block").nth(1).focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.get_by_text("When “women” is replaced").wait_for()
    page.wait_for_selector(READY)
    chosen = page.locator('.block[aria-pressed="true"]')
    assert chosen.get_attribute("aria-label").startswith("women: necessity")
    assert chosen.evaluate("e => e.getRootNode().activeElement === e")

    # The drill-down: marks, sorting, pages.
    rows = page.locator("table.draws tbody tr")
    assert "(original)" in rows.nth(0).inner_text()
    assert page.locator("table.draws mark.written").count() > 25
    page.get_by_role("button", name="Probability").click()
    page.locator('th[aria-sort="ascending"]', has_text="Probability").wait_for()
    page.wait_for_selector(READY)
    shown = [float(t.split()[0]) for t in page.locator("td.probability").all_inner_texts()[1:]]
    assert shown == sorted(shown) and len(shown) == 25
    page.get_by_role("button", name="Next").click()
    page.get_by_text("26–50 of").wait_for()

    # The link opens the same view elsewhere, without the text in it.
    page.wait_for_selector(READY)
    link = page.url
    assert "script" not in link and "word=1" in link
    words = page.locator(".block").evaluate_all("all => all.map(e => e.ariaLabel)")
    other = browser.new_context(  # type: ignore[attr-defined]
        viewport={"width": 800, "height": 900}, color_scheme="dark"
    ).new_page()
    other.set_default_timeout(60_000)
    other.goto(link)
    other.locator('.block[aria-pressed="true"]').wait_for()
    other.wait_for_selector(READY)
    assert other.url == link
    assert other.locator(".block").evaluate_all("all => all.map(e => e.ariaLabel)") == words
    assert other.get_by_label("Text", exact=True).input_value() == text
    wide = other.evaluate(
        "document.querySelector('[data-testid=stMain]').scrollWidth - "
        "document.querySelector('[data-testid=stMain]').clientWidth"
    )
    assert wide <= 0

    assert not faults
    assert all(url.startswith((address, "data:", "blob:")) for url in asked)
