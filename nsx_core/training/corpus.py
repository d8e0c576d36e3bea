"""Build the neutral corpus that the infiller learns from.

Steps: read each source and keep the rows whose label is neutral; clean as the paper does;
drop texts with a placeholder inside; split into sentences of 2 to 24 words; drop those
with a word that marks abuse (below) and exact duplicates; hold out a tenth of the source
texts. Counts at every step go into ``counts.json``.

A label 'not offensive' lets much through that no neutral infiller should learn, so words
that mark abuse are counted from labelled data themselves: a word goes on the list when
its smoothed log-odds of standing in an abusive text exceed a limit with a z-score above
another (Monroe et al. 2008 discuss the statistic; here with a plain 0.5 prior).

    python -m nsx_core.training.corpus --out build/corpus \\
        --source FILE:TEXT_COLUMN:LABEL_COLUMN:NEUTRAL[,NEUTRAL] [--source ...] \\
        [--marks FILE:TEXT_COLUMN:LABEL_COLUMN:NEUTRAL[,NEUTRAL]:LOG_ODDS:Z ...]

A source name ending in ``.tsv`` is read without quoting.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from nsx_core.cleaning import clean, without_placeholders
from nsx_core.errors import DataError, NsxError, SettingsError
from nsx_core.seeding import generator
from nsx_core.training.tables import read_table

MIN_WORDS, MAX_WORDS = 2, 24
MIN_COUNT = 5

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+(?=[\"'(]*[A-Z0-9])")
_MARKUP = re.compile(
    r"\[\[|\]\]|\{\{|\}\}|==|\(UTC\)|https?:|www\.|[<>|#@^~\\_{}\[\]]|\*\*|\w/\w*/"
)
_EDGE_HASHTAGS = re.compile(r"^(?:\s*#\w+)+|(?:\s*#\w+)+\s*$")
_WORD = re.compile(r"[a-z][a-z'*]+")


@dataclass(frozen=True)
class Source:
    """One labelled file; ``neutral`` are the label values that count as neutral."""

    path: Path
    text: str
    label: str
    neutral: frozenset[str]


@dataclass(frozen=True)
class MarkRule:
    """A labelled file and the limits above which its words mark abuse."""

    source: Source
    log_odds: float
    z: float


def sentences(text: str) -> list[str]:
    """The text's sentences, split at an end mark before a capital or a digit."""
    return [s.strip() for s in _SENTENCE_END.split(text) if s.strip()]


def word_set(text: str) -> set[str]:
    """Lower-case words of a cleaned text."""
    return set(_WORD.findall(text.lower()))


def abuse_marks(
    texts: Iterable[str], abusive: Iterable[bool], log_odds: float, z: float
) -> set[str]:
    """Words whose log-odds of an abusive text exceed ``log_odds``, with z-score above ``z``.

    A word's z-score is its log-odds ratio over the root of 1/(a + .5) + 1/(b + .5), with a
    and b the numbers of abusive and other texts it stands in.
    """
    counts = {True: Counter[str](), False: Counter[str]()}
    sizes = {True: 0, False: 0}
    for text, is_abusive in zip(texts, abusive, strict=True):
        counts[is_abusive].update(word_set(clean(text)))
        sizes[is_abusive] += 1
    found = set()
    for word, a in counts[True].items():
        b = counts[False][word]
        if a < MIN_COUNT:
            continue
        ratio = math.log((a + 0.5) / (sizes[True] - a + 0.5))
        ratio -= math.log((b + 0.5) / (sizes[False] - b + 0.5))
        if ratio > log_odds and ratio / math.sqrt(1 / (a + 0.5) + 1 / (b + 0.5)) > z:
            found.add(word)
    return found


def neutral_sentences(texts: Iterable[str], marks: set[str], counts: Counter[str]) -> list[str]:
    """Clean sentences of the given neutral texts; ``counts`` is filled step by step."""
    kept: list[str] = []
    for raw in texts:
        counts["texts"] += 1
        cleaned = without_placeholders(clean(raw))
        if cleaned is None:
            counts["dropped: placeholder inside"] += 1
            continue
        for sentence in sentences(_EDGE_HASHTAGS.sub("", cleaned)):
            counts["sentences"] += 1
            sentence = sentence.strip(" \"'*-:;,>").strip()
            n = len(sentence.split())
            if not MIN_WORDS <= n <= MAX_WORDS:
                counts["dropped: length"] += 1
            elif _MARKUP.search(sentence) or (not sentence.isascii() and _mostly_other(sentence)):
                counts["dropped: markup or script"] += 1
            elif word_set(sentence) & marks:
                counts["dropped: marks of abuse"] += 1
            else:
                kept.append(sentence)
    counts["kept"] += len(kept)
    return kept


def _mostly_other(text: str) -> bool:
    return sum(c.isascii() for c in text) < 0.9 * len(text)


def build(
    sources: list[Source], rules: list[MarkRule], out: Path, seed: int = 0
) -> dict[str, object]:
    """Write train.jsonl, heldout.jsonl and counts.json under ``out``; return the counts."""
    marks: set[str] = set()
    for rule in rules:
        frame = _read(rule.source)
        abusive = [label not in rule.source.neutral for label in frame[rule.source.label]]
        marks |= abuse_marks(frame[rule.source.text], abusive, rule.log_odds, rule.z)
    train: list[str] = []
    heldout: list[str] = []
    seen: set[str] = set()
    by_source: dict[str, dict[str, int]] = {}
    for source in sources:
        frame = _read(source)
        texts = frame[source.text][frame[source.label].isin(source.neutral)].tolist()
        if not texts:
            raise DataError(
                f"{source.path.name} has no row whose {source.label!r} is one of "
                f"{sorted(source.neutral)}."
            )
        counts: Counter[str] = Counter()
        held = generator("corpus", source.path.name, seed).random(len(texts)) < 0.1
        for text, is_held in zip(texts, held, strict=True):
            for sentence in neutral_sentences([text], marks, counts):
                key = sentence.lower()
                if key in seen:
                    counts["dropped: duplicate"] += 1
                    continue
                seen.add(key)
                (heldout if is_held else train).append(sentence)
                counts["held out" if is_held else "train"] += 1
        by_source[_free_name(source.path.name, by_source)] = dict(counts)
    if not train or not heldout:
        raise DataError(
            f"A corpus needs train and held-out sentences, and {len(train)} and {len(heldout)} "
            "came of the sources. Add neutral texts, or loosen the marks of abuse."
        )
    out.mkdir(parents=True, exist_ok=True)
    for name, rows in (("train", train), ("heldout", heldout)):
        lines = (json.dumps({"text": t}, ensure_ascii=False) + "\n" for t in rows)
        (out / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    report: dict[str, object] = {
        "train": len(train),
        "heldout": len(heldout),
        "words_marking_abuse": len(marks),
        "seed": seed,
        "sources": by_source,
    }
    (out / "counts.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return report


def _free_name(name: str, taken: Iterable[str]) -> str:
    """The name, numbered where another source has it already."""
    same = sum(other == name or other.startswith(f"{name} (") for other in taken)
    return f"{name} ({same + 1})" if same else name


def read_corpus(path: str | Path) -> list[str]:
    """The texts of a corpus file, one ``{"text": ...}`` a line, without blank ones."""
    return [text for text in read_table(path, ["text"])["text"].tolist() if text.strip()]


def _read(source: Source):  # type: ignore[no-untyped-def]
    quoted = source.path.suffix != ".tsv"
    return read_table(source.path, [source.text, source.label], quoted=quoted)


def _parse_source(spec: str) -> Source:
    parts = [part.strip() for part in spec.split(":")]
    neutral = frozenset(filter(None, (label.strip() for label in parts[-1].split(","))))
    if len(parts) != 4 or not all(parts) or not neutral:
        raise SettingsError(
            f"A source is FILE:TEXT_COLUMN:LABEL_COLUMN:NEUTRAL[,NEUTRAL], and {spec!r} came."
        )
    return Source(Path(parts[0]), parts[1], parts[2], neutral)


def _parse_rule(spec: str) -> MarkRule:
    source, _, numbers = spec.rpartition(":")
    source, _, log_odds = source.rpartition(":")
    try:
        return MarkRule(_parse_source(source), float(log_odds), float(numbers))
    except (ValueError, SettingsError):
        raise SettingsError(
            "A rule of marks is FILE:TEXT_COLUMN:LABEL_COLUMN:NEUTRAL[,NEUTRAL]:LOG_ODDS:Z, and "
            f"{spec!r} came."
        ) from None


def main(argv: Sequence[str] | None = None) -> int:
    """Build the corpus and print its counts: 0, or 2 with a message on stderr."""
    try:
        return _command(argv)
    except NsxError as error:
        print(error, file=sys.stderr)
        return 2


def _command(argv: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(prog="nsx_core.training.corpus")
    parser.add_argument("--source", action="append", required=True)
    parser.add_argument("--marks", action="append", default=[])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(argv)
    report = build(
        [_parse_source(s) for s in given.source],
        [_parse_rule(s) for s in given.marks],
        given.out,
        given.seed,
    )
    print(json.dumps(report, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
