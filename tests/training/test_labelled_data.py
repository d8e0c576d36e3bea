"""The loaders of labelled texts, their splits and errors, and the measures on them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nsx_core.cleaning import clean
from nsx_core.errors import DataError, UnknownNameError
from nsx_core.training.datasets import load, load_csv, split_rows
from nsx_core.training.figures import best_shift, figures, macro_f1

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the data sets of ../shared/data are not on this machine"
)


def _davidson(path: Path, rows: int = 60) -> Path:
    classes = [row % 3 for row in range(rows)]
    frame = pd.DataFrame({"class": classes, "tweet": [f'text {row}, "q"' for row in range(rows)]})
    frame.to_csv(path, index=False)
    return path


def test_davidson_has_one_split_for_both_tasks_stratified_on_the_three_classes(
    tmp_path: Path,
) -> None:
    path = _davidson(tmp_path / "labeled.csv")
    hate, abuse = load("davidson2017", path, "hate"), load("davidson2017", path, "abuse")
    for split in ("train", "dev", "test"):
        assert getattr(hate, split).texts == getattr(abuse, split).texts
    assert (hate.train.counts, hate.dev.counts, hate.test.counts) == ((48, 16), (6, 2), (6, 2))
    assert (abuse.train.counts, abuse.dev.counts) == ((48, 32), (6, 4))
    assert hate.label_names == ("not hate", "hate")
    assert '"q"' in hate.train.texts[0]


def test_a_text_that_stands_in_an_earlier_split_is_dropped(tmp_path: Path) -> None:
    frame = pd.DataFrame({"class": [row % 3 for row in range(180)]})
    frame["tweet"] = [f"own {row}" for row in range(180)]
    frame.loc[:59, "tweet"] = [f"text {row % 6} http://t.co/{row}" for row in range(60)]
    path = tmp_path / "labeled.csv"
    frame.to_csv(path, index=False)
    found = load("davidson2017", path, "hate")
    seen: set[str] = set()
    for split in (found.train, found.dev, found.test):
        texts = {clean(text) for text in split.texts}
        assert not texts & seen
        seen |= texts
    assert "test texts that also stand in an earlier split" in found.notes[0]


def test_split_rows_depends_on_its_purpose_and_not_on_when_it_is_drawn() -> None:
    classes = ["a"] * 50 + ["b"] * 10
    first = split_rows(classes, "one")
    assert (first == split_rows(classes, "one")).all()
    assert (first != split_rows(classes, "two")).any()
    assert [int((first[50:] == split).sum()) for split in ("train", "dev", "test")] == [8, 1, 1]


def _cad(folder: Path) -> Path:
    rows = {
        "train": [('a"b', "Neutral"), ("c", "IdentityDirectedAbuse"), ("d", "CounterSpeech")],
        "dev": [('a"b', "Neutral"), ("NA", "PersonDirectedAbuse,IdentityDirectedAbuse")],
        "test": [
            ("x", "AffiliationDirectedAbuse"),
            ("c", "IdentityDirectedAbuse"),
            ("y", "Neutral"),
        ],
    }
    for split, lines in rows.items():
        text = "id\ttext\tlabels\n" + "".join(f"1\t{text}\t{label}\n" for text, label in lines)
        (folder / f"cad_v1_1_{split}.tsv").write_text(text, encoding="utf-8")
    return folder


def test_cad_keeps_its_split_and_says_what_overlaps(tmp_path: Path) -> None:
    hate = load("cad", _cad(tmp_path), "hate")
    abuse = load("cad", tmp_path, "abuse")
    assert hate.train.texts == ('a"b', "c", "d")
    assert hate.dev.texts[1] == "NA"
    assert hate.train.labels.tolist() == [0, 1, 0]
    assert hate.test.labels.tolist() == [0, 1, 0]
    assert abuse.test.labels.tolist() == [1, 1, 0]
    assert "1 dev and 1 test texts also stand in train" in hate.notes[0]


def test_founta_has_no_header_and_drops_spam(tmp_path: Path) -> None:
    names = ["hateful", "abusive", "normal", "spam"]
    path = tmp_path / "founta.tsv"
    lines = [f'text "{row}\t{names[row % 4]}\t3\n' for row in range(120)]
    path.write_text("".join(lines), encoding="utf-8")
    hate, abuse = load("founta2018", path, "hate"), load("founta2018", path, "abuse")
    assert (hate.train.counts, hate.test.counts) == ((72, 24), (9, 3))
    assert abuse.train.counts == (72, 48)
    assert "30 texts labelled spam are dropped" in hate.notes[0]
    path.write_text("only text\tnormal\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"three columns split by tabs .* has 2"):
        load("founta2018", path, "hate")
    path.write_text("text\tlabel\tvotes\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"holds hateful, abusive, normal, spam, and 'label' came"):
        load("founta2018", path, "hate")


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_csv_reads_every_form_and_draws_a_split(tmp_path: Path, ending: str) -> None:
    frame = pd.DataFrame({"t": [f"text {row}" for row in range(40)], "y": ["no", "bad"] * 20})
    path = tmp_path / f"mine.{ending}"
    if ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif ending == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    found = load_csv(path, "abuse", "t", "y", ["bad"])
    assert (found.train.counts, found.dev.counts, found.test.counts) == ((32, 16), (4, 2), (4, 2))
    assert found.name == "mine"


def test_csv_takes_a_split_column_and_leaves_out_rows_without_a_label(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    rows = ["t,y,s"]
    for split in ("train", "dev", "test"):
        rows += [f"a {split},1,{split}", f"b {split},0,{split}", f"c {split},,{split}"]
    path.write_text("\n".join(rows), encoding="utf-8")
    found = load_csv(path, "hate", "t", "y", ["1"], split_column="s")
    assert found.test.texts == ("a test", "b test")
    path.write_text("t,y,s\na,1,valid\nb,0,train\n", encoding="utf-8")
    with pytest.raises(DataError, match="train, dev or test, and 'valid' came"):
        load_csv(path, "hate", "t", "y", ["1"], split_column="s")


def test_loaders_say_the_rule_and_what_came(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    with pytest.raises(UnknownNameError, match="Did you mean 'davidson2017'"):
        load("davidson2018", path, "hate")
    with pytest.raises(UnknownNameError, match="No task is called 'hatred'"):
        load("cad", path, "hatred")
    with pytest.raises(DataError, match="must exist"):
        load("davidson2017", path, "hate")
    with pytest.raises(DataError, match="no data file"):
        load("founta2018", path, "hate")
    with pytest.raises(DataError, match="Give the folder that holds the three files"):
        load("cad", path, "hate")
    path.write_text("class,text\n0,a\n", encoding="utf-8")
    with pytest.raises(DataError, match="no column 'tweet'"):
        load("davidson2017", path, "hate")
    path.write_text("class,tweet\n", encoding="utf-8")
    with pytest.raises(DataError, match="no rows"):
        load("davidson2017", path, "hate")
    path.write_text("class,tweet\n7,a\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"0 \(hate\), 1 \(offensive\) or 2 \(neither\), and '7'"):
        load("davidson2017", path, "hate")
    path.write_text("class,tweet\n" + "2,a\n" * 30, encoding="utf-8")
    with pytest.raises(DataError, match=r"of both classes, and train of 'x\.csv' has 0 of 24"):
        load("davidson2017", path, "hate")
    with pytest.raises(DataError, match=r"\['bad'\] came. The column holds: '2'"):
        load_csv(path, "hate", "tweet", "class", ["bad"])


@needs_shared
def test_the_shared_data_sets_have_the_counts_the_cards_name() -> None:
    hate = load("davidson2017", SHARED / "davidson2017" / "labeled_data.csv", "hate")
    assert (hate.train.counts, hate.dev.counts, hate.test.counts) == (
        (19_826, 1_144),
        (2_453, 141),
        (2_439, 143),
    )
    abuse = load("cad", SHARED / "cad", "abuse")
    assert (abuse.train.counts, abuse.test.counts) == ((13_584, 2_413), (5_307, 906))


# --- measures


def test_figures_of_a_hand_worked_table() -> None:
    labels = np.array([1, 1, 1, 0, 0, 0, 0, 0])
    predicted = np.array([1, 1, 0, 1, 0, 0, 0, 0], dtype=bool)
    found = figures(labels, predicted)
    assert (found.n, found.positives) == (8, 3)
    assert found.micro_f1 == 0.75
    assert found.precision == found.recall == pytest.approx(2 / 3)
    assert found.macro_f1 == pytest.approx((2 / 3 + 0.8) / 2)


def test_macro_f1_agrees_with_scikit_learn() -> None:
    from sklearn.metrics import f1_score

    chance = np.random.default_rng(0)
    for _ in range(20):
        labels = chance.integers(0, 2, 30)
        predicted = chance.random(30) < 0.3
        expected = f1_score(labels, predicted, average="macro", zero_division=0)
        assert macro_f1(labels, predicted) == pytest.approx(expected)


def test_figures_without_any_positive_answer() -> None:
    found = figures(np.array([1, 0]), np.array([False, False]))
    assert (found.precision, found.recall) == (0.0, 0.0)


def test_best_shift_moves_the_decision_between_the_classes() -> None:
    labels = np.array([0] * 50 + [1] * 10)
    odds = np.concatenate([np.linspace(-5, -2, 50), np.linspace(-1, 1, 10)])
    shift = best_shift(labels, odds)
    assert macro_f1(labels, odds + shift >= 0) == 1
    assert best_shift(labels, odds + shift) == 0
