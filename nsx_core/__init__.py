"""Necessity and sufficiency explanations for text classifiers (balkir-etal-2022).

The records and errors that every caller meets; ``nsx_core.pipeline`` explains one text,
``nsx_core.engine`` runs explanations for the app, ``python -m nsx_core`` is the command line.
"""

__version__ = "0.1.0"

from nsx_core.errors import NsxError
from nsx_core.records import (
    Draw,
    Estimate,
    ExplainSettings,
    Explanation,
    GenerationSettings,
    JudgedDraw,
    Side,
    WordScore,
)

__all__ = [
    "Draw",
    "Estimate",
    "ExplainSettings",
    "Explanation",
    "GenerationSettings",
    "JudgedDraw",
    "NsxError",
    "Side",
    "WordScore",
    "__version__",
]
