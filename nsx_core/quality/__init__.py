"""How good an infiller's counterfactual texts are, counted from the texts alone.

Method. Every figure is computed from (original, mask, counterfactual text), for our texts and
for other people's alike: ``alignment`` finds the kept words in a text and takes what lies
between them for the answers, so a mistake of the splice cannot hide itself. ``metrics`` counts;
``criteria`` holds each limit and says whether it is met. Nothing here loads a model.

Distinct words and bigrams follow li-etal-2016, over infilled words alone. Counts grow with the
number of draws and with the length of the answers, so two infillers are compared at an equal
number of draws, and once more at an equal number of words (rarefaction, hurlbert-1971).
"""

from nsx_core.quality.alignment import Alignment, aligned
from nsx_core.quality.criteria import Criterion, own_criteria, paired_criteria
from nsx_core.quality.metrics import (
    Infilled,
    InfillerQuality,
    bigrams,
    expected_distinct,
    holds_placeholder,
    infilled,
    infilled_text,
    infiller_quality,
    word_tokens,
)

__all__ = [
    "Alignment",
    "Criterion",
    "Infilled",
    "InfillerQuality",
    "aligned",
    "bigrams",
    "expected_distinct",
    "holds_placeholder",
    "infilled",
    "infilled_text",
    "infiller_quality",
    "own_criteria",
    "paired_criteria",
    "word_tokens",
]
