"""Two groups under one classifier: paired differences over the templates that both share.

A template with one group's name and the same template with another's differ in nothing else, so
the difference of their scores speaks of the names. Only templates count whose cases the
classifier gets right for both groups: the others have no score of one of the two. Interval, test
and correction are those of ``nsx_core.audit.comparisons``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import pandas as pd

from nsx_core.audit.cases import RIGHT
from nsx_core.audit.columns import CLASSIFIER, GROUP, MEASURES, TEMPLATE
from nsx_core.audit.comparisons import TEMPLATES_TESTED, compared, corrected
from nsx_core.audit.results import FEW, PairedDifference
from nsx_core.errors import UnknownNameError


@dataclass(frozen=True, slots=True)
class GroupPair:
    """Two groups under one classifier.

    first_mean, second_mean: mean scores in -1..1 over the shared templates, None without any;
    difference: the first group's minus the second's; its ``first`` and ``second`` are the
    groups, its n the shared templates.
    """

    classifier: str
    first_mean: float | None
    second_mean: float | None
    difference: PairedDifference


def group_scores(
    cases: pd.DataFrame, classifier: str, first: str, second: str, measure: str
) -> pd.DataFrame:
    """One row a template that both groups share: template, first, second, difference (floats).

    cases: a frame of ``phrase_scores``. A group's several cases of one template count as their
    mean. Templates without a defined score of a case that the classifier gets right, in either
    group, are left out. Raises ``UnknownNameError`` for a classifier or group that is not there.
    """
    for kind, name, column in (
        ("classifier", classifier, CLASSIFIER), ("group", first, GROUP), ("group", second, GROUP),
    ):  # fmt: skip
        if name not in (known := cases[column].unique().tolist()):
            raise UnknownNameError(kind, name, known)
    right = cases[cases[RIGHT] & (cases[CLASSIFIER] == classifier)].dropna(subset=[measure])
    sides = [
        right[right[GROUP] == group].groupby(TEMPLATE, sort=True)[measure].mean().rename(name)
        for group, name in ((first, "first"), (second, "second"))
    ]
    both = pd.concat(sides, axis=1, join="inner")
    both["difference"] = both["first"] - both["second"]
    return both.rename_axis(TEMPLATE).reset_index()


def group_pairs(
    cases: pd.DataFrame, classifier: str, groups: Sequence[str], seed: int = 0
) -> tuple[GroupPair, ...]:
    """Every pair of the groups, necessity and sufficiency, corrected together (holm-1979).

    Pairs come in the order of ``groups``. With fewer than 10 shared templates there is no test,
    and a note says 'not enough'. Raises what ``group_scores`` raises.
    """
    scored = [
        (group_scores(cases, classifier, a, b, measure), a, b, measure)
        for a, b in combinations(groups, 2)
        for measure in MEASURES
    ]
    results = corrected([_said(compared(*one, seed)) for one in scored])
    return tuple(
        GroupPair(classifier, _mean(frame["first"]), _mean(frame["second"]), result)
        for (frame, *_), result in zip(scored, results, strict=True)
    )


def _said(result: PairedDifference) -> PairedDifference:
    """Each template is one pair here, so a note names templates alone."""
    if result.n >= FEW and result.templates >= TEMPLATES_TESTED:
        return result
    return replace(result, notes=(f"not enough: {result.n} shared templates, {FEW} needed",))


def _mean(scores: pd.Series[float]) -> float | None:
    return float(scores.mean()) if len(scores) else None
