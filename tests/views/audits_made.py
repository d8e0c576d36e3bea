"""A small audit with every state a view must show, made from frames."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from nsx_core.audit import audit_report, phrase_scores, predictions_frame, token_scores_frame
from nsx_core.audit_records import AuditCard, AuditFound, MethodCost, SeedRow

HATE, ABUSE = "Made-hate", "Made-abuse"
#: A hostile name, one of few cases, one that no classifier gets right.
HOSTILE, FEW, NEVER = "<b>women</b> | x", "Muslims", "immigrants"
GROUPS = (HOSTILE, FEW, NEVER)
SIZES = {HOSTILE: 14, FEW: 5, NEVER: 4}
SHIFT = {HATE: 0.3, ABUSE: 0.0}


def frames() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Predictions with probabilities, and token scores."""
    rows, tokens = [], []
    for classifier in (HATE, ABUSE):
        for group, size in SIZES.items():
            for i in range(size):
                text = f"=cmd {group} case {i}"
                probability = 0.2 if group == NEVER else 0.6 + 0.02 * i
                rows.append(_row(text, "derog_dehum_h", 1, group, f"T{i}", classifier, probability))
                base = (0.5 if group == HOSTILE else 0.1) + i / 100
                tokens.append(
                    {
                        "case": text, "text": text, "classifier": classifier, "group": group,
                        "position": 0, "word": group, "is_identity": True,
                        "necessity": base + SHIFT[classifier], "sufficiency": base - 0.15,
                        "prediction": int(probability >= 0.5),
                    }
                )  # fmt: skip
            for i in range(12):
                probability = 0.9 if i < (6 if group == HOSTILE else 1) else 0.1
                text = f"{group} are nice {i}"
                rows.append(_row(text, "ident_pos_nh", 0, group, f"M{i}", classifier, probability))
        rows += [
            _row(f"table {i}", "target_obj_nh", 0, "", f"O{i}", classifier, 0.7) for i in range(3)
        ]
    return predictions_frame(pd.DataFrame(rows)), token_scores_frame(pd.DataFrame(tokens))


def card(**changes: object) -> AuditCard:
    made = AuditCard(
        id="a1", name="<b>My</b> audit", suite="Made suite", suite_cases=62,
        classifiers=(HATE, ABUSE), groups=GROUPS, infiller="neutral", budget=100, threshold=0.5,
        created=1_700_000_000.0, state="done", done=46, total=46,
    )  # fmt: skip
    return replace(made, **changes)  # type: ignore[arg-type]


def found(struck: bool = False, methods: bool = False, **changes: object) -> AuditFound:
    """struck: with a report without struck-out texts; methods: with SHAP, LIME and masking."""
    predictions, tokens = frames()
    more: dict[str, pd.DataFrame] = {}
    if methods:
        scores = tokens[["text", "group", "classifier"]]
        more = {
            "shap": scores.assign(score=-0.25),
            "lime": scores.assign(score=np.nan),
            "masking": tokens,
        }
    cases = phrase_scores(tokens, predictions)
    key = predictions.set_index(["classifier", "text"])["probability"]
    at = pd.MultiIndex.from_frame(cases[["classifier", "text"]])
    cases = cases.assign(probability=key.loc[at].to_numpy(), draws=100)
    without = tokens.assign(necessity=tokens["necessity"] - 0.05) if struck else None
    made = AuditFound(
        card=card(),
        report=audit_report(predictions, tokens, **more),  # type: ignore[arg-type]
        cases=cases,
        predictions=predictions,
        threshold=0.5,
        undrawn=0,
        costs=(
            MethodCost("necessity and sufficiency", HATE, 19, 40, 3800, 12.5, 19),
            MethodCost("SHAP", HATE, 0, 0, 0, None, 0),
        ),
        seeds=(SeedRow(HATE, HOSTILE, "SHAP permutation", 0.8, 0.7, 0.9, 5, 9),) if methods else (),
        struck=3 if struck else 0,
        report_without_struck=None if without is None else audit_report(predictions, without),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def _row(
    text: str, functionality: str, gold: int, group: str, template: str, classifier: str,
    probability: float,
) -> dict[str, object]:  # fmt: skip
    return {
        "case": text, "text": text, "functionality": functionality, "gold": gold, "group": group,
        "template": template, "classifier": classifier, "probability": probability,
        "prediction": int(probability >= 0.5),
    }  # fmt: skip
