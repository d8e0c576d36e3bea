"""The parts of a quality report, each as plain values beside its criteria.

1. The app's own draws (paper sampler, both sides, redraws) over the texts of the authors'
   file: what is counted in ``nsx_core.quality``, and how often a classifier of abuse calls the
   infilled words alone positive, against neutral text.
2. A sample of the authors' (text, mask) pairs, infilled by us as they did (an unchanged draw is
   kept) and as the app does (drawn again), with the same figures for their texts, and the
   median log-probability a token under the untuned base model. Both several times, with seeds
   of their own, and the means are reported: one time's figures differ by more than the limits'
   margins.
3. A few whole texts, every mask the authors drew for them: duplicates grow with the number of
   draws a mask gets, so they are compared at the paper's own.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from nsx_core import quality as q
from nsx_core.masking import paper_masks
from nsx_core.quality.measuring import Models, fragments, infill_masks, positive_share
from nsx_core.records import DrawSide, GenerationSettings, Mask, Side, text_hash
from nsx_core.seeding import generator
from nsx_core.words import split

SAMPLES = 30


@dataclass(frozen=True)
class Sizes:
    """How much is measured: own draws in all, the authors' rows, how often, and whole texts."""

    draws: int = 2_400
    paired: int = 1_200
    times: int = 5
    whole: int = 3
    seed: int = 0


def own_figures(
    models: Models, texts: Sequence[str], heldout: Sequence[str],
    generation: GenerationSettings, sizes: Sizes,
) -> tuple[dict[str, Any], list[q.Criterion]]:  # fmt: skip
    """Part 1 of the report and its criteria."""
    each = -(-sizes.draws // (2 * len(texts)))
    tasks = [
        (made, mask)
        for made in map(split, texts)
        for side in Side
        for mask in paper_masks(len(made.words), side, sizes.seed, text_hash(made.text), 0, each)
    ]
    began = time.perf_counter()
    items = infill_masks(models.infiller, tasks, generation, sizes.seed)
    seconds = time.perf_counter() - began
    written = [q.infilled_text(item) for item in items]
    neutral = fragments(heldout, [len(w.split()) for w in written if w], sizes.seed)
    rates = tuple(positive_share(models, t) for t in (written, heldout, neutral))
    found = q.infiller_quality(items)
    samples = [
        {"original": i.original, "mask": _bits(i.replaced), "text": i.text}
        for i in (items[at] for at in _sampled(len(items), SAMPLES, sizes.seed))
    ]
    return {
        "texts": len(texts),
        "seconds": round(seconds, 1),
        "draws_per_second": round(len(items) / seconds, 1),
        "quality": asdict(found),
        "positive": rates[0],
        "neutral_sentences_positive": rates[1],
        "neutral_fragments_positive": rates[2],
        "neutral_sentences": len(heldout),
        "samples": samples,
    }, q.own_criteria(found, *rates)


def paired_figures(
    models: Models, rows: pd.DataFrame, generation: GenerationSettings, sizes: Sizes
) -> tuple[dict[str, Any], list[q.Criterion]]:
    """Part 2: the authors' rows, ours without and with redraws, and the criteria of both."""
    rows = rows.iloc[_sampled(len(rows), sizes.paired, sizes.seed)]
    theirs = _authors(rows)
    aligned = [item.alignment is not None for item in theirs]
    scores: dict[str, float] = {}

    def side(items: Sequence[q.Infilled]) -> tuple[list[q.Infilled], dict[str, Any]]:
        # Where their infilled words are unknown, no side's are counted.
        known = [item for item, is_known in zip(items, aligned, strict=True) if is_known]
        # Most of our texts are the same with and without redraws; each is scored once.
        texts = [t for t in dict.fromkeys(i.text for i in known) if t not in scores]
        scores.update(zip(texts, models.fluency.mean_log_probabilities(texts), strict=True))
        return known, _side(models, known, scores)

    authors, told = side(theirs)
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in ("ours_kept", "ours")}
    criteria: list[list[q.Criterion]] = []
    for seed in range(sizes.seed, sizes.seed + sizes.times):
        criteria.append([])
        for name, title in (("ours_kept", "unchanged kept"), ("ours", "redrawn")):
            own, figures = side(_ours(models, rows, generation, seed, redraw=name == "ours"))
            equal = (
                _at_equal_size(q.word_tokens(own), q.word_tokens(authors)),
                _at_equal_size(q.bigrams(own), q.bigrams(authors)),
            )
            found[name].append(figures | {"distinct_at_equal_words": equal})
            criteria[-1] += q.paired_criteria(
                title, q.infiller_quality(own), q.infiller_quality(authors),
                (figures["log_probability"], told["log_probability"]),
                (figures["positive"], told["positive"]),
                equal,
            )  # fmt: skip
    means = {name: _mean(every) for name, every in found.items()}
    rows_used = {"rows": len(rows), "not_aligned": aligned.count(False), "times": sizes.times}
    return {**rows_used, "authors": told, **means}, list(
        map(_mean_criterion, zip(*criteria, strict=True))
    )


def _mean(values: Sequence[Any]) -> Any:
    """Of like records of numbers, their means; None where one is None."""
    first = values[0]
    if isinstance(first, dict):
        return {key: _mean([value[key] for value in values]) for key in first}
    if isinstance(first, list | tuple):
        return [_mean(part) for part in zip(*values, strict=True)]
    return None if None in values else float(np.mean(values))


def _mean_criterion(criteria: Sequence[q.Criterion]) -> q.Criterion:
    value, limit = _mean([c.value for c in criteria]), _mean([c.limit for c in criteria])
    return replace(criteria[0], value=value, limit=limit)


def whole_figures(
    models: Models, rows: pd.DataFrame, generation: GenerationSettings, sizes: Sizes
) -> tuple[dict[str, Any], list[q.Criterion]]:
    """Part 3: duplicates where a text gets as many draws as in the paper."""
    texts = sorted(rows["text"].unique(), key=lambda t: (len(t.split()), t))
    places = np.linspace(0, len(texts) - 1, min(sizes.whole, len(texts))).round().astype(int)
    chosen = rows[rows["text"].isin([texts[i] for i in dict.fromkeys(places.tolist())])]
    ours = q.infiller_quality(_ours(models, chosen, generation, sizes.seed, redraw=True))
    theirs = q.infiller_quality(_authors(chosen))
    every = q.infiller_quality(_authors(rows))
    found = {
        "texts": int(chosen["text"].nunique()),
        "draws": len(chosen),
        "ours": asdict(ours),
        "authors": asdict(theirs),
        "authors_all_rows": asdict(every),
    }
    name = "duplicates at the paper's number of draws"
    return found, [q.Criterion(name, ours.duplicates, q.criteria.DUPLICATES_MAX)]


def _ours(
    models: Models, rows: pd.DataFrame, generation: GenerationSettings, seed: int, redraw: bool
) -> list[q.Infilled]:
    settings = GenerationSettings(generation.temperature, generation.top_p, redraw)
    named = zip(rows.index.tolist(), *_columns(rows, "text", "side", "mask"), strict=True)
    tasks = [
        (split(text), Mask(DrawSide(side), number, _mask(bits)))
        for number, text, side, bits in named
    ]
    return infill_masks(models.infiller, tasks, settings, seed)


def _authors(rows: pd.DataFrame) -> list[q.Infilled]:
    columns = _columns(rows, "text", "mask", "perturbed_text")
    return [q.infilled(text, _mask(bits), made) for text, bits, made in zip(*columns, strict=True)]


def _columns(rows: pd.DataFrame, *names: str) -> list[list[Any]]:
    return [rows[name].tolist() for name in names]


def _side(
    models: Models, items: Sequence[q.Infilled], scores: Mapping[str, float]
) -> dict[str, Any]:
    return {
        "quality": asdict(q.infiller_quality(items)),
        "log_probability": _median([scores[i.text] for i in items]),
        "log_probability_without_placeholders": _median(
            [scores[i.text] for i in items if not q.holds_placeholder(i.text)]
        ),
        "positive": positive_share(models, [q.infilled_text(item) for item in items]),
    }


def _median(values: Sequence[float]) -> float | None:
    known = [value for value in values if np.isfinite(value)]
    return float(np.median(known)) if known else None


def _at_equal_size(ours: Sequence[Any], theirs: Sequence[Any]) -> tuple[float, float]:
    size = min(len(ours), len(theirs))
    return q.expected_distinct(ours, size), q.expected_distinct(theirs, size)


def _sampled(n: int, wanted: int, seed: int) -> list[int]:
    chosen = generator("quality rows", seed).permutation(n)[:wanted]
    return sorted(int(i) for i in chosen)


def _mask(bits: str) -> tuple[bool, ...]:
    return tuple(bit == "1" for bit in bits)


def _bits(replaced: Sequence[bool]) -> str:
    return "".join("1" if r else "0" for r in replaced)


def report(
    models: Models, rows: pd.DataFrame, heldout: Sequence[str],
    generation: GenerationSettings, sizes: Sizes, training: dict[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """All parts and criteria as plain values; ``training`` is the infiller's training record."""
    texts = list(dict.fromkeys(rows["text"]))
    own, criteria = own_figures(models, texts, heldout, generation, sizes)
    paired, more = paired_figures(models, rows, generation, sizes)
    whole, last = whole_figures(models, rows, generation, sizes)
    loss = training.get("heldout_loss") or {"untuned": None, "tuned": None}
    name = "held-out answer loss against the untuned base's"
    criteria += [*last, *more, q.Criterion(name, loss["tuned"], loss["untuned"] or 0.0)]
    return {
        "infiller": {"name": models.infiller.name, "fingerprint": models.infiller.fingerprint},
        "classifier": {
            "name": models.classifier.name,
            "fingerprint": models.classifier.fingerprint,
            "label": models.label,
        },
        "settings": asdict(generation) | asdict(sizes),
        "all_met": all(c.met for c in criteria),
        "criteria": [c.as_json() for c in criteria],
        "own": own,
        "whole": whole,
        "paired": paired,
        "heldout_loss": loss,
    }


def headline(found: dict[str, Any]) -> dict[str, Any]:
    """The figures that the manifest and the app's list of infillers state."""
    own, paired = found["own"], found["paired"]
    met = sum(c["met"] for c in found["criteria"])
    return {
        "criteria_met": f"{met} of {len(found['criteria'])}",
        "unchanged_share": own["quality"]["unchanged"],
        "duplicate_share": own["quality"]["duplicates"],
        "empty_share": own["quality"]["empty"],
        "kept_intact_share": own["quality"]["kept_intact"],
        "positive_share": own["positive"],
        "neutral_positive_share": own["neutral_sentences_positive"],
        "heldout_loss": found["heldout_loss"]["tuned"],
        "log_probability": paired["ours"]["log_probability"],
        "authors_log_probability": paired["authors"]["log_probability"],
    }
