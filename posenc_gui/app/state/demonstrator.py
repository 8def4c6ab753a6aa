"""The demonstrator: shows sessions one after the other, and then the one from which it began, with its history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from posenc_gui.app.state.store import Store
from posenc_gui.session.demonstration import TimedSession

_ENDING = {
    QEvent.Type.MouseButtonPress,
    QEvent.Type.KeyPress,
    QEvent.Type.Wheel,
    QEvent.Type.Drop,
    QEvent.Type.Close,
    QEvent.Type.InputMethod,
}


class Demonstrator(QObject):
    """Plays scenes in a store. A press, a key or the wheel ends them at once, before it takes effect on what stood before."""

    ended = Signal()

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._store = store
        self._scenes: Iterator[TimedSession] = iter(())
        self._steps = 0  # in the history
        self._next = QTimer(self, singleShot=True)
        self._next.timeout.connect(self._show_next)

    @property
    def playing(self) -> bool:
        """True while scenes are shown."""
        return self._next.isActive()

    def play(self, scenes: Iterable[TimedSession]) -> None:
        """Show these scenes, the first at once."""
        self.end()
        self._scenes = iter(scenes)
        application = QApplication.instance()
        assert application is not None
        application.installEventFilter(self)
        self._show_next()

    def end(self) -> None:
        """Return to the session from which the scenes began, if any are shown."""
        if not self.playing:
            return
        self._finish()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """End before the user does anything else."""
        if event.type() in _ENDING:
            self.end()
        return False

    def _show_next(self) -> None:
        scene = next(self._scenes, None)
        if scene is None:
            self._finish()
            return
        self._next.start(round(1000 * scene.seconds))  # first: who hears of the change asks whether scenes are shown
        if scene.session != self._store.session:
            self._store.replace(scene.session)
            self._steps += 1

    def _finish(self) -> None:
        application = QApplication.instance()
        if application is not None:
            application.removeEventFilter(self)
        steps, self._steps = self._steps, 0
        self._store.take_back(steps)
        self._next.stop()  # last, as it was started first
        self.ended.emit()
