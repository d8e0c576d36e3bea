"""Keys: sha256 of canonical JSON of everything that can change a result, and nothing else.

Two requests that must give the same draws share a key, so that a second one finds the
first one's draws; anything that cannot change a draw (budget, classifier, threshold,
label) stays out of it, so that another classifier or a larger budget finds them too.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from nsx_core.records import GenerationSettings, SplitText, text_hash

#: Part of every draw set's key. Raise it when the same settings begin to give other draws
#: (a change of how seeds are derived, say), so that old rows are never mixed with new ones.
DRAW_FORMAT = 1


@dataclass(frozen=True, slots=True)
class DrawSet:
    """The family of numbered draws that one text, infiller and set of settings give.

    ``key`` is the sha256 (hex) of all that can change a draw. ``text_id`` is
    ``records.text_hash`` of the text; ``infiller`` is the display name and not part of the
    key, ``infiller_fingerprint`` is; ``settings`` is the canonical JSON of the word spans,
    the generation settings, the sampler and the seed.
    """

    key: str
    text_id: str
    infiller: str
    infiller_fingerprint: str
    settings: str


def canonical_json(payload: Any) -> str:
    """One spelling for one value: sorted keys, no spaces, ASCII only, no NaN.

    Raises ValueError for NaN and infinities, TypeError for what JSON cannot hold.
    """
    return json.dumps(
        payload, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )


def canonical_key(payload: Any) -> str:
    """The sha256 (hex, 64 characters) of ``canonical_json(payload)``."""
    return hashlib.sha256(canonical_json(payload).encode("ascii")).hexdigest()


def draw_set(
    split: SplitText,
    infiller_name: str,
    infiller_fingerprint: str,
    generation: GenerationSettings,
    sampler: str,
    seed: int,
) -> DrawSet:
    """The draw set of a split text under these settings."""
    settings = canonical_json(
        {
            "spans": [[word.start, word.end] for word in split.words],
            # 1 and 1.0 are the same temperature but not the same JSON.
            "generation": {
                "temperature": float(generation.temperature),
                "top_p": float(generation.top_p),
                "redraw_unchanged": bool(generation.redraw_unchanged),
            },
            "sampler": sampler,
            "seed": int(seed),
        }
    )
    text_id = text_hash(split.text)
    key = canonical_key(
        {
            "format": DRAW_FORMAT,
            "text": text_id,
            "infiller": infiller_fingerprint,
            "settings": settings,
        }
    )
    return DrawSet(key, text_id, infiller_name, infiller_fingerprint, settings)
