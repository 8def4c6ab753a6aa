"""One window for the tests of a module: after each of them it is brought back to how it was at first."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

from hands import banner, close_banner
from PySide6.QtCore import QByteArray, QEvent
from PySide6.QtGui import QFont, QGuiApplication, QPalette
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QWidget

import posenc_gui as pe
from posenc_gui.app.docks.arranger import Arranger
from posenc_gui.app.state.settings import VERSION, Preferences
from posenc_gui.app.talk.bookmarks import Bookmarks
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.app.window.plot_gallery import Gallery

State = dict[str, object]
Places = dict[str, tuple[int, int, int, int]]  # of cards in view, in pixels

_AFTER_A_DRAG = 5_000  # milliseconds at most
_SLIGHT = 12  # pixels by which a headline that has lost a line moves the cards below


def default_memory(folder: Path) -> Path:
    """A window's folder with the default session, of 4 heads and 64 dimensions; a first start shows a smaller one."""
    folder.mkdir()
    pe.Session().save(folder / "last-session.json")
    return folder


class OneWindow:
    """Holds the window while tests follow each other that can share it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._window: MainWindow | None = None
        self._first: State = {}
        self._places: Places = {}
        self._sizes = QByteArray()
        self._type, self._colours = QFont(), QPalette()
        self._opened = 0

    def take(self, open_on: Callable[[Path], MainWindow]) -> MainWindow:
        """The window as at first; it is opened on a folder if none is there."""
        if self._window is None:
            for left in QApplication.topLevelWidgets():  # by tests without a window
                left.close()
            self._opened += 1
            self._window = open_on(default_memory(self._folder / str(self._opened)))
            self._places = _places(self._window)
            self._first = _state(self._window, self._places)
            self._sizes = self._window.saveState(VERSION)
            self._type, self._colours = QApplication.font(), QApplication.palette()
        QApplication.setFont(self._type)  # tests without a window, or with another, may have been before
        QApplication.setPalette(self._colours)
        self._window.activateWindow()
        QTest.qWaitForWindowActive(self._window)
        return self._window

    def give_back(self, settle: Callable[[MainWindow], None]) -> str:
        """Bring the window back to how it was at first. What is left of a test nonetheless is returned in words."""
        window = self._window
        if window is None:
            return ""
        _close_what_is_over(window)
        _begin_again(window)
        settle(window)
        moves = window.workbench.moves
        if moves.underway:  # a drag ends a moment after its last picture
            QSignalSpy(moves.ended).wait(_AFTER_A_DRAG)
        _lay_out_again(window, self._first, self._places, self._sizes)
        settle(window)
        now = _state(window, self._places)
        left = [
            f"{name}: {now[name]!r}, at first {first!r}" for name, first in self._first.items() if now[name] != first
        ]
        if left:
            self.end()
        return "; ".join(left)

    def end(self) -> None:
        """Close the window, so that another can have the pointer and the keyboard."""
        if self._window is not None:
            window, self._window = self._window, None
            window.end()
            let_go([window])


def let_go(windows: list[MainWindow]) -> None:
    """Close windows and let go of all that was theirs."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    for window in windows:
        window.close()
        window.deleteLater()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    # A loading window tells the collector to leave alone what is there; what belongs to a closed one is let go here, or
    # each new style sheet would visit pyqtgraph's menus, which have no parents, of all windows before.
    for window in windows:
        vars(window).clear()
    windows.clear()
    gc.collect()
    for left in app.topLevelWidgets():  # those menus themselves, where their wrappers live on
        left.deleteLater()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _over(window: MainWindow) -> list[QWidget]:
    """What is seen over the window: dialogs, open lists and menus, floating cards, Present."""
    tops = (one for one in QApplication.topLevelWidgets() if one is not window and one.isVisible())
    return [one for one in tops if one.graphicsProxyWidget() is None]  # Present's page is drawn, and no window


def _close_what_is_over(window: MainWindow) -> None:
    window.presenter.end()
    for one in _over(window):
        if one not in window.cards.values():
            one.close()
    for gallery in window.findChildren(Gallery):
        if gallery.isVisible():
            gallery.close_again()
    if window.labs.desk.play:
        window.labs.desk.leave()
    for panel in window.workbench.plots.values():
        panel.pin.setChecked(False)
        panel.options_button.setChecked(False)
        for player in panel.players:
            player.setChecked(False)


def _begin_again(window: MainWindow) -> None:
    """Begin with the session, as a window does at its start."""
    store = window.workbench.store
    if window.workbench.refused:  # an undo takes back what no session holds
        store.replace(store.session.changed(text="to undo"))
        store.undo()
    window.findChild(Bookmarks).begin(())
    window.workbench.begin(pe.Session())
    store.held.emit()  # what can be undone, which the bar shows
    window.documents.begin(None)
    for panel in window.workbench.plots.values():
        panel.view.viewport.reset()


def _lay_out_again(window: MainWindow, first: State, places: Places, sizes: QByteArray) -> None:
    arranger, preferences = window.findChild(Arranger), window.findChild(Preferences)
    window.resize(first["size"])
    settings, then = first["settings"], preferences.settings
    preferences.keep(**{field.name: getattr(settings, field.name) for field in fields(settings)})
    if (then.scale, then.theme) != (settings.scale, settings.theme):
        preferences.choose_theme(settings.theme)  # at its scale
        QApplication.processEvents()
    arranger.go_back()  # from what a file or a lab has shown
    if arranger.at != "explore":
        arranger.go("explore")
    if _has_moved(places, _places(window)):
        arranger.reset()
        QApplication.processEvents()
        window.restoreState(sizes, VERSION)  # as a start does with the layout in which it was left
    QGuiApplication.clipboard().clear()
    window.workbench.tokens.text_edit.setFocus()
    QApplication.processEvents()
    if banner(window):
        close_banner(window)


def _places(window: MainWindow) -> Places:
    return {name: card.geometry().getRect() for name, card in window.cards.items() if card.in_view}


def _has_moved(first: Places, now: Places) -> bool:
    return first.keys() != now.keys() or any(
        abs(one - other) > _SLIGHT for name in first for one, other in zip(first[name], now[name], strict=True)
    )


def _state(window: MainWindow, places: Places) -> State:
    """All that a test can leave behind."""
    store, arranger = window.workbench.store, window.findChild(Arranger)
    return {
        "session": store.session,
        "history": store.history,
        "bookmarks": window.findChild(Bookmarks).all,
        "title": window.windowTitle(),
        "size": window.size(),
        "arrangement": arranger.at,
        "own layout": arranger.is_own,
        "cards": sorted(name for name, card in window.cards.items() if card.in_view),
        "moved": _has_moved(places, _places(window)),
        "floating": [name for name, card in window.cards.items() if card.isFloating()],
        "over it": [f"{type(one).__name__} {one.windowTitle()}" for one in _over(window)],
        "lab": window.labs.desk.play,
        "settings": window.findChild(Preferences).settings,
        "theme": THEME.roles,
        "message": banner(window),
        "refused": window.workbench.refused,
        "device": window.workbench.device,
        "keyboard": window.focusWidget(),
    }
