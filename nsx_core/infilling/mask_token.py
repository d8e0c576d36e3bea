"""Replaced words become a mask token, as in appendix C of balkir-etal-2022.

A baseline to compare with: one token stands for each run of replaced words, so the text gets
shorter where neighbours are replaced together.
"""

from __future__ import annotations

from nsx_core.errors import SettingsError
from nsx_core.infilling.ilm_format import runs
from nsx_core.records import GenerationSettings, InfillRequest

__all__ = ["MaskTokenInfiller"]


class MaskTokenInfiller:
    """Answers every run of replaced words with ``token``; seed and settings change nothing."""

    def __init__(self, token: str = "[MASK]") -> None:
        if token.split() != [token]:
            raise SettingsError(
                f"A mask token is one word without white space, and {token!r} came. "
                "Choose, for example, [MASK], or the deletion infiller."
            )
        self.token = token

    @property
    def name(self) -> str:
        return f"mask token {self.token}"

    @property
    def fingerprint(self) -> str:
        return f"mask-token-1-{self.token}"

    def infill(
        self, requests: list[InfillRequest], settings: GenerationSettings
    ) -> list[tuple[str, ...]]:
        """The token, once a run."""
        return [(self.token,) * len(runs(request.replaced)) for request in requests]
