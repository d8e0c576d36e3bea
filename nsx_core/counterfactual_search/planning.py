"""From what is asked to a plan: everything checked before a model runs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nsx_core import pipeline
from nsx_core.catalogue import Catalogue
from nsx_core.counterfactual_records import CounterfactualRequest, Goal, Method, Removal
from nsx_core.errors import SettingsError, UnknownNameError
from nsx_core.pipeline import Plan
from nsx_core.settings import checked_calls
from nsx_core.store import canonical_key

__all__ = ["CounterfactualPlan", "planned"]

#: Of a wanted probability without a tolerance.
TOLERANCE_DEFAULT = 0.1


@dataclass(frozen=True)
class CounterfactualPlan:
    """One request, checked, with the plan of its explanation."""

    request: CounterfactualRequest
    explain: Plan

    @property
    def key(self) -> str:
        """Key of all that can change the findings."""
        r = self.request
        return canonical_key(
            {
                "explanation": self.explain.key,
                "target": None if r.target is None else float(r.target),
                "tolerance": None if r.tolerance is None else float(r.tolerance),
                "budget": r.budget,
                "methods": list(r.methods),
                "removal": r.removal,
                "precision": float(r.precision),
                "delta": float(r.delta),
            }
        )

    def goal(self, original: float) -> Goal:
        """What is wanted of a text that the classifier gives this P(class), in 0..1."""
        threshold, r = self.explain.settings.threshold, self.request
        flip = Goal.flip(original, threshold)
        if r.target is None:
            return flip if r.tolerance is None else replace(flip, tolerance=r.tolerance)
        tolerance = TOLERANCE_DEFAULT if r.tolerance is None else r.tolerance
        return Goal(original, threshold, r.target, tolerance)

    def open_goal(self, original: float) -> Goal:
        """The same; ``SettingsError`` where the text reaches it as it stands."""
        goal = self.goal(original)
        if goal.reached(original):
            raise SettingsError(
                f"The text already has the wanted probability: P({self.explain.label}) is "
                f"{original:.3f}, and {goal.target:g} within {goal.tolerance:g} is wanted. Nothing "
                "need be changed. Choose another probability, or a smaller tolerance (epsilon)."
            )
        return goal


def planned(request: CounterfactualRequest, catalogue: Catalogue) -> CounterfactualPlan:
    """Check everything that was given; no model runs.

    Raises what ``pipeline.plan`` raises, ``SettingsError`` for a number out of its range or no
    method at all, ``UnknownNameError`` for a method or a removal.
    """
    methods = tuple(_named("method", m, Method) for m in request.methods)
    if not methods:
        raise SettingsError(
            f"At least one method is needed, and none came. Choose from {', '.join(Method)}."
        )
    request = replace(
        request,
        # Each once, in the order in which they are shown.
        methods=tuple(m for m in Method if m in methods),
        removal=_named("removal", request.removal, Removal),
        budget=checked_calls(request.budget),
    )
    for what, value in (("precision", request.precision), ("delta", request.delta)):
        if not 0 < value < 1:
            raise SettingsError(
                f"An anchor's {what} lies strictly between 0 and 1, and {value} came. "
                "Choose, for example, 0.95 for the precision and 0.05 for delta."
            )
    e = request.explain
    plan = pipeline.plan(e.text, e.classifier, e.infiller, e.settings, catalogue)
    todo = CounterfactualPlan(request, plan)
    for original in (0.0, 1.0):
        todo.goal(original)
    return todo


def _named(kind: str, name: str, known: type[Method] | type[Removal]):  # type: ignore[no-untyped-def]
    try:
        return known(name)
    except ValueError:
        raise UnknownNameError(kind, str(name), map(str, known)) from None
