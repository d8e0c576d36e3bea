"""The views Tables, Hypotheses and Classifier pairs."""

from __future__ import annotations

import streamlit as st

from nsx_core.audit.results import Correlation, Hypothesis, PairedDifference
from nsx_core.audit_records import AuditFound
from nsx_core.views import audit_sentences as sentences
from nsx_core.views.audit_hypotheses import correlation_chart, correlation_note
from nsx_core.views.audit_matrix import matrix
from nsx_core.views.audit_tables import (
    attributions_table,
    costs_table,
    differences_table,
    functions_table,
    rates_table,
    seeds_table,
)
from pages.shared.figure import figure

__all__ = ["classifier_pairs", "hypotheses", "tables"]

_MASKED = (
    "Table B.3. The same scores from a mask token in place of the infilled words: texts that "
    "nobody writes, so the classifier may answer differently. Compare with Table 2."
)
_ATTRIBUTIONS = (
    "Table 4. SHAP and LIME scores of the group's name, beside ours for the same cases. Each "
    "method has a scale of its own: compare groups within a column, not numbers across columns."
)


def tables(found: AuditFound) -> None:
    """Tables 1, 3, 4, B.3 and the costs; those not asked for say so."""
    report = found.report
    st.subheader("Flagged without cause")
    figure(rates_table(report.table_3), "results-rates")
    st.text(sentences.rates_sentence(report.table_3))
    st.subheader("SHAP and LIME")
    if report.table_4:
        figure(
            attributions_table(report.table_4, report.table_2, _ATTRIBUTIONS),
            "results-attributions",
        )
        if found.seeds:
            figure(seeds_table(found.seeds), "results-seeds")
    else:
        st.text("Table 4: this audit asked for neither SHAP nor LIME.")
    st.subheader("A mask token instead of infills")
    if report.table_b3:
        figure(
            matrix(report.table_b3, _MASKED, clickable=False, cls="audit-masked"),
            "results-masked",
        )
        st.text(sentences.scores_sentence(report.table_b3))
    else:
        st.text("Table B.3: this audit did not ask for masking.")
    if found.costs:
        st.subheader("Costs")
        figure(costs_table(found.costs), "results-costs")
        st.text(sentences.costs_sentence(found.costs))
    st.subheader("The test suite")
    figure(functions_table(report.table_1), "results-functions")


def hypotheses(found: AuditFound) -> None:
    """The three hypotheses of the paper: claims, sentences and charts."""
    names = list(found.card.classifiers)
    for hypothesis in found.report.hypotheses:
        st.subheader(f"{hypothesis.number}. {hypothesis.claim}")
        if not hypothesis.results:
            st.text(
                "Nothing to test it on: it takes a classifier of hate and one of abuse, of the "
                "same training data."
            )
        differences = [r for r in hypothesis.results if isinstance(r, PairedDifference)]
        if differences:
            _labels(hypothesis, differences)
        correlations = [
            (result, said)
            for result, said in zip(hypothesis.results, hypothesis.sentences, strict=True)
            if isinstance(result, Correlation)
        ]
        for number, (result, said) in enumerate(correlations[:1]):
            _correlation(result, said, names, f"{hypothesis.number}-{number}")
        if correlations[1:]:
            with st.expander("Each kind of target by itself"):
                for number, (result, said) in enumerate(correlations[1:], start=1):
                    _correlation(result, said, names, f"{hypothesis.number}-{number}")


def classifier_pairs(found: AuditFound) -> None:
    """All pairs of classifiers on the cases that both get right."""
    pairs = found.report.pairs
    if pairs:
        figure(
            differences_table(
                pairs,
                "The first classifier's score minus the second's, on the cases that both get "
                "right. p by flipping signs a template; corrected for all rows (Holm).",
                "Classifiers",
            ),
            "results-classifier-pairs",
        )
    st.text(sentences.pairs_sentence(pairs))


def _labels(hypothesis: Hypothesis, differences: list[PairedDifference]) -> None:
    figure(
        differences_table(
            differences,
            "Necessity with labels for hate minus necessity with labels for abuse, on the cases "
            "that both classifiers get right.",
            "Classifiers",
        ),
        f"results-labels-{hypothesis.number}",
    )
    for said in hypothesis.sentences:
        st.text(said)


def _correlation(result: Correlation, said: str, names: list[str], key: str) -> None:
    chart = correlation_chart(result, names)
    if chart is not None:
        st.plotly_chart(chart, key=f"results-points-{key}", config={"displayModeBar": False})
        st.text(correlation_note(result))
    st.text(said)
