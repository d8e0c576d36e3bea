"""An audit's tables and tests over plain frames: the authors' released files, or our own runs.

``reading`` takes files into the frames of ``columns``; ``cases`` joins scores with predictions;
``tables`` gives Tables 1 to 4 and B.3 of balkir-etal-2022; ``hypotheses`` and ``comparisons``
test; ``report`` does all of it. Statistics lie in ``clusters`` and ``permutation``, results are
the records of ``results``. Pure but for reading files: no model, no store.
"""

from nsx_core.audit.cases import attributed_cases, phrase_scores
from nsx_core.audit.columns import HATECHECK, Functionalities
from nsx_core.audit.comparisons import all_pairs
from nsx_core.audit.hypotheses import hypotheses
from nsx_core.audit.reading import (
    attributions_frame,
    predictions_frame,
    read_attributions,
    read_predictions,
    read_token_scores,
    token_scores_frame,
)
from nsx_core.audit.report import AuditReport, as_json, audit_report
from nsx_core.audit.results import as_frame
from nsx_core.audit.tables import table_1, table_2, table_3, table_4
from nsx_core.audit.text import as_text

__all__ = [
    "HATECHECK",
    "AuditReport",
    "Functionalities",
    "all_pairs",
    "as_frame",
    "as_json",
    "as_text",
    "attributed_cases",
    "attributions_frame",
    "audit_report",
    "hypotheses",
    "phrase_scores",
    "predictions_frame",
    "read_attributions",
    "read_predictions",
    "read_token_scores",
    "table_1",
    "table_2",
    "table_3",
    "table_4",
    "token_scores_frame",
]
