"""What the address of the Results page holds: audit, threshold, view and the chosen cell.

Every parameter is checked here. One that cannot be used is put aside, and a sentence says so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from nsx_core.records import Side
from nsx_core.views.address import THRESHOLD_MAX, THRESHOLD_MIN
from nsx_core.views.audit_cells import Cell

__all__ = ["VIEWS", "ResultsView", "known_cell", "read_results", "results_parameters"]

VIEWS: Mapping[str, str] = {
    "groups": "Groups",
    "tables": "Tables",
    "hypotheses": "Hypotheses",
    "pairs": "Classifier pairs",
    "cases": "Cases",
    "downloads": "Downloads",
}
_CELL = ("classifier", "group", "score")


@dataclass(frozen=True, slots=True)
class ResultsView:
    """A view of the Results page. audit, threshold: None = the newest, the run's own."""

    audit: str | None = None
    threshold: float | None = None
    view: str = "groups"
    cell: Cell | None = None


def read_results(
    given: Mapping[str, str], audits: Collection[str]
) -> tuple[ResultsView, tuple[str, ...]]:
    """The view that an address asks for, and a sentence for each parameter put aside.

    audits: ids of the audits that there are. Of the cell, only the score is checked here: see
    ``known_cell`` for its names.
    """
    said: list[str] = []
    view = ResultsView()
    if (audit := given.get("audit")) is not None:
        if audit in audits:
            view = replace(view, audit=audit)
        else:
            use = "The newest is shown." if audits else "There is none yet."
            said.append(f"In the link: the audit {audit!r} is not stored here. {use}")
    if (threshold := given.get("threshold")) is not None:
        number = _threshold(threshold)
        view = replace(view, threshold=number)
        if number is None:
            said.append(
                f"In the link: the threshold is a number from {THRESHOLD_MIN} to {THRESHOLD_MAX} "
                f"with at most two decimals, and {threshold!r} came. The run's own is used."
            )
    if (name := given.get("view")) is not None:
        if name in VIEWS:
            view = replace(view, view=name)
        else:
            listed = ", ".join(VIEWS)
            said.append(
                f"In the link: the view is one of {listed}, and {name!r} came. The first is shown."
            )
    parts = [given.get(name) for name in _CELL]
    if any(part is not None for part in parts):
        classifier, group, measure = parts
        if classifier is None or group is None or measure is None:
            said.append(f"In the link: a cell is named by {', '.join(_CELL)}. It is put aside.")
        elif measure not in set(Side):
            said.append(
                f"In the link: the score is one of {', '.join(Side)}, and {measure!r} came. The "
                "cell is put aside."
            )
        else:
            view = replace(view, cell=Cell(classifier, group, measure))
    return view, tuple(said)


def known_cell(
    cell: Cell, classifiers: Sequence[str], groups: Sequence[str]
) -> tuple[Cell | None, str | None]:
    """The cell where the audit has it; otherwise None and a sentence that says what it lacks."""
    for what, name, known in (
        ("classifier", cell.classifier, classifiers),
        ("group", cell.group, groups),
    ):
        if name not in known:
            return None, (
                f"The chosen cell names the {what} {name!r}, which this audit does not have. It "
                f"has: {', '.join(known) or 'none'}. The cell is put aside."
            )
    return cell, None


def results_parameters(view: ResultsView) -> dict[str, str]:
    """The address of a view."""
    written = {"view": view.view}
    if view.audit is not None:
        written["audit"] = view.audit
    if view.threshold is not None:
        written["threshold"] = f"{view.threshold:g}"
    if view.cell is not None:
        cell = (view.cell.classifier, view.cell.group, view.cell.measure)
        written |= dict(zip(_CELL, cell, strict=True))
    return written


def _threshold(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    if not THRESHOLD_MIN <= number <= THRESHOLD_MAX or abs(number - round(number, 2)) > 1e-9:
        return None
    return round(number, 2)
