"""What the address bar holds: a text's id and the settings of the view, never the text.

Every parameter is checked here. One that cannot be used falls back to its default, and a
sentence says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from nsx_core.errors import SettingsError
from nsx_core.masking import SAMPLERS
from nsx_core.records import ExplainSettings, GenerationSettings
from nsx_core.settings import (
    BUDGET_DEFAULT,
    SAMPLER_DEFAULT,
    TEMPERATURE_DEFAULT,
    THRESHOLD_DEFAULT,
    TOP_P_DEFAULT,
    checked_budget,
    checked_seed,
)

__all__ = [
    "SAMPLER_NAMES",
    "THRESHOLD_MAX",
    "THRESHOLD_MIN",
    "Taker",
    "View",
    "parameters",
    "read_view",
    "settings_of",
    "view_of",
]

T = TypeVar("T")
THRESHOLD_MIN, THRESHOLD_MAX = 0.01, 0.99
TEMPERATURE_MIN, TEMPERATURE_MAX = 0.1, 2.0
TOP_P_MIN, TOP_P_MAX = 0.05, 1.0
SAMPLER_NAMES = tuple(SAMPLERS)
#: More phrases than a person would type, and few enough for an address.
PHRASES_MAX = 50
Span = tuple[int, int]
_SPAN = re.compile(r"([0-9]{1,7})-([0-9]{1,7})", re.ASCII)


@dataclass(frozen=True, slots=True)
class View:
    """One view of the Explain page; ``word`` counts from 1, None = the page chooses.

    ``phrases``: spans of characters that are one unit each, [start, end) from 0.
    """

    classifier: str
    label: str
    infiller: str
    text: str | None = None
    budget: int = BUDGET_DEFAULT
    seed: int = 0
    threshold: float = THRESHOLD_DEFAULT
    scores: bool = False
    temperature: float = TEMPERATURE_DEFAULT
    top_p: float = TOP_P_DEFAULT
    redraw: bool = True
    sampler: str = SAMPLER_DEFAULT
    early: bool = False
    word: int | None = None
    phrases: tuple[Span, ...] = ()


#: What the address calls a setting, where that is not its own name.
_CALLED = {"phrases": "units"}
_ALWAYS = ("text", "classifier", "label", "budget", "seed", "threshold", "word")


@dataclass(frozen=True, slots=True)
class Taker:
    """Takes parameters out of an address, and says of each that cannot be used what is used."""

    given: Mapping[str, str]
    said: list[str]
    written: Callable[[Any], str]

    def take(self, name: str, check: Callable[[str], T], fallback: T) -> T:
        """What ``check`` makes of the parameter; ``fallback`` without it, or where it raises
        ``SettingsError``, which is said.
        """
        if name not in self.given:
            return fallback
        try:
            return check(self.given[name])
        except SettingsError as error:
            use = "It is left out."
            if fallback not in (None, ()):
                use = f"The default, {self.written(fallback)}, is used."
            self.said.append(f"In the link: {error} {use}")
            return fallback


def read_view(
    given: Mapping[str, str],
    default: View,
    labels: Mapping[str, Sequence[str]],
    explained: Mapping[str, str],
    infillers: Sequence[str],
) -> tuple[View, tuple[str, ...]]:
    """The view that an address asks for, and a sentence for each parameter put aside.

    labels: each classifier's labels; explained: the one explained unless asked otherwise.
    """
    said: list[str] = []
    take = Taker(given, said, _written).take
    classifier = take("classifier", _one_of("The classifier", tuple(labels)), default.classifier)
    label = take("label", _one_of("The label", labels[classifier]), explained[classifier])
    view = View(
        classifier=classifier,
        label=label,
        infiller=take("infiller", _one_of("The infiller", infillers), default.infiller),
        text=given.get("text", default.text),
        budget=take("budget", checked_budget, default.budget),
        seed=take("seed", checked_seed, default.seed),
        threshold=take("threshold", _threshold, default.threshold),
        scores=take("scores", _flag("'Count probabilities' (scores)"), default.scores),
        temperature=take(
            "temperature",
            _within("The temperature", TEMPERATURE_MIN, TEMPERATURE_MAX),
            default.temperature,
        ),
        top_p=take("top_p", _within("Top-p", TOP_P_MIN, TOP_P_MAX), default.top_p),
        redraw=take("redraw", _flag("'Redraw unchanged texts' (redraw)"), default.redraw),
        sampler=take("sampler", _one_of("The sampler", SAMPLER_NAMES), default.sampler),
        early=take("early", _flag("'Stop when the first three are clear' (early)"), default.early),
        word=take("word", _position, default.word),
        phrases=take(_CALLED["phrases"], _spans, default.phrases),
    )
    return view, tuple(said)


def parameters(view: View) -> dict[str, str]:
    """The address of a view; rare settings only where they differ from the default."""
    plain = View(view.classifier, view.label, "")
    written = {}
    for field in fields(view):
        value = getattr(view, field.name)
        if value is None:
            continue
        if field.name in _ALWAYS or value != getattr(plain, field.name):
            written[_CALLED.get(field.name, field.name)] = _written(value)
    return written


def settings_of(view: View, explained: str, phrases: tuple[str, ...] = ()) -> ExplainSettings:
    """The settings that decide the draws; the threshold is the default, for views re-judge.

    explained: the classifier's own explained label, for which the settings say None. phrases:
    what stands at the view's spans; only who has the text can say so.
    """
    return ExplainSettings(
        budget=view.budget,
        seed=view.seed,
        label=None if view.label == explained else view.label,
        use_scores=view.scores,
        sampler=view.sampler,
        phrases=phrases,
        generation=GenerationSettings(view.temperature, view.top_p, view.redraw),
    )


def view_of(
    text: str | None,
    classifier: str,
    infiller: str,
    settings: ExplainSettings,
    explained: str,
    threshold: float,
    word: int | None,
    early: bool = False,
    phrases: tuple[Span, ...] = (),
) -> View:
    """The view that shows one request; ``word`` counts from 0 here.

    ``early``: the explanation may end before its budget. ``phrases``: where those of the settings
    stand in the text.
    """
    return View(
        classifier=classifier,
        label=settings.label or explained,
        infiller=infiller,
        text=text,
        budget=settings.budget,
        seed=settings.seed,
        threshold=threshold,
        scores=settings.use_scores,
        temperature=settings.generation.temperature,
        top_p=settings.generation.top_p,
        redraw=settings.generation.redraw_unchanged,
        sampler=settings.sampler,
        early=early,
        word=None if word is None else word + 1,
        phrases=phrases,
    )


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, tuple):
        return ",".join(f"{start}-{end}" for start, end in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _one_of(what: str, known: Sequence[str]) -> Callable[[str], str]:
    def check(value: str) -> str:
        if value not in known:
            raise SettingsError(f"{what} is one of {', '.join(known)}, and {value!r} came.")
        return value

    return check


def _within(what: str, low: float, high: float) -> Callable[[str], float]:
    def check(value: str) -> float:
        try:
            number = float(value)
        except ValueError:
            number = float("nan")
        if not low <= number <= high:
            raise SettingsError(f"{what} is a number from {low} to {high}, and {value!r} came.")
        return number

    return check


def _threshold(value: str) -> float:
    number = _within("The threshold", THRESHOLD_MIN, THRESHOLD_MAX)(value)
    if abs(number - round(number, 2)) > 1e-9:
        raise SettingsError(f"The threshold has at most two decimals, and {value!r} came.")
    return round(number, 2)


def _flag(what: str) -> Callable[[str], bool]:
    def check(value: str) -> bool:
        if value not in ("0", "1"):
            raise SettingsError(f"{what} is 0 or 1, and {value!r} came.")
        return value == "1"

    return check


def _position(value: str) -> int:
    if not (value.isascii() and value.isdigit() and 1 <= len(value) <= 6 and int(value) >= 1):
        raise SettingsError(f"The word is counted from 1, and {value!r} came.")
    return int(value)


def _spans(value: str) -> tuple[Span, ...]:
    parts = [_SPAN.fullmatch(part) for part in value.split(",")]
    spans = [(int(m[1]), int(m[2])) for m in parts if m]
    if len(spans) < len(parts) or any(a >= b for a, b in spans) or len(spans) > PHRASES_MAX:
        raise SettingsError(
            "Phrases kept as one unit (units) are 1 to "
            f"{PHRASES_MAX} spans of characters such as 6-18,30-41, and {value!r} came."
        )
    return tuple(sorted(set(spans)))
