"""All texts that were judged: filtered, as a frame to sort, and in a sentence."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pandas as pd

from nsx_core.counterfactual_records import Counterfactual, Findings, Method
from nsx_core.views.counterfactual_marks import method_names
from nsx_core.views.markup import printable
from nsx_core.views.numbers import counted

__all__ = ["filtered", "summary_sentence", "table_frame"]

#: Decimals of a frame: enough that no probability moves onto the threshold by eye.
_PLACES = 4


def filtered(
    rows: Sequence[Counterfactual],
    valid_only: bool,
    methods: Collection[Method | None] | None,
    words_most: int,
) -> tuple[Counterfactual, ...]:
    """The rows that match, in the order given.

    methods: of which one at least found them, None among them = the draws that no method found;
    None itself = whoever. words_most: of the original replaced, at most.
    """
    return tuple(
        row
        for row in rows
        if (row.valid or not valid_only)
        and (methods is None or any(m in methods for m in row.methods or (None,)))
        and row.words_changed <= words_most
    )


def table_frame(rows: Sequence[Counterfactual]) -> pd.DataFrame:
    """One line a row, in the order given; what was not measured is missing, never 0."""
    return pd.DataFrame(
        {
            "Method": pd.Series([method_names(r.methods) for r in rows], dtype="str"),
            "Text": pd.Series([printable(r.text) for r in rows], dtype="str"),
            "P before": pd.Series([r.before for r in rows], dtype="float64").round(_PLACES),
            "P after": pd.Series([r.after for r in rows], dtype="float64").round(_PLACES),
            "Words changed": pd.Series([r.words_changed for r in rows], dtype="int64"),
            "Edit distance": pd.Series([r.edit_distance for r in rows], dtype="int64"),
            "Cosine": pd.Series([r.cosine for r in rows], dtype="float64").round(_PLACES),
            "Fluency": pd.Series([r.fluency for r in rows], dtype="float64").round(_PLACES),
            "Valid": pd.Series([r.valid for r in rows], dtype="bool"),
        }
    )


def summary_sentence(rows: Sequence[Counterfactual], found: Findings) -> str:
    """How many texts are shown, how many of them are valid, and what fluency was measured of."""
    total = len(found.table)
    if not total:
        return "No changed text was judged."
    note = f" {found.fluency_note}" if found.fluency_note else ""
    if not rows:
        return f"None of {counted(total, 'changed text')} matches these filters.{note}"
    some = f"All {total:,}" if len(rows) == total else f"{len(rows):,} of {total:,}"
    said = f"{some} changed texts"
    if total == 1:
        said = "The one changed text"
    valid = [row for row in rows if row.valid]
    if not valid:
        return f"{said}, none of them valid.{note}"
    fewest = min(row.words_changed for row in valid)
    return (
        f"{said}, {len(valid):,} of them valid. The least that a valid one changes is "
        f"{counted(fewest, 'word')}.{note}"
    )
