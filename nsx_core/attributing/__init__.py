"""Other methods beside ours: SHAP and LIME, how far methods agree, how faithful each is.

The scores come from the packages ``shap`` and ``lime`` as they are, at their default settings
for text. What is ours is small: a word of ours gets the sum of what the method gives the
pieces within it, and the classifier is asked for P(explained class), whichever class won.
"""

from __future__ import annotations

from nsx_core.attributing.agreement import RankAgreement, interval_over_seeds, rank_correlation
from nsx_core.attributing.attribution import Attribution
from nsx_core.attributing.faithful import (
    Faithfulness,
    RandomOrders,
    faithfulness,
    random_faithfulness,
)
from nsx_core.attributing.lime_text import lime_scores
from nsx_core.attributing.predicting import Predict, remembered
from nsx_core.attributing.shap_text import SHAP_METHODS, shap_scores

__all__ = [
    "SHAP_METHODS",
    "Attribution",
    "Faithfulness",
    "Predict",
    "RandomOrders",
    "RankAgreement",
    "faithfulness",
    "interval_over_seeds",
    "lime_scores",
    "random_faithfulness",
    "rank_correlation",
    "remembered",
    "shap_scores",
]
