"""Present: one figure on the whole screen, readable from the last row, and stepping through bookmarks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QKeySequence, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGraphicsProxyWidget,
    QGraphicsScene,
    QGraphicsSceneMouseEvent,
    QGraphicsView,
    QMenu,
    QWidget,
)

from posenc_gui import plots
from posenc_gui.app.state.playing import advance, is_ahead, playable_fields, settle, walk
from posenc_gui.app.state.store import Store, chosen, go_to_part
from posenc_gui.app.state.worker import ToDraw, Worker
from posenc_gui.app.talk.bookmarks import Bookmarks, bookmark_of, subject_of
from posenc_gui.app.talk.presenter_page import Controls, Curtain, PresenterPage
from posenc_gui.app.talk.screens import Screens
from posenc_gui.app.talk.speaker_window import SpeakerWindow
from posenc_gui.app.widgets.aloud import Announcer
from posenc_gui.app.widgets.controls import delayed, escape_mnemonics, redoes
from posenc_gui.app.widgets.style_sheet import dress
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.view import EVERYTHING, View
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import describe_internal_error
from posenc_gui.foundation.threads import beside_a_window
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.scene import comparison
from posenc_gui.scene.caption import changed_words, describe_encodings
from posenc_gui.scene.scene import Scene
from posenc_gui.scene.splitting import Split, Splitting
from posenc_gui.session.bookmarks import Bookmark
from posenc_gui.session.evaluate import Drawn, evaluate
from posenc_gui.session.session import Session

_HEIGHT, _LEAST_WIDTH = 450, 600  # pixels of a page, which is then magnified to the screen
_CONTROLS_FOR = 2500  # milliseconds without a mouse move until the controls hide
_PATIENT_FOR = 250  # milliseconds of computing before “Computing …” is shown
_LONGEST_LISTED, _DIGITS = 80, 9  # code points of a bookmark's name in a list, and how many of them a digit chooses

_FORWARD = (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_PageDown, Qt.Key.Key_Space)
_BACK = (Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_PageUp, Qt.Key.Key_Backspace)

# B and Ctrl+B are different keys; Shift and the number pad's own modifier aren't.
_HELD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier

_log = logging.getLogger(__name__)


class Presenter(QGraphicsView):
    """A page that fills the window's screen, magnified as a whole, so that all text grows with it.

    It has its own store, worker and page; the window keeps its session and history meanwhile. Without bookmarks it shows
    the current session, and changes made here stay as one undo step. With bookmarks it shows those; changes to one are
    lost at the next, unless they are bookmarked.

    Bookmarks go with the speaker's window, as `Screens` places both; either ends with the other.
    """

    bookmarks_wanted = Signal(object)  # their list, and in it the bookmark at this index; None without bookmarks
    done = Signal(str)  # how to go on with what was left

    def __init__(
        self, store: Store, bookmarks: Bookmarks, front: Callable[[], tuple[str, Figure | None]], device: Callable[[], str],
        minutes: Callable[[], int], window: QWidget,
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
        self.at: int | None = None  # the bookmark that is shown; None without bookmarks
        self._left: Bookmark | None = None  # the one that was shown last
        self._plot = ""
        self._part: int | None = None  # of the bookmark's figure, until that is there
        self._n_tokens = 0
        self._asked = EVERYTHING  # the view requested of a plot and a text:
        self._asked_of: tuple[str, Splitting] | None = None
        self._ahead: _Ahead | None = None  # the last that was drawn ahead
        self._looks_ahead = False  # True once all is drawn but that
        self._elapsed = 0.0  # seconds of a talk that was left
        self._shown_of: tuple[str, Splitting] | None = None
        self._page = PresenterPage()
        self.figure = self._page.parts.view  # what shows figures, except their tables
        dress(self._page)  # style sheets don't reach into a graphics scene
        self._controls = Controls(self._page)
        self._curtain = Curtain(self)
        self.speaker = SpeakerWindow(window, self.keyPressEvent, self.end, minutes)
        self._screens = Screens(self, self.speaker, self._place)
        scene = QGraphicsScene(self)
        self._proxy = _Magnified()
        self._proxy.setWidget(self._page)
        scene.addItem(self._proxy)
        self.setScene(scene)
        self.viewport().setMouseTracking(True)
        self._resting = delayed(self, self._on_rest, _CONTROLS_FOR)
        self._heard = Announcer(self)
        self._overdue = delayed(self, partial(self._page.footer.show_progress, "Computing …"), _PATIENT_FOR)
        self._connect()

    def _connect(self) -> None:
        THEME.changed.connect(self._restyle)
        self._store.changed.connect(self._request)
        self._worker.brought.connect(self._on_brought)
        self._worker.failed.connect(self._on_failed)
        for view in (self.figure, self.speaker.now.view):  # the speaker may point and press in either
            view.pointed.connect(self._on_pointed)
            view.clicked.connect(self._on_clicked)
        self._curtain.turned.connect(self._tell_speaker)
        self.figure.stepped.connect(self._heard.say)
        self.figure.looked_at.connect(self._on_looked_at)
        self._page.footer.marks.chosen.connect(self.go)
        self._page.parts.shown.connect(self._on_part)
        self._controls.back.clicked.connect(partial(self._step, -1))
        self._controls.forward.clicked.connect(partial(self._step, 1))
        self._controls.bookmark.clicked.connect(self.bookmark)
        self._controls.end.clicked.connect(self.end)

    def begin(self, at: int | None = None, elapsed: float = 0.0) -> None:
        """Show the bookmark at this index, or the first; without any, the current session. elapsed: of the talk, in seconds."""
        # A new one, so that its cache is freed at the end.
        self._engine = Engine(self._device(), threads=beside_a_window())
        self.speaker.begin(elapsed)
        if self._bookmarks.all:
            self.go(min(at or 0, len(self._bookmarks.all) - 1))
        else:
            self.at = None
            plot, _ = self._front()
            self._show(self._session.session, plot)
        self._place()

    def resume(self) -> None:
        """Show the bookmark at which Present was left, or the first if that is gone."""
        self.begin(self._bookmarks.all.index(self._left) if self._left in self._bookmarks.all else 0, self._elapsed)

    def _place(self) -> None:
        """Show the page on the audience's screen; without bookmarks, where the window is."""
        if self.at is None:
            self._screens.show(self._window.screen(), None)
        else:
            self._screens.place()
            self._tell_speaker()

    def _ask_to_go(self) -> None:
        """Offer all bookmarks, of which digits choose the first."""
        front = self._screens.front
        menu = QMenu(front)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for at in range(len(self._bookmarks.all)):
            digit = "&" if at < _DIGITS else ""
            offered = menu.addAction(f"{digit}{escape_mnemonics(self._listed(at))}", partial(self.go, at))
            if at == self.at:
                menu.setActiveAction(offered)
        menu.popup(front.mapToGlobal(front.rect().center() - menu.rect().center()))

    def end(self) -> None:
        """Hide Present, stop computing, and return to the window; without bookmarks, it takes over the changed session."""
        if not self.isVisible():
            return
        self._elapsed = self.speaker.elapsed
        self.hide()
        self.speaker.hide()
        self._controls.pause()
        self._curtain.hide()
        self._worker.stop()
        self._engine = Engine()
        if self.at is None:
            self._session.replace(self._store.session, named="Changed while presenting")
        else:
            self.done.emit("Shift+F5 goes on where Present was left.")
        self._window.activateWindow()

    def go(self, at: int, part: int = 0) -> None:
        """Show the bookmark at this index, from this part of its figure on; negative parts count from the end."""
        bookmark = self._bookmarks.all[at]
        self.at, self._left = at, bookmark
        self._show(bookmark.session, self._plot_of(bookmark), part)

    def bookmark(self) -> None:
        """Insert a bookmark of what is shown after the current one, and go to it; report why if it can't be added."""
        at = 0 if self.at is None else self.at + 1
        made = bookmark_of(self._store.session, self._plot, self.shown)
        if why := self._bookmarks.insert(at, made):
            self._page.footer.tell(f"No bookmark added: {why}")
        else:
            self.go(at)
            self._page.footer.tell("Bookmark added")

    def _restyle(self) -> None:
        dress(self._page)
        self._page.restyle()

    @property
    def busy(self) -> bool:
        """True while a figure to be seen is being computed."""
        return self._worker.busy and not self._looks_ahead

    @property
    def shown(self) -> Figure | None:
        """The whole figure, of which a part is shown."""
        return self._page.parts.figure

    def words(self) -> str:
        """Return the text on the page besides the figure."""
        return self._page.words()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the curtain away; else let the focused widget take its keys first. Others step, draw the curtain, add a
        bookmark, undo, or end Present; none closes the window or ends the program."""
        if self._curtain.isVisible():
            self._curtain.hide()
            return
        if event.key() == Qt.Key.Key_Escape and self._takes_keyboard_back():
            return
        QApplication.sendEvent(self.scene(), event)  # not to the view, which would scroll
        if event.isAccepted():
            return
        event.accept()
        last, held = len(self._bookmarks.all) - 1, event.modifiers() & _HELD
        match Qt.Key(event.key()):
            case Qt.Key.Key_D if held == Qt.KeyboardModifier.ControlModifier:
                self.bookmark()
            case Qt.Key.Key_B if held == Qt.KeyboardModifier.ControlModifier:
                self.end()
                self.bookmarks_wanted.emit(self.at)
            case Qt.Key.Key_W if held == Qt.KeyboardModifier.ControlModifier:
                self.end()
            case _ if event.matches(QKeySequence.StandardKey.Undo):
                self._store.undo()
            case _ if redoes(event):
                self._store.redo()
            case _ if held:
                event.ignore()
            case Qt.Key.Key_Escape | Qt.Key.Key_F11:
                self.end()
            case key if key in _FORWARD:
                shifted = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                self._step(-1 if key == Qt.Key.Key_Space and shifted else 1)
            case key if key in _BACK:
                self._step(-1)
            case Qt.Key.Key_Home | Qt.Key.Key_End as key if last >= 0:
                self.go(0 if key == Qt.Key.Key_Home else last)
            case Qt.Key.Key_G if last >= 0:
                self._ask_to_go()
            case Qt.Key.Key_S if self.at is not None:
                self._screens.turn()
                self._tell_speaker()
            case Qt.Key.Key_N:
                self.speaker.turn_note()
            case Qt.Key.Key_B | Qt.Key.Key_Period:
                self._curtain.blank("black")
            case Qt.Key.Key_W | Qt.Key.Key_Comma:
                self._curtain.blank("white")
            case Qt.Key.Key_Question if not self.speaker.isVisible():  # it lists its own
                self._curtain.show_keys(has_bookmarks=self.at is not None)
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
        if self.figure.hasFocus():
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
        """Go on through the plot's walk or the figure's parts, or to the next bookmark; back, it begins at its last part."""
        if (options := self._walked(by)) is not None:
            self._propose_options(options)
        elif not self._page.parts.step(by) and self.at is not None and 0 <= self.at + by < len(self._bookmarks.all):
            self.go(self.at + by, 0 if by > 0 else -1)

    def _walked(self, by: int) -> Frozen | None:
        """Return the options a step further in the plot's walk, None if there is no such step. Without bookmarks it begins
        again."""
        session = self._store.session
        for name in (name for name, unit in playable_fields(self._plot).items() if unit == "step"):
            options = walk(session, self._plot, name, by)
            if options is None and by > 0 and self.at is None:
                options = advance(session, self._plot, name, self._n_tokens, by)
            if options is not None and (self.at is None or getattr(session.options_of(self._plot), name) is not None):
                return options
        return None

    def _next(self) -> tuple[Session, str] | None:
        """Return the session and its plot that come after the parts of the figure; None if no others do."""
        session, held = self._store.session, self._bookmarks.all
        if self.at is None:
            return None
        if (options := self._walked(1)) is not None:
            return session.changed(plots=self._plots_with(options)), self._plot
        return None if self.at + 1 == len(held) else (held[self.at + 1].session, self._plot_of(held[self.at + 1]))

    def _plot_of(self, one: Bookmark) -> str:
        return one.plot or self._front()[0]

    def _listed(self, at: int) -> str:
        one = self._bookmarks.all[at]
        return f"{at + 1}  {shorten_middle(one.name or subject_of(one.session, self._plot_of(one)), _LONGEST_LISTED)}"

    def _tell_speaker(self) -> None:
        """Show the speaker what is seen now, what the next press brings, and what comes then."""
        if self.at is None or not self.speaker.isVisible():
            return
        held, parts = self._bookmarks.all, self._page.parts
        self.speaker.show_place(self.at, held, subject_of(self._store.session, self._plot))
        self.speaker.show_now(parts.picture, self._curtain.covering, self.screen())
        walks, then = self._walked(1) is not None, [self._listed(at) for at in range(self.at + 1, len(held))]
        if walks or parts.picture_after is None:
            drawn = self._ahead.figure if self._ahead and self._ahead.wanted == self._next() else None
            self.speaker.show_coming("the next step" if walks else then.pop(0) if then else "", drawn, then)
        else:
            self.speaker.show_coming("the next part", parts.picture_after, then)

    def _show(self, session: Session, plot: str, part: int = 0) -> None:
        self._plot, self._part = plot, part
        self._store.begin(session)
        self._controls.play(playable_fields(plot), self._play, self._rest)
        shown = None if self.at is None else self._bookmarks.all[self.at]
        self._page.show_place(shown, subject_of(session, plot), self.at, len(self._bookmarks.all))
        self._show_controls_for(1)
        self._request()
        self._tell_speaker()

    def _request(self, *_: object) -> None:
        self._overdue.start()
        session = self._store.session
        view = self._asked if self._asked_of == (self._plot, session.splitting) else EVERYTHING
        if self._looks_ahead:
            self._worker.stop()
            self._looks_ahead = False
        wanted = self._next()
        # One model that has learned would take the place of another in memory.
        ahead = wanted if wanted and isinstance(wanted[0].model, ToyModel) else None
        self._worker.submit(partial(_draw, session, self._plot, view, self._engine, ahead))

    def _on_looked_at(self, view: View) -> None:
        """Request what is in view, unless the figure shown is still another plot's or text's."""
        asked_of = self._plot, self._store.session.splitting
        if self._shown_of == asked_of and (asked_of, view) != (self._asked_of, self._asked):
            self._asked_of, self._asked = asked_of, view
            self._request()

    def _on_brought(self, thing: object) -> None:
        match thing:
            case _Ahead():
                self._ahead = thing
                self._tell_speaker()
            case Split(tokens=tokens):
                self._n_tokens = len(tokens)
            case Drawn(session, name, figure) if name == self._plot:
                self._shown_of = name, session.splitting
                one = "" if not changed_words(session.encoding) else describe_encodings(Scene(session))
                self._show_figure(figure, (one,) if session.other is None else comparison.names(Scene(session)))
                if figure.pauses:
                    self._controls.pause()
                if session == self._store.session:
                    self._show_done()

    def _on_failed(self, error: Exception) -> None:
        _log.error("a figure to be presented failed", exc_info=error)
        self._show_figure(plots.note(self._plot, f"This could not be computed: {describe_internal_error(error)}"), ())
        self._show_done()

    def _show_done(self) -> None:
        self._part, self._looks_ahead = None, True
        self._overdue.stop()
        self._page.footer.show_progress("")

    def _show_figure(self, figure: Figure, names: tuple[str, ...]) -> None:
        self._page.show_figure(figure, names, self._part)
        self.setAccessibleName(f"Present: {figure.title}")
        self.setAccessibleDescription(self.words())
        self._heard.say(f"{figure.title}. {self.words()}")

    def _on_part(self, _at: int, count: int) -> None:
        self._show_controls_for(count)
        self._tell_speaker()

    def _on_pointed(self, pointer: Pointer, _words: str) -> None:
        for view in (self.figure, self.speaker.now.view):
            view.show_pointer(pointer)

    def _on_clicked(self, pointer: Pointer) -> None:
        if go_to_part(pointer, self._page.parts.figure, self._store):
            return
        if fields := chosen(pointer, self._n_tokens):
            self._store.propose(**fields)

    def _play(self, name: str, step: float) -> None:
        session = self._store.session
        if not is_ahead(session, self._plot, name, self._page.parts.figure):
            self._propose_options(advance(session, self._plot, name, self._n_tokens, step))

    def _rest(self, name: str, playing: bool) -> None:
        if not playing:
            self._propose_options(settle(self._store.session, self._plot, name))

    def _propose_options(self, options: Frozen) -> None:
        self._store.propose(plots=self._plots_with(options))

    def _plots_with(self, options: Frozen) -> Frozen:
        return self._store.session.plots.model_copy(update={self._plot: options})

    def _show_controls_for(self, n_parts: int) -> None:
        """Offer what there is to go to, of a figure in so many parts."""
        has_bookmarks = self.at is not None
        walks = "step" in playable_fields(self._plot).values()
        self._controls.offer(steps=has_bookmarks or n_parts > 1 or walks)

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


class _Ahead(NamedTuple):
    """A session and its plot that the next press brings, and their figure."""

    wanted: tuple[Session, str]
    figure: Figure


def _draw(
    session: Session, plot: str, view: View, engine: Engine, ahead: tuple[Session, str] | None,
    check_stop: Callable[[], None],
) -> Iterator[Split | ToDraw | _Ahead]:  # fmt: skip
    """Yield a session's tokens, the plot of what is in view, and then what comes ahead. Runs on the worker's thread."""
    engine = replace(engine, check_stop=check_stop)
    yield session.scene.sentence.split(check_stop)
    for drawn in evaluate(session, (plot,), engine, {plot: view}):
        yield ToDraw(drawn)
    if ahead:
        *_, drawn = evaluate(ahead[0], (ahead[1],), engine)
        yield _Ahead(ahead, drawn.figure)


class _Magnified(QGraphicsProxyWidget):
    """The page in the view. It accepts the presses that a figure ignores; otherwise Qt would send no moves after them."""

    def mousePressEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        """Accept the press, so that its moves and release come, too."""
        super().mousePressEvent(event)
        event.accept()
