"""The record that every benchmark returns: what was measured, and what was hoped for."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Figure"]


@dataclass(frozen=True)
class Figure:
    """One line of the table.

    ``value`` in ``unit`` ('x' for a ratio, 's', 'draws/s', 'GB', '%'); ``target`` in the same unit,
    None where there is none; ``at_least`` says on which side of it the value should lie.
    """

    name: str
    value: float
    unit: str
    target: float | None = None
    at_least: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the target is reached; None without one."""
        if self.target is None:
            return None
        return self.value >= self.target if self.at_least else self.value <= self.target
