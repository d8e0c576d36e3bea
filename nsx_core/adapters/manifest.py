"""What a classifier's folder says about itself: ``model.json``, typed.

The manifest holds all that is needed to load the model and to judge it: the base model,
the labels, the recipe, the data, the figures on held-out texts and the rate at which
neutral texts are called positive. Cards are rendered from it, so no figure is typed twice.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nsx_core.cleaning import clean
from nsx_core.errors import MissingModelError, ModelError

MANIFEST_FILE, FORMAT = "model.json", 1
ADAPTER_KIND, FULL_KIND = "encoder-adapter", "encoder-full"
WEIGHT_FILES = {ADAPTER_KIND: "adapter.safetensors", FULL_KIND: "model.safetensors"}
# Cleaned once for the fingerprint: whatever changes here may change every answer.
_CLEANING_PROBE = (
    "RT @a @b: &lt;b&gt; &amp;amp; http://x.org/y www.z.com a.co/b [linebreak] \U0001f600\U0001f600"
    " \U0001f44d\U0001f3fd caf\u00e9\tx\n\u2028 e@f.com"
)


@dataclass(frozen=True)
class Recipe:
    """How a classifier is learned. Every field but ``name`` is a hyper-parameter.

    ``pooling`` is 'mean' (over the text's tokens) or 'first' (the first token's state).
    ``class_weight_power`` p weighs class c by (n / (2 n_c)) ** p: 1 is balanced, 0 none.
    Dropout inside LoRA and attention is 0 in the shipped recipe: it costs a third of the time.
    ``tune_bias`` adds to the head's bias the shift that is best on the dev split.
    ``lora_rank`` 0 trains every weight.
    """

    name: str
    epochs: int = 3
    batch_size: int = 16
    learning_rate: float = 1e-3
    weight_decay: float = 0.01
    warmup_steps: int = 200
    train_max_tokens: int = 128
    pooling: str = "mean"
    head_dropout: float = 0.1
    attention_dropout: float = 0.0
    class_weight_power: float = 0.5
    tune_bias: bool = True
    add_placeholders: bool = False
    lora_rank: int = 16
    lora_alpha: int = 32
    lora_dropout: float = 0.0


@dataclass(frozen=True)
class Figures:
    """Measured on one split at threshold 0.5: fractions 0..1, counts of texts."""

    n: int
    positives: int
    macro_f1: float
    micro_f1: float
    precision: float
    recall: float


@dataclass(frozen=True)
class PaperFigures:
    """What the paper printed for its own classifier of this name."""

    model: str
    macro_f1: float
    micro_f1: float
    source: str


@dataclass(frozen=True)
class DataSummary:
    """Which texts a classifier learned from; counts are texts, positives in brackets."""

    name: str
    task: str
    citation: str
    licence: str
    train: tuple[int, int]
    dev: tuple[int, int]
    test: tuple[int, int]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Baseline:
    """How the classifier answers neutral texts.

    ``positives`` of ``n`` reach 0.5 for the explained class, ``rate`` is their share and
    ``mean_probability`` the mean of that class's probability. All probabilities lie in
    ``baseline.json`` beside the manifest, so a rate at any threshold is exact.
    """

    n: int
    positives: int
    rate: float
    mean_probability: float
    source: str
    fingerprint: str


@dataclass(frozen=True)
class Agreement:
    """On how many of ``n`` texts another number format gives the same label at 0.5."""

    n: int
    same: int
    source: str

    @property
    def share(self) -> float:
        return self.same / self.n


@dataclass(frozen=True)
class Manifest:
    """A classifier's ``model.json``. ``base_sha256`` is empty for a full model.

    ``bfloat16``: how well that format agrees with float32, None where nobody has measured.
    """

    format: int
    name: str
    kind: str
    base: str
    base_sha256: str
    labels: tuple[str, ...]
    explained_class: str
    max_tokens: int
    recipe: Recipe
    lora_targets: tuple[str, ...]
    seed: int
    best_epoch: int
    decision_shift: float
    data: DataSummary
    dev: Figures
    test: Figures | None
    paper: PaperFigures | None
    baseline: Baseline | None
    weights_sha256: str
    fingerprint: str
    bfloat16: Agreement | None = None


_NESTED: dict[str, type[Any]] = {
    "recipe": Recipe,
    "data": DataSummary,
    "dev": Figures,
    "test": Figures,
    "paper": PaperFigures,
    "baseline": Baseline,
    "bfloat16": Agreement,
}


def fingerprint(manifest: Manifest) -> str:
    """sha256 hex over what can change an answer: weights, labels, cleaning, truncation."""
    parts = {
        "weights": manifest.weights_sha256,
        "base": manifest.base_sha256,
        "labels": manifest.labels,
        "max_tokens": manifest.max_tokens,
        "pooling": manifest.recipe.pooling,
        "lora": [manifest.recipe.lora_rank, manifest.recipe.lora_alpha],
        "cleaning": clean(_CLEANING_PROBE),
    }
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def file_sha256(*files: Path) -> str:
    """sha256 hex over the files' names and bytes, in the order given."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0")
        with file.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def read_manifest(folder: Path) -> Manifest:
    """The folder's manifest.

    Raises ``MissingModelError`` where there is no ``model.json``, and ``ModelError``
    where it cannot be read or has other fields than this version writes.
    """
    path = folder / MANIFEST_FILE
    if not path.is_file():
        raise MissingModelError(
            f"A classifier's folder holds {MANIFEST_FILE}, and there is none in {str(folder)!r}. "
            "Check the folder, or train the classifier with "
            "`python -m nsx_core.training.classifiers`."
        )
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return _manifest(found)
    except (ValueError, TypeError, KeyError) as error:
        raise ModelError(
            f"{str(path)!r} must be a manifest of format {FORMAT}, and it cannot be read as one: "
            f"{error}. Restore the file, or train the classifier again."
        ) from error


def holds_classifier(folder: Path) -> bool:
    """Whether the folder's ``model.json`` is of a kind read here (an infiller's is not)."""
    try:
        found = json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and found.get("kind") in WEIGHT_FILES


def write_json(path: Path, content: object) -> None:
    """Write the content as JSON; the file is never half there."""
    if dataclasses.is_dataclass(content) and not isinstance(content, type):
        content = dataclasses.asdict(content)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.draft")
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    draft.write_text(text + "\n", encoding="utf-8")
    os.replace(draft, path)


def _manifest(found: Any) -> Manifest:
    if not isinstance(found, dict):
        raise TypeError(f"it holds a {type(found).__name__}, not an object")
    if found.get("format") != FORMAT:
        raise ValueError(f"its format is {found.get('format')!r}")
    made = {key: _typed(_NESTED.get(key), value) for key, value in found.items()}
    manifest = Manifest(**made)
    if manifest.kind not in WEIGHT_FILES:
        raise ValueError(f"its kind is {manifest.kind!r}, not one of {sorted(WEIGHT_FILES)}")
    if manifest.explained_class not in manifest.labels:
        raise ValueError(f"its explained class {manifest.explained_class!r} is not a label")
    return manifest


def _typed(record: type[Any] | None, value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    if record is None or value is None:
        return value
    return record(**{key: _typed(None, inner) for key, inner in value.items()})
