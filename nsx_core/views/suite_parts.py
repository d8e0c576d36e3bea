"""Which functionalities of a suite play which part, and what cannot be computed without them."""

from __future__ import annotations

from collections.abc import Sequence

from nsx_core.audit.columns import HATECHECK, Functionalities
from nsx_core.suites import Suite
from nsx_core.suites.derived import DERIVED, HATEFUL, WITH_GROUP

__all__ = ["derived_note", "in_doubt", "likely_parts", "shortcomings"]


def likely_parts(functionalities: Sequence[str]) -> Functionalities:
    """The parts as far as the names tell: HateCheck's own, or those made where a file has none."""
    if functionalities and set(functionalities) <= set(DERIVED):
        return Functionalities((HATEFUL,), (WITH_GROUP,), ())
    explained, mentions, other = (
        tuple(name for name in part if name in functionalities)
        for part in (HATECHECK.explained, HATECHECK.mentions, HATECHECK.non_protected)
    )
    return Functionalities(explained, mentions, other)


def in_doubt(functionalities: Sequence[str]) -> bool:
    """Whether a person has to say which part the functionalities play."""
    parts = likely_parts(functionalities)
    return not parts.explained or not parts.mentions


def derived_note(functionalities: Sequence[str]) -> str:
    """What stands for the functionalities that the file does not name; '' where it names any."""
    if not functionalities or not set(functionalities) <= set(DERIVED):
        return ""
    return (
        "The suite has no column for the functionality. So all its hateful cases are explained, "
        "and cases that are not hateful and name a group count as harmless mentions. Errors on "
        "abuse of other targets cannot be told apart from these, and are left out."
    )


def shortcomings(suite: Suite, parts: Functionalities, groups: Sequence[str]) -> tuple[str, ...]:
    """Sentences on what an audit of these groups (none = all) cannot say."""
    if not suite.groups:
        return (
            "No case names a group, so the audit only classifies. Choose a column for the group; "
            "the column of the phrase can be chosen for both.",
        )
    said = []
    wanted = groups or suite.groups
    explained = {c.group for c in suite.cases if c.hateful and c.functionality in parts.explained}
    if not parts.explained:
        said.append(
            "No functionality is chosen to be explained, so there are no necessity and "
            "sufficiency of the groups' phrases, only predictions."
        )
    elif absent := [group for group in wanted if group not in explained]:
        said.append(
            f"No hateful case to explain names {_listed(absent)}: "
            f"{'this group gets' if len(absent) == 1 else 'these groups get'} no scores, only "
            "predictions."
        )
    mentioned = {c.group for c in suite.cases if c.functionality in parts.mentions}
    if not parts.mentions:
        said.append(
            "No functionality is chosen as a harmless mention of a group, so it cannot be said "
            "how often such texts are flagged by mistake."
        )
    elif absent := [group for group in wanted if group not in mentioned]:
        said.append(f"No harmless mention names {_listed(absent)}: no errors can be counted there.")
    if not parts.non_protected and not derived_note(suite.functionalities):
        said.append(
            "No functionality is chosen as abuse of other targets, so errors on it are left out."
        )
    return tuple(said)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5:,} more" if len(names) > 5 else ""
    return ", ".join(names[:5]) + more
