"""The examples that come with the project: written once, found by the very same models only."""

from __future__ import annotations

from pathlib import Path

import pytest

from nsx_core import pipeline
from nsx_core.classifying.fakes import KeywordClassifier
from nsx_core.errors import StoreError
from nsx_core.fake_catalogue import fake_catalogue
from nsx_core.infilling.wordlist import WordListInfiller
from nsx_core.precomputed import example_texts, load_examples, write_examples
from nsx_core.records import ExplainSettings
from nsx_core.store import Store

TEXTS = ["I hate women.", "The library opens at nine."]


def test_written_examples_open_without_a_model(tmp_path: Path, store: Store) -> None:
    out = tmp_path / "examples.json.gz"
    with Store.open(":memory:") as scratch:
        assert write_examples(fake_catalogue(), scratch, TEXTS, out) > 0
    writer = WordListInfiller()
    catalogue = fake_catalogue(infiller=writer)
    assert load_examples(catalogue, store, out) > 0
    assert load_examples(catalogue, store, out) == 0
    for text in TEXTS:
        for name in catalogue.classifiers:
            todo = pipeline.plan(text, name, writer.name, ExplainSettings(), catalogue)
            found = pipeline.from_store(todo, catalogue, store)
            assert found is not None
            with Store.open(":memory:") as empty:
                fresh = pipeline.explained(
                    text, name, writer.name, ExplainSettings(), fake_catalogue(), empty
                )
            assert found.words == fresh.words
    assert writer.calls == 0


def test_other_models_do_not_find_them(tmp_path: Path, store: Store) -> None:
    out = tmp_path / "examples.json.gz"
    with Store.open(":memory:") as scratch:
        write_examples(fake_catalogue(), scratch, TEXTS, out)
    assert load_examples(fake_catalogue(infiller=WordListInfiller(most=2)), store, out) == 0
    other = fake_catalogue(KeywordClassifier(["garden"], name="fake-hate"))
    load_examples(other, store, out)
    todo = pipeline.plan(TEXTS[0], "fake-hate", "word-list", ExplainSettings(), other)
    assert pipeline.from_store(todo, other, store) is None


def test_a_missing_file_is_no_fault_and_a_damaged_one_is_named(
    tmp_path: Path, store: Store
) -> None:
    assert load_examples(fake_catalogue(), store, tmp_path / "none.json.gz") == 0
    (tmp_path / "bad.json.gz").write_bytes(b"no gzip")
    with pytest.raises(StoreError, match=r"bad\.json\.gz"):
        load_examples(fake_catalogue(), store, tmp_path / "bad.json.gz")


def test_the_page_has_six_examples() -> None:
    texts = example_texts()
    assert len(texts) == len(set(texts)) == 6
    assert texts[0] == "I hate women."
