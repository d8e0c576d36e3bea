"""The frozen records of audits: suites to choose from, what one costs, how far it is, what it found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pandas as pd

from nsx_core.audit.report import AuditReport

AuditState = Literal["running", "queued", "done", "cancelled", "interrupted", "failed"]
Stage = Literal["waiting", "classifying", "drawing", "masking", "attributing", "stopping"]
Method = Literal["necessity and sufficiency", "SHAP", "LIME", "masking"]


@dataclass(frozen=True, slots=True)
class AuditCard:
    """An audit in a list.

    suite_cases: cases of the suite; budget: expected draws a word and score;
    threshold: the one it ran at, in 0..1;
    created: seconds since 1970; done, total: cases finished and asked for, all classifiers
    together.
    """

    id: str
    name: str
    suite: str
    suite_cases: int
    classifiers: tuple[str, ...]
    groups: tuple[str, ...]
    infiller: str
    budget: int
    threshold: float
    created: float
    state: AuditState
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class SuiteCard:
    """A suite in a list; ``id`` is the sha256 it is stored under, in hex; ``cases`` a count."""

    id: str
    name: str
    cases: int
    groups: tuple[str, ...]
    functionalities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AuditCost:
    """What an audit asks for, before it begins.

    texts: different texts of the suite, which every classifier gets; texts_known: predictions on
    them that are stored, all classifiers together. cases: at most so many are explained; draws:
    at most so many counterfactual texts, each case's once, whatever the number of classifiers;
    draws_stored of them are there. seconds: at this computer's own measured speed, or, where ``elsewhere``, at
    that of the computer that made the shipped audit; None = not known. left_out: sentences on cases without a usable phrase.
    """

    texts: int
    texts_known: int
    cases: int
    draws: int
    draws_stored: int
    seconds: float | None
    left_out: tuple[str, ...]
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class AuditView:
    """How far an audit is.

    done of total count what the stage does (texts, draws, cases); rate: of these a second, 0 where
    not known yet; ahead: jobs that go first while it waits.
    """

    state: AuditState
    stage: Stage
    done: int
    total: int
    cases_done: int
    cases_total: int
    rate: float
    seconds_left: float | None
    error: str | None
    ahead: int


@dataclass(frozen=True, slots=True)
class MethodCost:
    """What a method cost on one classifier: cases explained, calls of the classifier, texts
    classified. seconds: of the ``timed`` cases, those that were not interrupted and of which
    nothing was stored before; None where there is none."""

    method: Method
    classifier: str
    cases: int
    calls: int
    texts: int
    seconds: float | None
    timed: int

    @property
    def seconds_a_case(self) -> float | None:
        """Mean over the timed cases."""
        return None if self.seconds is None or not self.timed else self.seconds / self.timed


@dataclass(frozen=True, slots=True)
class SeedRow:
    """A sampling method's mean score of the phrase, over seeds: another seed, other samples.

    value: the mean over ``seeds`` seeds of the mean over ``cases`` cases; low, high: its 95 %
    interval over seeds, None for a single one.
    """

    classifier: str
    group: str
    method: str
    value: float
    low: float | None
    high: float | None
    seeds: int
    cases: int


@dataclass(frozen=True, slots=True)
class AuditFound:
    """What an audit found at a threshold.

    cases: the columns of ``nsx_core.audit.cases.phrase_scores``, plus probability, draws, struck
    (how many of these) and both scores without them (necessity_without, sufficiency_without);
    predictions: ``nsx_core.audit.columns.PREDICTION_COLUMNS``, with the prediction at
    ``threshold``. undrawn: cases that this threshold makes right and that have no draws yet, so
    their scores are missing. struck: struck-out counterfactual texts; report_without_struck: the
    report without them, None where none are struck. seeds: SHAP's sampling explainer by
    classifier and group, where the audit has SHAP.
    """

    card: AuditCard
    report: AuditReport
    cases: pd.DataFrame
    predictions: pd.DataFrame
    threshold: float
    undrawn: int
    costs: tuple[MethodCost, ...]
    struck: int
    report_without_struck: AuditReport | None
    seeds: tuple[SeedRow, ...] = ()
    notes: tuple[str, ...] = ()
