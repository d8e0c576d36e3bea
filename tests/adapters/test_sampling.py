"""Sampling is exact: over all uniform numbers, tokens come as often as plain top-p says."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from nsx_core.adapters.sampling import sample

pytestmark = pytest.mark.usefixtures("one_thread")

GRID = (np.arange(499) + 0.5) / 499
FINE = (np.arange(6_001) + 0.5) / 6_001


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


def plain_top_p(logits: np.ndarray, temperature: float, top_p: float) -> np.ndarray:
    """Each token's share in the smallest set that holds ``top_p``, its last one's equals too."""
    mass = np.exp((logits - logits.max()) / temperature)
    likelier = np.array([mass[mass > own].sum() for own in mass])
    share = np.where(likelier < top_p * mass.sum(), mass, 0.0)
    return share / share.sum()


def pieces(inside: np.ndarray) -> int:
    """How many runs of tokens outside the set lie between its own."""
    return int((np.diff(np.concatenate([[True], inside, [True]]).astype(int)) == -1).sum())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("temperature", [0.05, 0.8, 1.0, 5.0])
@pytest.mark.parametrize("top_p", [0.1, 0.9, 1.0])
def test_tokens_come_as_often_as_plain_top_p_says(
    kind: str, temperature: float, top_p: float
) -> None:
    logits = KINDS[kind].astype(np.float32)
    share = plain_top_p(logits.astype(np.float64), temperature, top_p)
    rows = torch.from_numpy(logits).repeat(len(FINE), 1)
    found = sample(rows, torch.from_numpy(FINE), temperature, top_p).numpy()
    often = np.bincount(found, minlength=len(logits)) / len(FINE)
    # A token's numbers are one run, and a part of some runs of the outside: each is met to a
    # step of the grid. Single precision may move a border by a hair.
    assert np.abs(often - share).max() <= (2 + pieces(share > 0)) / len(FINE) + 1e-5
    assert (often[share == 0] == 0).all()


def test_a_number_that_falls_outside_still_spreads_over_the_set() -> None:
    logits = torch.tensor([0.0, -3.0, -0.1, -3.1, -0.2, -3.2])
    uniform = torch.from_numpy(FINE)
    plain = sample(logits.repeat(len(FINE), 1), uniform, 1.0, 1.0).numpy()
    kept = sample(logits.repeat(len(FINE), 1), uniform, 1.0, 0.8).numpy()
    outside = np.isin(plain, [1, 3, 5])
    assert outside.sum() > 100
    assert (kept[~outside] == plain[~outside]).all()
    wanted = np.exp(logits.numpy()[[0, 2, 4]])
    often = np.bincount(kept[outside], minlength=6)[[0, 2, 4]] / outside.sum()
    assert np.abs(often - wanted / wanted.sum()).max() < 0.03


def test_the_ends_of_the_uniform_range_stay_inside_the_set() -> None:
    for logits in KINDS.values():
        rows = torch.from_numpy(logits.astype(np.float32)).repeat(2, 1)
        ends = torch.tensor([0.0, np.nextafter(1.0, 0.0)], dtype=torch.float64)
        for top_p in (1e-9, 0.5, 1.0):
            first, last = sample(rows, ends, 1.0, top_p).tolist()
            inside = plain_top_p(logits, 1.0, top_p) > 0
            assert inside[first] and inside[last]


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
