"""The Counterfactuals page's address, and how far a search is: checked, and said in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nsx_core.counterfactual_records import CounterfactualRequest, Method, Removal
from nsx_core.job import JobView
from nsx_core.records import ExplainRequest, ExplainSettings
from nsx_core.views.address import View
from nsx_core.views.counterfactual_address import (
    CounterfactualView,
    counterfactual_parameters,
    read_counterfactual,
)
from nsx_core.views.counterfactual_progress import (
    long_search_sentence,
    search_sentence,
    search_share,
)

LABELS = {"one": ("hate", "other"), "two": ("abuse", "fine")}
EXPLAINED = {"one": "hate", "two": "abuse"}
DEFAULT = View("one", "hate", "writer")
PLAIN = CounterfactualView(DEFAULT)
REQUEST = CounterfactualRequest(
    ExplainRequest("a b c", "one", "writer", ExplainSettings()),
    methods=(Method.WACHTER, Method.SEDC),
)


def read(given: dict[str, str]) -> tuple[CounterfactualView, tuple[str, ...]]:
    return read_counterfactual(given, DEFAULT, LABELS, EXPLAINED, ["writer", "mask"])


def test_nothing_given_is_the_default() -> None:
    assert read({}) == (PLAIN, ())


def test_a_plain_address_holds_what_one_would_ask_for_first() -> None:
    assert set(counterfactual_parameters(PLAIN)) == {
        "classifier",
        "label",
        "infiller",
        "budget",
        "seed",
        "threshold",
        "calls",
    }


def test_a_view_survives_its_address() -> None:
    shared = View("two", "fine", "mask", "abc", 250, 7, 0.35, True, 1.2, 0.5, False, "paper")
    view = CounterfactualView(
        replace(shared, phrases=((6, 18),)), 0.25, 0.05, 20_000, (Method.SEDC, Method.ANCHORS),
        Removal.MASK, 0.9, 0.01, 200.0, 0.0, 1.0,
    )  # fmt: skip
    assert read(counterfactual_parameters(view)) == (view, ())


def test_a_word_and_an_early_end_are_of_the_explain_page_alone() -> None:
    view = replace(PLAIN, shared=replace(DEFAULT, word=3, early=True))
    assert counterfactual_parameters(view) == counterfactual_parameters(PLAIN)
    assert read({"word": "none", "early": "2"}) == (PLAIN, ())


def test_methods_come_in_the_order_in_which_they_are_shown() -> None:
    view, said = read({"methods": "anchors,wachter,anchors"})
    assert (view.methods, said) == ((Method.WACHTER, Method.ANCHORS), ())


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("target", "1.5", "number from 0 to 1, and '1.5' came. It is left out."),
        ("target", "nan", "'nan' came"),
        ("target", "0.123", "at most two decimals, and '0.123' came"),
        ("epsilon", "-0.1", "from 0 to 1, and '-0.1' came. The default, 0.1, is used."),
        ("epsilon", "0.2", "belongs to a wanted probability (target), and none came"),
        ("calls", "0", "whole number from 1 to 20000, and '0' came. The default, 1000, is used."),
        ("calls", "20001", "'20001' came"),
        ("calls", "1e3", "'1e3' came"),
        ("methods", "", "of wachter, sedc, growing-spheres, anchors, and '' came"),
        ("methods", "sedc,lime", "and 'lime' came. The default, wachter,sedc,"),
        ("removal", "burn", "one of infill, mask, deletion, and 'burn' came."),
        ("precision", "1", "from 0.5 to 0.99, and '1' came"),
        ("delta", "0", "from 0.01 to 0.5, and '0' came. The default, 0.05, is used."),
        ("lambda", "-1", "Lambda is a number from 0.01 to 1000, and '-1' came"),
        ("lambda", "3", "Lambda is one of 0.01, 0.02, 0.05"),
        ("rank_target", "x", "from 0 to 1, and 'x' came. It is left out."),
        ("rank_epsilon", "2", "from 0 to 1, and '2' came. It is left out."),
        ("budget", "9", "whole number from 10 to 400"),
        ("classifier", "three", "one of one, two, and 'three' came"),
    ],
)
def test_what_cannot_be_used_is_put_aside_and_said(name: str, value: str, said: str) -> None:
    view, notices = read({name: value})
    assert view == PLAIN
    assert len(notices) == 1 and said in notices[0] and notices[0].startswith("In the link: ")


def job(stage: str, done: int, total: int, **others: int) -> JobView:
    view = JobView("1", "running", done, total, 0, 0, 0.0, None, stage, None)
    return replace(view, **others)


@pytest.mark.parametrize(
    ("view", "said", "share"),
    [
        (job("waiting", 0, 100, ahead=2), "Waiting for its turn behind 2 others.", 0.0),
        (job("drawing", 50, 100), "First the explanation. 50 of 100 draws", 50 / 2100),
        (job("loading models", 0, 2000), "Loading the models.", 100 / 2100),
        (
            job("searching", 1300, 2000, infilled=9),
            "Searching by 2 methods side by side: 1,300 of 2,000 classifier calls made, or not "
            "needed by a method that has ended \u00b7 9 newly written",
            1400 / 2100,
        ),
        (job("criteria", 2000, 2000), "Measuring how near", 1.0),
        (job("stopping", 1300, 2000), "Stopping.", 100 / 2100),
    ],
)
def test_how_far_a_search_is(view: JobView, said: str, share: float) -> None:
    assert search_sentence(view, REQUEST).startswith(said)
    assert search_share(view, REQUEST, 100) == pytest.approx(share)


def test_a_long_search_is_said_before_it_begins() -> None:
    assert long_search_sentence(10, 1000, REQUEST) is None
    said = long_search_sentence(200, 1000, REQUEST)
    assert said is not None and "200 words" in said and "3,000 changed texts" in said
