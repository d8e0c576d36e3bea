"""The frozen records of an audit's tables. None stands for 'undefined'; notes say why.

All intervals are at 95 %.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import pandas as pd

FEW = 10
"""Fewer cases, or templates, than this are marked: in the paper, one cell rests on 3 cases."""


@dataclass(frozen=True, slots=True)
class MeanScore:
    """The mean of n cases' scores.

    value: the mean; std: the sample standard deviation (n - 1), None for n = 1; low, high: the
    bootstrap interval over templates; n: cases with a score that the classifier gets right;
    cases: all explained cases of this cell whose gold label is the explained class.
    """

    value: float | None
    std: float | None
    low: float | None
    high: float | None
    n: int
    templates: int
    cases: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of cases classified positive, in 0..1, with Wilson's interval (wilson-1927)."""

    value: float | None
    low: float | None
    high: float | None
    positives: int
    n: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FunctionalityRow:
    """A row of Table 1. number: 'F1', "" outside HateCheck; gold: 'hateful', 'non-hateful'..."""

    functionality: str
    number: str
    example: str
    gold: str
    n: int


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A row of Tables 2, 4 and B.3. measure: necessity, sufficiency, SHAP or LIME."""

    classifier: str
    group: str
    measure: str
    score: MeanScore


@dataclass(frozen=True, slots=True)
class RateRow:
    """A row of Table 3. group: "" = all cases; functionalities: 'F18+F19'."""

    classifier: str
    functionalities: str
    group: str
    rate: Rate


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """Two classifiers' scores of the same cases: the first's minus the second's.

    value, low, high: mean difference in -2..2 and its bootstrap interval over templates; p: of
    the sign-flip test; p_corrected: Holm's, over all tests of the same family. Too few cases
    leave both p None, and a note says so.
    """

    first: str
    second: str
    measure: str
    value: float | None
    std: float | None
    low: float | None
    high: float | None
    n: int
    templates: int
    p: float | None
    p_corrected: float | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Point:
    """One classifier and group: x a mean score of n_x cases, y a positive rate of n_y cases."""

    classifier: str
    group: str
    x: float
    y: float
    n_x: int
    n_y: int


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's rho over points, a bootstrap interval over templates, a permutation p.

    x, y: what is correlated, in words. p_smallest: the smallest p so few points can give;
    exact: whether all orders were tried, and how many those were.
    """

    x: str
    y: str
    rho: float | None
    low: float | None
    high: float | None
    n: int
    p: float | None
    p_smallest: float | None
    orders: int
    exact: bool
    points: tuple[Point, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A hypothesis of the paper, what was measured for it, and a sentence for each measurement."""

    number: int
    claim: str
    results: tuple[PairedDifference | Correlation, ...]
    sentences: tuple[str, ...]


def as_frame(
    rows: tuple[ScoreRow, ...]
    | tuple[RateRow, ...]
    | tuple[FunctionalityRow, ...]
    | tuple[PairedDifference, ...],
) -> pd.DataFrame:
    """The rows as a flat frame, one column a field; notes are joined by '; '."""
    flat = []
    for row in rows:
        fields: dict[str, object] = {}
        for name, value in asdict(row).items():
            fields.update(value if isinstance(value, dict) else {name: value})
        if "notes" in fields:
            fields["notes"] = "; ".join(fields["notes"])  # type: ignore[arg-type]
        flat.append(fields)
    return pd.DataFrame(flat)
