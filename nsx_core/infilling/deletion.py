"""The simplest perturbation: replaced words are left out.

A baseline to compare with, not a recommendation: what is left is often no sentence a
classifier was trained on (balkir-etal-2022 infill for that reason).
"""

from __future__ import annotations

from nsx_core.infilling.ilm_format import runs
from nsx_core.records import GenerationSettings, InfillRequest

__all__ = ["DeletionInfiller"]


class DeletionInfiller:
    """Answers every run of replaced words with nothing; seed and settings change nothing."""

    @property
    def name(self) -> str:
        return "deletion"

    @property
    def fingerprint(self) -> str:
        return "deletion-1"

    def infill(
        self, requests: list[InfillRequest], settings: GenerationSettings
    ) -> list[tuple[str, ...]]:
        """One empty answer a run."""
        return [("",) * len(runs(request.replaced)) for request in requests]
