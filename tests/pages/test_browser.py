"""Visits in a real browser: words by mouse and keys, links, two visitors, a job stopped."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from app_server import served

from nsx_core.settings import STORE_FILE

CHROMIUM = shutil.which("chromium")
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
def address(precomputed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app on a free port, its infiller slowed down so that jobs can be watched."""
    home = tmp_path_factory.mktemp("home")
    shutil.copyfile(precomputed, home / STORE_FILE)
    with served("app.py", home, NSX_FAKE_RATE="100") as base:
        yield base


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield chromium
        chromium.close()


@pytest.fixture
def visitor(browser: Any) -> Iterator[Callable[..., Any]]:
    """Makes pages of people who share nothing; in none of them may anything go wrong."""
    contexts, faults = [], []

    def made(**options: object) -> Any:
        contexts.append(browser.new_context(viewport={"width": 1280, "height": 900}, **options))
        page = contexts[-1].new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda e: faults.append(str(e)))
        page.on("dialog", lambda d: faults.append(d.message))
        return page

    yield made
    for context in contexts:
        context.close()
    assert not faults


def words(page: Any) -> list[str]:
    """The accessible names of the heatmap's words."""
    names: list[str] = page.locator(".block").evaluate_all("all => all.map(e => e.ariaLabel)")
    return names


def grown(page: Any) -> None:
    """Wait until the explanation has all its draws."""
    page.locator(".st-key-cancel").wait_for(state="detached")
    page.wait_for_selector(READY)


def test_a_visit(address: str, visitor: Callable[..., Any]) -> None:
    asked: list[str] = []
    page = visitor()
    page.on("request", lambda r: asked.append(r.url))
    page.goto(address)
    page.wait_for_selector(READY)
    page.get_by_role("button", name="women.: necessity 1.00").wait_for()

    # A hostile text: nothing runs, nothing is fetched.
    text = "women <script>alert(1)</script> ![x](http://e.example/p.png) go"
    page.get_by_label("Text", exact=True).fill(text)
    page.get_by_role("button", name="Explain", exact=True).click()
    page.get_by_role("button", name="<script>alert(1)</script>: necessity").wait_for()
    grown(page)

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
    other = visitor(color_scheme="dark")
    other.set_viewport_size({"width": 800, "height": 900})
    other.goto(link)
    other.locator('.block[aria-pressed="true"]').wait_for()
    other.wait_for_selector(READY)
    assert other.url == link
    assert words(other) == words(page)
    assert other.get_by_label("Text", exact=True).input_value() == text
    wide = other.evaluate(
        "document.querySelector('[data-testid=stMain]').scrollWidth - "
        "document.querySelector('[data-testid=stMain]').clientWidth"
    )
    assert wide <= 0

    assert all(url.startswith((address, "data:", "blob:")) for url in asked)


def test_two_visitors_at_once_see_their_own_results_only(
    address: str, visitor: Callable[..., Any]
) -> None:
    texts = ("Women should stay home", "Gay neighbours never sing here")
    pages = [visitor() for _ in texts]
    for page, text in zip(pages, texts, strict=True):
        page.goto(f"{address}?budget=60")
        page.get_by_role("button", name="women.: necessity 1.00").wait_for()
        page.get_by_label("Text", exact=True).fill(text)
    for page in pages:
        page.get_by_role("button", name="Explain", exact=True).click()
    for page, text in zip(pages, texts, strict=True):
        first = text.split()[0]
        page.get_by_role("button", name=f"{first}: necessity 1.00").wait_for()
        grown(page)
        assert [name.split(":")[0] for name in words(page)] == text.split()
        assert page.get_by_label("Text", exact=True).input_value() == text
        written = page.locator("table.draws tbody").inner_text()
        others = {word for t in texts if t != text for word in t.split()}
        assert not others & set(written.split())
    assert pages[0].url != pages[1].url


def test_a_running_job_is_joined_stopped_and_taken_up_again(
    address: str, visitor: Callable[..., Any]
) -> None:
    page = visitor()
    page.goto(f"{address}?budget=400&seed=11")
    count = re.compile(r"([\d,]+) of 900 draws")

    def done() -> int:
        said = page.get_by_text(count)
        said.wait_for()
        return int(count.search(said.inner_text())[1].replace(",", ""))  # type: ignore[index]

    before = done()
    page.reload()
    assert done() >= before > 0

    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Stopped", exact=True).wait_for()
    page.get_by_text("draws are kept and will be used again").wait_for()
    kept = done()
    assert before <= kept < 900
    page.wait_for_selector(READY)
    assert "budget=400" in page.url and "seed=11" in page.url

    page.get_by_role("button", name="Explain", exact=True).click()
    page.get_by_text(f"{kept:,} reused").wait_for()
    page.get_by_role("button", name="women.: necessity 1.00").wait_for()
