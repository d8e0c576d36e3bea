"""An audit's rows out of one store and into another, and the audit that comes with the project."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from nsx_core import pipeline
from nsx_core.auditing import shipping
from nsx_core.auditing.audits import Audits
from nsx_core.auditing.found import audit_found
from nsx_core.auditing.request import request_named
from nsx_core.catalogue import Catalogue, shipped_catalogue
from nsx_core.classifying.fakes import KeywordClassifier
from nsx_core.engine import Engine
from nsx_core.errors import StoreError
from nsx_core.fake_catalogue import fake_catalogue
from nsx_core.records import ExplainSettings
from nsx_core.store import Store
from nsx_core.suites import Suite
from nsx_core.suites.starter import starter_suite


def catalogue() -> Catalogue:
    return fake_catalogue(KeywordClassifier(["women", "muslims", "people"], name="some-hate"))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Suite:
    """Every tenth case of the starter suite, since SHAP and LIME take their time."""
    whole = starter_suite()
    suite = Suite("few", whole.sha256, whole.cases[::10])
    monkeypatch.setattr(shipping, "starter_suite", lambda: suite)
    monkeypatch.setattr(shipping, "ExplainSettings", lambda: ExplainSettings(budget=10))
    return suite


def test_rows_that_travelled_give_the_same_tables(tmp_path: Path, few: Suite) -> None:
    folder = tmp_path / "audit"
    models = catalogue()
    with Store.open(tmp_path / "one.duckdb") as store:
        audit = shipping.write_shipped(models, store, folder)
        request, said = request_named(audit, store)
        expected = store.audits.scores(audit, False, 0.3, {"some-hate": 0.02})
        assert len(expected) > 3
    home = tmp_path / "home"
    engine = Engine.start(home, catalogue())
    try:
        assert shipping.load_shipped(engine.catalogue, engine.store, folder) == audit
        assert shipping.load_shipped(engine.catalogue, engine.store, folder) == audit
        found = engine.store.audits.scores(audit, False, 0.3, {"some-hate": 0.02})
        pd.testing.assert_frame_equal(found, expected)
        card = engine.audits.card(audit)
        assert (card.state, card.name, card.done) == ("done", shipping.NAME, len(expected))
        whole = audit_found(
            card, request, said["fingerprints"], engine.catalogue, engine.store, 0.5
        )
        assert whole.undrawn == 0 and whole.report.table_4 and whole.report.table_b3
        # Behind each number stand the counterfactual texts, without any model.
        row = whole.cases.iloc[0]
        asked = engine.audits.request_of(audit, str(row["case"]), "some-hate")
        explained = pipeline.from_store(engine.plan(asked), engine.catalogue, engine.store)
        assert explained is not None and len(explained.draws) > 10
    finally:
        engine.close()


def test_other_models_do_not_get_its_numbers(tmp_path: Path, few: Suite) -> None:
    folder = tmp_path / "audit"
    with Store.open(":memory:") as store:
        shipping.write_shipped(catalogue(), store, folder)
    others = fake_catalogue(KeywordClassifier(["gay"], name="some-hate"))
    with Store.open(":memory:") as store:
        assert shipping.load_shipped(others, store, folder) is None
        assert store.audits.audits() == []
        assert shipping.load_shipped(catalogue(), store, tmp_path / "nothing") is None
        (folder / "draws.parquet").write_bytes(b"no parquet")
        with pytest.raises(StoreError, match="precomputed audit and cannot be read"):
            shipping.load_shipped(catalogue(), store, folder)


def test_the_shipped_audit_is_of_the_shipped_models(tmp_path: Path) -> None:
    models = shipped_catalogue()
    with Store.open(tmp_path / "nsx.duckdb") as store:
        audit = shipping.load_shipped(models, store)
        assert audit is not None, "run `make examples` after a model was trained anew"
        request, said = request_named(audit, store)
        jobs = Audits(store, models, None)  # type: ignore[arg-type]  # nothing is queued here
        found = audit_found(jobs.card(audit), request, said["fingerprints"], models, store, 0.5)
    assert len(found.card.classifiers) == 4 and len(found.card.groups) == 8
    assert found.card.done == len(found.cases) > 100
    assert found.undrawn == 0 and not found.struck
    writer = models.infiller_entry(models.default_infiller).fingerprint
    speed = shipping.shipped_speed(writer)
    assert speed is not None and speed > 0
    assert shipping.shipped_speed("another infiller") is None
    assert shipping.shipped_speed(writer, tmp_path) is None
    assert {r.measure for r in found.report.table_4} == {"SHAP", "LIME"}
    assert len(found.report.table_b3) == len(found.report.table_2) == 4 * 8 * 2
