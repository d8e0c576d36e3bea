"""Sampling is exact: every uniform number gives the token that plain top-p gives."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from nsx_core.adapters.sampling import sample

pytestmark = pytest.mark.usefixtures("one_thread")

GRID = (np.arange(499) + 0.5) / 499


def peaked(n: int, seed: int, spread: float) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, spread, n)


KINDS = {
    "peaked": peaked(400, 0, 6.0),
    "plain": peaked(400, 1, 2.0),
    "flat": peaked(400, 2, 0.01),
    "two far apart": np.array([0.0, -40.0, -12.0, -12.5]),
    "a long tail": np.concatenate([[9.0], np.zeros(900)]),
    "one": np.array([3.0]),
    "forbidden": np.where(np.arange(50) % 3 == 0, peaked(50, 3, 2.0), -np.inf),
}


def plain_top_p(logits: np.ndarray, temperature: float, top_p: float) -> tuple[np.ndarray, ...]:
    """(tokens, cumulative shares) of the smallest set that holds ``top_p``, likeliest first."""
    scaled = (logits - logits.max()) / temperature
    share = np.exp(scaled) / np.exp(scaled).sum()
    order = np.argsort(-share, kind="stable")
    order = order[share[order] > 0]
    cumulative = share[order].cumsum()
    kept = cumulative - share[order] < top_p
    return order[kept], cumulative[kept] / share[order][kept].sum()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("temperature", [0.05, 0.8, 1.0, 5.0])
@pytest.mark.parametrize("top_p", [0.1, 0.9, 1.0])
def test_the_token_is_the_one_of_plain_top_p(kind: str, temperature: float, top_p: float) -> None:
    logits = KINDS[kind].astype(np.float32)
    tokens, cumulative = plain_top_p(logits.astype(np.float64), temperature, top_p)
    place = np.minimum(np.searchsorted(cumulative, GRID, side="right"), len(tokens) - 1)
    rows = torch.from_numpy(logits).repeat(len(GRID), 1)
    found = sample(rows, torch.from_numpy(GRID), temperature, top_p).numpy()
    # Single precision may move a border between two tokens, never by more than a hair.
    borders = np.abs(cumulative[:, None] - GRID).min(axis=0) < 1e-5
    near_cut = borders | (np.abs(GRID - 1) < 1e-5)
    assert (found == tokens[place])[~near_cut].all()
    allowed, _ = plain_top_p(logits.astype(np.float64), temperature, top_p + 1e-6)
    assert set(found.tolist()) <= set(allowed.tolist())
    assert near_cut.mean() < 0.05


def test_the_ends_of_the_uniform_range_stay_inside_the_set() -> None:
    for logits in KINDS.values():
        rows = torch.from_numpy(logits.astype(np.float32)).repeat(2, 1)
        ends = torch.tensor([0.0, np.nextafter(1.0, 0.0)], dtype=torch.float64)
        for top_p in (1e-9, 0.5, 1.0):
            first, last = sample(rows, ends, 1.0, top_p).tolist()
            assert first == int(logits.argmax())
            assert np.isfinite(logits[last])
            if top_p == 1e-9:
                assert last == first


def test_forbidden_tokens_are_never_chosen() -> None:
    logits = torch.full((500, 40), float("-inf"))
    logits[:, [3, 17, 30]] = torch.tensor([0.0, -1.0, -30.0])
    uniform = torch.linspace(0, 1 - 1e-12, 500, dtype=torch.float64)
    for temperature in (0.05, 1.0, 5.0):
        for top_p in (0.3, 1.0):
            assert set(sample(logits, uniform, temperature, top_p).tolist()) <= {3, 17, 30}


def test_a_low_temperature_takes_the_likeliest_and_a_high_one_spreads() -> None:
    logits = torch.from_numpy(KINDS["plain"].astype(np.float32)).repeat(len(GRID), 1)
    cold = sample(logits, torch.from_numpy(GRID), 0.001, 1.0)
    assert (cold == logits[0].argmax()).all()
    hot = sample(logits, torch.from_numpy(GRID), 1e6, 1.0)
    assert len(set(hot.tolist())) == 400  # as many as there are tokens


def test_a_row_depends_on_its_own_logits_and_number() -> None:
    chance = np.random.default_rng(5)
    widths = chance.choice([0.02, 1.0, 3.0, 8.0], 60)
    rows = torch.from_numpy(chance.normal(size=(60, 1_500)) * widths[:, None]).float()
    rows[chance.random((60, 1_500)) < 0.2] = float("-inf")
    uniform = torch.from_numpy(chance.random(60))
    whole = sample(rows, uniform, 0.8, 0.9)
    order = torch.from_numpy(chance.permutation(60))
    assert torch.equal(sample(rows[order], uniform[order], 0.8, 0.9), whole[order])
    for row in range(60):
        alone = sample(rows[row : row + 1], uniform[row : row + 1], 0.8, 0.9)
        assert int(alone[0]) == int(whole[row])


def test_the_logits_are_left_as_they_were() -> None:
    logits = torch.tensor([[0.0, 1.0, float("-inf")]])
    sample(logits, torch.tensor([0.5], dtype=torch.float64), 0.5, 0.5)
    assert logits.tolist() == [[0.0, 1.0, float("-inf")]]
