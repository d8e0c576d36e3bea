"""docs/replication.md: our tables beside the printed ones, and what the paper's own files say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nsx_core.audit.report import AuditReport
from nsx_core.audit.results import MeanScore, Rate, ScoreRow
from nsx_core.audit_records import MethodCost, SeedRow
from nsx_core.replication.printed import (
    GROUPS,
    SHAP,
    TABLE_2,
    TABLE_3,
    TABLE_B3,
    as_printed,
)

__all__ = ["figures_compared", "page"]

_RATES = (("F18+F19", "women"), ("F18+F19", "Muslims"), ("F24", ""), ("F23", ""), ("F22", ""))
_NONE = "–"


def figures_compared(authors: AuditReport) -> list[tuple[str, str, str]]:
    """(what, printed, counted from the authors' released files) for each printed figure."""
    found = []
    by_cell = _by_cell(authors.table_2)
    for (name, group), figures in TABLE_2.items():
        scores = [by_cell[name, group, m] for m in ("necessity", "sufficiency")]
        counted = [v for score in scores for v in (score.value, score.std)]
        for what, printed, value in zip(
            ("N mean", "N std", "S mean", "S std"), figures, counted, strict=True
        ):
            found.append((f"Table 2, {name}, {group}, {what}", printed, _written(value)))
    rates = {(r.classifier, r.functionalities, r.group): r.rate for r in authors.table_3}
    for name, shares in TABLE_3.items():
        for (functions, group), printed in zip(_RATES, shares, strict=True):
            counted_rate = rates[name, functions, group].value
            place = f"{functions} {group}".strip()
            found.append((f"Table 3, {name}, {place}", printed, _written(counted_rate)))
    shap = _by_cell(authors.table_4)
    for (name, group), pair in SHAP.items():
        score = shap[name, group, "SHAP"]
        for what, printed, value in zip(
            ("mean", "std"), pair, (score.value, score.std), strict=True
        ):
            found.append((f"Table 4, SHAP, {name}, {group}, {what}", printed, _written(value)))
    return found


def page(
    ours: AuditReport, authors: AuditReport, costs: Sequence[MethodCost],
    seeds: Sequence[SeedRow], run: Sequence[str], command: str,
) -> str:  # fmt: skip
    """The whole page. run: sentences on what was run; command: what writes it anew."""
    compared = figures_compared(authors)
    differ = [one for one in compared if one[1] != one[2]]
    parts = [
        "# Replication",
        f"Written by `{command}`; do not edit it by hand. balkir-etal-2022 is the paper; other "
        "keys stand in [references.bib](references.bib).",
        "## What was run",
        *run,
        "Intervals are at 95 %, by the bootstrap over templates. n is the number of cases that "
        "the classifier gets right, of 60 a group. A mean of fewer than 10 cases is in italics: "
        "it says little.",
        "## Table 2: necessity and sufficiency of the identity phrase",
        _table_2(ours),
        "Printed figures are those of the paper's own classifiers, fine-tuned BERT models; ours "
        "of the same name learned from the same kind of data on a far smaller encoder. They are "
        "set side by side to see whether the pattern is the same, not the digits.",
        "## Table 3: share classified positive",
        _table_3(ours),
        "F18+F19 are neutral and positive mentions of the group, so a high share is a fault. F24, "
        "F23 and F22 abuse a group that is not protected, a person, an object.",
        "## Table 4: SHAP and LIME beside ours",
        _table_4(ours),
        _seeds(seeds),
        _costs(costs),
        "## Table B.3: a mask token in place of infills",
        _table_b3(ours),
        "The same masks were used, so the difference to Table 2 is the infiller's alone.",
        "## The three hypotheses, for our classifiers",
        *(_hypothesis(h.number, h.claim, h.sentences) for h in ours.hypotheses),
        "## The authors' released files, counted again",
        f"Of {len(compared)} figures that the paper prints for three classifiers in Tables 2, 3 "
        f"and 4 (SHAP), {len(compared) - len(differ)} are what our code counts from the released "
        f"files, to the printed digit. {_differing(differ)}",
        "## Where the paper's material disagrees with itself",
        _disagreements(authors),
    ]
    return "\n\n".join(parts) + "\n"


def _table_2(ours: AuditReport) -> str:
    cells = _by_cell(ours.table_2)
    rows = []
    for name, group in _cells(ours.table_2):
        printed = TABLE_2.get((name, group))
        said = _NONE if printed is None else (
            f"N {printed[0]} ± {printed[1]}, S {printed[2]} ± {printed[3]}"
        )  # fmt: skip
        pair = [_mean(cells[name, group, m]) for m in ("necessity", "sufficiency")]
        rows.append((name, group, *pair, str(cells[name, group, "necessity"].n), said))
    return _table(("classifier", "group", "necessity", "sufficiency", "n", "printed"), rows)


def _table_3(ours: AuditReport) -> str:
    rates = {(r.classifier, r.functionalities, r.group): r.rate for r in ours.table_3}
    rows = []
    for name in dict.fromkeys(r.classifier for r in ours.table_3):
        rows.append((name, *(_rate(rates[name, functions, group]) for functions, group in _RATES)))
        if name in TABLE_3:
            rows.append((f"{name}, printed", *TABLE_3[name]))
    heads = [f"{functions} {group}".strip() for functions, group in _RATES]
    return _table(("classifier", *heads), rows)


def _table_4(ours: AuditReport) -> str:
    cells, own = _by_cell(ours.table_4), _by_cell(ours.table_2)
    rows = []
    for name, group in _cells(ours.table_4):
        printed = SHAP.get((name, group))
        rows.append(
            (
                name, group, _mean(cells[name, group, "SHAP"]), _mean(cells[name, group, "LIME"]),
                _mean(own[name, group, "necessity"]), _mean(own[name, group, "sufficiency"]),
                _NONE if printed is None else f"SHAP {printed[0]} ± {printed[1]}",
            )
        )  # fmt: skip
    heads = ("classifier", "group", "SHAP", "LIME", "necessity", "sufficiency", "printed")
    return _table(heads, rows)


def _table_b3(ours: AuditReport) -> str:
    cells, plain = _by_cell(ours.table_b3), _by_cell(ours.table_2)
    rows = [
        (
            name, group, _mean(cells[name, group, "necessity"]),
            _short(plain[name, group, "necessity"]), _mean(cells[name, group, "sufficiency"]),
            _short(plain[name, group, "sufficiency"]), TABLE_B3.get((name, group), _NONE),
        )
        for name, group in _cells(ours.table_b3)
    ]  # fmt: skip
    return _table(
        ("classifier", "group", "N masked", "N infilled", "S masked", "S infilled",
         "printed N masked"), rows,
    )  # fmt: skip


def _seeds(seeds: Sequence[SeedRow]) -> str:
    rows = [
        (r.classifier, r.group, as_printed(r.value),
         _NONE if r.low is None or r.high is None else f"{r.low:.3f} to {r.high:.3f}",
         str(r.seeds), str(r.cases))
        for r in seeds
    ]  # fmt: skip
    return (
        "SHAP's default explainer for text draws nothing, so it has no interval over seeds. Its "
        "sampling explainer (permutation) does; the mean of the phrase's score over seeds:\n\n"
        + _table(("classifier", "group", "SHAP permutation", "over seeds", "seeds", "cases"), rows)
    )


def _costs(costs: Sequence[MethodCost]) -> str:
    rows = []
    for c in costs:
        each = [_NONE, _NONE]
        if c.seconds is not None and c.seconds_a_case is not None:
            each = [f"{c.seconds:,.0f} ({c.timed} cases)", f"{c.seconds_a_case:.2f}"]
        rows.append((c.method, c.classifier, f"{c.cases:,}", f"{c.calls:,}", f"{c.texts:,}", *each))
    return (
        "What each method cost: calls are texts that it asked the classifier about, texts the "
        "distinct ones of each case. The counterfactual texts are written once a case, in the "
        "seconds of the first classifier that gets it right. Seconds are of the cases in brackets, "
        "of whose texts none was stored before; other work ran beside. SHAP and LIME score every "
        "word of a text as ours do.\n\n"
        + _table(
            ("method", "classifier", "cases", "calls", "texts", "seconds", "seconds a case"), rows
        )
    )


def _hypothesis(number: int, claim: str, sentences: Iterable[str]) -> str:
    said = "\n".join(f"- {sentence}" for sentence in sentences)
    return f"**{number}. {claim}**\n\n{said}"


def _differing(differ: Sequence[tuple[str, str, str]]) -> str:
    if not differ:
        return "None differs."
    listed = "; ".join(f"{what}: printed {p}, counted {c}" for what, p, c in differ)
    return f"Otherwise: {listed}."


def _disagreements(authors: AuditReport) -> str:
    few = [r for r in authors.table_2 if 0 < r.score.n < 10]
    small = "" if not few else (
        f" In the released files {few[0].classifier} on {few[0].group} has {few[0].score.n}."
    )  # fmt: skip
    return "\n".join(
        (
            "- **Table B.3's sufficiency columns repeat Table 2's**, so the paper prints no "
            "sufficiency with a mask token. Ours above are counted.",
            "- **The helper for LIME** in the authors' notebook hands LIME the winning label's "
            "score as the probability of the positive class, whichever label won. On a text that "
            "wins as positive this is right; on LIME's neighbours that win as negative it is "
            "upside down. Its figures are no target here; our LIME gets P(explained class).",
            "- **Small cells.** Table 2 averages over the cases that a classifier gets right, and "
            "for Davidson2017-hate on women that is 3 cases in the paper: its mean and deviation "
            f"say next to nothing.{small} We print n and mark cells of fewer than 10 cases.",
            "- **Two generation runs.** The released counterfactual texts are of another run "
            "than the one behind the published scores, whose masks are not public; so scores can "
            "be aggregated again, but not counted again from texts.",
        )
    )


def _by_cell(rows: Iterable[ScoreRow]) -> dict[tuple[str, str, str], MeanScore]:
    return {(r.classifier, r.group, r.measure): r.score for r in rows}


def _cells(rows: Iterable[ScoreRow]) -> list[tuple[str, str]]:
    found = list(dict.fromkeys((r.classifier, r.group) for r in rows))
    order = {group: at for at, group in enumerate(GROUPS)}
    return sorted(found, key=lambda c: ([n for n, _ in found].index(c[0]), order.get(c[1], 99)))


def _mean(score: MeanScore) -> str:
    if score.value is None:
        return f"undefined, 0 of {score.cases}"
    said = _short(score)
    if score.low is not None and score.high is not None:
        said += f" [{as_printed(score.low)}, {as_printed(score.high)}]"
    return f"*{said}, n = {score.n}*" if score.n < 10 else said


def _short(score: MeanScore) -> str:
    if score.value is None:
        return "undefined"
    deviation = "" if score.std is None else f" ± {as_printed(score.std)}"
    return f"{as_printed(score.value)}{deviation}"


def _rate(rate: Rate) -> str:
    if rate.value is None or rate.low is None or rate.high is None:
        return "undefined, 0 of 0"
    bounds = f"[{as_printed(rate.low)}, {as_printed(rate.high)}]"
    return f"{as_printed(rate.value)} {bounds} ({rate.positives} of {rate.n})"


def _written(value: float | None) -> str:
    return "undefined" if value is None else as_printed(value)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
