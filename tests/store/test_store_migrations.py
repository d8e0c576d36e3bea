from __future__ import annotations

from pathlib import Path

import pytest
from store_cases import a_draw_set, draws

from nsx_core.errors import StoreError
from nsx_core.records import DrawSide
from nsx_core.store import Store, schema

LATEST = len(schema.MIGRATIONS)
NEXT = schema.Migration(LATEST + 1, ("CREATE TABLE extra (a INT)", "INSERT INTO extra VALUES (7)"))
BROKEN = schema.Migration(LATEST + 1, ("CREATE TABLE extra (a INT)", "SELECT * FROM missing"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "nsx.duckdb"
    with Store.open(path) as store:
        store.commit_batch(a_draw_set(), draws("old"), None, {}, None)
    return path


def query(store: Store, sql: str) -> list[tuple[object, ...]]:
    return store._database.read(lambda cursor: cursor.execute(sql).fetchall())


def test_migrations_are_numbered_from_one_without_gaps() -> None:
    assert [step.number for step in schema.MIGRATIONS] == [*range(1, len(schema.MIGRATIONS) + 1)]


def test_no_table_has_an_index(path: Path) -> None:
    with Store.open(path) as store:
        assert query(store, "FROM duckdb_indexes()") == []
        assert query(store, "FROM duckdb_constraints()") == []


def test_an_older_file_is_copied_then_migrated_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, NEXT))
    for _ in range(2):
        with Store.open(path) as store:
            assert query(store, "FROM extra") == [(7,)]
            assert query(store, "SELECT version FROM schema_version") == [
                (n,) for n in range(1, LATEST + 2)
            ]
            assert store.draws(a_draw_set().key, DrawSide.NECESSITY, 9) == draws("old")
            assert not path.with_name("nsx.duckdb.wal").exists()
    copies = list(path.parent.glob(f"nsx.duckdb.schema-{LATEST}-*"))
    assert [copy.read_bytes() for copy in copies] == [before]


def test_a_migration_that_fails_leaves_the_file_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, BROKEN))
        with pytest.raises(StoreError, match=rf"from schema {LATEST} to {LATEST + 1} .* A copy"):
            Store.open(path)
    with Store.open(path) as store:
        assert query(store, "SELECT version FROM schema_version") == [
            (n,) for n in range(1, LATEST + 1)
        ]
        assert "extra" not in {
            row[0] for row in query(store, "SELECT table_name FROM duckdb_tables()")
        }
        assert store.draws(a_draw_set().key, DrawSide.NECESSITY, 9) == draws("old")


def test_a_file_of_the_first_schema_keeps_its_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.duckdb"
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        with Store.open(path) as store:
            store.commit_batch(a_draw_set(), draws("old"), None, {}, None)
    with Store.open(path) as store:
        assert store.draws(a_draw_set().key, DrawSide.NECESSITY, 9) == draws("old")
        assert query(store, "FROM strikes") == []


def test_a_newer_file_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, NEXT))
        Store.open(path).close()
    newer = rf"newer version of this app \(schema {LATEST + 1}; this one .* {LATEST}\)"
    with pytest.raises(StoreError, match=newer):
        Store.open(path)


def test_a_store_in_memory_has_all_tables() -> None:
    with Store.open(":memory:") as store:
        assert store.path is None
        tables = {row[0] for row in query(store, "SELECT table_name FROM duckdb_tables()")}
    assert tables == {
        "texts",
        "models",
        "draw_sets",
        "draws",
        "predictions",
        "audits",
        "notes",
        "jobs",
        "suites",
        "audit_predictions",
        "audit_cases",
        "audit_words",
        "audit_draws",
        "audit_attributions",
        "strikes",
        "speeds",
        "schema_version",
    }
