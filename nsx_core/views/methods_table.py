"""Four methods side by side: scores of words, rank correlation, faithfulness and cost.

Necessity keeps its blue and sufficiency its orange, from 0 to 1; SHAP and LIME are grey, each from 0
to its own strongest score, and a bar shows to which side of 0 a score lies.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from nsx_core.attributing import Faithfulness
from nsx_core.comparison_records import METHODS, Comparison, Method
from nsx_core.records import Side
from nsx_core.views.colours import neutral
from nsx_core.views.heatmap import shading
from nsx_core.views.markup import Node, direction, node, printable, shortened
from nsx_core.views.numbers import UNDEFINED, score

__all__ = ["agreement_table", "faithfulness_table", "method_name", "methods_frame", "methods_table"]

_SIDES = tuple(map(str, Side))
#: A thin outline needs more shade than a filled cell to be seen.
_OUTLINE_LEAST = 0.4


def method_name(name: str) -> str:
    """As a head: 'Necessity', 'SHAP'."""
    return name[:1].upper() + name[1:]


def methods_table(found: Comparison) -> Node:
    """One row a word, one column a method; every score as a number, a shade and a bar from 0."""
    ends = [_strongest(method) for method in found.methods]
    heads = [node("th", "Word", scope="col")]
    heads += [
        node(
            "th",
            method_name(method.name),
            node("small", f"full shade: {_signless(end)}", cls="end"),
            scope="col",
        )
        for method, end in zip(found.methods, ends, strict=True)
    ]
    rows = []
    for at, word in enumerate(found.words):
        shown = shortened(word.text)
        cells = [
            _cell(method, at, end, found) for method, end in zip(found.methods, ends, strict=True)
        ]
        rows.append(
            node(
                "tr",
                node("th", shown, scope="row", cls="text", dir=direction(shown)),
                *cells,
            )
        )
    caption = (
        f"Scores of each word for {found.label} by {found.classifier}. Necessity and sufficiency are "
        "shares of predictions, SHAP and LIME differences in probability, so each column has a scale "
        "of its own. A bar to the left of the middle is below 0; SHAP and LIME then have an outline in "
        "place of a filled cell: the word speaks against the class. Below SHAP: the interval of its "
        f"sampling explainer over {len(found.others.over_seeds)} seeds."
    )
    table = node(
        "table",
        node("caption", caption),
        node("thead", node("tr", *heads)),
        node("tbody", *rows),
        cls="scores methods",
    )
    return node("div", table, cls="wide")


def agreement_table(found: Comparison) -> Node:
    """Spearman's rho of each pair of methods, each pair once."""
    heads = [
        node("th", ""),
        *(node("th", method_name(n), scope="col", cls="number") for n in METHODS[:-1]),
    ]
    rows = []
    for at, name in enumerate(METHODS[1:], start=1):
        cells = [
            node("td", score(found.agreement[at][other].rho), cls="number") for other in range(at)
        ]
        cells += [node("td", "") for _ in range(len(METHODS) - 1 - at)]
        rows.append(node("tr", node("th", method_name(name), scope="row"), *cells))
    caption = (
        f"Rank correlation (Spearman) over the text's {len(found.words):,} words: 1 where two methods "
        "order the words alike, 0 where their orders have nothing to do with each other, "
        "\u22121 where one is the other upside down."
    )
    table = node(
        "table",
        node("thead", node("tr", *heads)),
        node("tbody", *rows),
        cls="plain agreement",
    )
    return node("div", node("p", caption, cls="footnote"), table, cls="wide")


def faithfulness_table(found: Comparison) -> Node:
    """AOPC of both measures with random orders as the mark to beat, and what each method cost."""
    heads = (
        ("Order of words by", ""),
        ("Comprehensiveness", "AOPC, higher is better"),
        ("Sufficiency by deletion", "AOPC, lower is better"),
        ("Calls", "to judge the order"),
        ("Calls", "for the scores"),
        ("Seconds", "for the scores"),
    )
    head = node(
        "tr",
        *(
            node("th", name, node("small", said, cls="end") if said else None, scope="col",
                 cls="number" if at else "")
            for at, (name, said) in enumerate(heads)
        ),
    )  # fmt: skip
    best_high = max(
        _known([m.faithful.aopc_comprehensiveness for m in found.methods]), default=None
    )
    best_low = min(_known([m.faithful.aopc_sufficiency for m in found.methods]), default=None)
    rows = [
        _faithful_row(
            method_name(m.name), m.faithful, best_high, best_low,
            f"{m.calls:,}", f"{m.texts:,} distinct",
            UNDEFINED if m.seconds is None else f"{m.seconds:.1f}",
            "from the store" if m.seconds is None else "",
        )
        for m in found.methods
    ]  # fmt: skip
    orders = len(found.random.aopc_comprehensiveness)
    name = f"{orders} random orders, mean" if orders else "Random orders"
    rows.append(_faithful_row(name, found.random.mean, None, None, "\u2013", "", "\u2013", ""))
    table = node(
        "table",
        node("thead", head),
        node("tbody", *rows),
        cls="plain faithfulness",
    )
    return node("div", table, cls="wide")


def methods_frame(found: Comparison) -> pd.DataFrame:
    """The scores as a frame: undefined ones are missing, never 0."""
    columns: dict[str, list[object]] = {
        "word": [printable(w.text) for w in found.words],
        "start": [w.start for w in found.words],
        "end": [w.end for w in found.words],
    }
    for method in found.methods:
        columns[method.name.lower()] = list(method.scores)
    for part in ("mean", "low", "high"):
        columns[f"shap_permutation_{part}"] = [
            None if s is None else getattr(s, part) for s in found.over_seeds
        ]
    floats = [name for name in columns if name not in ("word", "start", "end")]
    return pd.DataFrame(columns).astype(dict.fromkeys(floats, "float64") | {"word": "str"})


def _strongest(method: Method) -> float:
    """What the strongest shade of a column means: 1, or the strongest score of SHAP or LIME."""
    if method.name in _SIDES:
        return 1.0
    return max((abs(s) for s in method.scores if s is not None), default=0.0) or 1.0


def _signless(end: float) -> str:
    return score(end) if end % 1 else score(end, 0)


def _cell(method: Method, at: int, end: float, found: Comparison) -> Node:
    value = method.scores[at]
    below = None
    if method.name == "SHAP" and (seeds := found.over_seeds[at]) is not None:
        below = node("small", f"{score(seeds.low)} to {score(seeds.high)}", cls="seeds")
    share = 0.0 if value is None else abs(value) / end
    looks = _looks(method, value)
    if "against" in looks:
        share = _OUTLINE_LEAST + (1 - _OUTLINE_LEAST) * share
    shades = shading(Side(method.name), share) if method.name in _SIDES else _grey(share)
    cell = node(
        "span",
        node("span", "\u2013" if value is None else score(value), cls="number"),
        _bar(value, end),
        cls=looks,
        properties=shades,
    )
    return node("td", cell, below, cls="field")


def _looks(method: Method, value: float | None) -> str:
    """Filled; outlined where SHAP or LIME says that the word speaks against the class."""
    if value is None:
        return "cell undefined"
    against = method.name not in _SIDES and float(f"{value:.2f}") < 0
    return "cell against" if against else "cell"


def _grey(share: float) -> dict[str, str]:
    light, dark = neutral(share, "light"), neutral(share, "dark")
    return {
        "--paper-light": light.paper,
        "--ink-light": light.ink,
        "--paper-dark": dark.paper,
        "--ink-dark": dark.ink,
    }


def _bar(value: float | None, end: float) -> Node:
    """A bar from the middle, which is 0, towards ``end`` on the right or -``end`` on the left."""
    if value is None:
        return node("span", cls="interval empty", aria_hidden="true")
    at = 50 + 50 * min(max(value / end, -1.0), 1.0)
    return node(
        "span",
        node("span", cls="line"),
        node("span", cls="zero"),
        cls="interval signed",
        aria_hidden="true",
        properties={
            "--left": f"{min(at, 50):.2f}%",
            "--width": f"{abs(at - 50):.2f}%",
            "--zero": "50%",
        },
    )


def _known(values: Sequence[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _faithful_row(
    name: str,
    faithful: Faithfulness,
    best_high: float | None,
    best_low: float | None,
    calls: str,
    distinct: str,
    seconds: str,
    why: str,
) -> Node:
    def figure(value: float | None, best: float | None) -> Node:
        if value is not None and best is not None and score(value) == score(best):
            return node("td", node("strong", score(value)), cls="number")
        return node("td", score(value), cls="number")

    def with_small(shown: str, small: str) -> Node:
        return node("td", shown, node("small", small, cls="end") if small else None, cls="number")

    return node(
        "tr",
        node("th", name, scope="row"),
        figure(faithful.aopc_comprehensiveness, best_high),
        figure(faithful.aopc_sufficiency, best_low),
        node("td", f"{faithful.calls:,}", cls="number"),
        with_small(calls, distinct),
        with_small("\u2013" if seconds == UNDEFINED else seconds, why),
    )
