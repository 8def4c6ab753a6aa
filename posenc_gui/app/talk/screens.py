"""Which window of a talk is on which screen: the page for the audience, and the speaker's window."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication, QScreen
from PySide6.QtWidgets import QWidget

from posenc_gui.app.widgets.controls import delayed

_PLUGGING = 300  # milliseconds in which the desktop has moved windows after a screen has come or gone


class Screens(QObject):
    """Places both windows, again when a screen comes or goes.

    The audience has the screen that isn't the computer's main one, the speaker that. Where there is one screen, the speaker's
    window comes in place of the page when it is asked for.
    """

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
        audience, own = places(QGuiApplication.screens(), QGuiApplication.primaryScreen(), self._turned)
        self.show_page(audience)
        self._show_speaker(own)

    def show_page(self, on: QScreen) -> None:
        """Show the page alone, on this screen."""
        self._speaker.hide()
        _fill(self._page, on)
        self._bring()

    def turn(self) -> None:
        """Let both windows change screens; on one screen, let the speaker's window come or go."""
        was_seen = self._speaker.isVisible()
        if len(QGuiApplication.screens()) > 1:
            self._turned += was_seen
            self.place()
        else:
            self._show_speaker(None if was_seen else self._page.screen())

    def _on_plugged(self) -> None:
        if self._page.isVisible():
            self._again()

    def _show_speaker(self, on: QScreen | None) -> None:
        self._speaker.hide()
        if on:
            _fill(self._speaker, on)
        self._bring()

    def _bring(self) -> None:
        self.front.raise_()
        self.front.activateWindow()
        self.front.setFocus()


def places(screens: Sequence[QScreen], primary: QScreen, turned: int) -> tuple[QScreen, QScreen | None]:
    """Return the audience's screen, and the speaker's, None if there is but one; each turn moves the audience to the next."""
    order = [*(screen for screen in screens if screen is not primary), primary]
    audience = turned % len(order)
    return order[audience], order[audience - 1] if len(order) > 1 else None


def _fill(window: QWidget, screen: QScreen) -> None:
    """Show a window on the whole of a screen, on which it may not be yet."""
    if window.isVisible() and window.screen() is not screen:
        window.showNormal()  # or some desktops leave it where it is
    window.setScreen(screen)
    window.setGeometry(screen.geometry())
    window.showFullScreen()
