"""Method: what the scores mean, what they do not mean, limits, references."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

st.markdown((Path(__file__).parent / "method.md").read_text(encoding="utf-8"))
