"""The audit that comes with the project: four classifiers on the starter suite, as Parquet files.

``write_shipped`` takes it out of a store in which it has run; ``load_shipped`` puts it into
another one whose catalogue has these very models: with others it is left out, since its numbers
would not be theirs.

    python -m nsx_core.auditing.shipping --store FILE
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from nsx_core.auditing.request import AuditRequest, audit_id, kept
from nsx_core.auditing.running import audited, done_row
from nsx_core.catalogue import Catalogue, shipped_catalogue
from nsx_core.errors import NsxError, StoreError
from nsx_core.records import ExplainSettings
from nsx_core.settings import PROJECT_FOLDER
from nsx_core.store import Store
from nsx_core.suites.starter import starter_suite

__all__ = ["load_shipped", "shipped_request", "shipped_speed", "write_shipped"]

FOLDER = PROJECT_FOLDER / "assets" / "audit"
ABOUT, TEXTS = "about.json", "texts.parquet"
NAME = "The starter suite (comes with the app)"


def shipped_request(catalogue: Catalogue) -> AuditRequest:
    """The starter suite, all usable classifiers, default settings, every table."""
    usable = tuple(name for name, e in catalogue.classifiers.items() if e.problem is None)
    return AuditRequest(
        starter_suite(), usable, catalogue.default_infiller, ExplainSettings(), masking=True,
        attributions=True,
    )  # fmt: skip


def write_shipped(catalogue: Catalogue, store: Store, folder: Path = FOLDER) -> str:
    """Run the audit, or what is missing of it, and write its rows; returns its id."""
    request = shipped_request(catalogue)
    audit = audited(request, catalogue, store, NAME)
    prints = [catalogue.classifier_entry(name).fingerprint for name in request.classifiers]
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in store.audits.exported(audit, prints).items():
        pq.write_table(table, folder / f"{name}.parquet", compression="zstd", compression_level=19)
    pq.write_table(_judged_texts(request, prints, store), folder / TEXTS, compression="zstd")
    done = len({case for case in store.audits.cases_done(audit) if not case[0]})
    row = store.audits.audit(audit)
    infiller = catalogue.infiller_entry(request.infiller).fingerprint
    about = {
        "audit": audit, "fingerprints": prints, "cases": done, "created": row and row.created,
        "infiller": infiller, "words_a_second": store.audits.speed(infiller),
    }  # fmt: skip
    (folder / ABOUT).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return audit


def _judged_texts(request: AuditRequest, fingerprints: list[str], store: Store) -> pa.Table:
    """The suite's texts with each classifier's probabilities, as ``packs`` has them of draws."""
    texts = list(dict.fromkeys(case.text for case in request.suite.cases))
    columns: dict[str, object] = {"text": texts}
    for at, fingerprint in enumerate(fingerprints):
        known = store.predictions(fingerprint, texts)
        columns[f"judged_{at}"] = [list(known[text]) for text in texts]
    return pa.table(columns)


def load_shipped(catalogue: Catalogue, store: Store, folder: Path = FOLDER) -> str | None:
    """Put the audit into a store that lacks it; returns its id, None with other models.

    Raises ``StoreError`` for a damaged file, or where the rows cannot be written.
    """
    path = folder / ABOUT
    if not path.is_file():
        return None
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        request = shipped_request(catalogue)
        if audit_id(request, catalogue) != about["audit"]:
            return None
        audit = str(about["audit"])
        if store.job(audit) is not None:
            return audit
        names = [p.stem for p in sorted(folder.glob("*.parquet")) if p.name != TEXTS]
        tables = {name: pq.read_table(folder / f"{name}.parquet") for name in names}
        store.audits.add_exported(audit, about["fingerprints"], tables)
        judged = pq.read_table(folder / TEXTS).to_pydict()
        for at, fingerprint in enumerate(about["fingerprints"]):
            known = dict(zip(judged["text"], judged[f"judged_{at}"], strict=True))
            store.commit_batch(None, [], fingerprint, known, None)
    except (OSError, ValueError, KeyError, pa.ArrowException) as reason:
        raise StoreError(
            f"{folder} holds the precomputed audit and cannot be read: {reason}. Restore it; "
            "nothing else is affected."
        ) from reason
    except StoreError:
        raise
    except NsxError:  # a model is missing: the audit is of models that are not here
        return None
    kept(request, NAME, catalogue, store, about["created"])
    store.save_job(done_row(audit, int(about["cases"])))
    return audit


def shipped_speed(infiller: str, folder: Path = FOLDER) -> float | None:
    """Words a second of this infiller on the computer that made the shipped audit.

    infiller: its fingerprint; None for another one than that audit's, or without the audit.
    """
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        if about["infiller"] != infiller:
            return None
        return float(about["words_a_second"])
    except (OSError, ValueError, KeyError, TypeError):
        return None  # an estimate less: whoever loads the audit says what is wrong with its file


def main() -> int:
    """Run the audit with the shipped models and write its files anew."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--store", default=":memory:", help="a store to go on from (DuckDB file)")
    given = parser.parse_args()
    with Store.open(given.store) as store:
        audit = write_shipped(shipped_catalogue(), store)
    size = sum(path.stat().st_size for path in FOLDER.iterdir())
    print(f"audit {audit}: {size / 1e6:.1f} MB in {FOLDER.relative_to(PROJECT_FOLDER)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
