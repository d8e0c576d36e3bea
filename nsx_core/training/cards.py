"""Render a classifier's card, README.md, from its manifest, so that no figure is typed.

The card follows the headings of (mitchell-etal-2019): what it is, what it learned from,
how well it does, and where not to use it.
"""

from __future__ import annotations

from pathlib import Path

from nsx_core.adapters.base_models import MINILM
from nsx_core.adapters.encoder_classifier import AGREEMENT_MIN
from nsx_core.adapters.manifest import ADAPTER_KIND, Figures, Manifest, read_manifest

__all__ = ["CARD_FILE", "card", "write_card"]

CARD_FILE = "README.md"

_POSITIVE = {
    ("davidson2017", "hate"): "tweets that most annotators called hate speech (class 0)",
    ("davidson2017", "abuse"): (
        "tweets that most annotators called hate speech or offensive language (classes 0 and 1)"
    ),
    ("cad", "hate"): "entries with the label IdentityDirectedAbuse",
    ("cad", "abuse"): (
        "entries with a label of abuse directed at an identity, an affiliation or a person"
    ),
    ("founta2018", "hate"): "tweets labelled hateful",
    ("founta2018", "abuse"): "tweets labelled hateful or abusive",
}
_LIMITS = {
    "davidson2017": (
        (
            "The tweets were collected by searching for terms of a hate-speech lexicon and most were "
            "called offensive, so the share of positive texts is nothing like that of everyday "
            "writing."
        ),
        (
            "Annotators saw tweets without context. Words that are ordinary in African American "
            "English were often called offensive, and a classifier learns that from them "
            "(davidson-etal-2019-racial)."
        ),
    ),
    "cad": (
        (
            "The entries come from a small number of Reddit communities chosen because abuse was "
            "likely there. Annotators saw the whole thread; the classifier sees one entry, and some labels "
            "cannot be told from it."
        ),
        (
            "The positive entries are few, so their precision and recall can differ noticeably from "
            "one seed to another."
        ),
    ),
}


def write_card(folder: Path) -> Path:
    """Write the folder's card from its manifest; the path of the file."""
    path = Path(folder) / CARD_FILE
    path.write_text(card(read_manifest(Path(folder))), encoding="utf-8")
    return path


def card(manifest: Manifest) -> str:
    """The card as Markdown, ending in a newline."""
    parts = [
        f"# {manifest.name}",
        _what(manifest),
        "## Data",
        _data(manifest),
        "## Figures",
        _figures(manifest),
        "## Neutral baseline",
        _baseline(manifest),
        "## Number format",
        _format(manifest),
        "## How it was learned",
        _recipe(manifest),
        "## Limits",
        _limits(manifest),
        "## Licence",
        _licence(manifest),
    ]
    return "\n\n".join(parts) + "\n"


def _what(manifest: Manifest) -> str:
    kind = "A LoRA adapter and a head on" if manifest.kind == ADAPTER_KIND else "A full copy of"
    labels = " and ".join(f"'{label}'" for label in manifest.labels)
    return (
        f"{kind} the encoder {_base(manifest)}, with the labels {labels}. It is here to be "
        "examined: the app explains its decisions, word by word. It is not meant for moderating "
        "what people write."
    )


def _base(manifest: Manifest) -> str:
    # A folder's place on one machine says nothing to a reader elsewhere.
    return f"`{Path(manifest.base).name}`" if Path(manifest.base).is_absolute() else manifest.base


def _data(manifest: Manifest) -> str:
    data = manifest.data
    positive = _POSITIVE.get((data.name, data.task), f"texts labelled {data.task}")
    cited = f" ({data.citation})" if data.citation else ""
    rows = [
        f"| {split} | {n:,} | {positives:,} | {positives / n:.1%} |"
        for split, (n, positives) in (
            ("train", data.train),
            ("dev", data.dev),
            ("test", data.test),
        )
    ]
    lines = [
        (
            f"`{data.name}`{cited}, licence: {data.licence}. Positive, '{manifest.explained_class}': "
            f"{positive}."
        ),
        "",
        "| split | texts | positive | share |",
        "|---|---:|---:|---:|",
        *rows,
    ]
    if data.notes:
        lines += ["", " ".join(data.notes)]
    return "\n".join(lines)


def _figures(manifest: Manifest) -> str:
    lines = [
        (
            "| | macro F1 | micro F1 | precision of "
            f"'{manifest.explained_class}' | recall of '{manifest.explained_class}' | texts |"
        ),
        "|---|---:|---:|---:|---:|---:|",
    ]
    if manifest.test is not None:
        lines.append(_row("this classifier, test", manifest.test))
    lines.append(_row("this classifier, dev", manifest.dev))
    if manifest.paper is not None:
        paper = manifest.paper
        lines.append(
            f"| {paper.model} of the paper ({paper.source}), test | {paper.macro_f1:.2f} | "
            f"{paper.micro_f1:.2f} | | | |"
        )
    lines += [
        "",
        (
            f"Figures are of one training run (seed {manifest.seed}) at threshold 0.5; another seed "
            "gives somewhat different ones. Epoch, settings and the shift of the decision were chosen "
            "on dev, so the dev figures flatter; the test split was measured once."
        ),
    ]
    if manifest.paper is not None and manifest.data.name == "davidson2017":
        lines.append(
            "The paper's test split of this data is not public, so the two rows are of different "
            "texts."
        )
    return "\n".join(lines)


def _row(title: str, found: Figures) -> str:
    return (
        f"| {title} | {found.macro_f1:.3f} | {found.micro_f1:.3f} | {found.precision:.3f} | "
        f"{found.recall:.3f} | {found.n:,} |"
    )


def _baseline(manifest: Manifest) -> str:
    found = manifest.baseline
    if found is None:
        return (
            "Not measured yet: run `python -m nsx_core.training.classifiers baseline --texts "
            "FILE.jsonl`."
        )
    return (
        f"Of {found.n:,} neutral texts ({found.source}), {found.positives:,} reach 0.5 for "
        f"'{manifest.explained_class}' ({found.rate:.2%}); their mean probability is "
        f"{found.mean_probability:.4f}. `baseline.json` holds every probability, so that the rate "
        "at another threshold is exact. Sufficiency subtracts this rate."
    )


def _format(manifest: Manifest) -> str:
    found = manifest.bfloat16
    if found is None:
        return (
            "float32. Nobody has measured bfloat16 (`python -m nsx_core.training.classifiers "
            "agreement`)."
        )
    used = found.share >= AGREEMENT_MIN
    return (
        f"float32{', or bfloat16 on machines that are faster at it' if used else ' everywhere'}: "
        f"bfloat16 gives the same label at 0.5 on {found.same:,} of {found.n:,} texts "
        f"({found.source}), {found.share:.2%}; at least {AGREEMENT_MIN:.1%} is asked."
    )


def _recipe(manifest: Manifest) -> str:
    recipe = manifest.recipe
    what = "every weight trained"
    if recipe.lora_rank:
        what = (
            f"LoRA of rank {recipe.lora_rank}, alpha {recipe.lora_alpha}, on the linear layers "
            f"named {', '.join(manifest.lora_targets)} (hu-etal-2022)"
        )
    pooled = "the mean of the token states"
    if recipe.pooling == "first":
        pooled = "the first token's state"
    shift = ""
    if recipe.tune_bias:
        shift = (
            f" The shift {manifest.decision_shift:+.2f}, chosen on dev for macro F1, is part of "
            "the head's bias: probabilities are therefore placed so that 0.5 is the best "
            "decision, and are no calibrated chances."
        )
    return (
        f"Recipe '{recipe.name}': {what}; a linear head on {pooled}. {recipe.epochs} epochs of "
        f"batches of {recipe.batch_size}, AdamW with learning rate {recipe.learning_rate:g}, "
        f"weight decay {recipe.weight_decay:g}, {recipe.warmup_steps} warm-up steps, then linear "
        f"decay; cross-entropy weighted by (n / (2 n_class)) ** {recipe.class_weight_power:g}; "
        f"texts cut at {recipe.train_max_tokens} tokens in training and {manifest.max_tokens} in "
        f"use. Epoch {manifest.best_epoch} is kept.{shift} Mentions, links and emoji are replaced "
        "by [USER], [URL] and [EMOJI], as in (balkir-etal-2022)."
    )


def _limits(manifest: Manifest) -> str:
    points = [
        "English only. It sees one text, never who wrote it, to whom, or in which conversation.",
        *_LIMITS.get(manifest.data.name, ()),
        (
            "A word that names a group of people can raise the answer by itself: this over-sensitivity "
            "is what necessity and sufficiency are here to show. Do not take a positive answer for a "
            "fact about a text or about its author."
        ),
        (
            f"Only the first {manifest.max_tokens} tokens are read; the app says how many words were "
            "not."
        ),
    ]
    return "\n".join(f"- {point}" for point in points)


def _licence(manifest: Manifest) -> str:
    base = ""
    if manifest.base == MINILM:
        base = f" The base model {MINILM} is under Apache-2.0 and is not part of this folder."
    return (
        f"The weights in this folder were learned from {manifest.data.name} "
        f"({manifest.data.licence}); none of its texts are in it.{base}"
    )
