"""Measure an infiller, on its own draws and side by side with the authors' released texts.

What is measured is said in ``nsx_core.quality.report``. Criteria are named and listed with their
limits, met or missed. The report becomes ``quality.json``; its headline goes into the
infiller's manifest and its tables into the infiller's card.

    python -m nsx_core.training.quality_report --infiller assets/models/neutral-smollm2 \\
        --paper ../shared/data/paper --heldout build/corpus/heldout.jsonl \\
        --classifier assets/models/Davidson2017-abuse
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from nsx_core.adapters.manifest import write_json
from nsx_core.errors import NsxError
from nsx_core.quality.measuring import Models
from nsx_core.quality.report import Sizes, headline, report
from nsx_core.records import GenerationSettings
from nsx_core.settings import TEMPERATURE_DEFAULT, TOP_P_DEFAULT
from nsx_core.training.corpus import read_corpus
from nsx_core.training.infiller_card import quality_tables, read_training, write_card
from nsx_core.training.infiller_folder import write_manifest
from nsx_core.training.tables import read_table

PAPER_FILE, PAPER_COLUMNS = "ilm_perturbations.parquet", ["text", "side", "mask", "perturbed_text"]


def load_models(infiller: Path, classifier: Path) -> Models:
    """The models in the folders, and the untuned base model as the yardstick."""
    from nsx_core.adapters.causal_infiller import CausalInfiller
    from nsx_core.adapters.encoder_classifier import EncoderClassifier
    from nsx_core.adapters.fluency import BaseModelFluency

    judge = EncoderClassifier.load(classifier)
    fluency = BaseModelFluency.load()
    return Models(CausalInfiller.load(infiller), judge, judge.explained_class, fluency)


def main(argv: list[str] | None = None, load: Callable[[Path, Path], Models] = load_models) -> int:
    """Measure as the command line says; 0 when done, 2 with a message on stderr otherwise."""
    try:
        return _command(argv, load)
    except NsxError as error:
        print(error, file=sys.stderr)
        return 2


def _command(argv: list[str] | None, load: Callable[[Path, Path], Models]) -> int:
    parser = argparse.ArgumentParser(prog="nsx_core.training.quality_report")
    for name in ("infiller", "paper", "heldout", "classifier"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--out", type=Path, help="default: quality.json in the infiller's folder")
    parser.add_argument("--temperature", type=float, default=TEMPERATURE_DEFAULT)
    parser.add_argument("--top-p", type=float, default=TOP_P_DEFAULT)
    for name, value in asdict(Sizes()).items():
        parser.add_argument(f"--{name}", type=int, default=value)
    given = parser.parse_args(argv)
    folder: Path = given.infiller
    rows = read_table(given.paper / PAPER_FILE, PAPER_COLUMNS)
    heldout = read_corpus(given.heldout)
    models = load(folder, given.classifier)
    found = report(
        models, rows, heldout, GenerationSettings(given.temperature, given.top_p),
        Sizes(given.draws, given.paired, given.times, given.whole, given.seed),
        read_training(folder),
    )  # fmt: skip
    # The samples hold the suite's sentences, which are not ours to keep: they are printed only.
    samples = found["own"].pop("samples")
    write_json(given.out or folder / "quality.json", found)
    manifest = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    bias = float(manifest.get("end_bias", 0.0))
    write_manifest(folder, manifest["name"], manifest["base"], bias, headline(found))
    write_card(folder, found)
    print(quality_tables(found))
    for sample in samples:
        print(f"{sample['mask']}  {sample['original']}  ->  {sample['text']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
