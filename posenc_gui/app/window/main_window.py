"""The main window: its events, its public parts, and how it closes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication

from posenc_gui.app.documents.drop_target import DropWindow
from posenc_gui.app.state.background_writer import BackgroundWriter
from posenc_gui.app.state.preferences import Preferences
from posenc_gui.app.state.settings import Memory
from posenc_gui.app.state.worker import Worker
from posenc_gui.app.widgets.dialogs import QuestionDialog
from posenc_gui.app.window.skeleton import Skeleton
from posenc_gui.app.window.startup import Startup
from posenc_gui.foundation.theme import PADDING

if TYPE_CHECKING:  # heavy: imported only after the first paint
    from posenc_gui.app.docks.card import Card
    from posenc_gui.app.documents.document import Documents
    from posenc_gui.app.labs.controller import Labs
    from posenc_gui.app.panels.workbench import Workbench
    from posenc_gui.app.talk.presenter import Presenter
    from posenc_gui.app.window.notifications import Messages

_DISCARD, _SAVE = "Close without saving", "Save as …"
_DROP, _BACK = "Close without it", "Back to the step"
_SIZE = QSize(1280, 800)
_FRAME = QSize(20, 60)  # pixels that the desktop takes around a window, or a little more


class MainWindow(DropWindow):
    """The explorer's window. It paints a skeleton first; `startup` then makes and fills its parts."""

    ready = Signal()  # everything is imported and the first figure is being computed

    def __init__(self, memory: Memory, asked: Path | str | None = None) -> None:
        super().__init__()
        self._memory = memory
        self._ended = False
        self._worker, self._writer = Worker(self), BackgroundWriter(self)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        preferences, arrangement = Preferences(memory, app, self), memory.take_arrangement()
        first = arrangement is None and not asked and not memory.has_sessions
        self._startup = Startup(
            self, memory, preferences, self._worker, self._writer, arrangement, asked, first_start=first
        )
        self._startup.ready.connect(self.ready)
        self.setObjectName("window")
        self.setWindowTitle("Positional encodings")
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)  # Qt's own would hide the bar
        self.setContentsMargins(PADDING, 0, PADDING, 0)
        self.setCentralWidget(Skeleton(arrangement.at if arrangement else "explore", first_start=first))
        self.resize(_SIZE.boundedTo(QGuiApplication.primaryScreen().availableSize() - _FRAME))
        if arrangement:
            self.restoreGeometry(QByteArray(arrangement.qt_geometry))

    @property
    def cards(self) -> dict[str, Card]:
        """The cards by name; empty until they are made."""
        return self._startup.cards

    @property
    def messages(self) -> Messages:
        """The line that tells the user what happened. Raises AttributeError until it is made."""
        return self._startup.messages

    @property
    def workbench(self) -> Workbench | None:
        """The panels and plots around the session; None until everything is loaded."""
        return self._startup.loaded.workbench if self._startup.loaded else None

    @property
    def documents(self) -> Documents | None:
        """The session's file; None until everything is loaded."""
        return self._startup.loaded.documents if self._startup.loaded else None

    @property
    def presenter(self) -> Presenter | None:
        """Present, one figure on the whole screen; None until everything is loaded."""
        return self._startup.loaded.presenter if self._startup.loaded else None

    @property
    def labs(self) -> Labs | None:
        """The labs; None until everything is loaded."""
        return self._startup.loaded.labs if self._startup.loaded else None

    @property
    def busy(self) -> bool:
        """True while a file is being read, or the worker is computing or about to."""
        loaded = self._startup.loaded
        return self._worker.busy or bool(loaded and (loaded.reader.busy or not loaded.workbench.at_rest))

    def say(self, sentence: str) -> None:
        """Tell the user what went wrong, if the window already has a place for it."""
        if self._startup.is_made:
            self.messages.say(sentence)

    def paintEvent(self, event: QPaintEvent) -> None:
        """After the first paint, start making the window's parts."""
        super().paintEvent(event)
        self._startup.begin()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the cards to the window, and keep messages in their place."""
        super().resizeEvent(event)
        if self._startup.is_made:
            self._startup.navigation.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back by an Escape that nothing else has used: from a maximised plot, or from an answer to its question."""
        escaped = event.key() == Qt.Key.Key_Escape and self._startup.is_made
        if not (escaped and self._startup.navigation.go_back()):
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Move the focus in reading order; not at all while the window starts or ends."""
        if self._ended or not self._startup.is_made:
            return False
        return self._startup.navigation.step_control(forward) or super().focusNextPrevChild(forward)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save the arrangement and the session, and end the worker; ask first if the session can't be saved automatically."""
        if not self._ended and not self._may_end():
            event.ignore()
            return
        self.end()
        super().closeEvent(event)

    def keep(self) -> None:
        """Save session and lab as if the window were closed now, since the desktop's session may end it without a word."""
        parts = self._startup
        if parts.loaded and parts.keeper:
            self._take_typed()
            parts.loaded.labs.keep()
            parts.keeper.keep(closed=True)
            self._writer.finish()

    def end(self) -> None:
        """Save everything, and end all that runs."""
        if self._ended:
            return
        parts = self._startup
        if parts.loaded:
            self._take_typed()
        self._ended = True
        parts.stop()
        if parts.loaded:
            parts.loaded.presenter.end()
        if parts.is_made:
            parts.navigation.end()
            parts.arranger.keep()
        elif parts.arrangement:
            self._memory.keep_arrangement(parts.arrangement)
        for one in (self, *(card for card in self.cards.values() if card.isFloating())):
            one.hide()  # ending the worker may take a second
        self.keep()
        if parts.loaded:
            parts.loaded.reader.drop()  # first: the worker may wait for the model that is being read
            parts.loaded.weights_hash.close()
        self._worker.close()
        if parts.loaded:
            parts.loaded.presenter.close_worker()
            parts.loaded.bookmark_commands.close_worker()
            parts.loaded.first_start.close_worker()
            parts.loaded.labs.close()
            parts.loaded.workbench.exporter.close()
        if parts.place:
            parts.place.lock.release()

    def _take_typed(self) -> None:
        """Take over what is being typed and was not waited for."""
        from posenc_gui.app.widgets.forms.editors import Typed

        QGuiApplication.inputMethod().commit()
        for editor in self.findChildren(Typed):
            editor.finish()

    def _may_end(self) -> bool:
        """Return True if the session and a lab's step are saved, or the user agrees to lose them."""
        loaded = self._startup.loaded
        return loaded is None or (self._may_leave_session(loaded.documents) and self._may_leave_step(loaded.labs))

    def _may_leave_step(self, labs: Labs) -> bool:
        if not labs.has_unwritten_step:
            return True
        told = "The step of a lab that you are making is in no file yet."
        if QuestionDialog("Step not written", told, (_DROP, _BACK), self).ask() == _DROP:
            return True
        labs.ask_for_step()
        return False

    def _may_leave_session(self, documents: Documents) -> bool:
        """Return True if the session is saved, automatically or in a file, or the user agrees to lose it."""
        if self._startup.status.is_kept or documents.is_safe:
            return True
        told = "The session can't be saved automatically. Save it to a file before closing?"
        asked = QuestionDialog("Session not saved", told, ("Go on", _DISCARD, _SAVE), self).ask()
        return documents.ask_and_save() if asked == _SAVE else asked == _DISCARD
