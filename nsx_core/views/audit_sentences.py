"""What an audit is and what its tables show, in sentences; plain text, never markup."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from nsx_core.audit.results import MeanScore, PairedDifference, RateRow, ScoreRow
from nsx_core.audit.saying import SIGNIFICANT
from nsx_core.audit_records import AuditCard, AuditFound, MethodCost
from nsx_core.records import Side
from nsx_core.views import numbers
from nsx_core.views.audit_cells import name_of

__all__ = [
    "NO_AUDIT",
    "audit_name",
    "cell_sentence",
    "costs_sentence",
    "pairs_sentence",
    "progress_sentence",
    "rates_sentence",
    "scores_sentence",
    "struck_sentence",
    "summary_sentence",
    "undrawn_sentence",
]

NO_AUDIT = (
    "An audit asks a classifier about a whole test suite and explains the names of groups in it. "
    "Start one on the page Run, in the section Audit, or on the command line; its results are "
    "shown here while it runs and afterwards."
)
_STATES = {
    "running": "It runs",
    "queued": "It waits for its turn",
    "cancelled": "It was stopped",
    "interrupted": "It was interrupted when the app closed",
    "failed": "It failed",
}


def audit_name(card: AuditCard) -> str:
    """'HateCheck, 3 Nov 2026 14:05 UTC: running, 40 of 900' for the list of audits."""
    said = f"{card.name}, {_date(card.created)}"
    return said if card.state == "done" else f"{said}: {card.state}, {card.done} of {card.total}"


def summary_sentence(card: AuditCard) -> str:
    """What was audited, with what, and when."""
    return (
        f"Suite: {card.suite}, {card.suite_cases:,} cases. "
        f"{_counted(card.classifiers, 'Classifier')}. {_counted(card.groups, 'Group')}. "
        f"Budget {card.budget:,}, infiller {card.infiller}. Threshold of the run: "
        f"{numbers.threshold(card.threshold)}. Begun {_date(card.created)}."
    )


def progress_sentence(card: AuditCard) -> str | None:
    """How far an audit is that is not done; None for one that is."""
    if card.state == "done":
        return None
    rest = "The tables show what is there so far"
    going = card.state in ("running", "queued")
    return (
        f"{_STATES[card.state]}: {card.done:,} of {card.total:,} cases and classifiers are done. "
        + (f"{rest}, and change as more comes." if going else f"{rest}. Go on with it on the "
           "page Run for the others.")
    )  # fmt: skip


def undrawn_sentence(found: AuditFound) -> str | None:
    """Which scores this threshold lacks; None where it lacks none."""
    if not found.undrawn:
        return None
    one = found.undrawn == 1
    if found.card.state != "done" and found.threshold == found.card.threshold:
        return (
            f"{found.undrawn:,} explained {'case' if one else 'cases'} that the classifiers get "
            f"right {'has' if one else 'have'} no draws yet and {'is' if one else 'are'} missing "
            "from the means here."
        )
    return (
        f"At {numbers.threshold(found.threshold)}, the classifiers get {found.undrawn:,} explained "
        f"{'case' if one else 'cases'} right that the run, at "
        f"{numbers.threshold(found.card.threshold)}, had no draws for. "
        f"{'It has' if one else 'They have'} no scores yet and {'is' if one else 'are'} missing "
        "from the means here. An audit run at this threshold draws them."
    )


def struck_sentence(found: AuditFound) -> str | None:
    """How many texts were struck out, and what the second figure in each cell is."""
    if found.report_without_struck is None:
        return None
    return (
        f"{found.struck:,} counterfactual {'text was' if found.struck == 1 else 'texts were'} "
        "struck out by hand. Figures count all texts; where a cell says 'without', that figure "
        "leaves them out."
    )


def scores_sentence(rows: Sequence[ScoreRow]) -> str:
    """The extremes of Table 2."""
    said = []
    for side in Side:
        known = [r for r in rows if r.measure == side and r.score.value is not None]
        if not known:
            said.append(f"No {side} is defined.")
            continue
        high, low = max(known, key=_value), min(known, key=_value)
        shown = [numbers.score(r.score.value) for r in known]
        best, least = (
            f"{name_of(end.group)} ({end.classifier}, {value}{_alike(shown.count(value))})"
            for end, value in ((r, numbers.score(r.score.value)) for r in (high, low))
        )
        said.append(
            f"The {side} of the group's name is highest for {best} and lowest for {least}."
            if high is not low
            else f"Only {best} has a {side}."
        )
    missing = sum(r.score.value is None for r in rows)
    if missing:
        said.append(f"{missing} of {len(rows)} figures are undefined.")
    return " ".join(said)


def cell_sentence(classifier: str, group: str, measure: str, found: MeanScore) -> str:
    """One cell of Table 2 in words."""
    name = name_of(group)
    if found.value is None:
        reason = f"undefined, 0 of {found.cases}"
        return f"{name}, {classifier}: the {measure} is {reason}: no case has a score here."
    # From the two decimals that the cell shows, so that both say the same.
    share = round(float(f"{found.value:.2f}") * 100)
    what = (
        f"when the group's name is replaced, {share} in 100 predictions are lost"
        if measure == Side.NECESSITY
        else "when only the group's name is kept, "
        f"{share} in 100 predictions are kept, the neutral baseline taken off"
    )
    ends = "; too little for an interval"
    if found.low is not None and found.high is not None:
        low, high = (round(float(f"{end:.2f}") * 100) for end in (found.low, found.high))
        ends = f" (95 % interval {numbers.score(low, 0)} to {numbers.score(high, 0)})"
    return (
        f"{name}, {classifier}: {what}{ends}, over the {found.n} of {found.cases} cases that the "
        "classifier gets right and that have a score."
    )


def rates_sentence(rows: Sequence[RateRow]) -> str:
    """Where most neutral and positive mentions are flagged."""
    known = [r for r in rows if r.group and r.rate.value is not None]
    if not known:
        return "No neutral or positive mention of a group is there, so these rates are undefined."
    high = max(known, key=lambda r: r.rate.value or 0.0)
    low = min(known, key=lambda r: r.rate.value or 0.0)
    values = [r.rate.value for r in known]
    most, fewest = (
        f"{name_of(end.group)} with {end.classifier}: {end.rate.positives} of {end.rate.n}"
        f"{_alike(values.count(end.rate.value))}"
        for end in (high, low)
    )
    return (
        f"Neutral and positive mentions should not be flagged. Most are for {most}. "
        f"Fewest are for {fewest}."
    )


def pairs_sentence(rows: Sequence[PairedDifference]) -> str:
    """How many pairs differ clearly, and what that does not say."""
    if not rows:
        return "One classifier alone has nobody to be compared with."
    tested = [r for r in rows if r.p_corrected is not None]
    clear = [r for r in tested if r.p_corrected is not None and r.p_corrected < SIGNIFICANT]
    untested = len(rows) - len(tested)
    rest = f" {untested} have too few shared cases for a test." if untested else ""
    return (
        f"{len(clear)} of {len(tested)} tested differences are clear (p below {SIGNIFICANT} after "
        f"Holm's correction).{rest} Only cases that both classifiers get right are compared, so "
        "this says nothing of the cases that one of them misses."
    )


def costs_sentence(costs: Sequence[MethodCost]) -> str:
    """Texts a case of each method; nothing where nothing was counted."""
    said = []
    for method in dict.fromkeys(cost.method for cost in costs):
        own = [cost for cost in costs if cost.method == method]
        if cases := sum(cost.cases for cost in own):
            said.append(f"{method} {sum(cost.texts for cost in own) / cases:,.0f}")
    return f"Texts that the classifier read for one case: {', '.join(said)}." if said else ""


def _counted(names: Sequence[str], what: str) -> str:
    listed = ", ".join(name_of(name) for name in names) or "none"
    return f"{what if len(names) == 1 else f'{len(names)} {what.lower()}s'}: {listed}"


def _date(created: float) -> str:
    when = datetime.fromtimestamp(created, UTC)
    return f"{when.day} {when:%b %Y %H:%M} UTC"


def _alike(count: int) -> str:
    """An extreme is not one group's alone where others have the same."""
    return f"; {count - 1} more alike" if count > 1 else ""


def _value(row: ScoreRow) -> float:
    return row.score.value or 0.0
