"""The preview of a suite: kinds of phrases, what cannot be said, the table; and an audit's words."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from nsx_core.audit.columns import HATECHECK, Functionalities
from nsx_core.audit_records import AuditCard, AuditCost, AuditView, SuiteCard
from nsx_core.settings import AUDIT_NAME_MAX
from nsx_core.suites import Suite, read_suite, read_table
from nsx_core.suites.derived import DERIVED, HATEFUL, WITH_GROUP
from nsx_core.suites.starter import starter_suite
from nsx_core.views import audit_progress as said
from nsx_core.views.suite_parts import derived_note, in_doubt, likely_parts, shortcomings
from nsx_core.views.suite_preview import (
    PhraseKind,
    cases_table,
    counts_sentence,
    fetch_sentence,
    kind_names,
    labels_of,
    phrases_sentence,
    preview_rows,
    suite_names,
)

OWN = (
    "text,label,group,phrase,template\n"
    "We hate **women** here,1,women,women,\n"
    "We hate those women-haters,1,women,women,\n"
    "We hate them,1,men,men,\n"
    "We saw men today,0,men,men,\n"
    "Nothing here,0,,,\n"
)


@pytest.fixture
def own() -> Suite:
    return read_suite(OWN.encode(), name="own.csv")


def test_each_case_says_how_its_phrase_was_found(own: Suite) -> None:
    rows = preview_rows(own)
    assert [row.kind for row in rows] == [
        PhraseKind.FOUND, PhraseKind.GLUED, PhraseKind.MISSING, PhraseKind.FOUND,
        PhraseKind.UNASKED,
    ]  # fmt: skip
    assert "'women-haters'" in rows[1].reason
    assert rows[2].reason == "the phrase 'men' does not stand in the text"
    assert kind_names(rows) == {
        "": "All 5", "found": "Found 2", "glued": "Glued to other letters 1",
        "missing": "Not found 1", "unasked": "No phrase named 1",
    }  # fmt: skip
    assert phrases_sentence(rows) == (
        "3 phrases found. 1 of them is glued to letters of other words and scored with them. "
        "1 phrase not found: this case is classified, not explained. "
        "1 case without a phrase: classified only."
    )
    assert "none can be explained" in phrases_sentence(rows[4:])


def test_the_table_marks_the_phrase_and_gives_reasons(own: Suite) -> None:
    rows = preview_rows(own)
    table = cases_table(rows, "", 0)
    written = json.dumps(table.as_data())
    assert written.count('"written"') == 1 + 3
    assert "We hate **women** here" in table.text
    assert "not found: the phrase 'men'" in table.text and "glued: its unit" in table.text
    only = cases_table(rows, "missing", 7)
    assert "We hate them" in only.text and "women" not in only.text
    assert "No case is of this kind." in cases_table(rows, "none of these", 0).text


def test_the_table_turns_its_pages() -> None:
    rows = preview_rows(starter_suite())
    assert kind_names(rows) == {"": "All 301", "found": "Found 301"}
    first, last = cases_table(rows, "", 0), cases_table(rows, "", 30)
    assert "1\u201310 of 301" in first.text and "301\u2013301 of 301" in last.text
    assert cases_table(rows, "", 999) == last and cases_table(rows, "", -1) == first
    assert first.as_html().count("disabled=") == last.as_html().count("disabled=") == 1


def test_a_long_text_is_cut_but_never_its_phrase() -> None:
    long = f"text,label,phrase\n{'so ' * 600}women{' and on' * 200},1,women\n{'x ' * 900},1,\n"
    table = cases_table(preview_rows(read_suite(long.encode(), name="own.csv")), "", 0)
    assert "women" in table.text and table.text.count("\u2026") == 3
    assert len(table.text) < 2_500


def test_counts(own: Suite) -> None:
    assert counts_sentence(own) == "5 cases, 2 groups, 60 % hateful."
    assert counts_sentence(starter_suite()) == (
        "301 cases, 8 groups, 12 functionalities, 43 % hateful."
    )


def test_labels_are_understood_or_asked_for() -> None:
    table = read_table(b"text,label,other\nx, 1 ,bad\ny,0,good\nz,,bad\n", "own.csv")
    found, other = labels_of(table, "label"), labels_of(table, "other")
    assert (found.values, found.hateful, found.understood) == (("1", "0"), ("1",), True)
    assert (other.values, other.hateful, other.understood) == (("bad", "good"), (), False)


def test_suites_of_one_name_are_told_apart() -> None:
    cards = [
        SuiteCard("a" * 64, "own", 3, (), ()),
        SuiteCard("b" * 64, "own", 1, (), ()),
        SuiteCard("c" * 64, "HateCheck", 3728, (), ()),
    ]
    assert list(suite_names(cards).values()) == [
        "own, 3 cases (aaaaaa)", "own, 1 case (bbbbbb)", "HateCheck, 3,728 cases",
    ]  # fmt: skip
    assert fetch_sentence(cards) == "" and "fetch hatecheck" in fetch_sentence(cards[:2])


# --- parts --------------------------------------------------------------------------------


def test_hatechecks_names_tell_the_parts() -> None:
    suite = starter_suite()
    assert likely_parts(suite.functionalities) == HATECHECK
    assert not in_doubt(suite.functionalities) and not derived_note(suite.functionalities)
    assert shortcomings(suite, HATECHECK, ()) == ()


def test_a_file_without_functionalities_gets_parts_by_label_and_group(own: Suite) -> None:
    assert own.functionalities == DERIVED
    parts = likely_parts(own.functionalities)
    assert parts == Functionalities((HATEFUL,), (WITH_GROUP,), ())
    assert "all its hateful cases are explained" in derived_note(own.functionalities)
    assert not in_doubt(own.functionalities)
    assert shortcomings(own, parts, ()) == (
        "No harmless mention names women: no errors can be counted there.",
    )


def test_names_of_ones_own_are_asked_for() -> None:
    text = "text,label,group,functionality\nx,1,women,threat\ny,0,men,praise\nz,0,,\n"
    suite = read_suite(text.encode(), name="own.csv")
    assert in_doubt(suite.functionalities)
    none = likely_parts(suite.functionalities)
    assert none == Functionalities((), (), ())
    assert [one.split(",")[0] for one in shortcomings(suite, none, ())] == [
        "No functionality is chosen to be explained",
        "No functionality is chosen as a harmless mention of a group",
        "No functionality is chosen as abuse of other targets",
    ]
    parts = Functionalities(("threat",), ("praise",), ("praise",))
    assert shortcomings(suite, parts, ()) == (
        "No hateful case to explain names men: this group gets no scores, only predictions.",
        "No harmless mention names women: no errors can be counted there.",
    )
    assert shortcomings(suite, parts, ("women",)) == (
        "No harmless mention names women: no errors can be counted there.",
    )


def test_a_suite_without_groups_is_only_classified() -> None:
    suite = read_suite(b"text,label\nx,1\ny,0\n", name="own.csv")
    (only,) = shortcomings(suite, likely_parts(suite.functionalities), ())
    assert "only classifies" in only and "can be chosen for both" in only


# --- an audit in words --------------------------------------------------------------------

COST = AuditCost(301, 0, 96, 10_400, 0, None, ())
CARD = AuditCard(
    "a1", "mine", "starter", 301, ("one", "two"), (), "word-list", 100, 0.5, 1e9, "done", 192, 192
)
VIEW = AuditView("running", "drawing", 3_200, 10_400, 12, 96, 35.2, 205.0, None, 0)


def test_the_cost_before_the_start() -> None:
    first, second, third = said.cost_sentences(COST, 4)
    assert first == "Classifies 301 texts with 4 classifiers."
    assert second == (
        "Explains at most 96 cases, those that a classifier finds rightly: 10,400 counterfactual "
        "texts, of which none is stored yet."
    )
    assert third.startswith("How long it takes is shown here once")
    known = replace(COST, texts_known=1_204, draws_stored=10_400, seconds=130.0)
    first, second, third = said.cost_sentences(known, 4)
    assert first == "Classifies 301 texts with 4 classifiers (all known already)."
    assert second.endswith("of which all are stored.")
    assert third == "About 2 minutes at this computer's speed."
    other = said.cost_sentences(replace(known, elsewhere=True), 4)[2]
    assert other.startswith("About 2 minutes at the speed of the computer that made the audit")
    more = said.cost_sentences(known, 4, masking=True, attributions=True)[2]
    assert more.endswith("The time for the mask token and for SHAP and LIME comes on top.")
    half = said.cost_sentences(replace(COST, texts_known=301, draws_stored=400, seconds=7_300), 4)
    assert "(301 of 1,204 answers are known already)" in half[0] and "400 are stored" in half[1]
    assert half[2] == "About 2 hours at this computer's speed."
    assert said.cost_sentences(replace(COST, cases=0, draws=0), 1) == (
        "Classifies 301 texts with 1 classifier.",
        "Explains no case: only predictions are made.",
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(10, "Less than a minute"), (45, "About 1 minute"), (5_000, "About 83 minutes"),
     (5_400, "About 1 hour 30 minutes"), (9_000, "About 2 hours 30 minutes")],
)  # fmt: skip
def test_times_are_rough(seconds: float, words: str) -> None:
    assert said.cost_sentences(replace(COST, seconds=seconds), 1)[2].startswith(f"{words} at")


def test_how_far_it_is() -> None:
    assert said.stage_sentence(VIEW) == (
        "Writing counterfactual texts: 3,200 of 10,400 texts \u00b7 12 of 96 cases \u00b7 "
        "35 a second \u00b7 about 3 min 25 s left"
    )
    assert said.whole_share(VIEW) == pytest.approx(3_200 / 10_400)
    waiting = replace(VIEW, stage="waiting", done=0, total=0, ahead=2)
    assert said.stage_sentence(waiting) == "Waits for its turn behind 2 others."
    assert said.stage_sentence(replace(waiting, ahead=0)) == "About to begin."
    assert said.whole_share(waiting) == 0
    for stage, words in (
        ("classifying", "Classifying the texts: 3,200 of 10,400 texts"),
        ("masking", "The same with a mask token: 3,200 of 10,400 cases"),
        ("attributing", "SHAP and LIME: 3,200 of 10,400 cases"),
    ):
        plain = replace(VIEW, stage=stage, rate=0.0, seconds_left=None)
        assert said.stage_sentence(plain) == words


def test_the_list_of_audits() -> None:
    old, new, runs, waits = (
        replace(CARD, id=name, state=state, created=created)
        for name, state, created in (
            ("old", "done", 1.0), ("new", "failed", 9.0), ("runs", "running", 2.0),
            ("waits", "queued", 3.0),
        )
    )  # fmt: skip
    assert [c.id for c in said.in_order([old, waits, new, runs])] == ["runs", "waits", "new", "old"]
    assert said.card_sentence(CARD).startswith("starter, 301 cases \u00b7 one, two \u00b7 no gr")
    assert "women, men" in said.card_sentence(replace(CARD, groups=("women", "men")))
    assert "\u00b7 4 groups \u00b7" in said.card_sentence(replace(CARD, groups=tuple("abcd")))
    assert said.state_sentence(CARD) == "Finished: 192 explanations."
    assert said.state_sentence(replace(new, done=3)) == "Failed. 3 of 192 explanations are there and are kept."  # fmt: skip
    assert said.state_sentence(replace(new, done=0)) == "Failed. No explanation was finished."
    assert "when the app was closed" in said.state_sentence(replace(new, state="interrupted"))


def test_a_name_to_begin_with() -> None:
    assert said.preset_name("starter", 1e9).endswith(" September 2001")
    assert len(said.preset_name("x" * 300, 1e9)) == AUDIT_NAME_MAX
