"""Limits, defaults and folders, each defined once."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

from nsx_core.errors import SettingsError

MAX_WORDS = 2_000
MAX_WORD_CHARACTERS = 20_000
BUDGET_MIN, BUDGET_MAX, BUDGET_DEFAULT = 10, 400, 100
SEED_MAX = 2**31 - 1
#: Classifier calls that a search for counterfactuals may make, a method.
CALLS_MAX, CALLS_DEFAULT = 20_000, 1_000
#: An anchor's precision (tau), and how often its bounds may fail (delta).
PRECISION_DEFAULT, DELTA_DEFAULT = 0.95, 0.05
SAMPLER_DEFAULT = "balanced"
THRESHOLD_DEFAULT = 0.5
ANSWER_WORDS_MAX = 7
STRIKE_REASON_MAX = 500
AUDIT_NAME_MAX = 80
# Chosen on the quality report: docs/decisions.md, "How bold is the infiller?".
TEMPERATURE_DEFAULT, TOP_P_DEFAULT = 0.98, 0.98
REDRAWS_MAX = 5

# Digits of other scripts and 1_000 are numbers for Python, and slips of whoever typed them.
_PLAIN = re.compile(r"[+-]?[0-9]{1,12}", re.ASCII)

STORE_FILE = "nsx.duckdb"
PROJECT_FOLDER = Path(__file__).resolve().parent.parent
SHIPPED_MODELS_FOLDER = PROJECT_FOLDER / "assets" / "models"


def data_folder() -> Path:
    """Where the store lies: $NSX_HOME, or ~/.local/share/nsx."""
    return Path(os.environ.get("NSX_HOME") or Path.home() / ".local" / "share" / "nsx")


def model_cache_folder() -> Path:
    """Where converted base models lie: $NSX_MODEL_CACHE, or ~/.cache/nsx/models."""
    given = os.environ.get("NSX_MODEL_CACHE")
    return Path(given) if given else Path.home() / ".cache" / "nsx" / "models"


def checked_budget(budget: object) -> int:
    """The budget as an int in BUDGET_MIN..BUDGET_MAX, or a ``SettingsError``."""
    return _whole("The budget", budget, BUDGET_MIN, BUDGET_MAX)


def checked_seed(seed: object) -> int:
    """The seed as an int in 0..SEED_MAX, or a ``SettingsError``."""
    return _whole("The seed", seed, 0, SEED_MAX)


def checked_calls(calls: object) -> int:
    """The budget of classifier calls as an int in 1..CALLS_MAX, or a ``SettingsError``."""
    return _whole("The budget of classifier calls", calls, 1, CALLS_MAX)


def check_sampling(temperature: float, top_p: float) -> None:
    """Raise ``SettingsError`` for a temperature or top-p that no token can be drawn with."""
    if not 0 < temperature < math.inf or not 0 < top_p <= 1:
        raise SettingsError(
            "The temperature is above 0 and finite, top-p above 0 and at most 1, and "
            f"{temperature} and {top_p} came."
        )


def _whole(what: str, value: object, low: int, high: int) -> int:
    number: int | None = None
    if isinstance(value, int) and not isinstance(value, bool):
        number = value
    elif isinstance(value, str) and _PLAIN.fullmatch(value.strip()):
        number = int(value)
    if number is None or not low <= number <= high:
        raise SettingsError(f"{what} is a whole number from {low} to {high}, and {value!r} came.")
    return number
