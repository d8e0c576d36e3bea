"""Two classifiers on the same cases: paired differences, and all pairs with Holm's correction.

Only cases that both classifiers get right have a score of both, so a difference speaks of those
cases alone. The test flips signs by template; see ``nsx_core.audit.permutation``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import pandas as pd

from nsx_core.audit.cases import RIGHT
from nsx_core.audit.columns import CASE, CLASSIFIER, MEASURES, TEMPLATE
from nsx_core.audit.permutation import holm, sign_flip_p
from nsx_core.audit.results import FEW, PairedDifference
from nsx_core.audit.tables import mean_score

TEMPLATES_TESTED = 6
"""With five templates no choice of signs gives a two-sided p below 2 / 2**5 = 0.06."""


def paired_differences(cases: pd.DataFrame, first: str, second: str, measure: str) -> pd.DataFrame:
    """One row a case that both classifiers get right: case, template, difference (float).

    cases: a frame of ``nsx_core.audit.cases``. The difference is the first's score minus the
    second's, in -2..2; cases with an undefined score are left out.
    """
    # Texts are left behind first: copying them took half of the time.
    narrow = cases[[CASE, TEMPLATE, measure]]
    sides = [
        narrow[(cases[RIGHT] & (cases[CLASSIFIER] == name)).to_numpy()].set_index(CASE)
        for name in (first, second)
    ]
    both = sides[0].join(sides[1][measure].rename("second"), how="inner")
    both["difference"] = both[measure] - both["second"]
    return both[[TEMPLATE, "difference"]].dropna().reset_index()


def compared(
    differences: pd.DataFrame, first: str, second: str, measure: str, seed: int = 0
) -> PairedDifference:
    """The mean difference with its interval and test, not corrected for other tests.

    differences: as ``paired_differences`` gives. With fewer than 10 cases or 6 templates there
    is no test, and a note says 'not enough'.
    """
    found = mean_score(differences["difference"], differences[TEMPLATE], len(differences), seed)
    p, notes = None, found.notes
    if found.n < FEW or found.templates < TEMPLATES_TESTED:
        notes = (f"not enough: {found.n} shared cases, {found.templates} templates",)
    else:
        p = sign_flip_p(differences["difference"], differences[TEMPLATE], seed)
    return PairedDifference(
        first, second, measure, found.value, found.std, found.low, found.high, found.n,
        found.templates, p, p, notes,
    )  # fmt: skip


def corrected(results: Sequence[PairedDifference]) -> tuple[PairedDifference, ...]:
    """The results with Holm's p over those of them that were tested."""
    tested = [r.p for r in results if r.p is not None]
    ps = iter(holm(tested))
    return tuple(r if r.p is None else replace(r, p_corrected=next(ps)) for r in results)


def all_pairs(cases: pd.DataFrame, seed: int = 0) -> tuple[PairedDifference, ...]:
    """Every pair of classifiers, necessity and sufficiency, corrected together (holm-1979).

    cases: a frame of ``phrase_scores``. Pairs come in the frame's order of classifiers.
    """
    names = cases[CLASSIFIER].unique().tolist()
    return corrected(
        [
            compared(paired_differences(cases, a, b, measure), a, b, measure, seed)
            for a, b in combinations(names, 2)
            for measure in MEASURES
        ]
    )
