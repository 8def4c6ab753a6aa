"""Play: moves a number of a session steadily on, at a chosen speed."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from posenc_gui import plots
from posenc_gui.app.controls import Choices
from posenc_gui.app.panels.editors import declared
from posenc_gui.frozen import Frozen
from posenc_gui.session import Session

_BEAT = 40  # milliseconds
_SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


def played(plot: str) -> list[str]:
    """The options of a plot that can be played."""
    return [name for name, field in plots.plots()[plot].options.model_fields.items() if "plays" in declared(field)]


def moved_on(session: Session, plot: str, name: str, n_tokens: int, step: float) -> Frozen:
    """The plot's options with a position moved on; past twice the sentence it begins again."""
    options: Frozen = session.options_of(plot)
    now = getattr(options, name)
    position = (session.focus_of(n_tokens) or 0 if now is None else now) + step
    return options.model_copy(update={name: round(position % max(32, 2 * n_tokens), 4)})


class Player(QWidget):
    """A play button and a speed. While it plays, `move` is called with how far to go on."""

    def __init__(self, move: Callable[[float], None], unit: str) -> None:
        super().__init__()
        self._move = move
        self._last = 0.0
        self._beat = QTimer(self, interval=_BEAT)
        self._beat.timeout.connect(self._on_beat)
        self._play = QToolButton()
        self._play.setCheckable(True)
        self._play.setProperty("framed", True)
        self._play.toggled.connect(self._on_toggled)
        self._speed = Choices("Speed")
        self._speed.setToolTip(f"How many {unit}s a second")
        for speed in _SPEEDS:
            self._speed.addItem(f"{speed:g} {unit}s/s", speed)
        self._speed.setCurrentIndex(_SPEEDS.index(2.0))
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(4)
        line.addWidget(self._play)
        line.addWidget(self._speed)
        self._name_button()

    @property
    def playing(self) -> bool:
        """Whether it plays."""
        return self._beat.isActive()

    def button(self) -> QToolButton:
        """The play button."""
        return self._play

    def _on_toggled(self, play: bool) -> None:
        self._last = monotonic()
        if play:
            self._beat.start()
        else:
            self._beat.stop()
        self._name_button()

    def _name_button(self) -> None:
        name = "Pause" if self.playing else "Play"
        self._play.setText(name)
        self._play.setAccessibleName(name)

    def _on_beat(self) -> None:
        now = monotonic()
        self._move((now - self._last) * self._speed.currentData())
        self._last = now
