"""The main window: its events, its public parts, the skeleton that it paints first, and how it closes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QChildEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QSizePolicy, QWidget

from posenc_gui.app.state.settings import ArrangementName, Memory, Preferences
from posenc_gui.app.state.worker import BackgroundWriter, Worker
from posenc_gui.app.widgets.dialogs import QuestionDialog
from posenc_gui.app.widgets.style_sheet import dress, is_part, scaled
from posenc_gui.app.window.startup import Startup
from posenc_gui.foundation.theme import BAR, CARD_CORNER, FIELD, GAP, PADDING
from posenc_gui.foundation.wording import quote

if TYPE_CHECKING:  # heavy: imported only after the first paint
    from posenc_gui.app.documents.document import Documents
    from posenc_gui.app.labs.controller import Labs
    from posenc_gui.app.panels.workbench import Workbench
    from posenc_gui.app.talk.presenter import Presenter
    from posenc_gui.app.window.kept_pictures import InSight
    from posenc_gui.app.window.notifications import Messages

_DISCARD, _SAVE = "Close without saving", "Save as …"
_DROP, _BACK = "Close without it", "Back to the step"
_SIZE = QSize(1280, 800)
_FRAME = QSize(20, 60)  # pixels that the desktop takes around a window, or a little more
_WELL = 330  # width in pixels of the buttons for the arrangements
_COLUMN, _LAB = 316, 400  # width in pixels of the column, which has no box, and of a lab's
_MAP, _MAPS = 0.6, 0.53  # share of the cards' height that a map has, and that two compared maps have
_BESIDE = 0.73, 0.27  # shares of the width that the map and the waves beside it have
_OF_LABS = "Labs ▸ Folder of labs lists the labs in a folder."


class MainWindow(QMainWindow):
    """The explorer's window. It paints a skeleton first; `startup` then makes and fills its parts."""

    ready = Signal()  # everything is imported and the first figure is being computed
    dropped = Signal(object, str)  # Path: the first of several; a sentence on the others, or nothing
    left_out = Signal(str)  # a sentence: there is no file
    pasted = Signal()  # by a key that no field has used

    def __init__(self, memory: Memory, asked: Path | str | None = None) -> None:
        super().__init__()
        self.setAcceptDrops(False)  # until the parts are made; Qt's main windows do from the start
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
        self.cards = self._startup.cards  # by name; empty until they are made
        self.setObjectName("window")
        self.setWindowTitle("Positional encodings")
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)  # Qt's own would hide the bar
        self.setContentsMargins(PADDING, 0, PADDING, 0)
        self.setCentralWidget(Skeleton(arrangement.at if arrangement else "explore"))
        self.resize(_SIZE.boundedTo(QGuiApplication.primaryScreen().availableSize() - _FRAME))
        if arrangement:
            self.restoreGeometry(QByteArray(arrangement.qt_geometry))

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

    def childEvent(self, event: QChildEvent) -> None:
        """Dress a part before it is first shown; docks, most of which are hidden, do so themselves."""
        super().childEvent(event)
        if event.polished() and is_part(part := event.child()) and not isinstance(part, QDockWidget):
            dress(part)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the cards to the window, and keep messages in their place."""
        super().resizeEvent(event)
        if self._startup.is_made:
            self._startup.navigation.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back by an Escape that nothing else has used: from a maximised plot, or from an answer to its question. Pass on
        that something was pasted where no field has taken it."""
        if event.matches(QKeySequence.StandardKey.Paste):
            self.pasted.emit()
            return
        escaped = event.key() == Qt.Key.Key_Escape and self._startup.is_made
        if not (escaped and self._startup.navigation.go_back()):
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Move the focus in reading order; not at all while the window starts or ends."""
        if self._ended or not self._startup.is_made:
            return False
        return self._startup.navigation.step_control(forward) or super().focusNextPrevChild(forward)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept anything with addresses: the drop says what can't be opened."""
        if self.acceptDrops() and event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Emit the first file, or the first folder if all are, with a sentence on what is left out, or that sentence alone."""
        places = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        found = [place for place in places if not place.is_dir()] or places
        if found:
            self.dropped.emit(found[0], _left_out(found))
        else:
            self.left_out.emit(
                "Not opened: this is not a file on this machine, and the explorer downloads nothing. Save it first."
            )

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save the arrangement and the session, and end the worker; ask first if the session can't be saved automatically."""
        if not self._ended and not self._may_end():
            event.ignore()
            return
        self.end()
        super().closeEvent(event)

    def keep(self) -> None:
        """Save session and lab as if the window were closed now, since the desktop's session may end it without a word."""
        if self._startup.loaded:
            self._take_typed()
        sight = self._startup.sight
        self._keep_session()
        self._keep_pictures(sight)

    def _keep_session(self) -> None:
        filling = self._startup.filling
        if filling and filling.loaded and filling.keeper:
            filling.loaded.labs.keep()
            filling.keeper.keep(closed=True)
        self._writer.finish()

    def _keep_pictures(self, sight: InSight | None) -> None:
        """Keep what is in sight, or else what was taken at the start, which is used if the session is still the same."""
        if kept := self._startup.kept:
            kept.keep(sight) if sight else kept.put_back()
        self._writer.finish()

    def end(self) -> None:
        """Save everything, and end all that runs."""
        if self._ended:
            return
        parts = self._startup
        if parts.loaded:
            self._take_typed()
        self._ended = True
        sight = parts.sight
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
        self._keep_session()
        if parts.loaded:
            parts.loaded.reader.drop()  # first: the worker may wait for the model that is being read
            parts.loaded.weights_hash.close()
        for worker in self.findChildren(Worker):
            worker.close()
        self._keep_pictures(sight)  # last: the worker may have been taking those of the last window
        if parts.loaded:
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
            labs.drop_step()
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


class Skeleton(QWidget):
    """Paints an arrangement in the theme's colours, and waits."""

    def __init__(self, name: ArrangementName) -> None:
        super().__init__()
        self._column = _LAB if name == "lab" else _COLUMN
        self._map = _MAPS if name == "compare" else _MAP
        self._rows: tuple[tuple[float, ...], ...] = ((1.0,), (0.5, 0.5)) if name == "compare" else (_BESIDE, (1.0,))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint boxes without text, which nobody could read in less than a second."""
        painter, palette = QPainter(self), self.palette()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room, bar, well = QRectF(self.rect()), scaled(BAR), scaled(_WELL)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(palette.mid())
        place = QRectF((room.width() - well) / 2, (bar - scaled(FIELD)) / 2, well, scaled(FIELD))
        painter.drawRoundedRect(place, CARD_CORNER, CARD_CORNER)
        painter.setPen(QPen(palette.mid(), 1))
        painter.setBrush(palette.light())
        cards = room.adjusted(scaled(self._column) + GAP, 2 * bar, -0.5, -scaled(FIELD))
        top, high = cards.top(), cards.height()
        for shares, height in zip(self._rows, (self._map * high, (1 - self._map) * high - GAP), strict=True):
            left, wide = cards.left(), cards.width() - GAP * (len(shares) - 1)
            for share in shares:
                painter.drawRoundedRect(QRectF(left, top, share * wide, height), CARD_CORNER, CARD_CORNER)
                left += share * wide + GAP
            top += height + GAP


def _left_out(found: list[Path]) -> str:
    """Return a sentence on what is not opened; empty if all is."""
    if len(found) == 1:
        return "" if not found[0].is_dir() or (found[0] / "config.json").exists() else _OF_LABS
    from posenc_gui.foundation.unicode_text import shorten_middle  # not needed for the first paint

    of = "folders" if found[0].is_dir() else "files"
    return f"Of {len(found)} {of} only the first was taken, {quote(shorten_middle(found[0].name))}."
