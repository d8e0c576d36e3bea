"""The starter suite is made from its two tables, is our own, and is ready for an audit."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from nsx_core.errors import DataError
from nsx_core.suites import read_suite, read_table, units
from nsx_core.suites.starter import COLUMNS, FOLDER, STARTER_FILE, generated, main, starter_suite

HATECHECK = (
    Path(__file__).resolve().parents[2].parent
    / "shared" / "data" / "hatecheck" / "test_suite_cases.csv"
)  # fmt: skip


def test_the_shipped_file_is_what_the_tables_make(tmp_path: Path) -> None:
    for name in ("starter_templates.csv", "starter_fillers.csv"):
        (tmp_path / name).write_bytes((FOLDER / name).read_bytes())
    assert main(tmp_path) == 0
    assert (tmp_path / "starter.csv").read_bytes() == STARTER_FILE.read_bytes(), (
        "run python -m nsx_core.suites.starter"
    )
    assert read_table(STARTER_FILE).columns == COLUMNS


def test_its_cases_are_ready_for_an_audit() -> None:
    suite = starter_suite()
    assert suite.notes == ()
    assert 280 <= len(suite.cases) <= 320
    assert len(suite.groups) >= 7
    assert len({case.text for case in suite.cases}) == len(suite.cases)
    counts = Counter(case.functionality for case in suite.cases)
    assert {"derog_neg_emote_h", "derog_dehum_h", "ident_neutral_nh", "target_obj_nh"} <= {*counts}
    for case in suite.cases:
        assert case.functionality.endswith("_h" if case.hateful else "_nh")
        assert case.phrase is not None
        assert units(case).at is not None
        assert bool(case.group) is not case.functionality.startswith("target_")
    hateful = Counter(case.group for case in suite.cases if case.hateful)
    assert len(set(hateful.values())) == 1, "every group stands in every template"


def test_articles_and_capitals_follow_the_filler() -> None:
    texts = {case.text for case in starter_suite().cases}
    assert "An immigrant sat next to me on the train this morning." in texts
    assert "A woman sat next to me on the train this morning." in texts


def test_a_template_without_its_one_placeholder_is_an_error() -> None:
    fillers = read_table(b"placeholder,target_ident,value\nX,women,women\n", "f.csv")
    header = "templ_id,functionality,label_gold,direction,case_templ\n"
    for template, said in (("We met.", "none"), ("[X] [X]", "X, X"), ("[Y]", "Y")):
        table = read_table(f"{header}4,f,hateful,-,{template}\n".encode(), "t.csv")
        with pytest.raises(DataError, match=f"template 4 has {said}. Change the template"):
            generated(table, fillers)


@pytest.mark.data
@pytest.mark.skipif(not HATECHECK.is_file(), reason="HateCheck is not in ../shared/data here")
def test_none_of_its_sentences_is_hatechecks() -> None:
    theirs, ours = read_suite(HATECHECK), starter_suite()
    assert not {c.text.lower() for c in theirs.cases} & {c.text.lower() for c in ours.cases}
    assert not {c.template.lower() for c in theirs.cases} & {c.template.lower() for c in ours.cases}
