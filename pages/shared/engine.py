"""The one engine of the process, and finished explanations kept at hand."""

from __future__ import annotations

import streamlit as st

from nsx_core.engine import Engine, ExplainRequest
from nsx_core.records import DrawSide, Explanation

__all__ = ["complete", "rejudged", "the_engine", "without"]


@st.cache_resource(
    max_entries=1, show_spinner="Opening the store and the models", on_release=Engine.close
)
def the_engine() -> Engine:
    """The engine; a start that fails is tried again on the next run.

    Clearing the cache closes it: else its own store would be in the next engine's way.
    """
    return Engine.start()


def complete(engine: Engine, request: ExplainRequest) -> Explanation | None:
    """The explanation where all of its draws are there already."""
    try:
        return _complete(engine, request, repr(request))
    except _NotYetError:
        return None


def rejudged(engine: Engine, explanation: Explanation, threshold: float) -> Explanation:
    """The same draws at another threshold."""
    key = f"{explanation.key} {len(explanation.draws)}"
    return _rejudged(engine, explanation, key, threshold)


def without(
    engine: Engine, explanation: Explanation, struck: frozenset[tuple[DrawSide, int]]
) -> Explanation:
    """The same explanation scored on its draws less the struck ones."""
    limit, draws = explanation.settings.threshold, len(explanation.draws)
    key = f"{explanation.key} {draws} {limit} {sorted(struck)}"
    return _without(engine, explanation, key, struck)


class _NotYetError(Exception):
    """Raised so that the absence of an explanation is not cached."""


@st.cache_resource(max_entries=16, show_spinner=False)
def _complete(_engine: Engine, _request: ExplainRequest, key: str) -> Explanation:
    found = _engine.cached(_request)
    if found is None:
        raise _NotYetError
    return found


@st.cache_resource(max_entries=32, show_spinner=False)
def _rejudged(
    _engine: Engine, _explanation: Explanation, key: str, threshold: float
) -> Explanation:
    return _engine.rejudged(_explanation, threshold)


@st.cache_resource(max_entries=32, show_spinner=False)
def _without(
    _engine: Engine,
    _explanation: Explanation,
    key: str,
    _struck: frozenset[tuple[DrawSide, int]],
) -> Explanation:
    return _engine.without(_explanation, _struck)
