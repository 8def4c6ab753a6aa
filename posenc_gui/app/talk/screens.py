"""Which window of a talk is on which screen: the page for the audience, and the speaker's window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication, QScreen
from PySide6.QtWidgets import QWidget

from posenc_gui.app.widgets.controls import delayed

_PLUGGING = 300  # milliseconds in which the desktop has moved windows after a screen has come or gone


class Screens(QObject):
    """Places both windows, again when a screen comes or goes. The audience has the screen that isn't the computer's main one,
    the speaker that. Where there is one screen, the speaker's window comes in place of the page when it is asked for."""

    def __init__(self, page: QWidget, speaker: QWidget, place: Callable[[], None]) -> None:
        super().__init__(page)
        self._page, self._speaker = page, speaker
        self._turned = 0  # how often the windows have changed screens
        self._again = place
        self._plugging = delayed(self, self._on_plugged, _PLUGGING)
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        for changed in (app.screenAdded, app.screenRemoved, app.primaryScreenChanged):
            changed.connect(self._plugging.start)

    @property
    def front(self) -> QWidget:
        """The window that has the keyboard."""
        return self._speaker if self._speaker.isVisible() else self._page

    def place(self) -> None:
        """Show the page to the audience, and where there is another screen, the speaker's window there."""
        order = [QGuiApplication.primaryScreen()]
        order[:0] = [screen for screen in QGuiApplication.screens() if screen is not order[0]]
        audience = self._turned % len(order)
        self.show(order[audience], order[audience - 1] if len(order) > 1 else None)

    def turn(self) -> None:
        """Move the audience to the next screen; on one screen, let the speaker's window come or go."""
        was_seen = self._speaker.isVisible()
        if len(QGuiApplication.screens()) > 1:
            self._turned += was_seen
            self.place()
        else:
            self.show(self._page.screen(), None if was_seen else self._page.screen())

    def show(self, page: QScreen, speaker: QScreen | None) -> None:
        """Show the page on a screen, and the speaker's window, if at all."""
        self._speaker.hide()
        _fill(self._page, page)
        if speaker:
            _fill(self._speaker, speaker)
        self.front.raise_()
        self.front.activateWindow()
        self.front.setFocus()

    def _on_plugged(self) -> None:
        if self._page.isVisible():
            self._again()


def _fill(window: QWidget, screen: QScreen) -> None:
    """Show a window on the whole of a screen, on which it may not be yet."""
    if window.isVisible() and window.screen() is not screen:
        window.showNormal()  # or some desktops leave it where it is
    window.setScreen(screen)
    window.setGeometry(screen.geometry())
    window.showFullScreen()
