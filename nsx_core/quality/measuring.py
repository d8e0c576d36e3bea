"""Make the texts and the judgements that a quality report counts, from models given to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from nsx_core.classifying import Classifier, checked, label_index, positive
from nsx_core.infilling import Infiller, checked_answers, splice
from nsx_core.quality.metrics import Infilled, infilled
from nsx_core.records import GenerationSettings, InfillRequest, Mask, SplitText, text_hash
from nsx_core.seeding import child_seed, generator
from nsx_core.settings import REDRAWS_MAX, THRESHOLD_DEFAULT

__all__ = ["Fluency", "Models", "fragments", "infill_masks", "positive_share"]

BATCH_DRAWS = 512


class Fluency(Protocol):
    """Anything that says how likely texts are."""

    def mean_log_probabilities(self, texts: list[str]) -> NDArray[np.float64]:
        """float64[n_texts], nats a token, at most 0; NaN for a text without a token."""
        ...


@dataclass(frozen=True)
class Models:
    """All models a report needs; ``label`` is the class whose share is stated."""

    infiller: Infiller
    classifier: Classifier
    label: str
    fluency: Fluency


def infill_masks(
    infiller: Infiller,
    tasks: Sequence[tuple[SplitText, Mask]],
    generation: GenerationSettings,
    seed: int,
) -> list[Infilled]:
    """One draw a (text, mask); the very draw that the app makes with these settings."""
    done: dict[int, Infilled] = {}
    pending = list(range(len(tasks)))
    bar = tqdm(total=len(tasks), unit="draw", mininterval=10)
    for attempt in range(REDRAWS_MAX + 1 if generation.redraw_unchanged else 1):
        requests = [_request(*tasks[i], seed, attempt) for i in pending]
        answers: list[tuple[str, ...]] = []
        for first in range(0, len(requests), BATCH_DRAWS):
            part = requests[first : first + BATCH_DRAWS]
            answers += checked_answers(infiller, part, generation)
            bar.update(len(part) if attempt == 0 else 0)
        for i, answer in zip(pending, answers, strict=True):
            text, mask = tasks[i]
            made = "".join(piece for piece, _ in splice(text, mask.replaced, answer))
            done[i] = infilled(text.text, mask.replaced, made, attempt)
        pending = [i for i in pending if done[i].unchanged]
        if not pending:
            break
    bar.close()
    return [done[i] for i in range(len(tasks))]


def _request(text: SplitText, mask: Mask, seed: int, attempt: int) -> InfillRequest:
    words = tuple(w.text for w in text.words)
    purpose = ("infill", text_hash(text.text), mask.side.value, mask.number, seed, attempt)
    return InfillRequest(words, text.spaces, mask.replaced, child_seed(*purpose))


def positive_share(models: Models, texts: Sequence[str]) -> float:
    """Share 0..1 of the non-blank texts called positive at 0.5; 0 where there are none."""
    asked = [text for text in texts if text.strip()]
    if not asked:
        return 0.0
    column = label_index(models.classifier.labels, models.label)
    answers = checked(models.classifier, asked)[:, column]
    return float(positive(answers, THRESHOLD_DEFAULT).mean())


def fragments(sentences: Sequence[str], lengths: Sequence[int], seed: int) -> list[str]:
    """A stretch of so many neighbouring words for each length, out of a random sentence.

    Where a sentence is too short, further random ones are put behind it.
    """
    rng = generator("quality fragments", seed)
    found = []
    for length in lengths:
        words: list[str] = []
        while len(words) < max(1, length):
            words += sentences[int(rng.integers(len(sentences)))].split()
        first = int(rng.integers(len(words) - length + 1))
        found.append(" ".join(words[first : first + length]))
    return found
