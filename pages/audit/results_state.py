"""What the Results page shows: from the address, and back into it."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from nsx_core.audit_records import AuditCard, AuditFound
from nsx_core.views.audit_address import ResultsView, known_cell, read_results
from nsx_core.views.audit_cells import Cell, from_value

__all__ = ["checked_cell", "choose_cell", "open_results", "shown_view"]

_OURS = {"audit", "view"}


def open_results(cards: Mapping[str, AuditCard]) -> None:
    """Take over an address that this page did not write; without one, keep to what was shown."""
    state, given = st.session_state, st.query_params.to_dict()
    first = "results_notices" not in state
    # Going back from Explain, a browser may bring that page's parameters here.
    ours = not _OURS.isdisjoint(given) and given != state.get("results_written")
    if first or ours:
        view, state["results_notices"] = read_results(given, cards)
        state["results_view"], state["results_cell"] = view.view, view.cell
        state["results_audit"] = view.audit or next(iter(cards), None)
        if state["results_audit"] is not None:
            run = cards[state["results_audit"]].threshold
            state["results_threshold"] = run if view.threshold is None else view.threshold
    elif cards and state.get("results_audit") not in cards:
        # The first audit has come, or the one shown was deleted meanwhile.
        newest = next(iter(cards.values()))
        state["results_audit"], state["results_threshold"] = newest.id, newest.threshold


def shown_view() -> ResultsView:
    """What the page shows now."""
    state = st.session_state
    return ResultsView(
        state["results_audit"],
        state["results_threshold"],
        state["results_view"],
        state["results_cell"],
    )


def choose_cell(value: str) -> None:
    """Show the cases of a cell that was clicked."""
    state = st.session_state
    chosen = Cell(*from_value(value, 3))
    # A second click on a cell closes its list.
    state["results_cell"] = None if chosen == state["results_cell"] else chosen
    state.pop("results_cell_order", None)


def checked_cell(found: AuditFound) -> tuple[Cell | None, str | None]:
    """The chosen cell, if this audit has it, or what is wrong with it."""
    cell: Cell | None = st.session_state["results_cell"]
    if cell is None:
        return None, None
    rows = found.report.table_2
    classifiers = list(dict.fromkeys(row.classifier for row in rows))
    kept, said = known_cell(cell, classifiers, list(dict.fromkeys(row.group for row in rows)))
    if kept is None:
        st.session_state["results_cell"] = None
    return kept, said
