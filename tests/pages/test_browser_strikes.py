"""Striking out in a real browser, by the buttons of the table, while the page is scrolled down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from test_browser import READY, address, browser, pytestmark, visitor

__all__ = ["address", "browser", "pytestmark", "visitor"]


def test_a_row_far_down_is_struck_out_and_taken_back(
    address: str, visitor: Callable[..., Any]
) -> None:
    page = visitor()
    page.goto(address)
    page.wait_for_selector(READY)
    button = page.locator("[data-event=strike]").nth(20)
    button.scroll_into_view_if_needed()
    button.click()
    form = page.get_by_role("textbox", name="What is implausible")
    form.wait_for()
    top = form.bounding_box()["y"]
    assert 0 <= top < 900, "the form is in sight"
    form.fill("![x](http://e.x/p.png) <b>odd</b>")
    form.press("Enter")
    page.get_by_text("1 of 225 counterfactual texts is struck out.").wait_for()
    assert page.locator("tr.struck s").count() == 1
    said = page.locator("tr.struck .reason").inner_text()
    assert said == "Struck out: ![x](http://e.x/p.png) <b>odd</b>"
    assert page.locator(".cell .without").count() == 6
    # The strike is stored: it is there for whoever comes next.
    other = visitor()
    other.goto(address)
    other.get_by_text("1 of 225 counterfactual texts is struck out.").wait_for()
    page.locator("[data-event=take_back]").click()
    page.locator("tr.struck").wait_for(state="detached")
    assert page.locator(".cell .without").count() == 0
