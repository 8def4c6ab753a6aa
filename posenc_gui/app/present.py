"""Present: one figure on the whole screen, readable from the last row, and bookmarks that are stepped through."""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QColor, QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGraphicsProxyWidget,
    QGraphicsScene,
    QGraphicsSceneMouseEvent,
    QGraphicsView,
    QHBoxLayout,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.app.bookmarks import Bookmarks, bookmark_of
from posenc_gui.app.controls import plain, tool
from posenc_gui.app.panels.player import Player, moved_on, played, rested
from posenc_gui.app.pointing import chosen
from posenc_gui.app.store import Store
from posenc_gui.app.worker import Worker
from posenc_gui.attention.engine import Engine
from posenc_gui.bookmarks import Bookmark
from posenc_gui.errors import unforeseen
from posenc_gui.evaluate import Drawn, evaluate
from posenc_gui.figure import Figure, Pointer, said
from posenc_gui.letters import cut
from posenc_gui.look import Roles
from posenc_gui.render.screen import FigureView
from posenc_gui.scene import Split
from posenc_gui.session import Session

_HEIGHT, _LEAST_WIDTH = 450, 600  # pixels of a page, which is then magnified to the screen
_MARGIN, _GAP = 28, 8
_MOST_LINES = 3  # of the headline, and of the note: the figure needs the room
_LONGEST = 600  # code points that three lines could have
_LONGEST_NAME = 100  # code points of a bookmark's
_MARK = QSize(20, 4)
_MARKS_WIDTH = 220  # of all marks together, at most
_CONTROLS_FOR = 2500  # milliseconds after the mouse rested
_PATIENT_FOR = 250  # milliseconds of computing before it is said
_TOY = "toy model, seeded weights"

_FORWARD = (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_PageDown, Qt.Key.Key_Space)
_BACK = (Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_PageUp, Qt.Key.Key_Backspace)

_log = logging.getLogger(__name__)


def draw(session: Session, plot: str, engine: Engine, check_stop: Callable[[], None]) -> Iterator[Split | Drawn]:
    """The worker's job: the tokens of a session, and one figure."""
    yield session.split(check_stop)
    yield from evaluate(session, (plot,), replace(engine, check_stop=check_stop))


class Presenter(QGraphicsView):
    """A page over the whole screen that the window is on, magnified as a whole, so that every size of type grows with it.

    It has a store, a worker and a page of its own: the window, its history and its session wait behind it as they are, and
    are there again when it ends. Without bookmarks it shows the session at hand, and what was changed on the way stays, as
    one step of undo. With bookmarks it shows those; what is changed of one is gone with the next, unless it is bookmarked.
    """

    def __init__(
        self, store: Store, bookmarks: Bookmarks, front: Callable[[], tuple[str, Figure | None]], device: Callable[[], str],
        theme: Roles, window: QWidget,
    ) -> None:  # fmt: skip
        super().__init__(window)
        self.setWindowFlag(Qt.WindowType.Window)
        self.setWindowTitle("Present")
        self.setAccessibleName("Present")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._session, self._bookmarks, self._front, self._device = store, bookmarks, front, device
        self._window = window
        self._store = Store(store.session, self)
        self._worker = Worker(self)
        self._engine = Engine()
        self._at: int | None = None  # the bookmark that is shown; None without bookmarks
        self._plot = ""
        self._n_tokens = 0
        self._page = _Page(theme)
        self._page.setStyleSheet(window.styleSheet())  # which doesn't reach through the scene
        self._controls = _Controls(self._page)
        scene = QGraphicsScene(self)
        self._proxy = _Magnified()
        self._proxy.setWidget(self._page)
        scene.addItem(self._proxy)
        self.setScene(scene)
        self.viewport().setMouseTracking(True)
        self._resting = QTimer(self, singleShot=True, interval=_CONTROLS_FOR)
        self._resting.timeout.connect(self._on_rest)
        self._overdue = QTimer(self, singleShot=True, interval=_PATIENT_FOR)
        self._overdue.timeout.connect(lambda: self._page.show_busy(True))
        self._store.changed.connect(self._request)
        self._worker.brought.connect(self._on_brought)
        self._worker.failed.connect(self._on_failed)
        self._page.figure.pointed.connect(lambda pointer, _words: self._page.figure.show_pointer(pointer))
        self._page.figure.clicked.connect(self._on_clicked)
        self._page.marks.chosen.connect(self.go)
        self._controls.back.clicked.connect(partial(self._step, -1))
        self._controls.forward.clicked.connect(partial(self._step, 1))
        self._controls.note.clicked.connect(self._page.turn_note)
        self._controls.bookmark.clicked.connect(self.bookmark)
        self._controls.end.clicked.connect(self.end)

    def begin(self, at: int | None = None) -> None:
        """Show the bookmark at this place, or that of the session at hand, or the first; without any, the session at hand."""
        self._engine = Engine(self._device())  # whose memory goes with it
        self._page.show_note(True)
        sessions = [bookmark.session for bookmark in self._bookmarks.all]
        if sessions:
            here = self._session.session
            self.go(at if at is not None else sessions.index(here) if here in sessions else 0)
        else:
            self._at = None
            plot, _ = self._front()
            self._show(self._session.session, plot)
        self.setGeometry(self._window.screen().geometry())
        self.showFullScreen()
        self.raise_()
        self.activateWindow()
        self.setFocus()

    def end(self) -> None:
        """Give the window back."""
        if not self.isVisible():
            return
        self.hide()
        self._controls.pause()
        self._worker.stop()
        self._engine = Engine()
        if self._at is None:
            self._session.replace(self._store.session, named="Changed while presenting")
        self._window.activateWindow()

    def close_worker(self) -> None:
        """End what runs, before the window goes."""
        self._worker.close()

    def go(self, at: int) -> None:
        """Show the bookmark at this place."""
        bookmark = self._bookmarks.all[at]
        self._at = at
        self._show(bookmark.session, bookmark.plot or self._front()[0])

    def bookmark(self) -> None:
        """Put a bookmark of what is shown behind the one that is shown."""
        at = 0 if self._at is None else self._at + 1
        made = bookmark_of(self._store.session, self._plot, self._page.figure.figure(), self._store.undo_name)
        if why := self._bookmarks.insert(at, made):
            self._page.say(f"No bookmark added: {why}")
        else:
            self.go(at)
            self._page.say("Bookmark added")

    def set_theme(self, theme: Roles) -> None:
        """Draw in another theme, or in another size of type."""
        self._page.setStyleSheet(self._window.styleSheet())
        self._page.set_theme(theme)

    @property
    def busy(self) -> bool:
        """Whether a figure is being computed."""
        return self._worker.busy

    @property
    def at(self) -> int | None:
        """Which bookmark is shown; None without bookmarks."""
        return self._at

    def figure(self) -> FigureView:
        """The figure."""
        return self._page.figure

    def words(self) -> str:
        """All that is read on the page besides the figure."""
        return self._page.words()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """What has the keyboard in the page takes its keys first; the others step, bookmark and end."""
        if event.key() == Qt.Key.Key_Escape and self._takes_keyboard_back():
            return
        QApplication.sendEvent(self.scene(), event)  # not to the view, which would scroll
        if event.isAccepted():
            return
        event.accept()
        last, shifted = len(self._bookmarks.all) - 1, event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        match Qt.Key(event.key()):
            case Qt.Key.Key_Escape | Qt.Key.Key_F11:
                self.end()
            case key if key in _FORWARD:
                self._step(-1 if key == Qt.Key.Key_Space and shifted else 1)
            case key if key in _BACK:
                self._step(-1)
            case Qt.Key.Key_Home | Qt.Key.Key_End as key if last >= 0:
                self.go(0 if key == Qt.Key.Key_Home else last)
            case Qt.Key.Key_N:
                self._page.turn_note()
            case Qt.Key.Key_B:
                self.bookmark()
            case Qt.Key.Key_D if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self.bookmark()
            case _ if event.matches(QKeySequence.StandardKey.Undo):
                self._store.undo()
            case _ if event.matches(QKeySequence.StandardKey.Redo):
                self._store.redo()
            case _:
                event.ignore()

    def event(self, event: QEvent) -> bool:
        """Tab shows the controls, among which it goes."""
        if isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            self._show_controls()
        return super().event(event)

    def focusNextPrevChild(self, _forward: bool) -> bool:  # noqa: N802
        """Behind the last one Tab begins anew."""
        self._takes_keyboard_back()
        return True

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """The mouse shows the controls."""
        super().mouseMoveEvent(event)
        self._show_controls()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """After a click on the figure keys step on: the next one may be a presenter's, at the other end of the room."""
        super().mouseReleaseEvent(event)
        if self._page.figure.hasFocus():
            self._takes_keyboard_back()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Magnify the page to the screen."""
        super().resizeEvent(event)
        scale = max(0.1, min(self.height() / _HEIGHT, self.width() / _LEAST_WIDTH))
        room = QRectF(0, 0, self.width() / scale, self.height() / scale)
        self._proxy.setGeometry(room)
        self.setSceneRect(room)
        self.resetTransform()
        self.scale(scale, scale)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Closed by the desktop, it ends, too."""
        self.end()
        super().closeEvent(event)

    def _step(self, by: int) -> None:
        if self._at is not None:
            self.go(max(0, min(len(self._bookmarks.all) - 1, self._at + by)))

    def _show(self, session: Session, plot: str) -> None:
        self._plot = plot
        self._store.begin(session)
        self._controls.play(played(plot), self._play, self._rest)
        shown = None if self._at is None else self._bookmarks.all[self._at]
        self._page.show_place(shown, self._at, len(self._bookmarks.all))
        self._controls.show_place(self._at is not None)
        self._request()

    def _request(self, *_: object) -> None:
        self._overdue.start()
        self._worker.submit(partial(draw, self._store.session, self._plot, self._engine))

    def _on_brought(self, thing: object) -> None:
        match thing:
            case Split(tokens=tokens):
                self._n_tokens = len(tokens)
            case Drawn(session, name, figure) if name == self._plot:
                self._page.show_figure(figure)
                if session == self._store.session:
                    self._overdue.stop()
                    self._page.show_busy(False)
                self.setAccessibleName(f"Present: {figure.title}")
                self.setAccessibleDescription(self.words())

    def _on_failed(self, error: Exception) -> None:
        _log.error("a figure to be presented failed", exc_info=error)
        self._overdue.stop()
        self._page.show_busy(False)
        self._page.say(f"This could not be computed: {unforeseen(error)}")

    def _on_clicked(self, pointer: Pointer) -> None:
        if fields := chosen(pointer, self._n_tokens):
            self._store.propose(**fields)

    def _play(self, name: str, step: float) -> None:
        session = self._store.session
        options = moved_on(session, self._plot, name, self._n_tokens, step)
        self._store.propose(plots=session.plots.model_copy(update={self._plot: options}))

    def _rest(self, name: str, playing: bool) -> None:
        if not playing:
            session = self._store.session
            options = rested(session, self._plot, name)
            self._store.propose(plots=session.plots.model_copy(update={self._plot: options}))

    def _show_controls(self) -> None:
        self._controls.appear()
        self._resting.start()

    def _on_rest(self) -> None:
        if not self._controls.hide_at_rest():
            self._resting.start()

    def _takes_keyboard_back(self) -> bool:
        """Let keys step on; whether something in the page had the keyboard."""
        inside = self._page.focusWidget()
        if self.scene().focusItem() is None or inside is None:
            return False
        inside.clearFocus()
        self.scene().setFocusItem(None)  # type: ignore[arg-type]  # which its stub doesn't know, Qt does
        self.setFocus()
        return True


class _Magnified(QGraphicsProxyWidget):
    """The page in the view. A figure leaves presses to whoever comes after them: here that would be nobody."""

    def mousePressEvent(self, event: QGraphicsSceneMouseEvent) -> None:  # noqa: N802
        """Take moves and the release, too."""
        super().mousePressEvent(event)
        event.accept()


class _Page(QWidget):
    """What is magnified: the headline, the figure, and below a line the bookmark's name and note and where it stands."""

    def __init__(self, theme: Roles) -> None:
        super().__init__()
        self.setObjectName("present")
        self.figure = FigureView(theme)
        self.marks = _Marks(theme)
        self._headline, self._name, self._note = _Lines("headline"), plain("", "cardTitle"), _Lines("muted")
        self._where = plain("", "muted", wraps=False)
        self._where.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._toy = self._place = self._told = self._busy = ""
        self._shows_note = True
        self._line = QFrame()
        self._line.setFixedHeight(1)
        words, place = QVBoxLayout(), QVBoxLayout()
        words.setSpacing(2)
        place.setSpacing(4)
        words.addWidget(self._name)
        words.addWidget(self._note)
        words.addStretch(1)
        place.addWidget(self.marks, 0, Qt.AlignmentFlag.AlignRight)
        place.addWidget(self._where)
        place.addStretch(1)
        below = QHBoxLayout()
        below.setSpacing(2 * _GAP)
        below.addLayout(words, 1)
        below.addLayout(place)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN, 18, _MARGIN, 14)
        column.setSpacing(_GAP)
        column.addWidget(self._headline)
        column.addWidget(self.figure, 1)
        column.addWidget(self._line)
        column.addLayout(below)
        self.set_theme(theme)

    def set_theme(self, theme: Roles) -> None:
        """Draw in another theme."""
        palette = self.palette()
        palette.setColor(self.backgroundRole(), QColor(theme.window))
        self.setPalette(palette)
        line = self._line.palette()
        line.setColor(self._line.backgroundRole(), QColor(theme.line))
        self._line.setPalette(line)
        self._line.setAutoFillBackground(True)
        self.figure.set_colours(replace(theme, card=theme.window))
        self.marks.set_theme(theme)

    def show_figure(self, figure: Figure) -> None:
        """Show a figure, with its headline."""
        self.figure.show_figure(figure)
        self._headline.show_words(said(figure.headline) or figure.title)
        self._toy = _TOY if figure.caption.startswith(_TOY) else ""
        self._tell()

    def show_place(self, bookmark: Bookmark | None, at: int | None, count: int) -> None:
        """Show the name and note of a bookmark, and which it is of how many."""
        self._name.setText(cut(bookmark.name, _LONGEST_NAME) if bookmark else "")
        self._name.setVisible(bool(self._name.text()))
        self._note.show_words(bookmark.note if bookmark else "")
        self._place = "" if at is None else f"{at + 1} of {count}"
        self.marks.show_place(at, count)
        self.show_note(self._shows_note)
        self.say("")

    def turn_note(self) -> None:
        """Hide the note, or show it."""
        self.show_note(not self._shows_note)

    def show_note(self, shown: bool) -> None:
        """Show the note, where there is one, or hide it."""
        self._shows_note = shown
        self._note.setVisible(shown and bool(self._note.words))

    def say(self, words: str) -> None:
        """Say what was done, or why not, until the next bookmark."""
        self._told = words
        self._tell()

    def show_busy(self, busy: bool) -> None:
        """Say that the picture is an older one, since another is being computed, or that it no longer is."""
        self._busy = "Computing …" if busy else ""
        self._tell()

    def _tell(self) -> None:
        self._where.setText(" · ".join(filter(None, (self._busy or self._told or self._toy, self._place))))

    def words(self) -> str:
        """What stands on it besides the figure, line by line."""
        labels = (self._headline, self._name, self._note, self._where)
        return "\n".join(label.text() for label in labels if label.text() and not label.isHidden())


class _Lines(QWidget):
    """Words in a few lines, as many of them as have room."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.words = ""
        self._label = plain("", name)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._label)

    def show_words(self, words: str) -> None:
        """Show these."""
        self.words = words[:_LONGEST]
        self._fit()

    def text(self) -> str:
        """What is shown of them."""
        return self._label.text()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """More of them may have room now."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        pieces = self.words.split(" ")

        def shown(count: int) -> str:
            return self.words if count == len(pieces) else f"{' '.join(pieces[:count])} …"

        def fits(count: int) -> bool:
            metrics, room = self._label.fontMetrics(), QRect(0, 0, max(1, self.width()), 10**6)
            height = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, shown(count)).height()
            return height <= _MOST_LINES * metrics.lineSpacing()

        self._label.ensurePolished()
        fitting = bisect_right(range(1, len(pieces) + 1), False, key=lambda count: not fits(count))
        self._label.setText(shown(max(1, fitting)))


class _Marks(QWidget):
    """A small mark for each bookmark; a click goes there."""

    chosen = Signal(int)

    def __init__(self, theme: Roles) -> None:
        super().__init__()
        self._at, self._count = 0, 0
        self._theme = theme
        self.setFixedHeight(3 * _MARK.height())
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_theme(self, theme: Roles) -> None:
        """Draw in another theme."""
        self._theme = theme
        self.update()

    def show_place(self, at: int | None, count: int) -> None:
        """Mark the bookmark that is shown, and those before it."""
        self._at, self._count = at or 0, count if at is not None else 0
        self.setFixedWidth(round(self._pitch * self._count))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Those before it in ink, it in the colour of the focus, the others muted."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        gap = min(4.0, self._pitch / 4)
        for at in range(self._count):
            theme = self._theme
            colour = QColor(theme.focus if at == self._at else theme.ink if at < self._at else theme.muted)
            colour.setAlphaF(1.0 if at <= self._at else 0.5)
            painter.setBrush(colour)
            box = QRectF(at * self._pitch + gap, _MARK.height(), self._pitch - gap, _MARK.height())
            painter.drawRoundedRect(box, 2, 2)
        painter.end()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Go to the bookmark whose mark it is."""
        at = int(event.position().x() // self._pitch)
        if 0 <= at < self._count:
            self.chosen.emit(at)

    @property
    def _pitch(self) -> float:
        return min(float(_MARK.width()) + 4, _MARKS_WIDTH / max(1, self._count))


class _Controls(QFrame):
    """What can be done by the mouse, over the page as long as the mouse moves or the keyboard is there."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._page = page
        self.setObjectName("card")
        self.back, self.forward = _control("Back", "←"), _control("Next", "→")
        self.note, self.bookmark = _control("Note", "N"), _control("Bookmark", "B")
        self.end = _control("End", "Escape")
        self._players: list[Player] = []
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(4, 2, 4, 2)
        self._line.setSpacing(2)
        for button in (self.back, self.forward, self.note, self.bookmark, self.end):
            self._line.addWidget(button)
        self.hide()

    def show_place(self, has_bookmarks: bool) -> None:
        """Step only where there is something to step through."""
        for button in (self.back, self.forward, self.note):
            button.setVisible(has_bookmarks)

    def play(self, names: list[str], move: Callable[[str, float], None], rest: Callable[[str, bool], None]) -> None:
        """Offer to play these options of the plot; `rest` hears whether one of them plays now."""
        self.pause()
        for player in self._players:
            for part in (player, player.speed):
                part.hide()
                part.deleteLater()
        self._players = [Player(partial(move, name), "position") for name in names]
        for name, player in zip(names, self._players, strict=True):
            player.clicked.connect(lambda playing, name=name: rest(name, playing))
            self._line.insertWidget(2, player.speed)
            self._line.insertWidget(2, player)

    def pause(self) -> None:
        """Play no further."""
        for player in self._players:
            player.setChecked(False)

    def appear(self) -> None:
        """Stand over the page's lower edge, in the middle."""
        self.show()
        self.adjustSize()
        self.move((self._page.width() - self.width()) // 2, self._page.height() - self.height() - 4)
        self.raise_()

    def hide_at_rest(self) -> bool:
        """Hide, unless the mouse or the keyboard is there; whether it did."""
        now = self._page.focusWidget()
        used = self.underMouse() or (now is not None and now.hasFocus() and self.isAncestorOf(now))
        if not used:
            self.hide()
        return not used


def _control(text: str, key: str) -> QToolButton:
    return tool(text, hint=f"{text} ({key})", name="muted")
