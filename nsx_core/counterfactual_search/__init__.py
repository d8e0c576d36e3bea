"""Searches for counterfactual explanations on real models: one text, one classifier, four methods.

Joins ``nsx_core.counterfactuals`` (the methods, pure) with the pipeline and the store.
"""

from nsx_core.counterfactual_search.planning import CounterfactualPlan, planned
from nsx_core.counterfactual_search.searching import searched, searching

__all__ = ["CounterfactualPlan", "planned", "searched", "searching"]
