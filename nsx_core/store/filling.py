"""Fill a store with made-up draws and predictions, to see how it serves a full one."""

from __future__ import annotations

from nsx_core.store.store import Store

__all__ = ["fill"]

_FIRST_SET = 1_000_000


def fill(store: Store, draws: int, classifier: str, draws_a_set: int = 261) -> None:
    """Add so many draws of sets that no explanation names, each judged by ``classifier``.

    Texts differ and are about as long as a sentence. One transaction, in SQL: the store's own way
    in would take hours for millions.
    """
    made = (
        "SELECT i, encode('made up text number ' || i || ' with a few more words') AS text "
        f"FROM range({int(draws)}) t(i)"
    )
    key = "(hash(i) >> 1)::BIGINT"
    digest = "unhex(sha256(text))"
    store._database.write(
        lambda cursor: cursor.execute(
            f"INSERT INTO draws SELECT {_FIRST_SET} + i // {int(draws_a_set)}, 'both', "
            f"i % {int(draws_a_set)}, '01010', [encode('made up'), encode('words')], text, {key}, "
            f"{digest}, false, 0 FROM ({made})"
        )
    )
    store._database.write(
        lambda cursor: cursor.execute(
            f"INSERT INTO predictions SELECT ?, {key}, {digest}, [0.25, 0.75] FROM ({made})",
            [classifier],
        )
    )
