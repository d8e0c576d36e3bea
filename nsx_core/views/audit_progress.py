"""An audit in sentences: its cost before it begins, how far it is, how it stands in the list."""

from __future__ import annotations

import time
from collections.abc import Sequence

from nsx_core.audit_records import AuditCard, AuditCost, AuditView
from nsx_core.settings import AUDIT_NAME_MAX
from nsx_core.views.numbers import counted, duration

__all__ = [
    "RUNNING",
    "card_sentence",
    "cost_sentences",
    "in_order",
    "preset_name",
    "stage_sentence",
    "state_sentence",
    "whole_share",
]

RUNNING = ("queued", "running")
_GROUPS_NAMED = 3
_STAGES = {
    "classifying": ("Classifying the texts", "texts"),
    "drawing": ("Writing counterfactual texts", "texts"),
    "masking": ("The same with a mask token", "cases"),
    "attributing": ("SHAP and LIME", "cases"),
}


def preset_name(suite: str, now: float) -> str:
    """'starter, 30 November 2026': a suite's name, cut where needed, and the day of ``now``."""
    at = time.localtime(now)
    day = f", {at.tm_mday} {time.strftime('%B %Y', at)}"
    return suite[: AUDIT_NAME_MAX - len(day)].strip() + day


def cost_sentences(
    cost: AuditCost, classifiers: int, masking: bool = False, attributions: bool = False
) -> tuple[str, ...]:
    """What is classified, what is explained, and how long it takes.

    ``masking`` and ``attributions`` are asked for, too: their time is not part of the cost.
    """
    answers = cost.texts * classifiers
    known = f" ({cost.texts_known:,} of {answers:,} answers are known already)"
    if cost.texts_known >= answers:
        known = " (all known already)"
    elif not cost.texts_known:
        known = ""
    first = f"Classifies {counted(cost.texts, 'text')} with {counted(classifiers, 'classifier')}{known}."
    if not cost.cases:
        return (first, "Explains no case: only predictions are made.")
    stored = {0: "none is stored yet", cost.draws: "all are stored"}.get(
        cost.draws_stored, f"{cost.draws_stored:,} are stored"
    )
    second = (
        f"Explains at most {counted(cost.cases, 'case')}, those that a classifier finds rightly: "
        f"{counted(cost.draws, 'counterfactual text')}, of which {stored}."
    )
    if cost.seconds is None:
        third = "How long it takes is shown here once this computer has written some texts."
    elif cost.elsewhere:
        third = (
            f"{_roughly(cost.seconds).capitalize()} at the speed of the computer that made the "
            "audit that comes along; this one's own is known once it has written some texts."
        )
    else:
        third = f"{_roughly(cost.seconds).capitalize()} at this computer's speed."
    extras = [
        name for name, on in (("the mask token", masking), ("SHAP and LIME", attributions)) if on
    ]
    if extras:
        third += f" The time for {' and for '.join(extras)} comes on top."
    return (first, second, third)


def _roughly(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 1:
        return "less than a minute"
    if minutes < 90:
        return f"about {counted(minutes, 'minute')}"
    hours, rest = divmod(round(minutes / 10) * 10, 60)
    return f"about {counted(hours, 'hour')}" + (f" {rest} minutes" if rest else "")


def in_order(cards: Sequence[AuditCard]) -> list[AuditCard]:
    """Those that run first, then those that wait, then the rest; the newest first in each."""
    place = {"running": 0, "queued": 1}
    return sorted(cards, key=lambda card: (place.get(card.state, 2), -card.created))


def card_sentence(card: AuditCard) -> str:
    """What an audit is of: suite, classifiers, groups, when it was asked for."""
    at = time.localtime(card.created)
    groups = ", ".join(card.groups) or "no groups"
    if len(card.groups) > _GROUPS_NAMED:
        groups = counted(len(card.groups), "group")
    return (
        f"{card.suite}, {counted(card.suite_cases, 'case')} \u00b7 {', '.join(card.classifiers)} "
        f"\u00b7 {groups} \u00b7 budget {card.budget} \u00b7 "
        f"{at.tm_mday} {time.strftime('%b %Y, %H:%M', at)}"
    )


def state_sentence(card: AuditCard) -> str:
    """How an audit that does not run ended."""
    far = "No explanation was finished."
    if card.done:
        far = f"{card.done:,} of {counted(card.total, 'explanation')} are there and are kept."
    return {
        "done": f"Finished: {counted(card.done, 'explanation')}.",
        "cancelled": f"Stopped. {far}",
        "interrupted": f"Interrupted when the app was closed. {far}",
        "failed": f"Failed. {far}",
    }.get(card.state, "Waits for its turn.")


def stage_sentence(view: AuditView) -> str:
    """'Writing counterfactual texts: 3,200 of 10,400 · 12 of 96 cases · 35 a second · ...'."""
    if view.stage == "stopping":
        return "Stopping. What is finished is kept."
    if view.stage == "waiting":
        if not view.ahead:
            return "About to begin."
        others = "1 other" if view.ahead == 1 else f"{view.ahead:,} others"
        return f"Waits for its turn behind {others}."
    what, unit = _STAGES[view.stage]
    parts = [f"{what}: {view.done:,} of {view.total:,} {unit}"]
    if view.stage == "drawing" and view.cases_total:
        parts.append(f"{view.cases_done:,} of {counted(view.cases_total, 'case')}")
    if view.rate > 0:
        parts.append(
            f"{view.rate:,.0f} a second" if view.rate >= 1 else f"{view.rate:.1f} a second"
        )
    if view.seconds_left is not None:
        parts.append(f"about {duration(view.seconds_left)} left")
    return " \u00b7 ".join(parts)


def whole_share(view: AuditView) -> float:
    """How much of the stage is done, 0..1."""
    return min(max(view.done / view.total, 0.0), 1.0) if view.total > 0 else 0.0
