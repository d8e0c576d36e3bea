"""Sentences about test results: what n allows, and no more."""

from __future__ import annotations

from nsx_core.audit.results import Correlation, PairedDifference

SIGNIFICANT = 0.05
_MINUS = "\u2212"


def labels_sentence(result: PairedDifference) -> str:
    """One comparison of labels for hate with labels for abuse (hypothesis 1)."""
    pair = f"{result.first} against {result.second}"
    if result.p_corrected is None or result.value is None:
        return f"{pair}: {'; '.join(result.notes)}. No conclusion."
    measured = (
        f"the identity phrase's necessity differs by {_signed(result.value)} "
        f"({_interval(result.low, result.high)}; {result.n} cases that both get right, "
        f"{result.templates} templates; sign-flip test, {_p(result.p_corrected)})"
    )
    if result.p_corrected >= SIGNIFICANT:
        return f"{pair}: {measured}. This leaves open which is higher."
    more = "in line with" if result.value > 0 else "contrary to"
    return f"{pair}: {measured}, {more} the hypothesis on these cases."


def correlation_sentence(result: Correlation, *, rising: bool) -> str:
    """One rank correlation (hypotheses 2 and 3); rising: the hypothesis says both rise."""
    what = f"{result.x[:1].upper()}{result.x[1:]} and {result.y}"
    if result.rho is None or result.p is None or result.p_smallest is None:
        return f"{what}: {'; '.join(result.notes)}. No conclusion."
    classifiers = {point.classifier for point in result.points}
    groups = {point.group for point in result.points}
    orders = f"all {result.orders:,}" if result.exact else f"{result.orders:,} random"
    measured = (
        f"{what}: rank correlation {_signed(result.rho)} ({_over_templates(result)}) "
        f"over {result.n} points ({_count(len(classifiers), 'classifier')}, "
        f"{_count(len(groups), 'group')}); permutation {_p(result.p)} ({orders} orders)."
    )
    if result.p_smallest >= SIGNIFICANT:
        return (
            f"{measured} So few points cannot give a p below {result.p_smallest:.2g}: this "
            "describes them and tests nothing."
        )
    if result.p >= SIGNIFICANT:
        return f"{measured} This leaves open whether the two go together."
    fits = (result.rho > 0) == rising
    return (
        f"{measured} Among these points that is {'in line with' if fits else 'contrary to'} the "
        "hypothesis. Points share classifiers and texts, so they tell less than as many "
        "independent ones, and the p may be too small. It does not say that one causes the "
        "other, nor how other classifiers behave."
    )


def _over_templates(result: Correlation) -> str:
    """The interval over templates, or why there is none."""
    if result.low is None:
        return next((n for n in result.notes if n.startswith("no interval")), "no interval")
    return f"{_interval(result.low, result.high)} over templates"


def _interval(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "no interval"
    low, high = (round(bound, 2) + 0.0 for bound in (low, high))  # no -0.00
    return f"95 % interval {low:.2f} to {high:.2f}".replace("-", _MINUS)


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", _MINUS)


def _p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"
