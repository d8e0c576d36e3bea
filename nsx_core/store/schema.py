"""The tables, as numbered migrations that only ever go forward.

Rows of all tables but ``jobs`` are immutable. There are no primary keys, foreign keys or
other indexes (DuckDB's have lost rows, and conflicts on them abort whole transactions);
the one writer thread leaves out what is already there instead.

A migration and its row in ``schema_version`` commit together, so one that is killed half
way has not happened. An existing older file is copied beside itself first, and the file is
checkpointed after, because replaying a changed schema out of the log has failed before.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial

from nsx_core.errors import StoreError
from nsx_core.store.connection import Database, first_row
from nsx_core.store.opening import Cursor


@dataclass(frozen=True, slots=True)
class Migration:
    """One step from version ``number - 1`` to ``number``."""

    number: int
    statements: tuple[str, ...]


MIGRATIONS: tuple[Migration, ...] = (
    Migration(
        1,
        (
            "CREATE TABLE texts (text_id VARCHAR, text BLOB, created DOUBLE)",
            """CREATE TABLE models (
                kind VARCHAR, name VARCHAR, fingerprint VARCHAR, manifest VARCHAR,
                created DOUBLE)""",
            # Draws point to their set by a small number that grows with time, so that the
            # draws of one set lie together and a read skips all the other row groups.
            """CREATE TABLE draw_sets (
                id INTEGER, key VARCHAR, text_id VARCHAR, infiller VARCHAR,
                infiller_fingerprint VARCHAR, settings VARCHAR, created DOUBLE)""",
            """CREATE TABLE draws (
                draw_set INTEGER, side VARCHAR, number INTEGER, mask VARCHAR,
                answers BLOB[], text BLOB, text_key BIGINT, text_hash BLOB,
                unchanged BOOLEAN, redraws INTEGER)""",
            """CREATE TABLE predictions (
                classifier VARCHAR, text_key BIGINT, text_hash BLOB,
                probabilities DOUBLE[])""",
            """CREATE TABLE audits (
                id VARCHAR, name BLOB, request BLOB, created DOUBLE)""",
            """CREATE TABLE notes (
                id VARCHAR, subject VARCHAR, body BLOB, created DOUBLE)""",
            """CREATE TABLE jobs (
                id VARCHAR, kind VARCHAR, state VARCHAR, done BIGINT, total BIGINT,
                heartbeat DOUBLE, error BLOB, request BLOB, created DOUBLE)""",
        ),
    ),
    Migration(
        2,
        (
            "CREATE TABLE suites (suite VARCHAR, name BLOB, content BLOB, created DOUBLE)",
            """CREATE TABLE audit_predictions (
                audit VARCHAR, classifier VARCHAR, case_number INTEGER, probability DOUBLE)""",
            # One row a case whose phrase is explained; ``masked`` = with a mask token in place
            # of infills. ``phrase_at`` is the phrase's place among so many ``words``.
            """CREATE TABLE audit_cases (
                audit VARCHAR, masked BOOLEAN, classifier VARCHAR, case_number INTEGER,
                draw_set VARCHAR, words INTEGER, phrase_at INTEGER, calls INTEGER, texts INTEGER,
                seconds DOUBLE)""",
            """CREATE TABLE audit_words (
                audit VARCHAR, masked BOOLEAN, classifier VARCHAR, case_number INTEGER,
                position INTEGER, word BLOB, is_identity BOOLEAN,
                necessity DOUBLE, sufficiency DOUBLE)""",
            # The draws that count for the phrase: for its necessity where they replace it, else
            # for its sufficiency. All that a threshold needs lies in this one table.
            """CREATE TABLE audit_draws (
                audit VARCHAR, masked BOOLEAN, classifier VARCHAR, case_number INTEGER,
                side VARCHAR, number INTEGER, size INTEGER, replaced BOOLEAN,
                weight DOUBLE, probability DOUBLE)""",
            """CREATE TABLE audit_attributions (
                audit VARCHAR, method VARCHAR, seed INTEGER, classifier VARCHAR,
                case_number INTEGER, score DOUBLE, calls INTEGER, texts INTEGER,
                seconds DOUBLE)""",
            # How fast this computer was with an infiller: words written or read a second.
            """CREATE TABLE speeds (
                infiller VARCHAR, words DOUBLE, seconds DOUBLE, created DOUBLE)""",
            # The latest row of a draw says whether it is struck out.
            """CREATE TABLE strikes (
                draw_set VARCHAR, side VARCHAR, number INTEGER, struck BOOLEAN,
                reason BLOB, created DOUBLE)""",
        ),
    ),
)


def version_of(cursor: Cursor) -> int:
    """The file's schema version; 0 for an empty file.

    Raises ``StoreError`` for a DuckDB file that holds tables but is not a store.
    """
    tables = {row[0] for row in cursor.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    if "schema_version" in tables:
        row = first_row(cursor, "SELECT max(version) FROM schema_version")
        return int(row[0]) if row and row[0] is not None else 0
    if tables:
        raise StoreError(
            "The file is a DuckDB file of something else: it has the tables "
            f"{', '.join(sorted(tables)[:5])} and no schema_version. Nothing was changed. "
            "Set NSX_HOME to another folder, or move the file away."
        )
    return 0


def bring_up_to_date(database: Database, migrations: tuple[Migration, ...] | None = None) -> int:
    """Apply the migrations the file lacks; returns its version.

    Raises ``StoreError`` where the file is newer than this program, or a migration fails
    (the file is then as it was, and the copy made before lies beside it).
    """
    steps = MIGRATIONS if migrations is None else migrations
    version, latest = database.read(version_of), steps[-1].number
    if version > latest:
        raise StoreError(
            f"{database.path} was written by a newer version of this app (schema {version}; "
            f"this one knows up to {latest}). Nothing was changed. Use the newer version, or "
            "set NSX_HOME to another folder."
        )
    missing = [step for step in steps if step.number > version]
    if not missing:
        return version
    copy = database.backup(f"schema-{version}") if version else None
    for step in missing:
        try:
            database.write(partial(_apply, step=step))
        except StoreError as error:
            kept = f" A copy from before lies at {copy}." if copy else ""
            raise type(error)(
                f"{database.path} could not be brought from schema {step.number - 1} to "
                f"{step.number} and is as it was.{kept} {error}"
            ) from error
    database.checkpoint()
    return latest


def _apply(cursor: Cursor, step: Migration) -> None:
    cursor.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER, applied DOUBLE)")
    for statement in step.statements:
        cursor.execute(statement)
    cursor.execute("INSERT INTO schema_version VALUES (?, ?)", [step.number, time.time()])
