"""Render an infiller's card, README.md, from its manifest, training record and quality report.

The card follows the headings of (mitchell-etal-2019), and no figure in it is typed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["CARD_FILE", "card", "quality_tables", "read_training", "write_card"]

CARD_FILE = "README.md"

#: File name of a source -> (what it is, its licence).
_SOURCES = {
    "cad_v1_1_train.tsv": (
        "Contextual Abuse Dataset v1.1, train split, label Neutral (vidgen-etal-2021-introducing)",
        "CC BY 4.0",
    ),
    "labeled_data.csv": (
        "Hate speech and offensive language, class 'neither' (davidson-etal-2017)",
        "MIT",
    ),
    "wikipedia_toxicity_nonfuzzed_testset.csv": (
        "Wikipedia talk page comments not flagged as toxic",
        "CC0",
    ),
}


def write_card(folder: Path, quality: dict[str, Any]) -> Path:
    """Write the folder's card from its JSON files and the report; the path of the file."""
    manifest = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    training = read_training(folder)
    path = folder / CARD_FILE
    path.write_text(card(manifest, training, quality), encoding="utf-8")
    return path


def read_training(folder: Path) -> dict[str, Any]:
    """The folder's training record, empty where there is none."""
    path = folder / "training.json"
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def card(manifest: dict[str, Any], training: dict[str, Any], quality: dict[str, Any]) -> str:
    """The card as Markdown, ending in a newline."""
    parts = [
        f"# {manifest['name']}",
        (
            f"A LoRA adapter (hu-etal-2022) on the language model {manifest['base']}. Where words "
            "of a text are replaced, it writes 1 to 7 words for each run of them and leaves the "
            "kept words letter for letter as they are (infilling by language modelling, "
            "donahue-etal-2020). It learned from neutral text only, so that a word gets credit "
            "only where a classifier relies on it directly (balkir-etal-2022)."
        ),
        "## Data",
        _data(training.get("corpus") or {}),
        "## How it was learned",
        _recipe(training),
        "## What is suppressed",
        (
            "- Placeholders for mentions, links and emoji ([USER], [URL], [EMOJI]) and line-break "
            "marks: stripped at the ends of corpus texts, and texts with one inside left out, so "
            "the model never learned them.\n"
            "- Tokens that no neutral text of the corpus holds: they cannot be written.\n"
            "- Corpus sentences with a word that marks abuse; the words were counted from labelled "
            "data (monroe-etal-2008).\n"
            f"{_bias(float(manifest.get('end_bias', 0.0)))}"
            "- An infill equal to the words it replaces: drawn again, at most 5 times (unless paper "
            "mode is chosen)."
        ),
        "## Quality",
        quality_tables(quality),
        "## Limits",
        (
            "- It writes English in the manner of Reddit and Twitter, whatever the text's own "
            "manner.\n"
            "- It is a small model: many texts are implausible, and some make no sense.\n"
            "- No filter is complete. It can still write rude, hurtful or untrue texts, and a "
            "counterfactual text says nothing about the people it names.\n"
            "- The quality report covers 120 short English texts of hate speech; on other "
            "texts its figures may differ.\n"
            "- It is here to probe classifiers, not to write for readers."
        ),
        "## Licence",
        _licence(manifest, training.get("corpus") or {}),
    ]
    return "\n\n".join(parts) + "\n"


def quality_tables(found: dict[str, Any]) -> str:
    """Own figures, the side-by-side table and every criterion, as Markdown."""
    settings, own, whole = found["settings"], found["own"], found["whole"]
    paired, loss = found["paired"], found["heldout_loss"]
    names = ("authors", "ours_kept", "ours")
    judge = found["classifier"]["name"]
    quality = own["quality"]
    parts = [
        (
            f"Temperature {settings['temperature']:g}, top-p {settings['top_p']:g}, seed "
            f"{settings['seed']}. {quality['draws']:,} draws over {own['texts']} texts "
            f"({own['draws_per_second']:g} a second); 'positive' is the share of infilled words "
            f"alone that {judge} calls '{found['classifier']['label']}' at 0.5."
        ),
        _table(
            ["", "own draws"],
            [
                ["unchanged (before redraws)", _both(quality, "unchanged", "unchanged_at_first")],
                ["duplicates within a text and mask", _share(quality["duplicates"])],
                ["the same, of draws that can be one", _share(quality["repeat_duplicates"])],
                ["empty", _share(quality["empty"])],
                ["infilled words a replaced word", f"{quality['answer_ratio']:.2f}"],
                ["kept words intact", _share(quality["kept_intact"])],
                ["placeholders among infilled words", _share(quality["placeholders"])],
                ["positive", _share(own["positive"])],
                ["neutral sentences positive", _share(own["neutral_sentences_positive"])],
                ["neutral fragments as long positive", _share(own["neutral_fragments_positive"])],
                ["held-out answer loss, nats a token", _number(loss["tuned"])],
                ["the same of the untuned base", _number(loss["untuned"])],
            ],
        ),
        (
            f"On {paired['rows']:,} of the masks of (balkir-etal-2022), beside the texts of "
            f"their GPT-2 ({paired['not_aligned']} rows left out, since their infilled words could "
            f"not be told apart). Ours are means of {paired['times']} times, each with seeds of its "
            "own. Log-probabilities are medians under the untuned base model."
        ),
        _table(
            ["", "authors", "ours, unchanged kept", "ours, redrawn"],
            [_row(title, paired, names, how) for title, how in _PAIRED_ROWS],
        ),
        (
            f"With every mask the authors drew for {whole['texts']} texts ({whole['draws']:,} draws): "
            f"duplicates {_share(whole['ours']['duplicates'])}, theirs "
            f"{_share(whole['authors']['duplicates'])} (all their {_rows(whole)} texts: "
            f"{_share(whole['authors_all_rows']['duplicates'])})."
        ),
        _table(
            ["criterion", "value", "limit", "met"],
            [
                [c["name"], _number(c["value"]), f"{c['rule']} {_number(c['limit'])}", _verdict(c)]
                for c in found["criteria"]
            ],
        ),
    ]
    return "\n\n".join(parts)


def _of(name: str, show: Any) -> Any:
    return lambda side: show(side["quality"][name])


_PAIRED_ROWS: list[tuple[str, Any]] = [
    ("median log-probability a token", lambda s: _number(s["log_probability"])),
    (
        "the same, texts without placeholders",
        lambda s: _number(s["log_probability_without_placeholders"]),
    ),
    ("unchanged", _of("unchanged", lambda v: _share(v))),
    ("empty", _of("empty", lambda v: _share(v))),
    ("kept words intact", _of("kept_intact", lambda v: _share(v))),
    ("infilled words", _of("infilled_words", lambda v: f"{v:,.0f}")),
    ("distinct words", _of("distinct_words", lambda v: f"{v:,.0f}")),
    ("distinct words / words", _of("word_type_ratio", lambda v: _number(v))),
    ("distinct bigrams", _of("distinct_bigrams", lambda v: f"{v:,.0f}")),
    ("distinct bigrams / bigrams", _of("bigram_type_ratio", lambda v: _number(v))),
    ("length, times the original", _of("length_ratio", lambda v: f"{v:.2f}")),
    ("infilled words a replaced word", _of("answer_ratio", lambda v: f"{v:.2f}")),
    ("texts with a placeholder", _of("placeholder_draws", lambda v: _share(v))),
    ("infilled words called positive", lambda s: _share(s["positive"])),
]


def _row(title: str, paired: dict[str, Any], names: Sequence[str], show: Any) -> list[str]:
    return [title, *(show(paired[name]) for name in names)]


def _rows(whole: dict[str, Any]) -> str:
    return f"{whole['authors_all_rows']['draws']:,}"


def _verdict(criterion: dict[str, Any]) -> str:
    return "yes" if criterion["met"] else "**missed**"


def _both(quality: dict[str, Any], name: str, before: str) -> str:
    return f"{_share(quality[name])} ({_share(quality[before])})"


def _share(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.1%}"


def _number(value: float | None) -> str:
    if value is None:
        return "not measured"
    return f"{value:,.1f}" if abs(value) >= 100 else f"{value:.3f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _data(corpus: dict[str, Any]) -> str:
    sources = corpus.get("sources")
    if not sources:
        return "Not recorded."
    rows = []
    for file, counts in sources.items():
        what, licence = _SOURCES.get(file, (file, "see the source"))
        n = [f"{counts.get(k, 0):,}" for k in ("texts", "train", "held out")]
        rows.append([what, licence, *n])
    return (
        _table(["source", "licence", "neutral texts", "sentences learned", "held out"], rows)
        + f"\n\nSentences of 2 to 24 words, exact duplicates dropped: {corpus['train']:,} to learn "
        f"from, {corpus['heldout']:,} held out. {corpus['words_marking_abuse']:,} words mark abuse."
    )


def _bias(nats: float) -> str:
    """What a bias towards the end of an answer suppresses, as an item of a list."""
    if nats > 0:
        return f"- Long answers, a little: {nats:g} nats are added to an answer's end.\n"
    if nats < 0:
        return f"- Short answers, a little: {-nats:g} nats are taken from an answer's end.\n"
    return ""


def _recipe(training: dict[str, Any]) -> str:
    recipe = training.get("recipe")
    if not recipe:
        return "Not recorded."
    loss = training.get("heldout_loss") or {}
    return (
        f"LoRA of rank {recipe['rank']} on all linear layers; {recipe['steps']:,} steps of "
        f"{recipe['batch_size']} texts, {training['tokens']:,} tokens in all; AdamW, learning rate "
        f"{recipe['learning_rate']:g} after {recipe['warmup']} warm-up steps, then falling to 0; "
        f"seed {recipe['seed']}. The loss is the cross-entropy of answer tokens only; masks are drawn "
        f"as explanations draw them. Held-out answer loss: {_number(loss.get('tuned'))} nats a "
        f"token, {_number(loss.get('untuned'))} before."
    )


def _licence(manifest: dict[str, Any], corpus: dict[str, Any]) -> str:
    known = [_SOURCES[file] for file in corpus.get("sources", {}) if file in _SOURCES]
    named = "; ".join(f"{what}: {licence}" for what, licence in known)
    learned = f" The weights were learned from: {named}." if named else ""
    return (
        f"The adapter is under Apache-2.0, as the project is.{learned} No text of them is in this "
        f"folder. The base model {manifest['base']} is not part of it."
    )
