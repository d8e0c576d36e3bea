"""The one place where the stages meet: text -> words -> masks -> infills -> predictions -> scores.

``plan`` decides everything before a model runs; ``explaining`` does it, one batch a step;
``rejudged`` scores the same draws again under another threshold, ``without`` those that are not
struck out; ``settled`` and ``growth`` say
how much more draws might still change.
"""

from nsx_core.pipeline.explaining import (
    NEVER_CUT_CHARACTERS,
    Progress,
    explained,
    explaining,
    from_store,
    to_the_end,
)
from nsx_core.pipeline.following import growth, settled
from nsx_core.pipeline.judging import probabilities
from nsx_core.pipeline.planning import Plan, for_classifier, plan, planned_draws
from nsx_core.pipeline.scored import rejudged, without
from nsx_core.pipeline.word_sets import WordSets

__all__ = [
    "NEVER_CUT_CHARACTERS",
    "Plan",
    "Progress",
    "WordSets",
    "explained",
    "explaining",
    "for_classifier",
    "from_store",
    "growth",
    "plan",
    "planned_draws",
    "probabilities",
    "rejudged",
    "settled",
    "to_the_end",
    "without",
]
