"""The step on llama.cpp, through the functions of its Python package: one sequence a row.

The weights are written into a GGUF file without a tokenizer whose vocabulary is the wanted
columns alone, so that no others are computed; a token goes in as its row of the embedding.
"""

from __future__ import annotations

import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from nsx_core.adapters.llama_weights import HEAD, Weights
from nsx_core.adapters.runtimes.model import Model
from nsx_core.adapters.runtimes.protocol import Session

__all__ = ["build"]

#: llama.cpp rounds the positions of each row's cache up to this.
POSITIONS = 256
#: What llama.cpp calls the parts of a fused product.
_NAMES = {
    "qkv": ("attn_q", "attn_k", "attn_v"),
    "out": ("attn_output",),
    "gate_up": ("ffn_gate", "ffn_up"),
    "down": ("ffn_down",),
}


def build(model: Model, variant: str) -> LlamaCpp:
    """``variant``: 'int8' for Q8_0, or 'float32'."""
    return LlamaCpp(model, variant == "int8")


class LlamaCpp:
    """Satisfies ``Runtime``."""

    def __init__(self, model: Model, whole_numbers: bool) -> None:
        self.embedding, self.columns = model.weights.embedding.numpy(), len(model.columns)
        self.whole_numbers = whole_numbers
        self.library: Any = import_module("llama_cpp.llama_cpp")
        self.quiet = self.library.llama_log_callback(lambda level, text, data: None)
        self.library.llama_log_set(self.quiet, None)
        self.library.llama_backend_init()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "model.gguf"
            _write(model, whole_numbers, file)
            options = self.library.llama_model_default_params()
            options.use_mmap = False
            self.model = self.library.llama_model_load_from_file(str(file).encode(), options)
        if not self.model:
            raise RuntimeError("llama.cpp did not read the model that was written for it.")

    def session(self, rows: int) -> Session:
        return _Session(self, rows)


class _Session:
    def __init__(self, made: LlamaCpp, rows: int) -> None:
        self.made, self.rows, library = made, rows, made.library
        options = library.llama_context_default_params()
        options.n_ctx, options.n_batch, options.n_ubatch = rows * POSITIONS, rows, rows
        options.n_seq_max = rows
        options.n_threads = options.n_threads_batch = 1
        options.kv_unified, options.no_perf = False, True
        if not made.whole_numbers:
            options.type_k = options.type_v = 0  # GGML_TYPE_F32
        self.batch = library.llama_batch_init(rows, made.embedding.shape[1], 1)
        self.context = library.llama_init_from_model(made.model, options)
        if not self.context:
            raise RuntimeError(f"llama.cpp made no context of {rows} rows.")
        self.memory = library.llama_get_memory(self.context)
        self.batch.n_tokens = rows
        for row in range(rows):
            self.batch.n_seq_id[row], self.batch.seq_id[row][0] = 1, row
            self.batch.logits[row] = 1
        self.given = np.ctypeslib.as_array(self.batch.embd, (rows, made.embedding.shape[1]))
        self.held = np.zeros(rows, dtype=np.int64)

    def step(self, tokens: NDArray[np.int64], positions: NDArray[np.int64]) -> NDArray[np.float32]:
        library = self.made.library
        for row in np.flatnonzero(self.held > positions).tolist():
            library.llama_memory_seq_rm(self.memory, row, int(positions[row]), -1)
        self.held = positions + 1
        self.given[:] = self.made.embedding[tokens]
        for place, position in enumerate(positions.tolist()):
            self.batch.pos[place] = position
        code = library.llama_decode(self.context, self.batch)
        if code:
            raise RuntimeError(f"llama.cpp could not decode {self.rows} rows: {code}.")
        found = library.llama_get_logits(self.context)
        shape = (self.rows, self.made.columns)
        made: NDArray[np.float32] = np.ctypeslib.as_array(found, shape).copy()
        return made

    def __del__(self) -> None:
        self.made.library.llama_batch_free(self.batch)
        self.made.library.llama_free(self.context)


def _write(model: Model, whole_numbers: bool, file: Path) -> None:
    gguf: Any = import_module("gguf")
    weights, s = model.weights, model.weights.shape
    writer = gguf.GGUFWriter(str(file), "llama")
    writer.add_block_count(s.layers)
    writer.add_context_length(s.max_positions)
    writer.add_embedding_length(s.hidden)
    writer.add_feed_forward_length(s.inner)
    writer.add_head_count(s.heads)
    writer.add_head_count_kv(s.kv_heads)
    writer.add_rope_dimension_count(s.head_dim)
    writer.add_rope_freq_base(s.theta)
    writer.add_layer_norm_rms_eps(s.eps)
    writer.add_tokenizer_model("no_vocab")
    writer.add_vocab_size(len(model.columns))
    kind = gguf.GGMLQuantizationType.Q8_0

    def add(name: str, tensor: torch.Tensor) -> None:
        array = tensor.contiguous().numpy()
        if tensor.dim() == 1 or not whole_numbers:
            writer.add_tensor(name, array)
        else:
            writer.add_tensor(name, gguf.quantize(array, kind), raw_dtype=kind)

    add("token_embd.weight", weights.products[HEAD])
    add("output_norm.weight", weights.norm)
    for i in range(s.layers):
        add(f"blk.{i}.attn_norm.weight", weights.before[i])
        add(f"blk.{i}.ffn_norm.weight", weights.after[i])
        for part, names in _NAMES.items():
            for name, tensor in zip(names, _apart(weights, f"{i}.{part}", part), strict=True):
                add(f"blk.{i}.{name}.weight", tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _apart(weights: Weights, name: str, part: str) -> list[torch.Tensor]:
    """The matrices that a product joins; queries unscaled, and turned as llama.cpp turns."""
    joined, s = weights.products[name], weights.shape
    if part == "gate_up":
        return list(joined.chunk(2))
    if part != "qkv":
        return [joined]
    q, k, v = joined.split([s.heads * s.head_dim] + [s.kv_heads * s.head_dim] * 2)
    return [_interleaved(q * s.head_dim**0.5, s.head_dim), _interleaved(k, s.head_dim), v]


def _interleaved(weight: torch.Tensor, head_dim: int) -> torch.Tensor:
    """Its outputs in the order in which llama.cpp turns them: pairs side by side."""
    halves = weight.view(-1, 2, head_dim // 2, weight.shape[1])
    return halves.transpose(1, 2).reshape(weight.shape)
