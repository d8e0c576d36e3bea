"""Findings made by hand for 'These Muslims disgust me so much.', to be checked by eye."""

from __future__ import annotations

from dataclasses import replace

import made

from nsx_core.counterfactual_records import (
    Candidate,
    Counterfactual,
    Ended,
    Findings,
    Goal,
    Method,
    MethodFound,
    SetKind,
    Share,
    WordSet,
)
from nsx_core.infilling import is_unchanged, splice

TEXT = "These Muslims disgust me so much."
GOAL = Goal.flip(0.93, 0.5)


def candidate(bits: str, answers: tuple[str, ...], after: float, text: str = TEXT) -> Candidate:
    """One judged text; ``bits``: 1 = replaced."""
    replaced = tuple(b == "1" for b in bits)
    written = "".join(piece for piece, _ in splice(made.split(text), replaced, answers))
    return Candidate(replaced, answers, written, after, is_unchanged(text, written))


def counterfactual(
    method: Method | None,
    bits: str,
    answers: tuple[str, ...],
    after: float,
    *,
    cosine: float = 0.8,
    fluency: float | None = -0.1,
    text: str = TEXT,
    goal: Goal = GOAL,
) -> Counterfactual:
    """One counterfactual text with its criteria."""
    found = candidate(bits, answers, after, text)
    return Counterfactual(
        () if method is None else (method,),
        found,
        splice(made.split(text), found.replaced, answers),
        goal.original,
        after,
        found.words_changed,
        found.words_changed + 1,
        cosine,
        fluency,
        goal.reached(after),
    )


def findings(
    found: tuple[MethodFound, ...], goal: Goal = GOAL, text: str = TEXT, key: str = "f" * 64
) -> Findings:
    """Findings whose table holds what the methods list, and two draws."""
    n = len(text.split())
    first = "1" + "0" * (n - 1)
    draws = (
        counterfactual(
            None, first, ("Those",), 0.88, cosine=0.99, fluency=0.02, text=text, goal=goal
        ),
        counterfactual(None, "1" * n, ("We like tea.",), 0.02, fluency=None, text=text, goal=goal),
    )
    listed = [c for f in found for c in (*f.listed, *((f.nearest,) if f.nearest else ()))]
    finders: dict[str, set[Method]] = {}
    for c in listed:
        finders.setdefault(c.text, set()).update(c.methods)
    rows = {c.text: c for c in (*listed, *draws)}
    table = tuple(
        replace(c, methods=tuple(m for m in Method if m in finders.get(c.text, ())))
        for c in rows.values()
    )
    return Findings(
        key, "e" * 64, text, "Vidgen2021-hate", "neutral", "hate", made.split(text).words, goal,
        1000, 274, found, table, "",
    )  # fmt: skip


def method_found(
    method: Method,
    listed: tuple[Counterfactual, ...] = (),
    nearest: Counterfactual | None = None,
    sets: tuple[WordSet, ...] = (),
    ended: Ended = Ended.COMPLETE,
    notes: tuple[str, ...] = (),
) -> MethodFound:
    """A method's answer after 212 calls."""
    return MethodFound(method, listed, nearest, sets, 212, 300, 2.4, ended, notes)


IMPRESS = counterfactual(Method.WACHTER, "001000", ("impress",), 0.08)
WOMEN = counterfactual(Method.WACHTER, "011000", ("women amaze",), 0.11, cosine=0.7)
SPHERE = counterfactual(Method.SPHERES, "001001", ("puzzle", "often."), 0.31, fluency=None)
REMOVED = WordSet(
    SetKind.REMOVED,
    (1, 2),
    Share(7, 8, 0.53, 0.98),
    examples=(candidate("011000", ("dogs like",), 0.04), candidate("011000", ("men told",), 0.2)),
)
LESSER = WordSet(SetKind.REMOVED, (2, 5), Share(5, 8, 0.31, 0.86), proven=False)
KEPT = WordSet(
    SetKind.KEPT,
    (1, 2),
    Share(118, 120, 0.951, 1.0),
    coverage=0.12,
    breakers=(candidate("100111", ("Not all", "anyone now."), 0.4),),
)


def four() -> Findings:
    """An answer of every method."""
    sedc = counterfactual(Method.SEDC, "011000", ("dogs like",), 0.04, cosine=0.55)
    return findings(
        (
            method_found(Method.WACHTER, (IMPRESS, WOMEN)),
            method_found(Method.SEDC, (sedc,), sets=(REMOVED, LESSER)),
            method_found(Method.SPHERES, (SPHERE,), ended=Ended.BUDGET),
            method_found(Method.ANCHORS, sets=(KEPT,), notes=("A note <b>of its own</b>.",)),
        )
    )


def nothing() -> Findings:
    """No method found anything; Wachter came to .61."""
    near = counterfactual(Method.WACHTER, "001000", ("dislike",), 0.61)
    return findings(
        (
            method_found(Method.WACHTER, nearest=near, ended=Ended.BUDGET),
            method_found(Method.SEDC, ended=Ended.SIZE),
            method_found(Method.SPHERES, ended=Ended.TIME),
            method_found(
                Method.ANCHORS,
                sets=(replace(KEPT, proven=False, share=Share(80, 100, 0.71, 0.87)),),
                ended=Ended.BUDGET,
            ),
        )
    )


def not_predicted() -> Findings:
    """The text is not predicted; one change would predict it."""
    goal = Goal.flip(0.12, 0.5)
    gained = counterfactual(Method.WACHTER, "001000", ("sicken",), 0.77, goal=goal)
    kept = WordSet(SetKind.KEPT, (), Share(60, 60, 0.96, 1.0), coverage=1.0)
    return findings(
        (
            method_found(Method.WACHTER, (gained,)),
            method_found(Method.SEDC, sets=(REMOVED,)),
            method_found(Method.ANCHORS, sets=(kept,)),
        ),
        goal,
    )
