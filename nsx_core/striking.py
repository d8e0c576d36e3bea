"""Strike implausible counterfactual texts out of an explanation, and see it without them.

A strike belongs to the draw, not to one score: whatever explanation has that draw, for whatever
classifier, budget or threshold, is shown without it as well. The scores of all draws stay.
"""

from __future__ import annotations

from nsx_core.errors import SettingsError
from nsx_core.records import DrawSide, Explanation, Strike
from nsx_core.store import Store

__all__ = ["strike", "struck", "take_back"]


def strike(store: Store, explanation: Explanation, side: DrawSide, number: int, why: str) -> None:
    """Strike out one draw of the explanation, with a reason of 1 to 500 characters.

    Raises ``SettingsError`` for the reason, or a draw that the explanation does not have.
    """
    _check(explanation, side, number)
    store.strike(explanation.draw_set, side, number, True, why)


def take_back(store: Store, explanation: Explanation, side: DrawSide, number: int) -> None:
    """Take the strike of one draw of the explanation back."""
    _check(explanation, side, number)
    store.strike(explanation.draw_set, side, number, False, "")


def struck(store: Store, explanation: Explanation) -> tuple[Strike, ...]:
    """The strikes that stand now, of draws that the explanation has."""
    said = [s for s in store.strikes(explanation.draw_set) if s.struck]
    if not said:
        return ()
    there = {(j.draw.side, j.draw.number) for j in explanation.draws}
    return tuple(s for s in said if (s.side, s.number) in there)


def _check(explanation: Explanation, side: DrawSide, number: int) -> None:
    if not any(j.draw.side is side and j.draw.number == number for j in explanation.draws):
        raise SettingsError(
            f"Only a draw of the explanation can be struck out, and draw {number + 1} of the side "
            f"{side} is none of its {len(explanation.draws)}. Choose one from its list."
        )
