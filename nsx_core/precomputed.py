"""Explanations that come with the project, so that a first visit meets real results.

``write_examples`` runs the pipeline on the page's example texts and keeps every draw and
every probability; ``load_examples`` puts them into a store, keyed by the fingerprints of the
models that made them: with other models they are simply never found.

    python -m nsx_core.precomputed
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from nsx_core import pipeline
from nsx_core.catalogue import Catalogue, shipped_catalogue
from nsx_core.errors import StoreError
from nsx_core.records import Draw, DrawSide, ExplainSettings
from nsx_core.settings import PROJECT_FOLDER
from nsx_core.store import Store

EXAMPLES_FILE = PROJECT_FOLDER / "assets" / "examples.json"
PRECOMPUTED_FILE = PROJECT_FOLDER / "assets" / "precomputed.json.gz"


def example_texts(path: Path = EXAMPLES_FILE) -> list[str]:
    """The texts of the page's examples, in their order."""
    return [str(row["text"]) for row in json.loads(path.read_text(encoding="utf-8"))]


def write_examples(catalogue: Catalogue, store: Store, texts: list[str], out: Path) -> int:
    """Explain each text for each classifier at the default settings; returns the draws kept."""
    rows: list[dict[str, Any]] = []
    names = [e.name for e in catalogue.classifiers.values() if e.problem is None]
    for text in texts:
        row: dict[str, Any] = {"text": text, "infiller": catalogue.default_infiller}
        row["predictions"] = {}
        for name in names:
            found = pipeline.explained(
                text, name, catalogue.default_infiller, ExplainSettings(), catalogue, store
            )
            row["draws"] = [
                [d.side.value, d.number, d.bits, list(d.answers), d.text, d.unchanged, d.redraws]
                for d in (j.draw for j in found.draws)
            ]
            texts_seen = [text, *(j.draw.text for j in found.draws)]
            fingerprint = catalogue.classifier_entry(name).fingerprint
            answers = store.predictions(fingerprint, texts_seen)
            row["predictions"][name] = {
                "fingerprint": fingerprint,
                "probabilities": [answers[t] for t in dict.fromkeys(texts_seen)],
            }
        row["infiller_fingerprint"] = catalogue.infiller_entry(row["infiller"]).fingerprint
        rows.append(row)
    content = json.dumps(rows, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    # mtime 0: the same content gives the same bytes.
    out.write_bytes(gzip.compress(content, mtime=0))
    return sum(len(row["draws"]) for row in rows)


def load_examples(catalogue: Catalogue, store: Store, path: Path = PRECOMPUTED_FILE) -> int:
    """Put what was computed by these very models into the store; returns the draws added."""
    if not path.is_file():
        return 0
    try:
        rows = json.loads(gzip.decompress(path.read_bytes()))
    except (OSError, ValueError) as reason:
        raise StoreError(
            f"{path} holds the precomputed examples and cannot be read: {reason}. Restore it; "
            "nothing else is affected."
        ) from reason
    added = 0
    for row in rows:
        infiller = catalogue.infillers.get(row["infiller"])
        if infiller is None or infiller.fingerprint != row["infiller_fingerprint"]:
            continue
        usable = [n for n, e in catalogue.classifiers.items() if e.problem is None]
        if not usable:
            break
        todo = pipeline.plan(row["text"], usable[0], infiller.name, ExplainSettings(), catalogue)
        if any(store.draw_counts(todo.draws.key).values()):
            continue
        draws = [
            Draw(
                DrawSide(side),
                number,
                tuple(b == "1" for b in bits),
                tuple(answers),
                text,
                same,
                again,
            )
            for side, number, bits, answers, text, same, again in row["draws"]
        ]
        store.remember_text(todo.split)
        store.commit_batch(todo.draws, draws, None, {}, None)
        distinct = list(dict.fromkeys([row["text"], *(d.text for d in draws)]))
        for found in row["predictions"].values():
            known = dict(zip(distinct, found["probabilities"], strict=True))
            store.commit_batch(None, [], found["fingerprint"], known, None)
        added += len(draws)
    return added


def main() -> int:
    """Explain the examples with the shipped models and write the file anew."""
    catalogue = shipped_catalogue()
    with Store.open(":memory:") as store:
        kept = write_examples(catalogue, store, example_texts(), PRECOMPUTED_FILE)
    print(f"{kept} draws written to {PRECOMPUTED_FILE.relative_to(PROJECT_FOLDER)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
