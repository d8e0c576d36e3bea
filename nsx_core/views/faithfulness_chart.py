"""Faithfulness against the number of words, and what it says in plain sentences."""

from __future__ import annotations

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from nsx_core.comparison_records import METHODS, Comparison
from nsx_core.views.methods_table import method_name
from nsx_core.views.numbers import score
from nsx_core.views.stacked import listed

__all__ = [
    "agreement_sentence",
    "faithfulness_chart",
    "faithfulness_sentences",
    "notes",
]

# Told apart by dash and mark as well as by colour; readable on light and dark (okabe-ito-2008).
_STYLES = {
    "necessity": ("#0072b2", "solid", "circle"),
    "sufficiency": ("#d55e00", "dash", "square"),
    "SHAP": ("#009e73", "dot", "diamond"),
    "LIME": ("#cc79a7", "dashdot", "triangle-up"),
    "random": ("#7b858d", "longdash", "x-thin-open"),
}
#: So many words are removed in the sentences, where the text has more.
_REMOVED = 2
#: Beyond so many points marks would be a band.
_MARKED_MAX = 30
#: So few words make a correlation jumpy.
_FEW = 8


def faithfulness_chart(found: Comparison) -> go.Figure | None:
    """Both curves, one line a method and one for random orders; None for a text of one word."""
    if len(found.words) < 2:
        return None
    figure = make_subplots(
        rows=1,
        cols=2,
        horizontal_spacing=0.09,
        subplot_titles=("top words removed: higher is better", "top words alone: lower is better"),
    )
    curves = [(m.name, method_name(m.name), m.faithful) for m in found.methods]
    curves.append(("random", "Random orders, mean", found.random.mean))
    for key, name, faithful in curves:
        colour, dash, mark = _STYLES[key]
        for col, values in enumerate((faithful.comprehensiveness, faithful.sufficiency), start=1):
            figure.add_trace(
                go.Scatter(
                    x=list(range(1, len(values) + 1)),
                    y=list(values),
                    name=name,
                    legendgroup=key,
                    showlegend=col == 1,
                    mode="lines+markers" if len(values) <= _MARKED_MAX else "lines",
                    line={"color": colour, "dash": dash, "width": 2},
                    marker={"symbol": mark, "size": 7, "line": {"width": 1.5, "color": colour}},
                    # Written here: Plotly's own format has a negative zero.
                    customdata=[score(v) for v in values],
                    hovertemplate=f"{name}<br>%{{x}} of {len(found.words)} words: "
                    "%{customdata}<extra></extra>",
                ),
                row=1,
                col=col,
            )
    integers = {"dtick": 1} if len(found.words) <= 12 else {}
    figure.update_xaxes(title="words", **integers)
    figure.update_yaxes(title="probability lost", row=1, col=1)
    figure.update_annotations(font_size=13)
    figure.update_layout(
        height=340,
        margin={"l": 10, "r": 10, "t": 70, "b": 10},
        legend={"orientation": "h", "y": 1.14, "yanchor": "bottom", "x": 0},
        dragmode=False,
    )
    return figure


def faithfulness_sentences(found: Comparison) -> list[str]:
    """What the curves say of the first one or two words; methods that come to the same, together."""
    n = len(found.words)
    if n < 2:
        return ["A text of one word has no order of words, so faithfulness is undefined."]
    k = min(_REMOVED, n - 1)
    words = "the word" if k == 1 else "the two words"
    random = found.random.mean
    said = [
        f"The text has a probability of {score(found.probability)}. Removing {words} in random order "
        f"loses {score(random.comprehensiveness[k - 1])} of it on average; "
        f"{words} alone leave it {_moved(random.sufficiency[k - 1])}."
    ]
    alike: dict[tuple[str, str], list[str]] = {}
    for method in found.methods:
        lost = score(method.faithful.comprehensiveness[k - 1])
        alike.setdefault((lost, _moved(method.faithful.sufficiency[k - 1])), []).append(method.name)
    said += [
        f"Removing {words} that {listed(names)} {'rank' if len(names) > 1 else 'ranks'} first loses "
        f"{lost} of the probability; {words} alone leave it {moved}."
        for (lost, moved), names in alike.items()
    ]
    return [line.replace("word alone leave", "word alone leaves") for line in said]


def agreement_sentence(found: Comparison) -> str:
    """The pair that agrees most and the pair that agrees least."""
    pairs = [
        (rho, one, other)
        for a, one in enumerate(METHODS)
        for b, other in enumerate(METHODS)
        if a < b and (rho := found.agreement[a][b].rho) is not None
    ]
    if not pairs:
        return f"No pair of methods can be compared. {found.agreement[0][1].note}"
    high, low = max(pairs), min(pairs)
    said = f"{method_name(high[1])} and {high[2]} order the words most alike ({score(high[0])})"
    if len(pairs) == 1 or high == low:
        return said + "."
    said += f", {low[1]} and {low[2]} least ({score(low[0])})."
    if len(found.words) < _FEW:
        said += (
            f" With {len(found.words)} words one exchange of two words moves these numbers a lot."
        )
    return said


def notes(found: Comparison) -> list[str]:
    """What to know of scores, seconds and undefined figures, each once."""
    said = [f"{method_name(m.name)}: {m.note}" for m in found.methods[2:] if m.note]
    said.insert(0, found.methods[0].note)
    if not found.predicted:
        said.insert(
            0,
            f"{found.label} is not predicted here, so no word has a necessity above 0; the words "
            "whose replacing gains the label least rank first.",
        )
    undefined = {r.note for row in found.agreement for r in row if r.note}
    return [*said, *sorted(undefined)]


def _moved(lost: float) -> str:
    """Sufficiency by deletion in words: how much of the probability is missing, or added."""
    if score(lost) == score(0.0):
        return "as it is"
    return f"{score(abs(lost))} {'lower' if lost > 0 else 'higher'}"
