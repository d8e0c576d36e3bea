"""An audit's report as lines of text, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nsx_core.audit.report import AuditReport
from nsx_core.audit.results import MeanScore, PairedDifference, Rate, ScoreRow
from nsx_core.terminal import as_line

_EXAMPLE_WIDTH = 48


def as_text(report: AuditReport) -> str:
    """The report's tables with n and 95 % intervals, then what the tests say."""
    parts = [
        _table(
            "Table 1. Functionalities",
            ("", "functionality", "example", "gold", "n"),
            (
                (r.number, r.functionality, _example(r.example), r.gold, str(r.n))
                for r in report.table_1
            ),
        ),
        _scores(
            "Table 2. Necessity and sufficiency of the identity phrase, cases got right",
            report.table_2,
        ),
        _table(
            "Table 3. Share classified positive",
            ("classifier", "functionality", "group", "share [95 % interval]", "n", ""),
            (
                (r.classifier, r.functionalities, r.group or "all", _rate(r.rate),
                 f"{r.rate.positives} of {r.rate.n}", "; ".join(r.rate.notes))
                for r in report.table_3
            ),
        ),
    ]  # fmt: skip
    if report.table_4:
        parts.append(_scores("Table 4. SHAP and LIME of the identity phrase", report.table_4))
    if report.table_b3:
        parts.append(_scores("Table B.3. As Table 2, with a mask token", report.table_b3))
    parts += [
        "\n".join((f"Hypothesis {h.number}. {h.claim}", *(f"  {s}" for s in h.sentences)))
        + ("" if h.sentences else "\n  Not enough: no classifiers differ in their labels alone.")
        for h in report.hypotheses
    ]
    parts.append(
        _table(
            "All pairs of classifiers, on cases that both get right",
            ("first - second", "measure", "difference [95 % interval]", "n", "p, Holm", ""),
            map(_pair, report.pairs),
        )
    )
    return "\n\n".join(parts)


def _scores(title: str, rows: Iterable[ScoreRow]) -> str:
    return _table(
        title,
        ("classifier", "group", "measure", "mean ± std [95 % interval]", "n", ""),
        (
            (r.classifier, r.group, r.measure, _mean(r.score),
             f"{r.score.n} of {r.score.cases}", "; ".join(r.score.notes))
            for r in rows
        ),
    )  # fmt: skip


def _pair(row: PairedDifference) -> tuple[str, ...]:
    p = "" if row.p_corrected is None else f"{row.p_corrected:.4f}"
    difference = "undefined" if row.value is None else f"{row.value:+.2f}"
    return (
        f"{row.first} - {row.second}", row.measure, f"{difference}{_bounds(row.low, row.high)}",
        str(row.n), p, "; ".join(row.notes),
    )  # fmt: skip


def _mean(score: MeanScore) -> str:
    if score.value is None:
        return "undefined"
    spread = "" if score.std is None else f" ± {score.std:.2f}"
    return f"{_two(score.value)}{spread}{_bounds(score.low, score.high)}"


def _rate(rate: Rate) -> str:
    return "undefined" if rate.value is None else f"{rate.value:.2f}{_bounds(rate.low, rate.high)}"


def _bounds(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" [{_two(low)}, {_two(high)}]"


def _two(value: float) -> str:
    """Two places; adding 0.0 turns a rounded -0.0 into 0.0."""
    return f"{round(value, 2) + 0.0:.2f}"


def _example(text: str) -> str:
    """One line that a terminal can show: no control characters, not too long."""
    shown = as_line(text)
    return shown if len(shown) <= _EXAMPLE_WIDTH else shown[: _EXAMPLE_WIDTH - 1] + "…"


def _table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join(
        [title]
        + [
            "  ".join(f"{cell:<{w}}" for cell, w in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]
    )
