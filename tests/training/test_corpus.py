"""The neutral corpus: sources, sentences, marks of abuse, counts and the held-out share."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from nsx_core.errors import DataError
from nsx_core.training import infiller
from nsx_core.training.corpus import (
    MAX_WORDS,
    MarkRule,
    Source,
    abuse_marks,
    build,
    main,
    neutral_sentences,
    read_corpus,
    sentences,
)

NEUTRAL = frozenset({"ok"})


def write(path: Path, texts: list[str], labels: list[str]) -> Source:
    """The texts in the form that the file's ending names."""
    frame = pd.DataFrame({"body": texts, "kind": labels, "other": range(len(texts))})
    if path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".csv":
        frame.to_csv(path, index=False)
    else:  # no quoting, as the CAD files
        rows = ["body\tkind\tother", *(f"{t}\t{k}\t0" for t, k in zip(texts, labels, strict=True))]
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return Source(path, "body", "kind", NEUTRAL)


def numbered(n: int, word: str = "one") -> list[str]:
    return [f"This is the {word} text of number {at}." for at in range(n)]


def both(out: Path) -> list[str]:
    return read_corpus(out / "train.jsonl") + read_corpus(out / "heldout.jsonl")


# --- sources ----------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_every_form_is_read_with_its_mapping(tmp_path: Path, ending: str) -> None:
    texts = ['She said "no, thanks" to him.', 'A 5" pipe is long.', *numbered(40), "A bad text."]
    source = write(tmp_path / f"in.{ending}", texts, [*["ok"] * 42, "bad"])
    report = build([source], [], tmp_path / "out")
    assert sorted(both(tmp_path / "out")) == sorted(texts[:-1])
    assert report["sources"][f"in.{ending}"]["texts"] == 42  # type: ignore[index]
    assert json.loads((tmp_path / "out" / "counts.json").read_text(encoding="utf-8")) == report


def test_several_labels_may_be_neutral(tmp_path: Path) -> None:
    write(tmp_path / "in.csv", numbered(60), ["ok", "fine", "bad"] * 20)
    spec = f"{tmp_path / 'in.csv'}:body:kind:ok, fine"
    assert main(["--source", spec, "--out", str(tmp_path / "out")]) == 0
    assert len(both(tmp_path / "out")) == 40


def test_labels_in_date_columns_and_numbers_stay_as_written(tmp_path: Path) -> None:
    rows = [{"date": text, "modified": 2} for text in [*numbered(30), "2020-01-01 it was."]]
    path = tmp_path / "in.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    build([Source(path, "date", "modified", frozenset({"2"}))], [], tmp_path / "out")
    assert "2020-01-01 it was" in {text.strip(".") for text in both(tmp_path / "out")}


# --- sentences --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One here. Two there! 3 of them? yes", ["One here.", "Two there!", "3 of them? yes"]),
        ('He said "so." "And now?" She left.', ['He said "so.', '"And now?', "She left."]),
        ("e.g. this stays... Well… Yes", ["e.g. this stays...", "Well…", "Yes"]),
        ("no end", ["no end"]),
        ("  ", []),
    ],
)
def test_sentences_end_before_a_capital_or_a_digit(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_steps_are_counted(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    longest = " ".join(["Word", *["word"] * (MAX_WORDS - 1)])
    kept = neutral_sentences(
        [
            "RT @ann: It is fine. Oh. Really it is &amp; stays so.",
            "I saw @bob there today.",
            f"{longest}. {longest} more.",
            "A [[link]] in here.",
            "\u65e5\u672c\u8a9e\u306e \u6587\u7ae0\u3067\u3059 \u306d",
            "The badword stands here. It's \u00e9lan here in this long sentence of words.",
            "#tag #two It is tagged here #three",
        ],
        {"badword"},
        counts,
    )
    assert kept == [
        "It is fine.",
        "Really it is & stays so.",
        f"{longest}.",
        "It's \u00e9lan here in this long sentence of words.",
        "It is tagged here",
    ]
    assert counts == {
        "texts": 7,
        "dropped: placeholder inside": 1,
        "sentences": 10,
        "dropped: length": 2,
        "dropped: markup or script": 2,
        "dropped: marks of abuse": 1,
        "kept": 5,
    }


def test_exact_duplicates_are_dropped_across_sources_and_counted_by_source(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    first = write(tmp_path / "in.csv", [*numbered(40), numbered(1)[0].upper()], ["ok"] * 41)
    second = write(tmp_path / "x" / "in.csv", numbered(41), ["ok"] * 41)
    third = write(tmp_path / "in.jsonl", numbered(30, "third"), ["ok"] * 30)
    report = build([first, second, third], [], tmp_path / "out")
    sources = report["sources"]
    assert list(sources) == ["in.csv", "in.csv (2)", "in.jsonl"]  # type: ignore[call-overload]
    assert sources["in.csv"]["dropped: duplicate"] == 1  # type: ignore[index]
    assert sources["in.csv (2)"]["dropped: duplicate"] == 40  # type: ignore[index]
    for counts in sources.values():  # type: ignore[attr-defined]
        left = counts.get("train", 0) + counts.get("held out", 0)
        assert left == counts["kept"] - counts.get("dropped: duplicate", 0)
    found = both(tmp_path / "out")
    assert len(found) == len({text.lower() for text in found}) == 71
    assert report["train"] + report["heldout"] == 71  # type: ignore[operator]


# --- marks of abuse ---------------------------------------------------------------------


def test_marks_of_a_hand_worked_table() -> None:
    """10 abusive texts and 20 others.

    'vile' in 8 and 1: log(8.5 / 2.5) - log(1.5 / 19.5) = 3.789; its root is
    (1 / 8.5 + 1 / 1.5) ** .5 = 0.886, z = 4.28. 'you' in 6 and 8: log(6.5 / 4.5) -
    log(8.5 / 12.5) = 0.753, z = 1.45. 'rare' in 4 and 0 is too rare.
    """
    abusive = [*["vile you"] * 6, *["vile rare"] * 2, *["rare"] * 2]
    other = ["vile", *["you"] * 8, *["nice"] * 11]
    texts, labels = abusive + other, [True] * 10 + [False] * 20
    assert math.log(8.5 / 2.5) - math.log(1.5 / 19.5) == pytest.approx(3.789, abs=1e-3)
    assert abuse_marks(texts, labels, 3.78, 4.27) == {"vile"}
    assert abuse_marks(texts, labels, 3.80, 4.27) == set()
    assert abuse_marks(texts, labels, 3.78, 4.29) == set()
    assert abuse_marks(texts, labels, 0.75, 1.44) == {"vile", "you"}
    assert abuse_marks(texts, labels, 0.76, 0.0) == {"vile"}


def test_a_word_counts_once_a_text_and_in_any_case() -> None:
    texts = ["Vile vile VILE"] * 4 + ["fine"] * 9
    assert abuse_marks(texts, [True] * 4 + [False] * 9, 0.0, 0.0) == set()
    texts = ["Vile &amp; @vile"] * 5 + ["fine"] * 9
    assert abuse_marks(texts, [True] * 5 + [False] * 9, 0.0, 0.0) >= {"vile"}


def test_marked_sentences_are_dropped_by_a_rule(tmp_path: Path) -> None:
    labelled = [f"you are vile {at}" for at in range(20)] + numbered(20)
    rule = MarkRule(write(tmp_path / "marks.csv", labelled, ["bad"] * 20 + ["ok"] * 20), 2.0, 2.0)
    texts = [*numbered(40), "That is a vile thing."]
    report = build([write(tmp_path / "in.csv", texts, ["ok"] * 41)], [rule], tmp_path / "out")
    assert report["words_marking_abuse"] == 3
    assert report["sources"]["in.csv"]["dropped: marks of abuse"] == 1  # type: ignore[index]
    assert not any("vile" in text for text in both(tmp_path / "out"))


# --- the held-out share -----------------------------------------------------------------


def test_a_tenth_is_held_out_by_source_and_seed(tmp_path: Path) -> None:
    source = write(tmp_path / "in.csv", numbered(1_000), ["ok"] * 1_000)
    heldout = []
    for seed, out in ((0, "a"), (0, "b"), (1, "c")):
        report = build([source], [], tmp_path / out, seed)
        heldout.append(read_corpus(tmp_path / out / "heldout.jsonl"))
        train = read_corpus(tmp_path / out / "train.jsonl")
        assert not {t.lower() for t in train} & {t.lower() for t in heldout[-1]}
        assert report["seed"] == seed
    assert heldout[0] == heldout[1] != heldout[2]
    assert 70 <= len(heldout[0]) <= 130


def test_a_text_is_never_in_both_halves(tmp_path: Path) -> None:
    texts = numbered(25) * 12
    build([write(tmp_path / "in.csv", texts, ["ok"] * 300)], [], tmp_path / "out")
    train = set(read_corpus(tmp_path / "out" / "train.jsonl"))
    assert train.isdisjoint(read_corpus(tmp_path / "out" / "heldout.jsonl"))
    assert len(both(tmp_path / "out")) == 25


# --- errors -----------------------------------------------------------------------------


def test_sources_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    source = write(tmp_path / "in.csv", numbered(20), ["ok"] * 20)
    out = tmp_path / "out"
    with pytest.raises(DataError, match=r"no column 'label'\. It has: body, kind, other"):
        build([Source(source.path, "body", "label", NEUTRAL)], [], out)
    with pytest.raises(DataError, match=r"must exist, and .*none\.csv does not"):
        build([Source(tmp_path / "none.csv", "body", "kind", NEUTRAL)], [], out)
    with pytest.raises(DataError, match=r"in\.csv has no row whose 'kind' is one of \['fine'\]"):
        build([Source(source.path, "body", "kind", frozenset({"fine"}))], [], out)
    few = write(tmp_path / "few.csv", ["Oh."], ["ok"])
    with pytest.raises(DataError, match=r"needs train and held-out sentences, and 0 and 0 came"):
        build([few], [], out)
    for name, content, message in (
        ("x.jsonl", b"", r"x\.jsonl holds no rows"),
        ("x.jsonl", b"{not json", r"x\.jsonl cannot be read as jsonl"),
        ("x.parquet", b"not parquet", r"x\.parquet cannot be read as parquet"),
        ("x.csv", b"body,kind\n\xff\xfe,ok\n", r"x\.csv cannot be read as csv"),
        ("x.tsv", b"body\tkind\n", r"x\.tsv holds no rows"),
        ("x.txt", b"", r"ends in one of \.csv, .* and x\.txt came"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DataError, match=message):
            build([Source(tmp_path / name, "body", "kind", NEUTRAL)], [], out)
    assert not out.exists()


@pytest.mark.parametrize(
    "spec", ["in.csv", "in.csv:body:kind", "a:b:c:d:e", "in.csv:body:kind:", ":b:c:d", "a:b:c:,"]
)
def test_a_source_is_spelt_out_when_misspelt(
    spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--source", spec, "--out", str(tmp_path / "out")]) == 2
    captured = capsys.readouterr()
    assert "A source is FILE:TEXT_COLUMN:LABEL_COLUMN:NEUTRAL[,NEUTRAL]" in captured.err
    assert repr(spec) in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("spec", ["x", "a:b:c:d:1", "a:b:c:d:1:high", "a:b:c:1:2"])
def test_a_rule_is_spelt_out_when_misspelt(
    spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "in.csv", numbered(20), ["ok"] * 20)
    source = f"{tmp_path / 'in.csv'}:body:kind:ok"
    arguments = ["--source", source, "--marks", spec, "--out", str(tmp_path / "out")]
    assert main(arguments) == 2
    message = capsys.readouterr().err
    assert "A rule of marks is FILE:" in message
    assert repr(spec) in message


def test_the_commands_end_with_2_and_the_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--source", f"{tmp_path}/no.csv:a:b:c", "--out", str(tmp_path / "out")]) == 2
    assert "A data file must exist" in capsys.readouterr().err
    assert infiller.main(["--corpus", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "train.jsonl does not. Check the path" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stopped:
        main(["--out", str(tmp_path / "out")])
    assert stopped.value.code == 2


def test_the_command_prints_its_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "in.csv", numbered(40), ["ok"] * 40)
    spec = f"{tmp_path / 'in.csv'}:body:kind:ok"
    arguments = ["--source", spec, "--out", str(tmp_path / "out"), "--seed", "3"]
    assert main([*arguments, "--marks", f"{spec}:2.5:1"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["train"] + printed["heldout"] == 40
    assert printed["words_marking_abuse"] == 0
