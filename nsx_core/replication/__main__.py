"""Run the paper's experiment on the shipped classifiers and write docs/replication.md.

python -m nsx_core.replication --hatecheck FILE --paper FOLDER [--store FILE]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from nsx_core.audit import audit_report, read_attributions, read_predictions, read_token_scores
from nsx_core.auditing import AuditProgress, AuditRequest, audit_found, audited
from nsx_core.auditing.audits import audit_card
from nsx_core.auditing.request import request_named
from nsx_core.catalogue import shipped_catalogue
from nsx_core.errors import NsxError
from nsx_core.records import ExplainSettings
from nsx_core.replication.page import page
from nsx_core.replication.printed import GROUPS
from nsx_core.settings import PROJECT_FOLDER
from nsx_core.store import Store
from nsx_core.suites import read_suite

OUT = PROJECT_FOLDER / "docs" / "replication.md"
COMMAND = "make replication"
CLASSIFIERS = ("Davidson2017-hate", "Davidson2017-abuse", "Vidgen2021-hate", "Vidgen2021-abuse")


def main() -> int:
    """Audit HateCheck on women and Muslims at budget 100, and write the page."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--hatecheck", type=Path, required=True, help="HateCheck's CSV")
    parser.add_argument("--paper", type=Path, required=True, help="the authors' released tables")
    parser.add_argument("--store", default=":memory:", help="a store to go on from (DuckDB file)")
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    try:
        given.out.write_text(_written(given), encoding="utf-8")
    except NsxError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{given.out} is written.")
    return 0


def _written(given: argparse.Namespace) -> str:
    authors = audit_report(
        read_predictions(given.paper / "hatecheck_predictions.csv"),
        read_token_scores(given.paper / "token_scores.csv"),
        shap=read_attributions(given.paper / "shap_scores.csv"),
        lime=read_attributions(given.paper / "lime_scores.csv"),
    )
    catalogue = shipped_catalogue()
    suite, settings = read_suite(given.hatecheck), ExplainSettings()
    request = AuditRequest(
        suite, CLASSIFIERS, catalogue.default_infiller, settings, GROUPS, masking=True,
        attributions=True,
    )  # fmt: skip
    with Store.open(given.store) as store:
        audit = audited(request, catalogue, store, "Replication", _tell)
        card, said = audit_card(audit, store), request_named(audit, store)[1]
        found = audit_found(
            card, request, said["fingerprints"], catalogue, store, settings.threshold
        )
    draws = len(found.cases["case"].drop_duplicates())
    run = (
        f"HateCheck ({len(suite.cases):,} cases, rottger-etal-2021): all cases classified by the "
        f"four shipped classifiers at a threshold of {settings.threshold}; the identity phrases "
        f"of F1 to F3 on {' and '.join(GROUPS)} explained where the classifier is right "
        f"({draws} cases for one classifier at least, {len(found.cases)} explanations).",
        f"Budget {settings.budget}, sampler {settings.sampler}, seed {settings.seed}, infiller "
        f"{catalogue.default_infiller}, every classifier judged on the same counterfactual texts.",
    )
    return page(found.report, authors, found.costs, found.seeds, run, COMMAND)


def _tell(progress: AuditProgress) -> None:
    said = f"{progress.stage}: {progress.done:,} of {progress.total:,}"
    print(f"\r{said}   ", end="", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
