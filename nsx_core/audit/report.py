"""All tables and tests of an audit at once, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from nsx_core.audit.cases import phrase_scores
from nsx_core.audit.columns import (
    FUNCTIONALITY,
    GROUP,
    HATECHECK,
    Functionalities,
)
from nsx_core.audit.comparisons import all_pairs
from nsx_core.audit.hypotheses import hypotheses
from nsx_core.audit.results import (
    FunctionalityRow,
    Hypothesis,
    PairedDifference,
    RateRow,
    ScoreRow,
)
from nsx_core.audit.tables import table_1, table_2, table_3, table_4
from nsx_core.errors import UnknownNameError
from nsx_core.settings import checked_seed

SHAP, LIME = "SHAP", "LIME"


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The tables of balkir-etal-2022, the three hypotheses and all pairs of classifiers.

    Tables 4 and B.3 are empty where their scores were not given.
    """

    table_1: tuple[FunctionalityRow, ...]
    table_2: tuple[ScoreRow, ...]
    table_3: tuple[RateRow, ...]
    table_4: tuple[ScoreRow, ...]
    table_b3: tuple[ScoreRow, ...]
    hypotheses: tuple[Hypothesis, ...]
    pairs: tuple[PairedDifference, ...]
    seed: int


def audit_report(
    predictions: pd.DataFrame,
    token_scores: pd.DataFrame,
    *,
    shap: pd.DataFrame | None = None,
    lime: pd.DataFrame | None = None,
    masking: pd.DataFrame | None = None,
    functionalities: Functionalities = HATECHECK,
    groups: Sequence[str] | None = None,
    seed: object = 0,
) -> AuditReport:
    """Every table and test that the given frames allow.

    predictions, token_scores, shap, lime: frames of ``nsx_core.audit.reading``; masking: token
    scores from draws with a mask token. groups: keep to these, in this order. seed
    0..2**31-1: equal seeds give equal reports. Raises ``DataError`` where frames do not fit
    together, ``UnknownNameError`` for a group or functionality that the predictions lack,
    ``SettingsError`` for the seed.
    """
    whole = checked_seed(seed)
    _refuse_unknown("group", groups or (), predictions[GROUP])
    for part in ("explained", "mentions", "non_protected"):
        # HateCheck's own are defaults: a suite without them has undefined rows, not an error.
        if (named := getattr(functionalities, part)) != getattr(HATECHECK, part):
            _refuse_unknown("functionality", named, predictions[FUNCTIONALITY])
    cases = phrase_scores(token_scores, predictions, functionalities)
    if groups is not None:
        cases = cases[cases[GROUP].isin(groups)]
    fourth = [
        row
        for frame, method in ((shap, SHAP), (lime, LIME))
        if frame is not None
        for row in table_4(frame, predictions, method, functionalities, groups=groups, seed=whole)
    ]
    masked = () if masking is None else table_2(
        masking, predictions, functionalities, groups=groups, seed=whole
    )  # fmt: skip
    return AuditReport(
        table_1(predictions),
        table_2(token_scores, predictions, functionalities, groups=groups, seed=whole),
        table_3(predictions, functionalities, groups=groups),
        tuple(fourth),
        masked,
        hypotheses(cases, predictions, functionalities, whole),
        all_pairs(cases, whole),
        whole,
    )


def as_json(report: AuditReport) -> dict[str, Any]:
    """The report as plain values for ``json.dumps``; what is undefined is null."""
    return asdict(report)


def _refuse_unknown(kind: str, named: Iterable[str], column: pd.Series[str]) -> None:
    known = {str(name) for name in column.unique() if name}
    for name in named:
        if name not in known:
            raise UnknownNameError(kind, name, known)
