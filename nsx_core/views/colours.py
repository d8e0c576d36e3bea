"""Two colour scales, one hue a score, for light and dark pages.

Necessity is blue and sufficiency is orange everywhere: the two stay apart under every
common colour-vision deficiency. On a light page a higher score is darker. On a dark page
it is brighter, since people read the shade that stands out most from the page as 'more'
(schloss-etal-2019). Scales run in OKLab, so equal steps look equal; the ink on a cell is
the one of black and white that contrasts more, which is never less than 4.5 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from nsx_core.records import Side

__all__ = ["THEMES", "Shade", "contrast", "luminance", "neutral", "shade"]

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")

_ANCHORS: dict[tuple[Side, Theme], tuple[str, ...]] = {
    (Side.NECESSITY, "light"): ("#eef4fa", "#9cc3e6", "#3f83c1", "#0b3f7a"),
    (Side.NECESSITY, "dark"): ("#17222d", "#1f4c78", "#3d8ad0", "#a9d4ff"),
    (Side.SUFFICIENCY, "light"): ("#fcf3e8", "#f4c288", "#cf7a26", "#7a3604"),
    (Side.SUFFICIENCY, "dark"): ("#2a2017", "#6e4314", "#cb7b22", "#ffcb8f"),
}
# For other methods' scores: grey is neither of the two, whoever looks.
_GREYS: dict[Theme, tuple[str, ...]] = {
    "light": ("#f5f5f3", "#c9cbc9", "#8b8f90", "#45494c"),
    "dark": ("#1d2124", "#43494d", "#858c91", "#d3d7d9"),
}
_INKS = ("#000000", "#ffffff")


@dataclass(frozen=True, slots=True)
class Shade:
    """A cell's colour and the ink that is legible on it, both #rrggbb."""

    paper: str
    ink: str


def shade(side: Side, value: float | None, theme: Theme) -> Shade:
    """The cell colour of a score; values outside 0..1 take the nearest end."""
    share = 0.0 if value is None else min(max(value, 0.0), 1.0)
    paper = _mixed(_ANCHORS[side, theme], share)
    return Shade(paper, max(_INKS, key=lambda ink: contrast(ink, paper)))


def neutral(share: float, theme: Theme) -> Shade:
    """The grey cell of a score that is neither of the two; shares outside 0..1 take the nearest end."""
    paper = _mixed(_GREYS[theme], min(max(share, 0.0), 1.0))
    return Shade(paper, max(_INKS, key=lambda ink: contrast(ink, paper)))


def contrast(one: str, other: str) -> float:
    """WCAG 2 contrast ratio of two #rrggbb colours, 1..21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    """WCAG 2 relative luminance of #rrggbb, 0..1."""
    red, green, blue = _linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _mixed(anchors: tuple[str, ...], share: float) -> str:
    spans = list(pairwise(anchors))
    at = min(int(share * len(spans)), len(spans) - 1)
    inside = share * len(spans) - at
    low, high = (_oklab(colour) for colour in spans[at])
    return _hex([a + (b - a) * inside for a, b in zip(low, high, strict=True)])


def _linear(colour: str) -> tuple[float, float, float]:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return red, green, blue


def _oklab(colour: str) -> tuple[float, float, float]:
    """Ottosson's OKLab of #rrggbb."""
    r, g, b = _linear(colour)
    l_, m_, s_ = (
        (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3),
        (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3),
        (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3),
    )
    return (
        0.2104542553 * l_ + 0.7936177850 * m_ - 0.0040720468 * s_,
        1.9779984951 * l_ - 2.4285922050 * m_ + 0.4505937099 * s_,
        0.0259040371 * l_ + 0.7827717662 * m_ - 0.8086757660 * s_,
    )


def _hex(lab: list[float]) -> str:
    lightness, a, b = lab
    l_ = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    m_ = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    s_ = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * l_ - 3.3077115913 * m_ + 0.2309699292 * s_,
        -1.2684380046 * l_ + 2.6097574011 * m_ - 0.3413193965 * s_,
        -0.0041960863 * l_ - 0.7034186147 * m_ + 1.7076147010 * s_,
    )
    clipped = (min(max(v, 0.0), 1.0) for v in linear)
    gamma = (12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055 for v in clipped)
    return "#" + "".join(f"{round(v * 255):02x}" for v in gamma)
