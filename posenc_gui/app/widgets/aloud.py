"""What screen readers say of something that doesn't have the keyboard: at once, or once it has come to rest."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

from posenc_gui.app.widgets.controls import delayed

_AT_REST = 400  # milliseconds without a change, after which it is said


def announce(of: QObject, words: str) -> None:
    """Have screen readers say these words of a widget, after what they are saying."""
    if words:
        spoken = words.replace(" · ", ", ")  # else heard as "middle dot"
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(of, spoken))


class Announcer(QObject):
    """Announces the last of what it is given once that has come to rest, and nothing twice in a row."""

    def __init__(self, of: QObject, after: int = _AT_REST) -> None:
        super().__init__(of)
        self._of, self._words, self._said = of, "", ""
        self._rest = delayed(self, self._say, after)

    def say(self, words: str) -> None:
        """Say these words soon; empty ones take back what isn't said yet."""
        self._words = words
        self._rest.start()

    def _say(self) -> None:
        if self._words != self._said:
            announce(self._of, self._words)
        self._said = self._words
