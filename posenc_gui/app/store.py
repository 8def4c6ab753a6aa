"""The store: the one place that holds the current session. Widgets propose changes and are shown what came of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from posenc_gui.errors import sentence

if TYPE_CHECKING:
    from posenc_gui.session import Session


class Store(QObject):
    """Holds a session and replaces it by changed ones."""

    changed = Signal(object)  # Session

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session

    @property
    def session(self) -> Session:
        """The current session."""
        return self._session

    def propose(self, **fields: Any) -> str:
        """Change these fields of the session. Returns an empty text, or the sentence that says why that can't be."""
        try:
            session = self._session.changed(**fields)
        except ValueError as error:
            return sentence(error)
        self.replace(session)
        return ""

    def replace(self, session: Session) -> None:
        """Go on with another session."""
        if session != self._session:
            self._session = session
            self.changed.emit(session)
