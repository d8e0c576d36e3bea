"""Shows a tree of nsx_core.views.markup and hears its clicks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from nsx_core.views.markup import Node

__all__ = ["figure"]

_STYLE = Path(__file__).resolve().parents[2] / "assets" / "style"
_FIGURE = st.components.v2.component(
    "nsx_figure",
    js=(_STYLE / "figure.js").read_text(encoding="utf-8"),
    css=(_STYLE / "figure.css").read_text(encoding="utf-8"),
)


def figure(tree: Node, key: str, **heard: Callable[[str], None]) -> None:
    """Mount the tree; ``heard`` maps the name of a data-event to what its value goes to."""

    def callback(name: str) -> Callable[[], None]:
        def act() -> None:
            value = st.session_state[key].get(name)
            if value is not None:
                heard[name](str(value))

        return act

    callbacks: dict[str, Any] = {f"on_{n}_change": callback(n) for n in heard}
    _FIGURE(key=key, data=tree.as_data(), **callbacks)
