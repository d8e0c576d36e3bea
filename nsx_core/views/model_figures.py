"""The models' figures as frames for the Models pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import pandas as pd

from nsx_core.views.numbers import percent, score

__all__ = [
    "Card",
    "card_body",
    "figure_meaning",
    "figure_name",
    "figures_frame",
    "infiller_figures",
]


class Card(Protocol):
    """What a model card must offer to be listed."""

    @property
    def name(self) -> str: ...
    @property
    def figures(self) -> Mapping[str, Any]: ...


_NAMES = {
    "paper_macro_f1": "Macro F1 in the paper",
    "paper_micro_f1": "Micro F1 in the paper",
    "baseline_rate": "Neutral baseline",
    "baseline_n": "Neutral texts",
    "test_n": "Test texts",
    "test_positives": "Test positives",
}
_MEANINGS = {
    "criteria_met": "of the quality report's; the card lists each with its limit",
    "unchanged_share": "texts that came out as the original, after redraws",
    "duplicate_share": "texts that another draw of the same text and mask has too",
    "empty_share": "texts with a gap that got nothing",
    "kept_intact_share": "texts whose kept words stand as they were",
    "positive_share": "infilled words alone that Davidson2017-abuse calls abuse",
    "neutral_positive_share": "the same of held-out neutral sentences",
    "heldout_loss": "nats a token of answers on held-out neutral text; less is better",
    "log_probability": "median nats a token of its texts under the untuned base model",
    "authors_log_probability": "the same of the paper's own texts, for the same masks",
}
_KEYS = "Names such as (balkir-etal-2022) stand for papers: see docs/references.bib."
_SHARES = ("share", "rate", "unchanged", "duplicate", "empty", "baseline")


def figures_frame(cards: Sequence[Card]) -> pd.DataFrame:
    """One row a model, one column a figure that any of them states, as text."""
    flat = [_flat(card.figures) for card in cards]
    columns = list(dict.fromkeys(k for figures in flat for k in figures))
    return pd.DataFrame(
        [[_stated(k, figures.get(k)) for k in columns] for figures in flat],
        index=pd.Index([card.name for card in cards], name="Model"),
        columns=[figure_name(k) for k in columns],
    )


def infiller_figures(cards: Sequence[Card]) -> pd.DataFrame:
    """One row a figure, one column an infiller that has any, and what the figure means."""
    measured = [(card.name, _flat(card.figures)) for card in cards if card.figures]
    keys = list(dict.fromkeys(key for _, figures in measured for key in figures))
    columns = {name: [_stated(k, figures.get(k)) for k in keys] for name, figures in measured}
    columns["What it is"] = [figure_meaning(k) for k in keys]
    index = pd.Index([figure_name(k) for k in keys], name="Figure")
    return pd.DataFrame(columns, index=index)


def card_body(card: str) -> str:
    """A model card without its title, which the page has already; says where papers are listed."""
    first, _, rest = card.partition("\n")
    body = rest.lstrip() if first.startswith("# ") else card
    return f"{body.rstrip()}\n\n{_KEYS}\n" if "-etal-" in body else body


def figure_meaning(key: str) -> str:
    """What the figure of an infiller's report counts; empty where its name says it."""
    return _MEANINGS.get(key, "")


def figure_name(key: str) -> str:
    """'test_macro_f1' as 'Test macro F1'."""
    if key in _NAMES:
        return _NAMES[key]
    words = key.replace("_", " ").replace("f1", "F1")
    return words[:1].upper() + words[1:]


def _flat(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Nested figures with their group's name before theirs."""
    flat: dict[str, Any] = {}
    for key, value in figures.items():
        if isinstance(value, Mapping):
            flat |= {f"{key} {name}": inner for name, inner in _flat(value).items()}
        else:
            flat[key] = value
    return flat


def _stated(key: str, value: Any) -> str:
    if value is None:
        return "\u2013"
    if isinstance(value, float):
        return percent(value, 1) if any(s in key for s in _SHARES) else score(value, 3)
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)
