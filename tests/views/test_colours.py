"""The two scales: legible, ordered, and apart for every kind of colour vision."""

from __future__ import annotations

import itertools
import math

import pytest

from nsx_core.records import Side
from nsx_core.views.colours import THEMES, Theme, contrast, luminance, shade

VALUES = [i / 200 for i in range(201)]
# Machado, Oliveira, Fernandes 2009, severity 1.
VISION = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("side", Side)
def test_ink_contrasts_in_every_cell(side: Side, theme: Theme) -> None:
    for value in VALUES:
        cell = shade(side, value, theme)
        assert contrast(cell.paper, cell.ink) >= 4.5, (value, cell)


@pytest.mark.parametrize("side", Side)
def test_higher_is_darker_on_light_and_brighter_on_dark(side: Side) -> None:
    for theme, sign in (("light", -1), ("dark", 1)):
        run = [luminance(shade(side, v, theme).paper) for v in VALUES[::5]]  # type: ignore[arg-type]
        assert all(sign * (b - a) > 0 for a, b in itertools.pairwise(run))


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("theme", THEMES)
def test_the_two_scores_look_different(theme: Theme, vision: str) -> None:
    for value in (0.3, 0.5, 0.7, 0.9):
        one, other = (_seen(shade(side, value, theme).paper, vision) for side in Side)
        assert math.dist(one, other) > 30, value


def test_values_outside_take_the_nearest_end() -> None:
    assert shade(Side.NECESSITY, -3, "light") == shade(Side.NECESSITY, None, "light")
    assert shade(Side.NECESSITY, 7, "dark") == shade(Side.NECESSITY, 1, "dark")


def test_contrast_of_black_and_white() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#777777") == pytest.approx(1)


def _seen(colour: str, vision: str) -> tuple[float, ...]:
    rgb = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    return tuple(sum(w * c for w, c in zip(row, rgb, strict=True)) for row in VISION[vision])
