"""What the address of the Counterfactuals page holds: a text's id, settings, the goal, the ranks.

The explanation's parameters are those of ``nsx_core.views.address``, less the word and the early
end, which this page has not. Its own are ``target`` and ``epsilon`` (a wanted probability),
``calls``, ``methods``, ``removal``, ``precision``, ``delta``, and what the table of all texts is
ranked by: ``lambda``, ``rank_target``, ``rank_epsilon``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from nsx_core.counterfactual_records import Method, Removal
from nsx_core.errors import SettingsError
from nsx_core.settings import CALLS_DEFAULT, DELTA_DEFAULT, PRECISION_DEFAULT, checked_calls
from nsx_core.views.address import Taker, View, parameters, read_view

__all__ = [
    "DELTA_MAX",
    "DELTA_MIN",
    "EPSILON_DEFAULT",
    "LAMBDAS",
    "LAMBDA_DEFAULT",
    "PRECISION_MAX",
    "PRECISION_MIN",
    "TARGET_DEFAULT",
    "CounterfactualView",
    "counterfactual_parameters",
    "read_counterfactual",
]


#: What the sliders offer; the command line takes all that lies strictly between 0 and 1.
PRECISION_MIN, PRECISION_MAX = 0.5, 0.99
DELTA_MIN, DELTA_MAX = 0.01, 0.5
#: Where the sliders of a wanted probability stand at first.
TARGET_DEFAULT, EPSILON_DEFAULT = 0.1, 0.1
#: 0.01 to 1,000, three steps to each power of ten.
LAMBDAS: tuple[float, ...] = (
    *(float(f"{digit}e{power}") for power in range(-2, 3) for digit in (1, 2, 5)),
    1000.0,
)
LAMBDA_DEFAULT = 1.0
_OF_EXPLAIN_ONLY = ("word", "early")


@dataclass(frozen=True, slots=True)
class CounterfactualView:
    """A view of the Counterfactuals page.

    shared: the text and the explanation's settings, the threshold included. target, epsilon: in
    0..1, target None = any text of the other prediction. calls: budget of classifier calls a
    method. strength: lambda, one of ``LAMBDAS``; rank_target and rank_epsilon: the goal by which
    the table is ranked, None = the search's own.
    """

    shared: View
    target: float | None = None
    epsilon: float = EPSILON_DEFAULT
    calls: int = CALLS_DEFAULT
    methods: tuple[Method, ...] = tuple(Method)
    removal: Removal = Removal.INFILL
    precision: float = PRECISION_DEFAULT
    delta: float = DELTA_DEFAULT
    strength: float = LAMBDA_DEFAULT
    rank_target: float | None = None
    rank_epsilon: float | None = None


def read_counterfactual(
    given: Mapping[str, str],
    default: View,
    labels: Mapping[str, Sequence[str]],
    explained: Mapping[str, str],
    infillers: Sequence[str],
) -> tuple[CounterfactualView, tuple[str, ...]]:
    """The view that an address asks for, and a sentence for each parameter put aside.

    The arguments are those of ``read_view``.
    """
    own = {name: value for name, value in given.items() if name not in _OF_EXPLAIN_ONLY}
    shared, said_first = read_view(own, default, labels, explained, infillers)
    said = list(said_first)
    plain = CounterfactualView(shared)

    take = Taker(given, said, _written).take
    target = take("target", _hundredths("The wanted probability"), plain.target)
    epsilon = take("epsilon", _hundredths("The tolerance (epsilon)"), plain.epsilon)
    if "target" not in given and epsilon != plain.epsilon:
        said.append(
            "In the link: the tolerance (epsilon) belongs to a wanted probability (target), and "
            "none came. Any text of the other prediction is looked for."
        )
        epsilon = plain.epsilon
    view = CounterfactualView(
        shared,
        target,
        epsilon,
        take("calls", checked_calls, plain.calls),
        take("methods", _methods, plain.methods),
        take("removal", _removal, plain.removal),
        take("precision", _hundredths("Precision", PRECISION_MIN, PRECISION_MAX), plain.precision),
        take("delta", _hundredths("Delta", DELTA_MIN, DELTA_MAX), plain.delta),
        take("lambda", _strength, plain.strength),
        take("rank_target", _hundredths("The probability ranked by"), None),
        take("rank_epsilon", _hundredths("The tolerance ranked by"), None),
    )
    return view, tuple(said)


def counterfactual_parameters(view: CounterfactualView) -> dict[str, str]:
    """The address of a view; rare settings only where they differ from the default."""
    written = parameters(replace(view.shared, word=None, early=False))
    plain = CounterfactualView(view.shared)
    own = {
        "target": view.target,
        "epsilon": None if view.target is None else view.epsilon,
        "calls": view.calls,
        "methods": None if view.methods == plain.methods else view.methods,
        "removal": None if view.removal == plain.removal else view.removal,
        "precision": None if view.precision == plain.precision else view.precision,
        "delta": None if view.delta == plain.delta else view.delta,
        "lambda": None if view.strength == plain.strength else view.strength,
        "rank_target": view.rank_target,
        "rank_epsilon": view.rank_epsilon,
    }
    return written | {name: _written(value) for name, value in own.items() if value is not None}


def _written(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _number(what: str, value: str, low: float, high: float) -> float:
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not low <= number <= high:
        raise SettingsError(f"{what} is a number from {low:g} to {high:g}, and {value!r} came.")
    return number


def _hundredths(what: str, low: float = 0.0, high: float = 1.0) -> Callable[[str], float]:
    def check(value: str) -> float:
        number = _number(what, value, low, high)
        # The sliders have steps of a hundredth, and a link must say what they show.
        if abs(number - round(number, 2)) > 1e-9:
            raise SettingsError(f"{what} has at most two decimals, and {value!r} came.")
        return round(number, 2)

    return check


def _strength(value: str) -> float:
    number = _number("Lambda", value, LAMBDAS[0], LAMBDAS[-1])
    if number not in LAMBDAS:
        steps = ", ".join(f"{step:g}" for step in LAMBDAS)
        raise SettingsError(f"Lambda is one of {steps}, and {value!r} came.")
    return number


def _methods(value: str) -> tuple[Method, ...]:
    asked = value.split(",")
    if absent := [name for name in asked if name not in tuple(Method)]:
        raise SettingsError(
            f"The methods are of {', '.join(Method)}, and {', '.join(map(repr, absent))} came."
        )
    return tuple(method for method in Method if method in asked)


def _removal(value: str) -> Removal:
    if value not in tuple(Removal):
        raise SettingsError(f"The removal is one of {', '.join(Removal)}, and {value!r} came.")
    return Removal(value)
