"""Figures that balkir-etal-2022 prints, for the classifiers whose outputs its authors released.

As printed: two places, no zero before the point. Cells are (classifier, group).
"""

from __future__ import annotations

__all__ = ["CASES_RIGHT", "GROUPS", "SHAP", "TABLE_2", "TABLE_3", "TABLE_B3", "as_printed"]

Cell = tuple[str, str]
GROUPS = ("women", "Muslims")
FOUNTA_HATE, FOUNTA_ABUSE, VIDGEN = "Founta2018-hate", "Founta2018-abuse", "Vidgen2021-hate"

#: Mean and standard deviation of necessity, then of sufficiency.
TABLE_2: dict[Cell, tuple[str, str, str, str]] = {
    (FOUNTA_HATE, "women"): (".82", ".18", ".29", ".10"),
    (FOUNTA_HATE, "Muslims"): (".89", ".16", ".81", ".08"),
    (FOUNTA_ABUSE, "women"): (".54", ".17", ".34", ".10"),
    (FOUNTA_ABUSE, "Muslims"): (".65", ".21", ".82", ".06"),
    (VIDGEN, "women"): (".96", ".02", ".71", ".17"),
    (VIDGEN, "Muslims"): (".97", ".03", ".88", ".13"),
}
#: F18+F19 of women and of Muslims, then F24 (group), F23 (person), F22 (object).
TABLE_3: dict[str, tuple[str, str, str, str, str]] = {
    FOUNTA_HATE: (".02", ".78", ".19", ".15", ".05"),
    FOUNTA_ABUSE: (".02", ".78", ".45", ".72", ".37"),
    VIDGEN: (".36", ".82", ".02", ".00", ".00"),
}
#: Table 4's SHAP: mean and standard deviation.
SHAP: dict[Cell, tuple[str, str]] = {
    (FOUNTA_HATE, "women"): (".36", ".24"),
    (FOUNTA_HATE, "Muslims"): (".84", ".20"),
    (FOUNTA_ABUSE, "women"): ("-.07", ".21"),
    (FOUNTA_ABUSE, "Muslims"): (".39", ".25"),
    (VIDGEN, "women"): (".89", ".17"),
    (VIDGEN, "Muslims"): (".95", ".11"),
}
#: Necessity with [MASK]. The sufficiency that Table B.3 prints is Table 2's once more.
TABLE_B3: dict[Cell, str] = {
    (FOUNTA_HATE, "women"): ".53",
    (FOUNTA_HATE, "Muslims"): ".72",
    (FOUNTA_ABUSE, "women"): ".19",
    (FOUNTA_ABUSE, "Muslims"): ".36",
    (VIDGEN, "women"): ".87",
    (VIDGEN, "Muslims"): ".93",
}
#: Cases of the released outputs that each classifier gets right, of 60 a group.
CASES_RIGHT: dict[Cell, int] = {
    (FOUNTA_HATE, "women"): 28, (FOUNTA_HATE, "Muslims"): 57, (FOUNTA_ABUSE, "women"): 41,
    (FOUNTA_ABUSE, "Muslims"): 59, (VIDGEN, "women"): 45, (VIDGEN, "Muslims"): 57,
}  # fmt: skip


def as_printed(value: float) -> str:
    """A figure as the paper prints it: '.82', '-.07', '1.00'."""
    written = f"{value:.2f}"
    return written.replace("0.", ".", 1) if abs(value) < 0.995 else written
