"""How work is stopped; a file of its own, since the first paint waits for it and for nothing heavy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

_GLANCE = 0.05  # seconds between two looks at who waits

CheckStop = Callable[[], None]  # is called between two pieces of work, and raises where the work should end


class Stopped(BaseException):
    """Raised in work that should end; not an Exception, which the work itself might catch."""


def go_on() -> None:
    """Let work go on: a check that never stops it."""


@contextmanager
def in_turn(turn: Lock, check_stop: CheckStop) -> Iterator[None]:
    """Hold a lock, waiting for it as long as `check_stop` lets it."""
    while not turn.acquire(timeout=_GLANCE):
        check_stop()
    try:
        yield
    finally:
        turn.release()
