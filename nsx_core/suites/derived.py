"""Functionalities of a file that names none: by label, and by whether a group is named.

Tables need to know which cases are explained and which are harmless mentions of a group. Where
no column says it, the label and the group say as much as the file holds; abuse of other targets
cannot be told from them.
"""

from __future__ import annotations

__all__ = ["DERIVED", "HATEFUL", "NO_GROUP", "WITH_GROUP", "derived_functionality"]

HATEFUL = "hateful"
WITH_GROUP = "not hateful with group"
NO_GROUP = "not hateful without group"
DERIVED = (HATEFUL, WITH_GROUP, NO_GROUP)


def derived_functionality(hateful: bool, group: str) -> str:
    """One of ``DERIVED``: what a case's label and its group's name ('' for none) make it."""
    if hateful:
        return HATEFUL
    return WITH_GROUP if group else NO_GROUP
