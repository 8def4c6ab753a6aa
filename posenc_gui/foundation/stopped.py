"""How work is stopped; a file of its own, since the first paint waits for it and for nothing heavy."""

from __future__ import annotations

from collections.abc import Callable

CheckStop = Callable[[], None]  # is called between two pieces of work, and raises where the work should end


class Stopped(BaseException):
    """Raised in work that should end; not an Exception, which the work itself might catch."""


def go_on() -> None:
    """Let work go on: a check that never stops it."""
