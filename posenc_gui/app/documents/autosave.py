"""Autosave of session and bookmarks, for the next start or after a crash."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from posenc_gui.app.documents.document import Documents
from posenc_gui.app.state.store import Store
from posenc_gui.app.state.window_slots import WindowSlot, WindowState
from posenc_gui.app.state.worker import BackgroundWriter
from posenc_gui.foundation.files import atomic
from posenc_gui.session.bookmarks import Document

# Milliseconds.
_KEEP_AFTER = 500  # from the first unsaved change; writing may take as long again
_STANDS = 1000  # after which the session counts as safe to restore


class Autosave(QObject):
    """Saves each session to the window's slot soon after it changes."""

    def __init__(self, place: WindowSlot, writer: BackgroundWriter, store: Store, documents: Documents) -> None:
        super().__init__(store)
        self._place, self._writer, self._documents = place, writer, documents
        self._starts = 1
        self._due = QTimer(self, singleShot=True, interval=_KEEP_AFTER)
        self._due.timeout.connect(self.keep)
        self._standing = QTimer(self, singleShot=True, interval=_STANDS)
        self._standing.timeout.connect(self._on_stood)
        store.changed.connect(self._note)
        documents.titled.connect(self._note)

    def begin(self, found: WindowState) -> None:
        """Count one more start with the session that was found, before it can do any harm."""
        self._starts = found.starts + 1
        self._place.note(found.model_copy(update={"closed": False, "starts": self._starts}))

    @property
    def stood(self) -> bool:
        """True once the window has run for a while, so that its session is safe to restore."""
        return self._starts == 0

    def came_up(self) -> None:
        """Everything is drawn: start the time after which the session counts as safe."""
        if not self.stood:
            self._standing.start()

    def keep(self, *, closed: bool = False) -> None:
        """Save the session; `closed` marks an orderly end."""
        self._due.stop()
        if closed:  # in order, so it has come up
            self._standing.stop()
            self._starts = 0
        file = self._documents.file
        state = WindowState(
            file=str(file.path or ""), stamp=file.stamp, title=file.title, closed=closed, starts=self._starts
        )
        place = self._place

        def written() -> str:  # runs after the session is written, and so finds its stamp
            return state.model_copy(update={"kept": atomic.stamp(place.session)}).model_dump_json()

        self._writer.write(place.session, self._documents.current.to_json)
        self._writer.write(place.state, written)

    def leave(self, document: Document) -> WindowSlot:
        """Save a replaced session that is in no file to a slot of its own, like that of a closed window."""
        place = self._place.beside()
        self._writer.write(place.session, document.to_json)
        self._writer.write(
            place.state, lambda: WindowState(kept=atomic.stamp(place.session), closed=True).model_dump_json()
        )
        return place

    def _note(self) -> None:
        # Later changes don't restart the timer: constant editing would never be saved.
        if not self._due.isActive():
            self._due.start()

    def _on_stood(self) -> None:
        self._starts = 0
        self.keep()
