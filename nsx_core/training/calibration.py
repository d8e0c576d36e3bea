"""See how far an infiller's activations reach on neutral text, for products in whole numbers.

Part of training; to do it again for a folder:

    python -m nsx_core.training.calibration --infiller FOLDER --corpus build/corpus
"""

from __future__ import annotations

import argparse
import json
import sys
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

from nsx_core.adapters.causal_infiller import REACH_FILE, CausalInfiller
from nsx_core.adapters.llama_forward import LlamaForward
from nsx_core.errors import MissingModelError, NsxError
from nsx_core.training.corpus import read_corpus
from nsx_core.training.ilm import examples_of_pass
from nsx_core.training.infiller_folder import write_manifest

SEQUENCES, POSITIONS = 64, 512


def calibrate(folder: Path, texts: list[str]) -> bool:
    """Write the reach file of an infiller's folder; False where its base has no use for one.

    The sequences are training examples.
    """
    try:
        manifest = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as reason:
        raise MissingModelError(f"{folder} is no infiller's folder: {reason}") from reason
    exact = CausalInfiller.load(folder, whole_numbers=False)
    if not isinstance(exact.forward, LlamaForward):
        return False
    made = examples_of_pass(texts, 0, 0, exact.encode, exact.special)
    sequences = islice((e.ids for e in made), SEQUENCES)
    reach = exact.forward.activation_reach(list(sequences))
    save_file({name: values.contiguous() for name, values in reach.items()}, folder / REACH_FILE)
    write_manifest(
        folder, manifest["name"], manifest["base"], manifest["end_bias"], manifest["figures"]
    )
    return True


def divergence(folder: Path, texts: list[str]) -> float:
    """Mean Kullback-Leibler divergence, in nats, of the next token in whole numbers from exact.

    Over the answer positions of training examples of ``texts``, which calibration has not seen.
    """
    models = [CausalInfiller.load(folder, whole_numbers=w) for w in (False, True)]
    exact, quick = (m.forward for m in models)
    special, encode = models[0].special, models[0].encode
    contexts = [
        made.ids[:at]
        for made in examples_of_pass(texts, 1, 0, encode, special)
        for at in range(made.answer_start, len(made.ids))
    ]
    rng = np.random.default_rng(0)
    chosen = rng.choice(len(contexts), min(POSITIONS, len(contexts)), replace=False)
    found = []
    for part in np.array_split(chosen, -(-len(chosen) // 64)):
        read = [contexts[i] for i in part]
        p, q = (f.prefill(read)[0].log_softmax(-1) for f in (exact, quick))
        found.append((p.exp() * (p - q).nan_to_num(0.0)).sum(-1))
    return float(torch.cat(found).mean())


def main(argv: list[str] | None = None) -> int:
    """Calibrate as the command line says; 0 when done, 2 with a message on stderr otherwise."""
    parser = argparse.ArgumentParser(prog="nsx_core.training.calibration")
    parser.add_argument("--infiller", type=Path, required=True)
    parser.add_argument("--corpus", type=Path, required=True)
    given = parser.parse_args(argv)
    try:
        heldout = read_corpus(given.corpus / "heldout.jsonl")
        if not calibrate(given.infiller, read_corpus(given.corpus / "train.jsonl")):
            print("This base model is run by transformers: nothing to calibrate.")
            return 0
        nats = divergence(given.infiller, heldout)
    except NsxError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"Calibrated. In whole numbers the next token diverges by {nats:.4f} nats from exact.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
