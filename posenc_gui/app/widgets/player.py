"""The play button, which moves a plot's position on steadily, or its walk step by step, at a chosen speed."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Literal

from PySide6.QtCore import QEvent, QTimer

from posenc_gui.app.widgets.controls import Choices
from posenc_gui.app.widgets.icons import icon
from posenc_gui.app.widgets.menu_button import Turning

_BEAT = 40  # milliseconds
_SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
_USUAL = {"position": 2.0, "step": 1.0}


class Player(Turning):
    """A play button and the list of its speeds, `speed`, which the caller places. While it plays, it calls `move` with the
    distance to advance since the last call, in positions; or, beginning at once, with each whole step."""

    def __init__(self, move: Callable[[float], None], unit: Literal["position", "step"]) -> None:
        super().__init__()
        self._move, self._unit = move, unit
        self._last = 0.0
        self._beat = QTimer(self, interval=_BEAT)
        self._beat.timeout.connect(self._on_beat)
        self.setObjectName("play")
        self.toggled.connect(self._on_toggled)
        self.speed = Choices("Speed")
        self.speed.setToolTip(f"Speed in {unit}s per second")
        for speed in _SPEEDS:
            self.speed.addItem(f"{speed:g} {unit}s/s", speed)
        self.speed.setCurrentIndex(_SPEEDS.index(_USUAL[unit]))
        self._name()

    @property
    def playing(self) -> bool:
        """True while it plays."""
        return self._beat.isActive()

    def changeEvent(self, event: QEvent) -> None:
        """Redraw the icon in the new theme's colour."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._name()

    def _on_toggled(self, play: bool) -> None:
        self._last = monotonic()
        if play:
            self._beat.start()
            if self._unit == "step":
                self._move(1)
        else:
            self._beat.stop()
        self._name()

    def _name(self) -> None:
        name = "Pause" if self.playing else "Play"
        self.setAccessibleName(name)
        self.setIcon(icon(name.lower(), self.palette().buttonText().color().name()))
        still = f"Play at {self.speed.currentText()}; Pause stops at the nearest whole {self._unit}"
        self.setToolTip(f"Stop at the nearest whole {self._unit}" if self.playing else still)

    def _on_beat(self) -> None:
        now, speed = monotonic(), self.speed.currentData()
        if self._unit == "position":
            self._move((now - self._last) * speed)
            self._last = now
        elif (now - self._last) * speed >= 1:
            self._move(1)
            self._last = now
