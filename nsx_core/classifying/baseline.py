"""How often a classifier says the explained class of neutral texts: what sufficiency subtracts.

Balkir et al. (2022) subtract the rate at their decision threshold on 5,000 neutral texts.
All probabilities are kept, so that the rate follows the auditor's threshold.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nsx_core.classifying import positive
from nsx_core.errors import MissingModelError, ModelError

BASELINE_FILE = "baseline.json"


@dataclass(frozen=True)
class NeutralBaseline:
    """Probabilities of ``label`` on neutral texts, float64[n] in 0..1; ``source`` names them."""

    label: str
    probabilities: NDArray[np.float64]
    source: str

    def value(self, label: str, labels: tuple[str, ...], threshold: float, scores: bool) -> float:
        """The rate of ``label`` at the threshold, or its mean probability for ``scores``.

        The other label of a two-label classifier is the complement; of more labels only the
        measured one is known, and another raises ``ModelError``.
        """
        p = self.probabilities
        if label != self.label:
            if len(labels) != 2:
                raise ModelError(
                    f"The neutral baseline was measured for {self.label!r}, and {label!r} is "
                    "explained. Measure it for that class, or explain the other."
                )
            p = 1 - p
        return float(p.mean() if scores else positive(p, threshold).mean())


def read_baseline(folder: Path, label: str) -> NeutralBaseline:
    """The baseline measured for the model in ``folder``."""
    path = folder / BASELINE_FILE
    if not path.is_file():
        raise MissingModelError(
            f"{folder.name!r} has no neutral baseline ({BASELINE_FILE}), so sufficiency is "
            "undefined. Run `python -m nsx_core.training.classifiers baseline --texts FILE`."
        )
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        values = np.asarray(found["probabilities"], dtype=np.float64)
        source = str(found["source"])
    except (ValueError, KeyError, TypeError) as reason:
        raise ModelError(f"{path} is damaged: {reason!r}. Restore or measure it again.") from reason
    if values.ndim != 1 or not len(values) or not ((values >= 0) & (values <= 1)).all():
        raise ModelError(f"{path} must hold probabilities between 0 and 1. Measure it again.")
    return NeutralBaseline(label, values, source)
