"""What long tables are moved by: headings to sort by, and the way to other pages."""

from __future__ import annotations

from typing import Literal

from nsx_core.views.markup import Node, node

__all__ = ["pages_nav", "sort_heading"]

SortState = Literal["none", "ascending", "descending"]
_ARROWS: dict[SortState, str] = {"ascending": "\u25b4", "descending": "\u25be", "none": ""}


def sort_heading(order: str, name: str, cls: str, chosen: bool, descending: bool) -> Node:
    """A heading whose event is 'sort' and whose value is the order; chosen: it is the one in force."""
    state: SortState = "none"
    if chosen:
        state = "descending" if descending else "ascending"
    return node(
        "th",
        node(
            "button",
            name,
            node("span", _ARROWS[state], cls="arrow", aria_hidden="true"),
            type="button",
            title=f"Sort by {name.lower()}",
            data_id=f"sort-{order}",
            data_event="sort",
            data_value=order,
        ),
        scope="col",
        cls=cls,
        aria_sort=state,
    )


def pages_nav(
    first: int, shown: int, matching: int, page: int, pages: int, label: str
) -> Node | None:
    """Previous and next page, and which rows are shown; None where one page holds all.

    first: the page's first row and page: its number, both from 0; shown: rows on it, of all that
    are matching. label: what it leads through, for screen readers. The event is 'page'.
    """
    if pages <= 1:
        return None

    def button(name: str, to: int) -> Node:
        return node(
            "button",
            name,
            type="button",
            disabled=None if 0 <= to < pages else "disabled",
            data_id=f"page-{name.lower()}",
            data_event="page",
            data_value=str(to),
        )

    return node(
        "nav",
        button("Previous", page - 1),
        node("span", f"{first + 1:,}\u2013{first + shown:,} of {matching:,}"),
        button("Next", page + 1),
        cls="pages",
        aria_label=label,
    )
