"""Audits and their suites in the store, and scores at any threshold, counted in SQL.

A case's rows are written once, together with the job's row; what is there already is left out.
The scores of a threshold come from the probabilities of the draws that count for the phrase:
necessity is the prediction less the weighted share that stays positive where the phrase is
replaced, sufficiency the share where it is kept less the neutral baseline at that threshold.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from nsx_core.store import packs
from nsx_core.store.audit_writing import (
    CaseRows,
    insert_attributions,
    insert_case,
    insert_predictions,
)
from nsx_core.store.connection import Database
from nsx_core.store.opening import Cursor
from nsx_core.store.rows import JobRow, from_blob, to_blob
from nsx_core.store.strikes import LATEST
from nsx_core.store.writer import Writer

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AuditRow", "AuditTables", "CaseRows", "SuiteRow"]


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """A stored suite; ``content`` is what ``nsx_core.suites`` wrote of it."""

    id: str
    name: str
    content: bytes
    created: float


@dataclass(frozen=True, slots=True)
class AuditRow:
    """A stored audit; ``request`` is the JSON that it can be run again from."""

    id: str
    name: str
    request: str
    created: float


class AuditTables:
    """The store's part on audits; see ``Store`` for threads, durability and errors."""

    def __init__(self, database: Database, writer: Writer) -> None:
        self._database, self._writer = database, writer

    def keep_suite(self, suite_id: str, name: str, content: bytes) -> None:
        """Keep a suite. Idempotent; the first name stays."""
        if self.suite(suite_id) is None:
            values = [suite_id, to_blob(name), content, time.time(), suite_id]
            self._write(
                "INSERT INTO suites SELECT ?, ?, ?, ? "
                "WHERE NOT EXISTS (FROM suites WHERE suite = ?)", values, "The suite",
            )  # fmt: skip

    def suite(self, suite_id: str) -> SuiteRow | None:
        """The suite with this id, None where it is unknown."""
        rows = self._suites("WHERE suite = ? LIMIT 1", [suite_id])
        return rows[0] if rows else None

    def suites(self) -> list[SuiteRow]:
        """All suites, the newest first."""
        return self._suites("ORDER BY created DESC", [])

    def keep_audit(self, audit: str, name: str, request: str, created: float | None = None) -> None:
        """Keep an audit. Idempotent; the first name stays. created: Unix seconds, None = now."""
        if self.audit(audit) is None:
            at = time.time() if created is None else created
            values = [audit, to_blob(name), to_blob(request), at, audit]
            self._write(
                "INSERT INTO audits SELECT ?, ?, ?, ? "
                "WHERE NOT EXISTS (FROM audits WHERE id = ?)", values, "The audit",
            )  # fmt: skip

    def audit(self, audit: str) -> AuditRow | None:
        """The audit with this id, None where it is unknown."""
        rows = self._audits("WHERE id = ? LIMIT 1", [audit])
        return rows[0] if rows else None

    def audits(self) -> list[AuditRow]:
        """All audits, the newest first."""
        return self._audits("ORDER BY created DESC, id", [])

    def add_predictions(
        self, audit: str, classifier: str, probabilities: Sequence[float], job: JobRow | None
    ) -> None:
        """P(explained class) of every case, float[n_cases] in 0..1, for one classifier."""
        table = pa.table(
            {
                "case_number": pa.array(range(len(probabilities)), pa.int32()),
                "probability": pa.array(list(probabilities), pa.float64()),
            }
        )
        self._writer.run(
            partial(insert_predictions, audit=audit, classifier=classifier, table=table, job=job),
            "The predictions of an audit",
        )

    def add_case(self, audit: str, rows: CaseRows, job: JobRow | None = None) -> None:
        """All rows of one case and classifier, in one transaction."""
        self._writer.run(partial(insert_case, audit=audit, rows=rows, job=job), "A case")

    def add_attributions(
        self,
        audit: str,
        classifier: str,
        case_number: int,
        rows: Sequence[tuple[str, int, float | None, int, int, float]],
        job: JobRow | None = None,
    ) -> None:
        """One case's method, seed, score, calls, texts and seconds, each."""
        self._writer.run(
            partial(
                insert_attributions, audit=audit, classifier=classifier,
                case_number=case_number, rows=rows, job=job,
            ), "The attributions of a case",
        )  # fmt: skip

    def cases_done(self, audit: str) -> set[tuple[bool, str, int]]:
        """(masked, classifier, case_number) of all explained cases."""
        query = "SELECT masked, classifier, case_number FROM audit_cases WHERE audit = ?"
        return {(bool(m), str(c), int(n)) for m, c, n in self._rows(query, [audit])}

    def attributed(self, audit: str) -> set[tuple[str, int]]:
        """(classifier, case_number) of all cases with attributions."""
        query = "SELECT DISTINCT classifier, case_number FROM audit_attributions WHERE audit = ?"
        return {(str(c), int(n)) for c, n in self._rows(query, [audit])}

    def predictions(self, audit: str) -> pd.DataFrame:
        """classifier, case_number, probability of every case."""
        return self._frame(
            "SELECT classifier, case_number, probability FROM audit_predictions "
            "WHERE audit = ? ORDER BY classifier, case_number", [audit],
        )  # fmt: skip

    def words(self, audit: str, masked: bool) -> pd.DataFrame:
        """classifier, case_number, position, word, is_identity, necessity, sufficiency."""
        found = self._frame(
            "SELECT classifier, case_number, position, word, is_identity, necessity, sufficiency "
            "FROM audit_words WHERE audit = ? AND masked = ? "
            "ORDER BY classifier, case_number, position", [audit, masked],
        )  # fmt: skip
        found["word"] = [from_blob(word) for word in found["word"]]
        return found

    def attributions(self, audit: str) -> pd.DataFrame:
        """method, seed, classifier, case_number, score, calls, texts, seconds."""
        return self._frame(
            "SELECT method, seed, classifier, case_number, score, calls, texts, seconds "
            "FROM audit_attributions WHERE audit = ? "
            "ORDER BY method, classifier, case_number, seed", [audit],
        )  # fmt: skip

    def scores(
        self, audit: str, masked: bool, threshold: float, baselines: Mapping[str, float]
    ) -> pd.DataFrame:
        """The phrase's scores of every explained case at a threshold in 0..1.

        Columns: classifier, case_number, probability, predicted (0 or 1), necessity,
        sufficiency (NaN = undefined), draws. baselines: each classifier's share of neutral texts
        at this threshold.
        """
        given = pa.table(
            {
                "classifier": pa.array(list(baselines), pa.string()),
                "baseline": pa.array(list(baselines.values()), pa.float64()),
            }
        )
        return self._database.read(
            partial(_scores, audit=audit, masked=masked, threshold=threshold, given=given)
        )

    def struck_draws(self, audit: str, masked: bool = False) -> pd.DataFrame:
        """Draws of all cases that have a struck one: see ``CaseRows``, plus ``struck`` (bool).

        Columns: classifier, case_number, words (number of), side, number, size, replaced,
        probability, struck.
        """
        return self._frame(
            f"WITH gone AS (SELECT draw_set, side, number FROM ({LATEST}) WHERE struck), "
            "cases AS (SELECT * FROM audit_cases WHERE audit = $audit AND masked = $masked "
            "AND draw_set IN (SELECT draw_set FROM gone)) "
            "SELECT d.classifier, d.case_number, c.words, d.side, d.number, d.size, d.replaced, "
            "d.probability, g.number IS NOT NULL AS struck FROM audit_draws d "
            "JOIN cases c USING (audit, masked, classifier, case_number) "
            "LEFT JOIN gone g ON g.draw_set = c.draw_set AND g.side = d.side "
            "AND g.number = d.number ORDER BY d.classifier, d.case_number, d.side, d.number",
            {"audit": audit, "masked": masked},
        )  # fmt: skip

    def costs(self, audit: str) -> pd.DataFrame:
        """masked, classifier, cases, calls, texts (sums), timed (cases), seconds of these."""
        return self._frame(
            "SELECT masked, classifier, count(*) AS cases, sum(calls)::BIGINT AS calls, "
            "sum(texts)::BIGINT AS texts, "
            "count(seconds) AS timed, coalesce(sum(seconds), 0) AS seconds "
            "FROM audit_cases WHERE audit = ? GROUP BY masked, classifier "
            "ORDER BY masked, classifier", [audit],
        )  # fmt: skip

    def draws_there(self, keys: Sequence[str]) -> dict[str, int]:
        """How many draws each of these draw sets has; sets without any are not named."""
        wanted = pa.table({"key": pa.array(list(keys), pa.string())})

        def read(cursor: Cursor) -> dict[str, int]:
            cursor.register("wanted", wanted)
            rows = cursor.execute(
                "SELECT key, count(*) FROM draws d JOIN draw_sets s ON d.draw_set = s.id "
                "WHERE key IN (SELECT key FROM wanted) GROUP BY key"
            ).fetchall()
            return {str(key): int(count) for key, count in rows}

        return self._database.read(read)

    def strikes_count(self) -> int:
        """How often a draw was struck out or taken back, of all draws: grows with each."""
        return int(self._rows("SELECT count(*) FROM strikes", [])[0][0])

    def masking(self, audit: str) -> dict[str, str]:
        """Each classifier's infiller where the audit has masked cases."""
        query = (
            "SELECT DISTINCT c.classifier, s.infiller FROM audit_cases c JOIN draw_sets s "
            "ON s.key = c.draw_set WHERE c.audit = ? AND c.masked ORDER BY ALL"
        )
        return {str(name): str(infiller) for name, infiller in self._rows(query, [audit])}

    def keep_speed(self, infiller: str, words: float, seconds: float) -> None:
        """Keep how many words of counterfactual texts an infiller wrote or read in how long."""
        values = [infiller, words, seconds, time.time()]
        self._write("INSERT INTO speeds VALUES (?, ?, ?, ?)", values, "The speed of the infiller")

    def speed(self, infiller: str) -> float | None:
        """Words a second, over the latest five measurements; None where there is none."""
        row = self._rows(
            "SELECT sum(words) / sum(seconds) FROM (SELECT words, seconds FROM speeds "
            "WHERE infiller = ? AND seconds > 0 ORDER BY created DESC LIMIT 5)", [infiller],
        )  # fmt: skip
        return None if row[0][0] is None else float(row[0][0])

    def exported(self, audit: str, fingerprints: Sequence[str]) -> dict[str, pa.Table]:
        """All rows of an audit, to be added to another store; see ``packs.export_audit``."""
        return packs.export_audit(self._database, audit, fingerprints)

    def add_exported(
        self, audit: str, fingerprints: Sequence[str], tables: Mapping[str, pa.Table]
    ) -> None:
        """Add what ``exported`` gave; what is there already is left as it is."""
        packs.import_audit(self._writer, audit, fingerprints, tables)

    def _write(self, statement: str, values: Sequence[object], losing: str) -> None:
        self._writer.run(lambda cursor: cursor.execute(statement, values) and None, losing)

    def _rows(self, query: str, values: Any) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._database.read(
            lambda cursor: cursor.execute(query, values).fetchall()
        )
        return rows

    def _frame(self, query: str, values: Any) -> pd.DataFrame:
        return self._database.read(lambda cursor: cursor.execute(query, values).df())

    def _suites(self, rest: str, values: Sequence[object]) -> list[SuiteRow]:
        query = f"SELECT suite, name, content, created FROM suites {rest}"
        return [
            SuiteRow(i, from_blob(n), bytes(c), at) for i, n, c, at in self._rows(query, values)
        ]

    def _audits(self, rest: str, values: Sequence[object]) -> list[AuditRow]:
        query = f"SELECT id, name, request, created FROM audits {rest}"
        return [
            AuditRow(i, from_blob(n), from_blob(r), at) for i, n, r, at in self._rows(query, values)
        ]


def _scores(
    cursor: Cursor, audit: str, masked: bool, threshold: float, given: pa.Table
) -> pd.DataFrame:
    cursor.register("baselines", given)
    found: pd.DataFrame = cursor.execute(
        "WITH kept AS (SELECT classifier, case_number, count(*) AS draws, "
        "sum(weight * (probability >= $threshold)::DOUBLE) FILTER (replaced) AS without_it, "
        "sum(weight * (probability >= $threshold)::DOUBLE) FILTER (NOT replaced) AS with_it "
        "FROM audit_draws WHERE audit = $audit AND masked = $masked "
        "GROUP BY classifier, case_number) "
        "SELECT k.classifier, k.case_number, p.probability, "
        "(p.probability >= $threshold)::INTEGER AS predicted, "
        "(p.probability >= $threshold)::DOUBLE - k.without_it AS necessity, "
        "k.with_it - b.baseline AS sufficiency, k.draws "
        "FROM kept k JOIN audit_predictions p ON p.audit = $audit "
        "AND p.classifier = k.classifier AND p.case_number = k.case_number "
        "JOIN baselines b ON b.classifier = k.classifier ORDER BY k.classifier, k.case_number",
        {"audit": audit, "masked": masked, "threshold": threshold},
    ).df()
    return found
