"""Ask, inside long work, whether the person has cancelled it.

Whoever runs the work sets the question with ``asking``; the work asks with ``check``. Work that
has threads of its own takes the question along with ``question`` and sets it again in each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from nsx_core.errors import CancelledError

Question = Callable[[], bool]


def _never() -> bool:
    return False


_question: ContextVar[Question] = ContextVar("stopping", default=_never)


@contextmanager
def asking(question: Question) -> Iterator[None]:
    """Let work inside ask this question; it must be cheap and safe from any thread."""
    token = _question.set(question)
    try:
        yield
    finally:
        _question.reset(token)


def question() -> Question:
    """The question in force here; it answers False where none was set."""
    return _question.get()


def check() -> None:
    """Raise ``CancelledError`` where the answer is yes."""
    if question()():
        raise CancelledError("Stopped. What was drawn before is kept.")
