"""How far a comparison is, in words."""

from __future__ import annotations

__all__ = ["methods_step_sentence", "which_sentence"]


def which_sentence(classifier: str, done: int, total: int, progress: str) -> str:
    """'Davidson2017-hate, 2 of 8: 64 of 274 draws ...'; ``done`` explanations are finished."""
    return f"{classifier}, {min(done + 1, total)} of {total}: {progress}"


def methods_step_sentence(stage: str, done: int, total: int) -> str:
    """'Step 2 of 12: LIME'; ``done`` steps are finished."""
    if stage == "waiting":
        return "Waiting for its turn."
    if stage == "stopping":
        return "Stopping."
    return f"Step {min(done + 1, total)} of {total}: {stage}"
