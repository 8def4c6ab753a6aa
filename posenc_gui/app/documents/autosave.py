"""The keeper: the session at hand and its bookmarks are there again at the next start, also after the power went."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from posenc_gui.app.documents.document import Documents
from posenc_gui.app.state.background_writer import Writer
from posenc_gui.app.state.store import Store
from posenc_gui.app.state.window_slots import Place, State
from posenc_gui.foundation.files import atomic as files
from posenc_gui.session.bookmarks import Document

# Milliseconds.
_KEEP_AFTER = 500  # from the first change that is not kept; writing may take as long again
_STANDS = 1000  # after which the window has proved that its session doesn't bring it down


class Keeper(QObject):
    """Keeps each session in the window's place soon after it came."""

    def __init__(self, place: Place, writer: Writer, store: Store, documents: Documents) -> None:
        super().__init__(store)
        self._place, self._writer, self._documents = place, writer, documents
        self._starts = 1
        self._due = QTimer(self, singleShot=True, interval=_KEEP_AFTER)
        self._due.timeout.connect(self.keep)
        self._standing = QTimer(self, singleShot=True, interval=_STANDS)
        self._standing.timeout.connect(self._on_stood)
        store.changed.connect(self._note)
        documents.titled.connect(self._note)

    def begin(self, found: State) -> None:
        """Count one more start with the session that was found, before it can do any harm."""
        self._starts = found.starts + 1
        self._place.note(found.model_copy(update={"closed": False, "starts": self._starts}))

    @property
    def stood(self) -> bool:
        """Whether the window has come up and stood for a while, so that its session is no danger to the next start."""
        return self._starts == 0

    def came_up(self) -> None:
        """Everything is drawn."""
        if not self.stood:
            self._standing.start()

    def keep(self, *, closed: bool = False) -> None:
        """Keep the session; `closed`: as that of a window that ends as it should."""
        self._due.stop()
        if closed:  # and so it has come up
            self._standing.stop()
            self._starts = 0
        file, stamp = str(self._documents.path or ""), self._documents.stamp
        state = State(file=file, stamp=stamp, closed=closed, starts=self._starts)
        place = self._place

        def written() -> str:  # behind the session, and so of its stamp
            return state.model_copy(update={"kept": files.stamp(place.session)}).model_dump_json()

        self._writer.write(place.session, self._documents.at_hand.to_json)
        self._writer.write(place.state, written)

    def leave(self, document: Document) -> Place:
        """Keep what is in no file and whose place another session takes; like that of a closed window."""
        place = self._place.beside()
        self._writer.write(place.session, document.to_json)
        self._writer.write(place.state, lambda: State(kept=files.stamp(place.session), closed=True).model_dump_json())
        return place

    def _note(self) -> None:
        # What comes after it doesn't put it off: of a hand that never rests nothing would be kept.
        if not self._due.isActive():
            self._due.start()

    def _on_stood(self) -> None:
        self._starts = 0
        self.keep()
