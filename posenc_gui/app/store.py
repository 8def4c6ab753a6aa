"""The store: the one place that holds the current session, and those before and after it.

Widgets propose changes and are shown what came of them. Undo is the previous session.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

from pydantic import ValidationError
from PySide6.QtCore import QObject, Signal

from posenc_gui.changes import Change, between
from posenc_gui.errors import sentence
from posenc_gui.session import Session

ONE_STEP = 1.0  # seconds: changes of the same fields that follow each other sooner are one step of undo
LONGEST_HISTORY = 500  # steps


@dataclass(frozen=True)
class _Step:
    """A session, and the change that led away from it (in the past) or back to it (in the future)."""

    session: Session
    change: Change


class Store(QObject):
    """Holds a session and replaces it by changed ones."""

    changed = Signal(object)  # Session

    def __init__(self, session: Session, parent: QObject | None = None, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(parent)
        self._session, self._clock = session, clock
        self._past: list[_Step] = []
        self._future: list[_Step] = []
        self._last_change = float("-inf")

    @property
    def session(self) -> Session:
        """The current session."""
        return self._session

    @property
    def undo_name(self) -> str:
        """What undo would take back; empty where there is nothing."""
        return self._past[-1].change.name if self._past else ""

    @property
    def redo_name(self) -> str:
        """What redo would do again; empty where there is nothing."""
        return self._future[-1].change.name if self._future else ""

    def begin(self, session: Session) -> None:
        """Begin anew with a session: nothing leads back from it, and nobody is told of it."""
        self._session, self._past, self._future, self._last_change = session, [], [], float("-inf")

    def propose(self, **fields: Any) -> str:
        """Change these fields of the session. Returns an empty text, or the sentence that says why that can't be."""
        try:
            session = self._session.changed(**fields)
        except ValidationError as error:
            return sentence(error)
        self.replace(session, continuing=True)
        return ""

    def replace(self, session: Session, *, continuing: bool = False) -> None:
        """Go on with another session; undo goes back to this one, or, if it is `continuing`, to where the burst began."""
        if session == self._session:
            return
        change, now = between(self._session, session), self._clock()
        if continuing and self._continues(change, now):
            step = self._past.pop()
            if step.session != session:
                self._past.append(_Step(step.session, between(step.session, session)))
            else:  # a drag that comes back to where it began is no step, and what follows is none of the step before it
                continuing = False
        else:
            self._past = [*self._past[1 - LONGEST_HISTORY :], _Step(self._session, change)]
        self._future, self._last_change = [], now if continuing else float("-inf")
        self._show(session)

    def undo(self) -> None:
        """Go back one step."""
        if self._past:
            step = self._past.pop()
            self._future.append(_Step(self._session, step.change))
            self._last_change = float("-inf")
            self._show(step.session)

    def redo(self) -> None:
        """Go forward again."""
        if self._future:
            step = self._future.pop()
            self._past.append(_Step(self._session, step.change))
            self._last_change = float("-inf")
            self._show(step.session)

    def _continues(self, change: Change, now: float) -> bool:
        return bool(self._past) and now - self._last_change < ONE_STEP and change.paths == self._past[-1].change.paths

    def _show(self, session: Session) -> None:
        self._session = session
        self.changed.emit(session)
