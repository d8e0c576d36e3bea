"""All rows of one audit as tables, out of one store and into another.

Draws come with the probabilities that each classifier gave their texts beside them, so that no
hash needs to travel: they are worked out again where the rows arrive.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import pyarrow as pa

from nsx_core.store.connection import Database, first_row
from nsx_core.store.opening import Cursor
from nsx_core.store.rows import from_blob, hash_columns
from nsx_core.store.writer import Writer

__all__ = ["CASE_TABLES", "export_audit", "import_audit"]

#: Tables whose rows name their audit, and are taken over as they are.
CASE_TABLES = (
    "audit_predictions", "audit_cases", "audit_words", "audit_draws", "audit_attributions",
)  # fmt: skip
_DRAWS = "s.key, d.side, d.number, d.mask, d.answers, d.text, d.unchanged, d.redraws"


def export_audit(
    database: Database, audit: str, fingerprints: Sequence[str]
) -> dict[str, pa.Table]:
    """``CASE_TABLES``, ``draw_sets``, and ``draws`` with a column of probabilities a classifier.

    fingerprints: the classifiers'; the column of the i-th is called ``judged_i``, a list of
    float64 each, null where it has not judged that text.
    """

    def read(cursor: Cursor) -> dict[str, pa.Table]:
        found = {
            name: cursor.sql(
                f"SELECT * EXCLUDE (audit) FROM {name} WHERE audit = ? ORDER BY ALL",
                params=[audit],
            ).to_arrow_table()
            for name in CASE_TABLES
        }
        sets = "SELECT DISTINCT draw_set FROM audit_cases WHERE audit = $audit"
        found["draw_sets"] = cursor.sql(
            "SELECT key, text_id, infiller, infiller_fingerprint, settings FROM draw_sets "
            f"WHERE key IN ({sets}) ORDER BY key", params={"audit": audit},
        ).to_arrow_table()  # fmt: skip
        judged = ", ".join(f"p{i}.probabilities AS judged_{i}" for i in range(len(fingerprints)))
        joins = " ".join(
            f"LEFT JOIN predictions p{i} ON p{i}.classifier = $f{i} "
            f"AND p{i}.text_key = d.text_key AND p{i}.text_hash = d.text_hash"
            for i in range(len(fingerprints))
        )
        values = {f"f{i}": name for i, name in enumerate(fingerprints)}
        found["draws"] = cursor.sql(
            f"SELECT {_DRAWS}, {judged} FROM draw_sets s JOIN draws d ON d.draw_set = s.id {joins} "
            f"WHERE s.key IN ({sets}) ORDER BY s.key, d.side, d.number",
            params={"audit": audit, **values},
        ).to_arrow_table()
        return found

    return database.read(read)


def import_audit(
    writer: Writer, audit: str, fingerprints: Sequence[str], tables: Mapping[str, pa.Table]
) -> None:
    """Add what ``export_audit`` gave, in one transaction; what is there already is left as it is."""
    draws = tables["draws"]
    texts = [from_blob(text) for text in draws["text"].to_pylist()]
    keys, hashes = hash_columns(texts)
    hashed = pa.table(
        {
            "position": pa.array(range(len(texts)), pa.int32()),
            "text_key": pa.array(keys, pa.int64()),
            "text_hash": pa.array(hashes, pa.binary()),
        }
    )
    numbered = draws.append_column("position", hashed["position"])

    def write(cursor: Cursor) -> None:
        for name in CASE_TABLES:
            cursor.register(f"incoming_{name}", tables[name])
            cursor.execute(
                f"INSERT INTO {name} SELECT $audit, i.* FROM incoming_{name} i "
                f"WHERE NOT EXISTS (FROM {name} WHERE audit = $audit)", {"audit": audit},
            )  # fmt: skip
        cursor.register("incoming_sets", tables["draw_sets"])
        cursor.register("incoming_draws", numbered)
        cursor.register("incoming_hashes", hashed)
        row = first_row(cursor, "SELECT coalesce(max(id), 0) FROM draw_sets")
        cursor.execute(
            "INSERT INTO draw_sets SELECT $first + row_number() OVER (ORDER BY key), i.*, $now "
            "FROM incoming_sets i WHERE NOT EXISTS (FROM draw_sets s WHERE s.key = i.key)",
            {"first": row[0] if row else 0, "now": time.time()},
        )
        cursor.execute(
            "INSERT INTO draws SELECT s.id, i.side, i.number, i.mask, i.answers, i.text, "
            "h.text_key, h.text_hash, i.unchanged, i.redraws FROM incoming_draws i "
            "JOIN incoming_hashes h USING (position) JOIN draw_sets s ON s.key = i.key "
            "WHERE NOT EXISTS (FROM draws d WHERE d.draw_set = s.id AND d.side = i.side "
            "AND d.number = i.number) ORDER BY s.id, i.side, i.number"
        )
        for at, classifier in enumerate(fingerprints):
            cursor.execute(
                "INSERT INTO predictions SELECT $classifier, h.text_key, h.text_hash, "
                f"any_value(i.judged_{at}) FROM incoming_draws i JOIN incoming_hashes h "
                f"USING (position) WHERE i.judged_{at} IS NOT NULL AND NOT EXISTS "
                "(FROM predictions p WHERE p.classifier = $classifier "
                "AND p.text_key = h.text_key AND p.text_hash = h.text_hash) "
                "GROUP BY h.text_key, h.text_hash", {"classifier": classifier},
            )  # fmt: skip

    writer.run(write, "A precomputed audit")
