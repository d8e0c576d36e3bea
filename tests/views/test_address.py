"""The address bar: every parameter is checked, and says so when it cannot be used."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nsx_core.records import ExplainSettings
from nsx_core.views.address import View, parameters, read_view, settings_of, view_of

LABELS = {"one": ("hate", "other"), "two": ("abuse", "fine", "other")}
EXPLAINED = {"one": "hate", "two": "abuse"}
DEFAULT = View("one", "hate", "writer")


def read(given: dict[str, str]) -> tuple[View, tuple[str, ...]]:
    return read_view(given, DEFAULT, LABELS, EXPLAINED, ["writer", "mask"])


def test_nothing_given_is_the_default() -> None:
    assert read({}) == (DEFAULT, ())


def test_a_view_survives_its_address() -> None:
    view = View("two", "fine", "mask", "abc", 250, 7, 0.35, True, 1.2, 0.5, False, "paper", True, 3)
    view = replace(view, phrases=((6, 18), (20, 25)))
    assert read(parameters(view)) == (view, ())


def test_rare_settings_stay_out_of_a_plain_address() -> None:
    assert set(parameters(DEFAULT)) == {
        "classifier",
        "label",
        "infiller",
        "budget",
        "seed",
        "threshold",
    }


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("budget", "9", "whole number from 10 to 400, and '9' came"),
        ("budget", "401", "'401' came"),
        ("budget", "-1", "'-1' came"),
        ("budget", "lots", "'lots' came"),
        ("budget", "1e2", "'1e2' came"),
        ("budget", "1_0", "'1_0' came"),
        ("seed", "\uff11", "came. The default, 0, is used."),
        ("seed", "-1", "whole number from 0 to 2147483647"),
        ("seed", "2147483648", "came. The default, 0, is used."),
        ("threshold", "0", "from 0.01 to 0.99, and '0' came"),
        ("threshold", "1", "'1' came"),
        ("threshold", "nan", "'nan' came"),
        ("threshold", "half", "The default, 0.5, is used."),
        ("classifier", "three", "one of one, two, and 'three' came"),
        ("label", "<script>", "one of hate, other"),
        ("infiller", "gpt", "one of writer, mask"),
        ("word", "0", "counted from 1, and '0' came. It is left out."),
        ("word", "x", "'x' came"),
        ("word", "²", "'²' came"),
        ("word", "9" * 50, "came"),
        ("scores", "yes", "0 or 1"),
        ("temperature", "0", "from 0.1 to 2.0"),
        ("top_p", "1.01", "from 0.05 to 1.0"),
        ("redraw", "", "0 or 1"),
        ("units", "black people", "spans of characters such as 6-18,30-41, and 'black people'"),
        ("units", "", "and '' came."),
        ("units", "18-6", "'18-6' came"),
        ("units", "6-6", "came"),
        ("units", "6-18,", "came"),
        ("units", "-1-5", "came"),
        ("units", "6-99999999", "came"),
        ("units", ",".join(["1-2"] * 51), "1 to 50 spans"),
    ],
)
def test_what_cannot_be_used_falls_back_and_says_so(name: str, value: str, said: str) -> None:
    view, notices = read({name: value})
    assert view == DEFAULT
    assert len(notices) == 1 and said in notices[0] and notices[0].startswith("In the link: ")


def test_the_label_falls_back_to_that_of_the_classifier() -> None:
    view, notices = read({"classifier": "two", "label": "hate"})
    assert (view.classifier, view.label, len(notices)) == ("two", "abuse", 1)


def test_the_default_class_is_left_to_the_classifier() -> None:
    assert settings_of(DEFAULT, "hate").label is None
    assert settings_of(View("one", "other", "writer"), "hate").label == "other"


def test_view_of_a_request() -> None:
    view = view_of("id", "one", "writer", ExplainSettings(budget=50, seed=3), "hate", 0.3, 0)
    assert view == View("one", "hate", "writer", "id", 50, 3, 0.3, word=1)
    assert settings_of(view, "hate") == ExplainSettings(budget=50, seed=3)


def test_a_view_that_may_end_early_is_linked_as_one() -> None:
    view = view_of("id", "one", "writer", ExplainSettings(), "hate", 0.5, 0, early=True)
    assert parameters(view)["early"] == "1"
    assert read(parameters(view)) == (view, ())
    assert "early" not in parameters(DEFAULT)


def test_the_address_holds_spans_in_order_and_never_a_phrase() -> None:
    view, notices = read({"units": "20-25,6-18,6-18"})
    assert (view.phrases, notices) == (((6, 18), (20, 25)), ())
    assert parameters(view)["units"] == "6-18,20-25"
    assert settings_of(view, "hate", ("black people",)).phrases == ("black people",)
