"""What the address of the Compare page holds: ids of one or two texts, classifiers, settings.

The checks are those of ``nsx_core.views.address``; of an explanation's parameters this page has
no class, no word and no early end, and its own are ``text2``, ``units2``, ``classifiers`` and
``methods``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nsx_core.views.address import View, parameters, read_view

__all__ = ["CompareView", "compare_parameters", "read_compare"]

_OF_EXPLAIN_ONLY = ("classifier", "label", "word", "early")


@dataclass(frozen=True, slots=True)
class CompareView:
    """A view of the Compare page.

    shared: text, phrases and settings of the first text; its classifier and class mean nothing.
    second: the second text's id, None = there is none, and ``second_phrases`` its units.
    classifiers: at least one; methods: the one whose methods are compared, None = the first.
    """

    shared: View
    second: str | None
    second_phrases: tuple[tuple[int, int], ...]
    classifiers: tuple[str, ...]
    methods: str | None = None


def read_compare(
    given: Mapping[str, str], default: CompareView, usable: Sequence[str], infillers: Sequence[str]
) -> tuple[CompareView, tuple[str, ...]]:
    """The view that an address asks for, and a sentence for each parameter put aside.

    usable: names of the classifiers that can be used, at least one.
    """
    own = {name: value for name, value in given.items() if name not in _OF_EXPLAIN_ONLY}
    labels = {default.shared.classifier: (default.shared.label,)}
    explained = {default.shared.classifier: default.shared.label}
    shared, said = read_view(own, default.shared, labels, explained, infillers)
    units = {"units": given["units2"]} if "units2" in given else {}
    other, said_too = read_view(units, default.shared, labels, explained, infillers)
    said += said_too
    asked = tuple(dict.fromkeys(given["classifiers"].split(","))) if "classifiers" in given else ()
    known = tuple(name for name in asked if name in usable)
    if absent := [name for name in asked if name not in usable]:
        use = "It is left out." if known else "All that can be used are compared."
        said += (
            f"In the link: the classifiers are of {', '.join(usable)}, and "
            f"{', '.join(map(repr, absent))} came. {use}",
        )
    methods = given.get("methods")
    if methods is not None and methods not in (known or default.classifiers):
        said += (
            f"In the link: methods are compared for one of the classifiers, and {methods!r} came. "
            "The first is used.",
        )
        methods = None
    return (
        CompareView(
            shared, given.get("text2"), other.phrases, known or default.classifiers, methods
        ),
        said,
    )


def compare_parameters(view: CompareView) -> dict[str, str]:
    """The address of a view."""
    written = parameters(view.shared)
    for name in _OF_EXPLAIN_ONLY:
        written.pop(name, None)
    written["classifiers"] = ",".join(view.classifiers)
    if view.second is not None:
        written["text2"] = view.second
        spans = parameters(replace(view.shared, phrases=view.second_phrases)).get("units")
        if spans is not None:
            written["units2"] = spans
    if view.methods is not None:
        written["methods"] = view.methods
    return written
