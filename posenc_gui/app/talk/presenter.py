"""Present: one figure on the whole screen, readable from the last row, and stepping through bookmarks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QEvent, QRectF, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QKeyEvent, QKeySequence, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGraphicsProxyWidget,
    QGraphicsScene,
    QGraphicsSceneMouseEvent,
    QGraphicsView,
    QWidget,
)

from posenc_gui.app.state.click_target import chosen
from posenc_gui.app.state.playing import advance, playable_fields, settle
from posenc_gui.app.state.store import Store
from posenc_gui.app.state.worker import Worker
from posenc_gui.app.talk.bookmarks_window import Bookmarks, bookmark_of
from posenc_gui.app.talk.curtain import Curtain
from posenc_gui.app.talk.presenter_page import Controls, PresenterPage
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.view import EVERYTHING, View
from posenc_gui.foundation.errors import describe_internal_error
from posenc_gui.render.screen import FigureView
from posenc_gui.scene import comparison
from posenc_gui.scene.scene import Split, Splitting
from posenc_gui.session.evaluate import Drawn, evaluate
from posenc_gui.session.session import Session

_HEIGHT, _LEAST_WIDTH = 450, 600  # pixels of a page, which is then magnified to the screen
_CONTROLS_FOR = 2500  # milliseconds without a mouse move until the controls hide
_PATIENT_FOR = 250  # milliseconds of computing before “Computing …” is shown

_FORWARD = (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_PageDown, Qt.Key.Key_Space)
_BACK = (Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_PageUp, Qt.Key.Key_Backspace)

_log = logging.getLogger(__name__)


def draw(
    session: Session, plot: str, view: View, engine: Engine, check_stop: Callable[[], None]
) -> Iterator[Split | Drawn]:
    """Yield a session's tokens, then the plot of what is in view. Runs on the worker's thread."""
    yield session.split(check_stop)
    yield from evaluate(session, (plot,), replace(engine, check_stop=check_stop), {plot: view})


class Presenter(QGraphicsView):
    """A page that fills the window's screen, magnified as a whole, so that all text grows with it.

    It has its own store, worker and page; the window keeps its session and history meanwhile. Without bookmarks it shows
    the current session, and changes made here stay as one undo step. With bookmarks it shows those; changes to one are
    lost at the next, unless they are bookmarked.
    """

    def __init__(
        self, store: Store, bookmarks: Bookmarks, front: Callable[[], tuple[str, Figure | None]], device: Callable[[], str],
        window: QWidget,
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
        self._asked = EVERYTHING  # the view requested of a plot and a text:
        self._asked_of: tuple[str, Splitting] | None = None
        self._shown_of: tuple[str, Splitting] | None = None
        self._page = PresenterPage()
        self._page.setStyleSheet(window.styleSheet())  # style sheets don't reach into a graphics scene
        self._controls = Controls(self._page)
        self._curtain = Curtain(self)
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
        THEME.changed.connect(self._restyle)
        self._store.changed.connect(self._request)
        self._worker.brought.connect(self._on_brought)
        self._worker.failed.connect(self._on_failed)
        self._page.figure.pointed.connect(lambda pointer, _words: self._page.figure.show_pointer(pointer))
        self._page.figure.clicked.connect(self._on_clicked)
        self._page.figure.looked_at.connect(self._on_looked_at)
        self._page.marks.chosen.connect(self.go)
        self._controls.back.clicked.connect(partial(self._step, -1))
        self._controls.forward.clicked.connect(partial(self._step, 1))
        self._controls.note.clicked.connect(self._page.turn_note)
        self._controls.bookmark.clicked.connect(self.bookmark)
        self._controls.end.clicked.connect(self.end)

    def begin(self, at: int | None = None) -> None:
        """Show the bookmark at this index, or the first; without any, the current session."""
        self._engine = Engine(self._device())  # a new one, so that its cache is freed at the end
        self._page.show_note(True)
        if self._bookmarks.all:
            self.go(at or 0)
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
        """Hide Present, stop computing, and return to the window; without bookmarks, it takes over the changed session."""
        if not self.isVisible():
            return
        self.hide()
        self._controls.pause()
        self._curtain.hide()
        self._worker.stop()
        self._engine = Engine()
        if self._at is None:
            self._session.replace(self._store.session, named="Changed while presenting")
        self._window.activateWindow()

    def close_worker(self) -> None:
        """End the worker, before the window is closed."""
        self._worker.close()

    def go(self, at: int) -> None:
        """Show the bookmark at this index."""
        bookmark = self._bookmarks.all[at]
        self._at = at
        self._show(bookmark.session, bookmark.plot or self._front()[0])

    def bookmark(self) -> None:
        """Insert a bookmark of what is shown after the current one, and go to it; report why if it can't be added."""
        at = 0 if self._at is None else self._at + 1
        made = bookmark_of(self._store.session, self._plot, self._page.figure.figure())
        if why := self._bookmarks.insert(at, made):
            self._page.say(f"No bookmark added: {why}")
        else:
            self.go(at)
            self._page.say("Bookmark added")

    def _restyle(self) -> None:
        self._page.setStyleSheet(self._window.styleSheet())
        self._page.restyle()

    @property
    def busy(self) -> bool:
        """True while a figure is being computed."""
        return self._worker.busy

    @property
    def at(self) -> int | None:
        """The index of the bookmark shown; None without bookmarks."""
        return self._at

    def figure(self) -> FigureView:
        """Return the widget that shows the figure."""
        return self._page.figure

    def words(self) -> str:
        """Return the text on the page besides the figure."""
        return self._page.words()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the curtain away; else let the focused widget take its keys first. Others step, draw the curtain, add a
        bookmark, undo, or end Present.
        """
        if self._curtain.isVisible():
            self._curtain.hide()
            return
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
            case Qt.Key.Key_B | Qt.Key.Key_Period:
                self._curtain.blank("black")
            case Qt.Key.Key_W:
                self._curtain.blank("white")
            case Qt.Key.Key_Question:
                self._curtain.show_keys()
            case Qt.Key.Key_D if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self.bookmark()
            case _ if event.matches(QKeySequence.StandardKey.Undo):
                self._store.undo()
            case _ if event.matches(QKeySequence.StandardKey.Redo):
                self._store.redo()
            case _:
                event.ignore()

    def event(self, event: QEvent) -> bool:
        """Show the controls on Tab, which moves among them."""
        if isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            self._show_controls()
        return super().event(event)

    def focusNextPrevChild(self, _forward: bool) -> bool:
        """Take the focus back after the last control, so that the next Tab begins with the first."""
        self._takes_keyboard_back()
        return True

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show the controls while the mouse moves."""
        super().mouseMoveEvent(event)
        self._show_controls()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Take the focus back after a click on the figure: the next key may come from a remote control, to step on."""
        super().mouseReleaseEvent(event)
        if self._page.figure.hasFocus():
            self._takes_keyboard_back()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Magnify the page to the screen."""
        super().resizeEvent(event)
        self._curtain.resize(self.size())
        scale = max(0.1, min(self.height() / _HEIGHT, self.width() / _LEAST_WIDTH))
        room = QRectF(0, 0, self.width() / scale, self.height() / scale)
        self._proxy.setGeometry(room)
        self.setSceneRect(room)
        self.resetTransform()
        self.scale(scale, scale)

    def closeEvent(self, event: QCloseEvent) -> None:
        """End Present also if the desktop closes it."""
        self.end()
        super().closeEvent(event)

    def _step(self, by: int) -> None:
        if self._at is not None:
            self.go(max(0, min(len(self._bookmarks.all) - 1, self._at + by)))

    def _show(self, session: Session, plot: str) -> None:
        self._plot = plot
        self._store.begin(session)
        self._controls.play(playable_fields(plot), self._play, self._rest)
        shown = None if self._at is None else self._bookmarks.all[self._at]
        self._page.show_place(shown, self._at, len(self._bookmarks.all))
        self._controls.show_place(self._at is not None)
        self._request()

    def _request(self, *_: object) -> None:
        self._overdue.start()
        session = self._store.session
        view = self._asked if self._asked_of == (self._plot, session.splitting) else EVERYTHING
        self._worker.submit(partial(draw, session, self._plot, view, self._engine))

    def _on_looked_at(self, view: View) -> None:
        """Request what is in view, unless the figure shown is still another plot's or text's."""
        asked_of = self._plot, self._store.session.splitting
        if self._shown_of == asked_of and (asked_of, view) != (self._asked_of, self._asked):
            self._asked_of, self._asked = asked_of, view
            self._request()

    def _on_brought(self, thing: object) -> None:
        match thing:
            case Split(tokens=tokens):
                self._n_tokens = len(tokens)
            case Drawn(session, name, figure) if name == self._plot:
                self._shown_of = name, session.splitting
                self._page.show_figure(figure, () if session.other is None else comparison.names(session))
                if session == self._store.session:
                    self._overdue.stop()
                    self._page.show_busy(False)
                self.setAccessibleName(f"Present: {figure.title}")
                self.setAccessibleDescription(self.words())

    def _on_failed(self, error: Exception) -> None:
        _log.error("a figure to be presented failed", exc_info=error)
        self._overdue.stop()
        self._page.show_busy(False)
        self._page.say(f"This could not be computed: {describe_internal_error(error)}")

    def _on_clicked(self, pointer: Pointer) -> None:
        if fields := chosen(pointer, self._n_tokens):
            self._store.propose(**fields)

    def _play(self, name: str, step: float) -> None:
        session = self._store.session
        options = advance(session, self._plot, name, self._n_tokens, step)
        self._store.propose(plots=session.plots.model_copy(update={self._plot: options}))

    def _rest(self, name: str, playing: bool) -> None:
        if not playing:
            session = self._store.session
            options = settle(session, self._plot, name)
            self._store.propose(plots=session.plots.model_copy(update={self._plot: options}))

    def _show_controls(self) -> None:
        self._controls.appear()
        self._resting.start()

    def _on_rest(self) -> None:
        if not self._controls.hide_at_rest():
            self._resting.start()

    def _takes_keyboard_back(self) -> bool:
        """Take the focus off the page, so that keys step again; return True if something had it."""
        inside = self._page.focusWidget()
        if self.scene().focusItem() is None or inside is None:
            return False
        inside.clearFocus()
        self.scene().setFocusItem(None)  # type: ignore[arg-type]  # None is missing in the stub; Qt takes it
        self.setFocus()
        return True


class _Magnified(QGraphicsProxyWidget):
    """The page in the view. It accepts the presses that a figure ignores; otherwise Qt would send no moves after them."""

    def mousePressEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        """Accept the press, so that its moves and release come, too."""
        super().mousePressEvent(event)
        event.accept()
