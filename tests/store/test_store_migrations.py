from __future__ import annotations

from pathlib import Path

import pytest
from store_cases import a_draw_set, draws

from nsx_core.errors import StoreError
from nsx_core.records import DrawSide
from nsx_core.store import Store, schema

SECOND = schema.Migration(2, ("CREATE TABLE extra (a INT)", "INSERT INTO extra VALUES (7)"))
BROKEN = schema.Migration(2, ("CREATE TABLE extra (a INT)", "SELECT * FROM missing"))


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
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, SECOND))
    for _ in range(2):
        with Store.open(path) as store:
            assert query(store, "FROM extra") == [(7,)]
            assert query(store, "SELECT version FROM schema_version") == [(1,), (2,)]
            assert store.draws(a_draw_set().key, DrawSide.NECESSITY, 9) == draws("old")
            assert not path.with_name("nsx.duckdb.wal").exists()
    copies = list(path.parent.glob("nsx.duckdb.schema-1-*"))
    assert [copy.read_bytes() for copy in copies] == [before]


def test_a_migration_that_fails_leaves_the_file_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, BROKEN))
        with pytest.raises(StoreError, match=r"from schema 1 to 2 .* A copy from before lies at"):
            Store.open(path)
    with Store.open(path) as store:
        assert query(store, "SELECT version FROM schema_version") == [(1,)]
        assert "extra" not in {
            row[0] for row in query(store, "SELECT table_name FROM duckdb_tables()")
        }
        assert store.draws(a_draw_set().key, DrawSide.NECESSITY, 9) == draws("old")


def test_a_newer_file_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, SECOND))
        Store.open(path).close()
    with pytest.raises(StoreError, match=r"newer version of this app \(schema 2; this one .* 1\)"):
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
        "schema_version",
    }
