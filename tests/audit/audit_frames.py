"""Small frames for the audit's tests, in the columns of nsx_core.audit.columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import pytest

from nsx_core.audit import predictions_frame, token_scores_frame

PAPER = Path(__file__).resolve().parents[3] / "shared" / "data" / "paper"
FILES = ("hatecheck_predictions", "token_scores", "shap_scores", "lime_scores")
needs_paper = pytest.mark.skipif(
    not all((PAPER / f"{name}.csv").is_file() for name in FILES),
    reason="the paper's data (../shared/data/paper) is not here",
)

Cell = tuple[str, str]
Count = tuple[int, int]


def case_row(
    text: str, functionality: str, gold: int, group: str, template: str, classifier: str,
    prediction: int,
) -> dict[str, object]:  # fmt: skip
    return {
        "case": text, "text": text, "functionality": functionality, "gold": gold, "group": group,
        "template": template, "classifier": classifier, "prediction": prediction,
    }  # fmt: skip


def made(
    necessity: Mapping[Cell, Sequence[float]],
    sufficiency: Mapping[Cell, Sequence[float]] | None = None,
    mentions: Mapping[Cell, Count] | None = None,
    targets: Mapping[str, Count] | None = None,
    wrong: Mapping[Cell, int] | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Predictions and token scores of (classifier, group): one explained case a template.

    mentions, targets: (positives, n). wrong: how many of a cell's first cases the classifier
    gets wrong.
    """
    rows, tokens = [], []
    for (classifier, group), scores in necessity.items():
        others = (sufficiency or necessity)[classifier, group]
        for number, (n, s) in enumerate(zip(scores, others, strict=True)):
            text = f"explained {number} {group}"
            right = int(number >= (wrong or {}).get((classifier, group), 0))
            rows.append(case_row(text, "derog_dehum_h", 1, group, f"T{number}", classifier, right))
            tokens += [
                {
                    "case": text, "text": text, "classifier": classifier, "group": group,
                    "position": place, "word": word, "is_identity": word == group,
                    "necessity": n if word == group else 0.0,
                    "sufficiency": s if word == group else 0.0, "prediction": right,
                }
                for place, word in enumerate(("explained", group))
            ]  # fmt: skip
    for (classifier, group), (positives, n) in (mentions or {}).items():
        rows += [
            case_row(
                f"mention {i} {group}", "ident_pos_nh", 0, group, f"M{i}", classifier,
                int(i < positives),
            )
            for i in range(n)
        ]  # fmt: skip
    for classifier, (positives, n) in (targets or {}).items():
        rows += [
            case_row(f"target {i}", "target_obj_nh", 0, "", f"O{i}", classifier, int(i < positives))
            for i in range(n)
        ]
    return predictions_frame(pd.DataFrame(rows)), token_scores_frame(pd.DataFrame(tokens))
